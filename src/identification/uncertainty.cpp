#include "torsor/identification/uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "distributions.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/math/error.hpp"
#include "white_blocks.hpp"

namespace torsor {

using namespace internal;

namespace {

constexpr int fewest_blocks = 8;

double median(Array<double> values) {
  if (values.empty()) return 1;
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double quantile(const Array<double>& ordered, double p) {
  const double at = p * (ordered.size() - 1);
  const int below = static_cast<int>(at);
  if (below + 1 >= ordered.size()) return ordered[ordered.size() - 1];
  return ordered[below] + (at - below) * (ordered[below + 1] - ordered[below]);
}

}  // namespace

Uncertainty block_bootstrap(const CompressedLog& log, const Estimate& e,
                            const BootstrapOptions& options) {
  const int N = log.n_unknowns(), n = e.base.size(), K = log.n_blocks();
  if (e.x.size() != N || e.noise.size() != log.n_joints())
    throw Error("bootstrap: the estimate has " + std::to_string(e.x.size()) +
                " unknowns, the log has " + std::to_string(N));
  if (K < fewest_blocks)
    throw Error("bootstrap: " + std::to_string(K) + " blocks are too few, " +
                std::to_string(fewest_blocks) + " are needed");
  if (options.samples < 20)
    throw Error("bootstrap: " + std::to_string(options.samples) + " samples are too few");
  const WhiteBlocks white = whiten(log, e);
  Uncertainty u;
  u.blocks = K;
  u.samples = Matrix(options.samples, n);
  std::mt19937_64 random(options.seed);
  Matrix G(n, n);
  Array<double> y(n);
  Cholesky factor(n);
  int found = 0;
  for (int draw = 0; found < options.samples && draw < 4 * options.samples; ++draw) {
    Array<int> times(K, 0);
    for (int k = 0; k < K; ++k) ++times[static_cast<int>(random() % static_cast<unsigned>(K))];
    std::fill(G.data(), G.data() + n * n, 0.0);
    std::fill(y.begin(), y.end(), 0.0);
    for (int b = 0; b < K; ++b) {
      if (times[b] == 0) continue;
      const double count = times[b];
      const double* const from = white.G[b].data();
      for (int k = 0; k < n * n; ++k) G.data()[k] += count * from[k];
      for (int k = 0; k < n; ++k) y[k] += count * white.h[b][k];
    }
    if (!factor.factorise(G, 1e-6)) {
      ++u.failed;
      continue;
    }
    factor.solve(y);
    solve_upper(white.R, n, y);
    for (int k = 0; k < n; ++k) u.samples(found, k) = e.x[e.base.kept[k]] + y[k];
    ++found;
  }
  if (found < options.samples)
    throw Error("bootstrap: " + std::to_string(u.failed) + " of " +
                std::to_string(u.failed + found) +
                " draws of blocks do not determine the unknowns; more blocks or fewer unknowns");
  u.sigma.assign(N, infinity);
  u.low.assign(N, -infinity), u.high.assign(N, infinity);
  u.percentile_low = u.low, u.percentile_high = u.high;
  const double tail = 0.5 * (1 - options.confidence);
  const double t = t_quantile(1 - tail, K - 1);
  Array<double> ratios;
  for (int k = 0; k < n; ++k) {
    Array<double> values;
    double mean = 0, square = 0;
    for (int s = 0; s < found; ++s) values.push_back(u.samples(s, k));
    for (const double v : values) mean += v / found;
    for (const double v : values) square += (v - mean) * (v - mean) / (found - 1);
    const int c = e.base.kept[k];
    u.sigma[c] = std::sqrt(square * K / (K - 1));
    u.low[c] = e.x[c] - t * u.sigma[c], u.high[c] = e.x[c] + t * u.sigma[c];
    std::sort(values.begin(), values.end());
    u.percentile_low[c] = quantile(values, tail);
    u.percentile_high[c] = quantile(values, 1 - tail);
    if (e.sigma[c] > 0) ratios.push_back(u.sigma[c] / e.sigma[c]);
  }
  u.inflation = std::max(1.0, median(ratios));
  if (u.inflation > 1.5)
    u.notes.push_back("deviations of the bootstrap are " +
                      std::to_string(u.inflation).substr(0, 4) +
                      " times the classical ones: the noise is not white or the model not exact");
  if (u.failed > 0)
    u.notes.push_back(std::to_string(u.failed) + " of " + std::to_string(u.failed + found) +
                      " draws did not determine all unknowns and were left out");
  return u;
}

}  // namespace torsor
