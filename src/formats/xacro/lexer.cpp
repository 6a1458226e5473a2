#include <algorithm>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"

namespace torsor::internal::xacro {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Where the number that begins at `at` ends: 12, 1.5e-3, .5, 0x1f, 1_000.
std::size_t end_of_number(const std::string& s, std::size_t at) {
  const auto run = [&](auto accepts) {
    while (at < s.size() && (accepts(s[at]) || s[at] == '_')) ++at;
  };
  if (s[at] == '0' && at + 1 < s.size() && std::string("xXoObB").find(s[at + 1]) != s.npos) {
    at += 2;
    run([](char c) { return is_digit(c) || is_letter(c); });
    return at;
  }
  run(is_digit);
  if (at < s.size() && s[at] == '.') {
    ++at;
    run(is_digit);
  }
  if (at < s.size() && (s[at] == 'e' || s[at] == 'E')) {
    std::size_t sign = at + 1;
    if (sign < s.size() && (s[sign] == '+' || s[sign] == '-')) ++sign;
    if (sign < s.size() && is_digit(s[sign])) {
      at = sign;
      run(is_digit);
    }
  }
  return at;
}

std::string escaped_letter(const std::string& s, std::size_t& at) {
  switch (const char c = s[at]; c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case '\\':
    case '\'':
    case '"':
      return std::string(1, c);
    case '\n':
      return "";
    default:
      return std::string("\\") + c;
  }
}

/// From the opening quote; `at` ends behind the closing one.
std::string read_text(const std::string& s, std::size_t& at, bool raw) {
  const char quote = s[at];
  const bool triple = s.compare(at, 3, std::string(3, quote)) == 0;
  const std::string end(triple ? 3 : 1, quote);
  std::string out;
  for (at += end.size(); at < s.size(); ++at) {
    if (s.compare(at, end.size(), end) == 0) {
      at += end.size();
      return out;
    }
    if (s[at] == '\\' && !raw && at + 1 < s.size())
      out += escaped_letter(s, ++at);
    else
      out += s[at];
  }
  throw Refusal(std::string("a text has no closing ") + quote);
}

constexpr const char* signs[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+",
                                 "-",  "*",  "/",  "%",  "<",  ">",  "(",  ")",  "[",
                                 "]",  ",",  ":",  ".",  "=",  "|",  "&",  "^",  "~"};

}  // namespace

std::vector<Token> tokens_of(const std::string& s) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < s.size();) {
    const char c = s[at];
    const std::size_t begin = at;
    if (std::string(" \t\n\r\f").find(c) != std::string::npos) {
      ++at;
    } else if (is_digit(c) || (c == '.' && at + 1 < s.size() && is_digit(s[at + 1]))) {
      at = end_of_number(s, at);
      tokens.push_back({Token::Kind::number, s.substr(begin, at - begin), begin});
    } else if (c == '\'' || c == '"') {
      std::string text = read_text(s, at, false);
      tokens.push_back({Token::Kind::text, std::move(text), begin});
    } else if (is_letter(c)) {
      while (at < s.size() && (is_letter(s[at]) || is_digit(s[at]))) ++at;
      std::string word = s.substr(begin, at - begin);
      const bool quote = at < s.size() && (s[at] == '\'' || s[at] == '"');
      if (quote && (word == "r" || word == "R" || word == "u" || word == "U")) {
        std::string text = read_text(s, at, word == "r" || word == "R");
        tokens.push_back({Token::Kind::text, std::move(text), begin});
      } else {
        tokens.push_back({Token::Kind::name, std::move(word), begin});
      }
    } else {
      const auto sign = std::find_if(std::begin(signs), std::end(signs), [&](const char* word) {
        return s.compare(at, std::char_traits<char>::length(word), word) == 0;
      });
      if (sign == std::end(signs))
        throw Refusal("unexpected " + in_quotes(letters_of(s.substr(at, 4)).front()) +
                      (c == '{' ? "; braces have no place in ${...}: write dict(a=1)" : ""));
      at += std::char_traits<char>::length(*sign);
      tokens.push_back({Token::Kind::sign, *sign, begin});
    }
  }
  tokens.push_back({Token::Kind::end, "", s.size()});
  return tokens;
}

}  // namespace torsor::internal::xacro
