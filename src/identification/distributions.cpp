#include "distributions.hpp"

#include <cmath>
#include <limits>

namespace torsor::internal {
namespace {

constexpr int most_terms = 500;
constexpr double accuracy = 1e-15;

/// Regularised lower incomplete gamma function P(a, x): series below a + 1, continued fraction
/// above.
double lower_gamma(double a, double x) {
  if (!(x > 0)) return 0;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < most_terms && term > accuracy * sum; ++k) sum += term *= x / (a + k);
    return scale * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < most_terms; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::abs(d * c - 1) < accuracy) break;
  }
  return 1 - scale * h;
}

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);
  const double scale = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x)) /
                       a;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    h *= d * c;
    if (std::abs(d * c - 1) < accuracy) break;
  }
  return scale * h;
}

template <class Probability>
double quantile(double p, const Probability& probability) {
  double low = -1, high = 1;
  while (probability(low) > p) low *= 2;
  while (probability(high) < p) high *= 2;
  for (int k = 0; k < 200 && high - low > 1e-14 * (1 + std::abs(low)); ++k) {
    const double middle = 0.5 * (low + high);
    (probability(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

double normal_probability(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double chi_squared_probability(double x, double degrees) {
  return lower_gamma(0.5 * degrees, 0.5 * x);
}
double t_probability(double x, double degrees) {
  const double tail = 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + x * x));
  return x < 0 ? tail : 1 - tail;
}
double f_probability(double x, double upper, double lower) {
  return x > 0 ? incomplete_beta(0.5 * upper, 0.5 * lower, upper * x / (upper * x + lower)) : 0;
}

double normal_quantile(double p) {
  return quantile(p, [](double x) { return normal_probability(x); });
}
double t_quantile(double p, double degrees) {
  return quantile(p, [degrees](double x) { return t_probability(x, degrees); });
}

}  // namespace torsor::internal
