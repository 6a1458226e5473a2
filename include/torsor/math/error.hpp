#pragma once
/// The only exception type of the library: an error that the caller could have avoided.
///
/// The message is one line that names the value, the joint or link and, where a file is involved,
/// "file:line: ". Results that only the computation can tell are result structs, not exceptions.
#include "torsor/math/language.hpp"  // first: what an older one lacks is said there

#include <stdexcept>
#include <string>
#include <string_view>

namespace torsor {

namespace internal {

/// Text of a file or of a user for one line of a message or of a terminal: control characters, those
/// beyond ASCII too, are escaped as \n, \t, \x1b, and what turns the direction of writing as \u202e.
inline std::string without_controls(std::string_view text, std::string_view kept = "") {
  constexpr char digits[] = "0123456789abcdef";
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  std::string out;
  out.reserve(text.size());
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool beyond_ascii = byte(k) == 0xc2 && k + 1 < text.size() && byte(k + 1) >= 0x80 &&
                              byte(k + 1) < 0xa0;  // U+0080 to U+009F in UTF-8
    if (beyond_ascii) ++k;
    const std::string_view next = text.substr(k, 3);
    if (("\xe2\x80\xaa" <= next && next <= "\xe2\x80\xae") ||
        ("\xe2\x81\xa6" <= next && next <= "\xe2\x81\xa9")) {
      out += next[1] == '\x80' ? "\\u202" : "\\u206";
      out += digits[byte(k + 2) & 15];
      k += 2;
      continue;
    }
    if (!beyond_ascii && ((byte(k) >= 0x20 && byte(k) != 0x7f) || kept.find(text[k]) != kept.npos))
      out += text[k];
    else if (text[k] == '\n')
      out += "\\n";
    else if (text[k] == '\t')
      out += "\\t";
    else
      ((out += "\\x") += digits[byte(k) >> 4]) += digits[byte(k) & 15];
  }
  return out;
}

}  // namespace internal

class Error : public std::runtime_error {
 public:
  /// Names in a message may come from files: control characters are escaped.
  explicit Error(std::string_view message)
      : std::runtime_error(internal::without_controls(message)) {}
};

}  // namespace torsor
