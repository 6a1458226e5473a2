#include "torsor/trajectory/fourier.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/trajectory/limits.hpp"

namespace torsor {

template class FourierSeries<double>;

namespace {

/// The derivative of the given order, 0 to 4, of the only coordinate.
double derivative(const FourierSeries<double>& one, int order, double t) {
  double q, qd, qdd, jerk;
  one.sample(t, {&q, 1}, {&qd, 1}, {&qdd, 1}, {&jerk, 1});
  const double values[] = {q, qd, qdd, jerk};
  if (order < 4) return values[order];
  double snap = 0;
  const int n = one.harmonics();
  for (int l = 1; l <= n; ++l) {
    const auto k = static_cast<std::size_t>(l);
    const double wl = one.frequency() * l;
    snap += wl * wl * wl *
            (one.parameters()[k] * std::sin(wl * t) -
             one.parameters()[k + static_cast<std::size_t>(n)] * std::cos(wl * t));
  }
  return snap;
}

struct Extremes {
  double low = infinity, high = -infinity;
};

Extremes extremes(const FourierSeries<double>& one, int order) {
  Extremes result;
  const auto include = [&](double t) {
    const double x = derivative(one, order, t);
    result = {std::min(result.low, x), std::max(result.high, x)};
  };
  const int samples = 64 * std::max(one.harmonics(), 1);
  double before = derivative(one, order + 1, 0);
  for (int k = 1; k <= samples; ++k) {
    double low = one.duration() * (k - 1) / samples, high = one.duration() * k / samples;
    const double after = derivative(one, order + 1, high);
    include(low);
    if ((before < 0) != (after < 0)) {
      while (true) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        ((derivative(one, order + 1, middle) < 0) == (before < 0) ? low : high) = middle;
      }
      include(low);
    }
    before = after;
  }
  return result;
}

}  // namespace

std::vector<Limits> attained(const FourierSeries<double>& series) {
  std::vector<Limits> result;
  const std::ptrdiff_t row = 2 * series.harmonics() + 1;
  for (int i = 0; i < series.size(); ++i) {
    const auto first = series.parameters().begin() + i * row;
    const FourierSeries<double> one(1, series.harmonics(), series.frequency(),
                                    std::vector<double>(first, first + row));
    double peak[4];
    for (int order = 1; order < 4; ++order) {
      const Extremes e = extremes(one, order);
      peak[order] = std::max(std::abs(e.low), std::abs(e.high));
    }
    const Extremes q = extremes(one, 0);
    result.push_back({q.low, q.high, peak[1], peak[2], peak[3], infinity});
  }
  return result;
}

double minimum_duration(const FourierSeries<double>& series, View<const Limits> limits) {
  return series.duration() * internal::stretch_factor(attained(series), limits);
}

FourierSeries<double> retimed(const FourierSeries<double>& series, View<const Limits> limits) {
  const double duration = minimum_duration(series, limits);
  return duration > 0 ? stretched(series, duration) : series;
}

}  // namespace torsor
