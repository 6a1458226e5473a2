#pragma once
/// What the sources of this folder share.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

/// Four digits, for words.
inline std::string short_number(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 4);
  return {buffer, end.ptr};
}

/// Column c at a place between the samples begin ... end - 1 (four at least), by the cubic through the
/// four around it.
inline double between(const Matrix& x, int begin, int end, double at, int c) {
  const int first = std::clamp(static_cast<int>(std::floor(at)) - 1, begin, end - 4);
  const double u = at - first;
  if (const double whole = std::round(u); std::abs(u - whole) < 1e-9)
    return x(first + static_cast<int>(whole), c);
  return -(u - 1) * (u - 2) * (u - 3) / 6 * x(first, c) +
         u * (u - 2) * (u - 3) / 2 * x(first + 1, c) - u * (u - 1) * (u - 3) / 2 * x(first + 2, c) +
         u * (u - 1) * (u - 2) / 6 * x(first + 3, c);
}

/// Rows begin ... end - 1.
inline OutMatrix<double> rows_of(Matrix& m, int begin, int end) {
  return {m.data() + begin * m.cols(), end - begin, m.cols(), m.cols(), 1};
}

}  // namespace torsor::internal
