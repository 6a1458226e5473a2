#include "excitation/lbfgs.hpp"

#include <cmath>
#include <deque>

#include "torsor/model/description.hpp"

namespace torsor::internal {
namespace {

constexpr std::size_t memory = 20;

double dot(const Array<double>& a, const Array<double>& b) {
  double sum = 0;
  for (int k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
void add(Array<double>& to, double factor, const Array<double>& x) {
  for (int k = 0; k < to.size(); ++k) to[k] += factor * x[k];
}

struct Pair {
  Array<double> s, y;
  double rho;
};

/// -H g by the two loops.
Array<double> direction(const std::deque<Pair>& pairs, const Array<double>& g) {
  Array<double> d = g, alpha;
  for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
    alpha.push_back(pair->rho * dot(pair->s, d));
    add(d, -alpha.back(), pair->y);
  }
  const double scale = pairs.empty() ? 0.1 / std::sqrt(dot(g, g) + 1e-300)
                                     : 1 / (pairs.back().rho * dot(pairs.back().y, pairs.back().y));
  for (double& x : d) x *= scale;
  for (const Pair& pair : pairs) {
    add(d, alpha.back() - pair.rho * dot(pair.y, d), pair.s);
    alpha.pop_back();
  }
  for (double& x : d) x = -x;
  return d;
}

}  // namespace

double minimise(const Objective& f, Array<double>& x, int iterations,
                const std::function<bool()>& go_on) {
  Array<double> g(x.size()), trial(x.size()), slope(x.size());
  double value = f(x, g);
  if (!std::isfinite(value)) return value;
  std::deque<Pair> pairs;
  for (int step = 0; step < iterations; ++step) {
    Array<double> d = direction(pairs, g);
    double along = dot(g, d);
    if (!(along < 0)) {
      pairs.clear();
      d = direction(pairs, g);
      along = dot(g, d);
      if (!(along < 0)) return value;
    }
    double t = 1, low = 0, high = infinity, next = infinity;
    bool lower = false;  // f at t
    for (int tries = 0; tries < 25; ++tries) {
      trial = x;
      add(trial, t, d);
      next = f(trial, slope);
      lower = next <= value + 1e-4 * t * along;
      if (!lower)
        high = t;
      else if (dot(slope, d) < 0.9 * along)
        low = t;
      else
        break;
      if (lower && tries >= 8) break;  // good enough
      t = std::isinf(high) ? 2 * low : (low + high) / 2;
    }
    if (!lower) {
      if (pairs.empty()) return value;
      pairs.clear();  // once more, along the gradient
      continue;
    }
    Pair pair{trial, slope, 0};
    add(pair.s, -1, x);
    add(pair.y, -1, g);
    const double curvature = dot(pair.s, pair.y);
    if (curvature > 1e-12 * std::sqrt(dot(pair.s, pair.s) * dot(pair.y, pair.y))) {
      pair.rho = 1 / curvature;
      pairs.push_back(std::move(pair));
      if (pairs.size() > memory) pairs.pop_front();
    }
    const double gain = value - next;
    x = trial, g = slope, value = next;
    if (!go_on() || gain < 1e-9 * (1 + std::abs(value))) return value;
  }
  return value;
}

}  // namespace torsor::internal
