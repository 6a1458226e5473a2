#include "output_file.hpp"

#include <filesystem>

#include "command.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::command {

namespace fs = std::filesystem;

void refuse_to_overwrite(const std::string& path, bool force) {
  std::error_code ignored;
  if (!force && fs::is_regular_file(path, ignored))
    throw Error(one_line(path) + ": exists already; --force replaces it");
}

void write_file(const std::string& path, const std::string& text) {
  try {
    write_text_file_atomically(path, text);
  } catch (const Error& refused) {
    throw Failure(refused.what());
  }
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace torsor::command
