#pragma once
/// Numbers in messages.
#include <string>

namespace torsor {

/// Nine digits: enough to find the number in the file or the code that it came from.
std::string number(double x);
/// Six digits: for people.
std::string short_number(double x);

namespace internal {
/// "1 row", "2 rows".
std::string count_of(long n, const std::string& noun);
}  // namespace internal

}  // namespace torsor
