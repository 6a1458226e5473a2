#pragma once
/// Axes of joints as files have them. Private to the readers.
#include <algorithm>
#include <cmath>

#include "torsor/math/vec3.hpp"

namespace torsor::internal {

/// The axis with the length that the file gives it, which the model normalises; its direction alone
/// where the length is not one that anybody means. Zero stays zero.
inline Vec3<double> file_axis(const Vec3<double>& a) {
  const double largest = std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
  if (largest == 0 || (largest > 1e-6 && largest < 1e6)) return a;
  return normalised(Vec3<double>{a.x / largest, a.y / largest, a.z / largest});
}

}  // namespace torsor::internal
