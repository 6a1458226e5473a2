#pragma once
/// Lists of numbers in an option: "0,0.5,-1", or with blanks between.
#include <string>
#include <vector>

namespace torsor::command {

/// Throws Error, naming the option and the place in the list, for what is not a finite number.
std::vector<double> parse_numbers(const std::string& option, const std::string& text);
/// Just as many as `count`; `what` says which, as in "x, y, z".
std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count, const std::string& what);

}  // namespace torsor::command
