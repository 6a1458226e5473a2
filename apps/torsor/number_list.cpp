#include "number_list.hpp"

#include <algorithm>
#include <sstream>

#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::command {

std::vector<double> parse_numbers(const std::string& option, const std::string& text) {
  std::vector<double> numbers;
  const auto add = [&](const std::string& word) {
    std::string why;
    const std::optional<double> value = parse_number(word, &why);
    if (!value) throw Error(option + ": number " + std::to_string(numbers.size() + 1) + ": " + why);
    numbers.push_back(*value);
  };
  for (const std::string& part : split(text)) {  // words with blanks between them
    std::istringstream cell(part);
    std::string word;
    if (!(cell >> word)) add("");
    for (; !word.empty(); word.clear(), cell >> word) add(word);
  }
  return numbers;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count, const std::string& what) {
  std::vector<double> numbers = parse_numbers(option, text);
  if (numbers.size() != count)
    throw Error(option + ": has " + std::to_string(numbers.size()) + " numbers, not " +
                std::to_string(count) + " (" + what + ")");
  return numbers;
}

}  // namespace torsor::command
