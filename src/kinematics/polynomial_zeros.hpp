#pragma once
// Zeros of a function of one joint coordinate that is known by samples: determinants of Jacobian
// blocks.
#include <array>
#include <vector>

namespace torsor {

struct Zeros {
  std::vector<double>
      values;             // ascending; a double zero once, known to the root of the rounding error
  bool constant = false;  // the function does not depend on the coordinate,
  bool always = false;    // and is zero
};

// Angles in (-pi, pi] at which a trigonometric polynomial of degree 3 vanishes, from its values at
// 2 pi k / 7. Coefficients below 1e-11 of `scale` are rounding errors.
Zeros zeros_of_wave(const std::array<double, 7>& samples, double scale);

// Lengths at which a quadratic vanishes, from its values at -1, 0, 1.
Zeros zeros_of_quadratic(const std::array<double, 3>& samples, double scale);

}  // namespace torsor
