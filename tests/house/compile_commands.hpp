#pragma once
/// Commands of the build, to be run again.
#include <algorithm>
#include <string>
#include <vector>

namespace torsor::testing {

/// The words of a command in compile_commands.json, which quotes for a shell.
inline std::vector<std::string> split_command(const std::string& command) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        words.back() += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ' ') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// The same without a launcher in front of the compiler, which might answer from a cache.
inline std::vector<std::string> compiler_words(const std::string& command) {
  std::vector<std::string> words = split_command(command);
  words.erase(words.begin(), std::find(words.begin(), words.end(), TORSOR_CXX_COMPILER));
  return words;
}

}  // namespace torsor::testing
