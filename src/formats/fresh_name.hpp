#pragma once
/// Names that nothing else has.
#include <set>
#include <string>

namespace torsor::internal {

/// `wish`, or wish_1, wish_2, ... where it is taken. Looks for the end of a row of such names in steps that
/// double, so that a file of many nameless elements takes time in proportion to its size.
inline std::string fresh_name(const std::string& wish, std::set<std::string>& taken) {
  if (taken.insert(wish).second) return wish;
  const auto numbered = [&](long k) { return wish + "_" + std::to_string(k); };
  long used = 0, free = 1;
  while (taken.contains(numbered(free))) used = free, free *= 2;
  while (free - used > 1) {
    const long middle = used + (free - used) / 2;
    (taken.contains(numbered(middle)) ? used : free) = middle;
  }
  return *taken.insert(numbered(free)).first;
}

}  // namespace torsor::internal
