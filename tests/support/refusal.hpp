#pragma once
/// What a refusal says: the whole message, or the facts in it.
///
/// A message is file, line and element, a sentence, and values. Tests hold the facts of a message,
/// not its words, so that the English can be improved: "r.urdf:4: joint \"j\": <axis> is 0 0 0" has
/// the facts `r.urdf:4: "j" <axis> 0 0 0`.
#include <algorithm>
#include <cctype>
#include <concepts>
#include <string>
#include <string_view>

#include "torsor/model/error.hpp"

namespace torsor::testing {

/// The message of the Error that `work` throws, or "accepted".
template <std::invocable Work>
std::string refusal(Work&& work) {
  try {
    static_cast<void>(work());
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}
/// Its places and keys (what ends in a colon), names in quotes, <elements> and numbers.
inline std::string facts(std::string_view message) {
  constexpr std::string_view marks = "(),;?.[]{}%";
  std::string out;
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto add = [&](std::string_view fact) { (out += out.empty() ? "" : " ") += fact; };
  for (std::size_t k = 0; k < message.size();) {
    const std::string_view rest = message.substr(k);
    const char closing = rest[0] == '"' ? '"' : rest[0] == '<' ? '>' : '\0';
    std::size_t end = closing == '\0' ? rest.npos : rest.find(closing, 1);
    if (end != rest.npos) {
      add(rest.substr(0, end + 1));
      k += end + 1;
      continue;
    }
    end = std::min(rest.find(' '), rest.size());
    std::string_view word = rest.substr(0, end);
    k += end + 1;
    while (!word.empty() && marks.find(word.front()) != word.npos) word.remove_prefix(1);
    while (!word.empty() && marks.find(word.back()) != word.npos) word.remove_suffix(1);
    const std::string_view unsigned_word = word.substr(word.starts_with('-') ? 1 : 0);
    const bool number = !unsigned_word.empty() && digit(unsigned_word[0]);
    if ((word.size() > 1 && word.back() == ':') || number) add(word);
  }
  return out;
}

}  // namespace torsor::testing
