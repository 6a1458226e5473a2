#include "print.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "command.hpp"
#include "torsor/math/error.hpp"

namespace torsor::command {
namespace {

std::string& remarks() {
  static std::string lines;
  return lines;
}

/// The end of a colour of text_output.cpp ("\x1b[31m") that begins at `at`; `at` where none does.
std::size_t after_colour(std::string_view text, std::size_t at) {
  std::size_t k = at + 1;
  if (k >= text.size() || text[k] != '[') return at;
  while (++k < text.size() && text[k] >= '0' && text[k] <= '9') {
  }
  return k < text.size() && text[k] == 'm' ? k + 1 : at;
}

/// Names and titles come from files: of all control characters only new lines, tabs and the
/// command's own colours reach the terminal.
std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\x1b', at), text.size());
    out += torsor::internal::without_controls(text.substr(at, escape - at), "\n\t");
    at = escape;
    if (at == text.size()) break;
    const std::size_t end = after_colour(text, at);
    out += end > at ? std::string(text.substr(at, end - at)) : "\\x1b";
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace

bool print(std::string& out) {
  const std::string text = printable(out);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  out.clear();
  if (written && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Failure(std::string("cannot write the output: ") + std::strerror(errno));
}

void remark(const std::string& line) {
  (remarks() += torsor::internal::without_controls(line)) += '\n';
}
void print_remarks() {
  std::fwrite(remarks().data(), 1, remarks().size(), stderr);
  remarks().clear();
}

}  // namespace torsor::command
