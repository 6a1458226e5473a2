#include "torsor/identification/signal/differences.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "torsor/linear/matrix.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

namespace internal {

// c(j, k): weight of node j in derivative k, from nodes 0 ... i; the recursion adds one node at a time.
Array<double> difference_weights(In<double> nodes, double at, int m) {
  const int n = nodes.size;
  Matrix c(n, m + 1);
  double c1 = 1, c4 = nodes[0] - at;
  c(0, 0) = 1;
  for (int i = 1; i < n; ++i) {
    const int most = std::min(i, m);
    double c2 = 1;
    const double c5 = c4;
    c4 = nodes[i] - at;
    for (int j = 0; j < i; ++j) {
      const double c3 = nodes[i] - nodes[j];
      c2 *= c3;
      if (j == i - 1) {
        for (int k = most; k > 0; --k) c(i, k) = c1 * (k * c(i - 1, k - 1) - c5 * c(i - 1, k)) / c2;
        c(i, 0) = -c1 * c5 * c(i - 1, 0) / c2;
      }
      for (int k = most; k > 0; --k) c(j, k) = (c4 * c(j, k) - k * c(j, k - 1)) / c3;
      c(j, 0) = c4 * c(j, 0) / c3;
    }
    c1 = c2;
  }
  Array<double> weights;
  for (int j = 0; j < n; ++j) weights.push_back(c(j, m));
  return weights;
}

namespace {

/// Weights for the sample `at` of `count` samples from its first on.
Array<double> weights_at(int count, int at, int m) {
  Array<double> nodes;
  for (int k = 0; k < count; ++k) nodes.push_back(k);
  return difference_weights(nodes, at, m);
}

}  // namespace

}  // namespace internal

void differentiate(InMatrix<double> samples, double period, int derivative,
                   OutMatrix<double> result, int points) {
  constexpr int end_points = 5;
  const int n = samples.rows, cols = samples.cols;
  if (derivative < 1 || derivative > 2 || points < 3 || points % 2 == 0)
    throw Error("differentiate: derivative " + std::to_string(derivative) + " from " +
                std::to_string(points) + " points");
  if (n < points || n < end_points)
    throw Error("differentiate: " + std::to_string(n) + " samples; at least " +
                std::to_string(std::max(points, end_points)) + " are needed");
  const int half = points / 2;
  const double scale = 1 / std::pow(period, derivative);
  const auto apply = [&](int row, int first, const Array<double>& w) {
    for (int c = 0; c < cols; ++c) {
      double sum = 0;
      for (int j = 0; j < w.size(); ++j) sum += w[j] * samples(first + j, c);
      result(row, c) = scale * sum;
    }
  };
  const Array<double> centre = internal::weights_at(points, half, derivative);
  for (int k = half; k < n - half; ++k) apply(k, k - half, centre);
  for (int k = 0; k < half; ++k) {
    const int from = std::clamp(k - end_points / 2, 0, n - end_points);
    apply(k, from, internal::weights_at(end_points, k - from, derivative));
    const int row = n - 1 - k, back = std::clamp(row - end_points / 2, 0, n - end_points);
    apply(row, back, internal::weights_at(end_points, row - back, derivative));
  }
}

void filtered_derivative(const LowPass& filter, OutMatrix<double> samples) {
  zero_phase(filter, samples);
  Matrix rate(samples.rows, samples.cols);
  differentiate(samples, filter.period, 1, rate);
  for (int r = 0; r < samples.rows; ++r)
    for (int c = 0; c < samples.cols; ++c) samples(r, c) = rate(r, c);
}

}  // namespace torsor
