#pragma once
/// A quantity inside one step: the polynomial through its values at seven points.
///
/// The points are those of Chebyshev and Lobatto, so that it errs by (w h)^7 / (7! 2^12) of the
/// amplitude for a motion of frequency w.
#include <array>
#include <cmath>

namespace torsor::sim_detail {

class StepPolynomial {
 public:
  static constexpr int nodes = 7;
  using Values = std::array<double, nodes>;

  /// Where the points lie, 0 <= u <= 1.
  static double node(int i) { return (1 - std::cos(i * 3.14159265358979323846 / (nodes - 1))) / 2; }

  explicit StepPolynomial(const Values& values) {
    static const std::array<Values, nodes> inverse = inverse_vandermonde();
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::size_t i = 0; i < nodes; ++i) c_[k] += inverse[k][i] * values[i];
  }

  double value(double u) const {
    double sum = 0;
    for (std::size_t k = nodes; k-- > 0;) sum = sum * u + c_[k];
    return sum;
  }
  double slope(double u) const {
    double sum = 0;
    for (std::size_t k = nodes; k-- > 1;) sum = sum * u + static_cast<double>(k) * c_[k];
    return sum;
  }
  double integral(double u) const {
    double sum = 0;
    for (std::size_t k = nodes; k-- > 0;) sum = sum * u + c_[k] / static_cast<double>(k + 1);
    return sum * u;
  }

 private:
  /// c = inverse values: by Gauss and Jordan.
  static std::array<Values, nodes> inverse_vandermonde() {
    std::array<Values, nodes> a{}, b{};
    for (std::size_t i = 0; i < nodes; ++i) {
      double power = 1;
      for (std::size_t k = 0; k < nodes; ++k, power *= node(static_cast<int>(i))) a[i][k] = power;
      b[i][i] = 1;
    }
    for (std::size_t p = 0; p < nodes; ++p) {
      std::size_t best = p;
      for (std::size_t r = p; r < nodes; ++r)
        if (std::abs(a[r][p]) > std::abs(a[best][p])) best = r;
      std::swap(a[p], a[best]), std::swap(b[p], b[best]);
      for (std::size_t r = 0; r < nodes; ++r) {
        if (r == p) continue;
        const double factor = a[r][p] / a[p][p];
        for (std::size_t k = 0; k < nodes; ++k)
          a[r][k] -= factor * a[p][k], b[r][k] -= factor * b[p][k];
      }
    }
    for (std::size_t p = 0; p < nodes; ++p)
      for (double& x : b[p]) x /= a[p][p];
    return b;
  }

  Values c_{};
};

/// Calls visit(u) for every u in (0, 1) at which f changes its sign, in order: 16 intervals, then the
/// method of Illinois.
template <class Function, class Visit>
void each_zero(const Function& f, Visit visit) {
  constexpr int intervals = 16;
  double before = f(0.0);
  for (int i = 1; i <= intervals; ++i) {
    double low = static_cast<double>(i - 1) / intervals, high = static_cast<double>(i) / intervals;
    const double after = f(high);
    if (before * after < 0) {
      double f_low = before, f_high = after, u = low;
      for (int k = 0; k < 60 && std::abs(high - low) > 1e-15; ++k) {
        u = low - f_low * (high - low) / (f_high - f_low);
        const double x = f(u);
        if (x == 0) break;
        if (x * f_high < 0) {
          low = high, f_low = f_high;
        } else {
          f_low /= 2;
        }
        if (std::abs(u - high) < 1e-15) break;
        high = u, f_high = x;
      }
      visit(u);
    }
    if (after != 0) before = after;
  }
}

}  // namespace torsor::sim_detail
