#include "torsor/model/text.hpp"

#include <cmath>
#include <cstdio>

namespace torsor {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}
std::string short_number(double x) {
  if (std::isnan(x)) return "nan";  // printf would tell its sign
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}
std::string internal::count_of(long n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace torsor
