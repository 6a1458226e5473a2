#include "torsor/identification/signal/savitzky_golay.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "torsor/math/error.hpp"

namespace torsor {
namespace {

void check(int window, int degree, int derivative) {
  if (window < 3 || window % 2 == 0 || degree < 0 || degree >= window || derivative < 0 ||
      derivative > degree)
    throw Error("savitzky_golay: derivative " + std::to_string(derivative) + " of degree " +
                std::to_string(degree) + " over " + std::to_string(window) + " samples");
}

}  // namespace

// p_{i+1}(x) = x p_i(x) - (|p_i|^2 / |p_{i-1}|^2) p_{i-1}(x), and its derivatives at x0. Samples are
// at x = -1 ... 1, which keeps high degrees within range.
Array<double> savitzky_golay_weights(int window, int degree, int derivative, int at) {
  check(window, degree, derivative);
  const double half = window / 2;
  const double x0 = (at - half) / half;
  Array<double> p(window, 1.0), before(window, 0.0), weights(window, 0.0);
  Array<double> d(derivative + 1, 0.0), d_before(derivative + 1, 0.0);
  d[0] = 1;
  double norm_before = 1;
  for (int i = 0; i <= degree; ++i) {
    double norm = 0;
    for (const double x : p) norm += x * x;
    for (int j = 0; j < window; ++j) weights[j] += d[derivative] * p[j] / norm;
    const double beta = i == 0 ? 0 : norm / norm_before;
    for (int j = 0; j < window; ++j) {
      const double next = (j - half) / half * p[j] - beta * before[j];
      before[j] = p[j];
      p[j] = next;
    }
    for (int m = derivative; m >= 0; --m) {
      const double next = x0 * d[m] + (m > 0 ? m * d[m - 1] : 0) - beta * d_before[m];
      d_before[m] = d[m];
      d[m] = next;
    }
    norm_before = norm;
  }
  const double scale = std::pow(half, -derivative);
  for (double& w : weights) w *= scale;
  return weights;
}

void savitzky_golay(InMatrix<double> samples, double period, int window, int degree, int derivative,
                    OutMatrix<double> result) {
  check(window, degree, derivative);
  const int n = samples.rows, half = window / 2;
  if (n < window)
    throw Error("savitzky_golay: a window of " + std::to_string(window) + " in " +
                std::to_string(n) + " samples");
  const double scale = std::pow(period, -derivative);
  const auto apply = [&](int row, int first, const Array<double>& w) {
    for (int c = 0; c < samples.cols; ++c) {
      double sum = 0;
      for (int j = 0; j < window; ++j) sum += w[j] * samples(first + j, c);
      result(row, c) = scale * sum;
    }
  };
  const Array<double> centre = savitzky_golay_weights(window, degree, derivative, half);
  for (int k = half; k < n - half; ++k) apply(k, k - half, centre);
  for (int k = 0; k < half; ++k) {
    apply(k, 0, savitzky_golay_weights(window, degree, derivative, k));
    apply(n - 1 - k, n - window,
          savitzky_golay_weights(window, degree, derivative, window - 1 - k));
  }
}

int savitzky_golay_window(int degree, double cutoff, double period) {
  const auto gain = [&](int half) {
    const int window = 2 * half + 1;
    const Array<double> w = savitzky_golay_weights(window, degree, 0, half);
    double sum = 0;
    for (int j = 0; j < window; ++j)
      sum += w[j] * std::cos(2 * std::numbers::pi * cutoff * period * (j - half));
    return sum;
  };
  // The gain falls from 1 as the window grows, until its first zero near (degree + 2) / 2 cycles.
  int least = degree / 2 + 1;
  int most =
      std::max(least + 1, static_cast<int>(std::min((degree + 2) / (4 * cutoff * period), 1e6)));
  while (most - least > 1) {
    const int half = least + (most - least) / 2;
    (gain(half) > std::sqrt(0.5) ? least : most) = half;
  }
  return 2 * least + 1;
}

}  // namespace torsor
