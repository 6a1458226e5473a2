#include "torsor/trajectory/time_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

PiecewisePolynomial<double> derivative(const PiecewisePolynomial<double>& trajectory) {
  const int n = trajectory.size(), degree = trajectory.degree();
  std::vector<double> c;
  for (int s = 0; s < trajectory.segments(); ++s)
    for (int i = 0; i < n; ++i) {
      const double* p = trajectory.coefficients(s, i);
      if (degree == 0) c.push_back(0);
      for (int k = 1; k <= degree; ++k) c.push_back(k * p[k]);
    }
  return {n, std::max(degree - 1, 0), trajectory.knots(), std::move(c), trajectory.outside()};
}

void internal::check_law(const PiecewisePolynomial<double>& law, double end) {
  using internal::check::number;
  internal::check::size("time_scaled", "the law", law.size(), 1);
  internal::check::positive("time_scaled", "the law's duration", law.duration());
  if (law.outside() != Outside::hold) throw Error("time_scaled: the law is periodic");
  const Limits value = attained(law)[0], rate = attained(derivative(law))[0];
  const double rounding = 1e-12 * end;
  if (!(value.lower >= -rounding && value.upper <= end + rounding))
    throw Error("time_scaled: the law goes from " + number(value.lower) + " to " +
                number(value.upper) + "; the trajectory is defined from 0 to " + number(end));
  if (!(rate.lower >= -1e-9 * value.velocity))
    throw Error("time_scaled: the law goes back, at up to " + number(-rate.lower) + " per second");
}

}  // namespace torsor
