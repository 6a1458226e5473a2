#include "output_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "command.hpp"
#include "print.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::command {

namespace fs = std::filesystem;

void refuse_to_overwrite(const std::string& path, bool force) {
  const std::string name = one_line(path);
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw Error(name + ": cannot write: is a folder, not a file");
  if (fs::is_regular_file(status) && !force)
    throw Error(name + ": exists already; --force replaces it");
  if (fs::exists(status) && !fs::is_regular_file(status)) return;  // a device or a pipe
  const fs::path parent = fs::path(path).parent_path();
  const fs::path folder = parent.empty() ? fs::path(".") : parent;
  if (!fs::is_directory(folder, ignored))
    throw Error(name + ": cannot write: there is no folder " + in_quotes(folder.string()));
  if (::access(folder.c_str(), W_OK) != 0)
    throw Failure(name + ": cannot write: " + std::strerror(errno));
}

void refuse_to_leave_folder(const std::string& path, const std::string& scenario, bool force) {
  const fs::path file = path;
  if (force || (!file.is_absolute() && std::find(file.begin(), file.end(), "..") == file.end()))
    return;
  throw Error(one_line(scenario) + ": output: " + in_quotes(path) +
              " is not below the current folder; --force or -o writes it there");
}

void write_file(const std::string& path, const std::string& text) {
  write_text_file_atomically(path, text);
}

void give(const std::string& path, const std::string& text, std::string& out) {
  if (path.empty()) {
    out += text;
    return;
  }
  write_file(path, text);
  remark("torsor: wrote " + one_line(path));
}

std::string wrote(const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files)
    if (!file.empty()) names += (names.empty() ? "" : ", ") + one_line(file);
  return names.empty() ? "" : "\nwrote " + names + "\n";
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace torsor::command
