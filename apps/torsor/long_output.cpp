#include "long_output.hpp"

#include "print.hpp"

namespace torsor::command {
namespace {

constexpr std::size_t short_answer = std::size_t{1} << 22;  // bytes
constexpr std::size_t piece = std::size_t{1} << 18;         // fits the cache of a core

}  // namespace

LongOutput::LongOutput(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

bool LongOutput::pass_on() {
  if (text.size() < (file_ || begun_ ? piece : short_answer)) return true;
  begun_ = true;
  if (!file_) return print(text);
  file_->write(text);
  text.clear();
  return true;
}

void LongOutput::finish(std::string& out) {
  if (!file_) {
    out += text;
    return;
  }
  file_->write(text);
  file_->commit();
}

}  // namespace torsor::command
