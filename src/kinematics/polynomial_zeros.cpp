#include "polynomial_zeros.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace torsor {
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

}  // namespace

Zeros zeros_of_wave(const std::array<double, 7>& samples, double scale) {
  using Complex = std::complex<double>;
  std::array<Complex, 7> c{};  // of z^-3 ... z^3, z = exp(i angle)
  for (int power = -3; power <= 3; ++power)
    for (int k = 0; k < 7; ++k)
      c[static_cast<std::size_t>(power + 3)] +=
          samples[static_cast<std::size_t>(k)] * std::polar(1.0 / 7, -2 * pi * k * power / 7);
  int degree = 3;
  while (degree > 0 && std::abs(c[static_cast<std::size_t>(3 + degree)]) <= rounding * scale)
    --degree;
  if (degree == 0) return {{}, true, std::abs(c[3]) <= rounding * scale};
  const int n = 2 * degree;
  Eigen::MatrixXcd companion = Eigen::MatrixXcd::Zero(n, n);
  const Complex leading = c[static_cast<std::size_t>(3 + degree)];
  for (int k = 0; k < n; ++k) {
    companion(k, n - 1) = -c[static_cast<std::size_t>(3 - degree + k)] / leading;
    if (k > 0) companion(k, k - 1) = 1;
  }
  const Eigen::VectorXcd roots = companion.eigenvalues();
  std::vector<double> angles;
  for (const Complex& z : roots) {
    if (std::abs(std::abs(z) - 1) > double_zero) continue;
    const double angle = std::arg(z);
    angles.push_back(angle < -pi + double_zero ? pi : std::abs(angle) < 1e-15 ? 0 : angle);
  }
  return {distinct(std::move(angles)), false, false};
}

Zeros zeros_of_quadratic(const std::array<double, 3>& f, double scale) {
  const double c = f[1], b = (f[2] - f[0]) / 2, a = (f[2] + f[0]) / 2 - c, small = rounding * scale;
  if (std::abs(a) <= small && std::abs(b) <= small) return {{}, true, std::abs(c) <= small};
  if (std::abs(a) <= small) return {{-c / b}, false, false};
  const double d = b * b - 4 * a * c;
  if (d < -small * scale) return {};
  const double s = -(b + std::copysign(std::sqrt(std::max(d, 0.0)), b)) / 2;
  if (s == 0) return {{0}, false, false};
  return {distinct({s / a, c / s}), false, false};
}

}  // namespace torsor
