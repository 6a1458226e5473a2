#include "torsor/linear/internal/real_roots.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace torsor::internal {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double rounding = 1e-11;
constexpr double double_zero = 1e-6;

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto same = [](double a, double b) { return b - a < double_zero; };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

using Complex = std::complex<double>;

/// All zeros of sum_k c[k] z^k, c[degree] != 0, by the Ehrlich-Aberth iteration from points on a
/// circle. A double zero comes out twice, each known to the root of the rounding error.
void complex_zeros(const Complex* c, int degree, Complex* z) {
  for (int i = 0; i < degree; ++i) z[i] = std::polar(0.9, 2 * pi * i / degree + 0.4);
  for (int iteration = 0; iteration < 120; ++iteration)
    for (int i = 0; i < degree; ++i) {
      Complex& at = z[i];
      Complex value = c[degree], slope = 0, repulsion = 0;
      for (int k = degree - 1; k >= 0; --k) {
        slope = slope * at + value;
        value = value * at + c[k];
      }
      for (int j = 0; j < degree; ++j)
        if (const Complex gap = at - z[j]; j != i && gap != 0.0) repulsion += 1.0 / gap;
      const Complex divisor = slope - value * repulsion;
      if (divisor != 0.0) at -= value / divisor;
    }
}

}  // namespace

Zeros zeros_of_wave(const FixedArray<double, 7>& samples, double scale) {
  Complex c[7] = {};  // of z^-3 ... z^3, z = exp(i angle)
  for (int power = -3; power <= 3; ++power)
    for (int k = 0; k < 7; ++k)
      c[power + 3] += samples.data()[k] * std::polar(1.0 / 7, -2 * pi * k * power / 7);
  int degree = 3;
  while (degree > 0 && std::abs(c[3 + degree]) <= rounding * scale) --degree;
  if (degree == 0) return {{}, true, std::abs(c[3]) <= rounding * scale};
  const int n = 2 * degree;
  Complex roots[6] = {};
  complex_zeros(c + (3 - degree), n, roots);
  std::vector<double> angles;
  for (int k = 0; k < n; ++k) {
    const Complex z = roots[k];
    if (std::abs(std::abs(z) - 1) > double_zero) continue;
    const double angle = std::arg(z);
    angles.push_back(angle < -pi + double_zero ? pi : std::abs(angle) < 1e-15 ? 0 : angle);
  }
  return {distinct(std::move(angles)), false, false};
}

Zeros zeros_of_quadratic(const FixedArray<double, 3>& f, double scale) {
  const double c = f[1], b = (f[2] - f[0]) / 2, a = (f[2] + f[0]) / 2 - c, small = rounding * scale;
  if (std::abs(a) <= small && std::abs(b) <= small) return {{}, true, std::abs(c) <= small};
  if (std::abs(a) <= small) return {{-c / b}, false, false};
  const double d = b * b - 4 * a * c;
  if (d < -small * scale) return {};
  const double s = -(b + std::copysign(std::sqrt(std::max(d, 0.0)), b)) / 2;
  if (s == 0) return {{0}, false, false};
  return {distinct({s / a, c / s}), false, false};
}

}  // namespace torsor::internal
