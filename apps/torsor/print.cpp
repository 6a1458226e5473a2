#include "print.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
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

/// Whether nothing but ASCII and new lines is there, looked at eight bytes at a time: long answers
/// are numbers.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t each = 0x0101010101010101, top = 0x80 * each;
  const auto is_plain_line = [&](std::string_view line) {
    std::uint64_t found = 0;
    std::size_t at = 0;
    for (; at + 8 <= line.size(); at += 8) {
      std::uint64_t x = 0;
      std::memcpy(&x, line.data() + at, 8);
      found |= x | (x - 0x20 * each) | (x + each);  // beyond ASCII, below a blank, 0x7f
    }
    for (; at < line.size(); ++at)
      if (const auto byte = static_cast<unsigned char>(line[at]); byte < 0x20 || byte >= 0x7f)
        return false;
    return (found & top) == 0;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!is_plain_line(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

}  // namespace

bool print(std::string& out) {
  if (!is_plain(out)) out = printable(out);
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  if (written && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Failure(std::string("cannot write the output: ") + std::strerror(errno));
}

void remark(const std::string& line) {
  const std::string whole = torsor::internal::without_controls(line) + '\n';
  std::string& all = remarks();
  const bool said = all == whole || all.ends_with('\n' + whole);
  if (!said) all += whole;
}
void print_remarks() {
  std::fwrite(remarks().data(), 1, remarks().size(), stderr);
  remarks().clear();
}

}  // namespace torsor::command
