#include "torsor/trajectory/spline.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

std::vector<double> internal::spline_times(const std::vector<std::vector<double>>& points,
                                           View<const Limits> limits) {
  if (points.size() < 2)
    throw Error("spline_times: points has " + std::to_string(points.size()) +
                " entries; at least 2 are needed");
  const int n = static_cast<int>(points.front().size());
  internal::check::limits("spline_times", limits, n);
  std::vector<double> times{0};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::string at = "points[" + std::to_string(k) + "]";
    internal::check::numbers("spline_times", at, points[k], n);
    if (k == 0) continue;
    const View<const double> from(points[k - 1]), to(points[k]);
    double h = 0;
    bool moves = false;
    for (int i = 0; i < n; ++i) {
      const double d = std::abs(to[i] - from[i]);
      moves = moves || d > 0;
      h = std::max({h, d / limits[i].velocity, std::sqrt(4 * d / limits[i].acceleration),
                    std::cbrt(32 * d / limits[i].jerk)});
    }
    if (!moves) throw Error("spline_times: " + at + " is the point before it; give times instead");
    if (h == 0) throw Error("spline_times: nothing that moves to " + at + " has a finite limit");
    times.push_back(times.back() + h);
  }
  return times;
}

PiecewisePolynomial<double> spline(const std::vector<std::vector<double>>& points,
                                   View<const Limits> limits, SplineEnds ends) {
  return retimed(spline(internal::spline_times(points, limits), points, ends), limits);
}

PiecewisePolynomial<double> quintic_spline(const std::vector<std::vector<double>>& points,
                                           View<const Limits> limits) {
  return retimed(quintic_spline(internal::spline_times(points, limits), points), limits);
}

}  // namespace torsor
