#include "torsor/sim/internal/rank_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace torsor::internal {

namespace {

/// 1, 2, ...; equal numbers share the mean of their ranks.
std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  std::vector<double> rank(x.size());
  for (std::size_t k = 0; k < order.size();) {
    std::size_t end = k;
    while (end < order.size() && x[order[end]] == x[order[k]]) ++end;
    const double mean = 0.5 * static_cast<double>(k + end + 1);
    for (; k < end; ++k) rank[order[k]] = mean;
  }
  return rank;
}

}  // namespace

double rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> a, b;
  for (std::size_t k = 0; k < std::min(x.size(), y.size()); ++k)
    if (std::isfinite(x[k]) && std::isfinite(y[k])) a.push_back(x[k]), b.push_back(y[k]);
  if (a.size() < 3) return NAN;
  a = ranks(a), b = ranks(b);
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - mean) * (b[k] - mean);
    aa += (a[k] - mean) * (a[k] - mean);
    bb += (b[k] - mean) * (b[k] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : NAN;
}

}  // namespace torsor::internal
