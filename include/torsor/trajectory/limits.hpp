#pragma once
/// Limits of joint trajectories: what a trajectory needs, and how fast it may be run.
///
///   attained           min and max of q, max of |qd|, |qdd|, |jerk| over the whole trajectory.
///                      Exact: the stationary points of each polynomial piece are found as roots.
///   minimum_duration   T' = T max_i max(|qd_i| / V_i, sqrt(|qdd_i| / A_i), cbrt(|jerk_i| / J_i)):
///                      the shortest uniform stretch of the trajectory that keeps every limit
///
/// Jumps at inner knots count: where the acceleration jumps (trapezoid, cubic chains) the jerk
/// attained is infinite, and a finite jerk limit is refused. Jumps between hold and motion at the
/// ends do not.
/// Source   Biagiotti & Melchiorri 2008, ch. 5.
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {

/// Per coordinate: lower, upper, velocity, acceleration, jerk as attained. effort stays infinite.
std::vector<Limits> attained(const PiecewisePolynomial<double>& trajectory);

namespace internal {

/// The same by evenly spaced samples, for any trajectory with size(), duration() and sample().
template <class Trajectory>
std::vector<Limits> attained_by_samples(const Trajectory& trajectory, int samples = 1000) {
  const auto n = static_cast<std::size_t>(trajectory.size());
  std::vector<double> q(n), qd(n), qdd(n), jerk(n);
  std::vector<Limits> result(n, {infinity, -infinity, 0, 0, 0, infinity});
  for (int k = 0; k <= samples; ++k) {
    trajectory.sample(trajectory.duration() * (static_cast<double>(k) / samples), q, qd, qdd, jerk);
    for (std::size_t i = 0; i < n; ++i) {
      Limits& l = result[i];
      l.lower = min(l.lower, q[i]);
      l.upper = max(l.upper, q[i]);
      l.velocity = max(l.velocity, abs(qd[i]));
      l.acceleration = max(l.acceleration, abs(qdd[i]));
      l.jerk = max(l.jerk, abs(jerk[i]));
    }
  }
  return result;
}

/// The factor on the duration at which motion with the peaks `attained` just keeps `limits`; 0 if
/// nothing moves. Throws Error where none does: positions outside, no finite limit, jumps.
double stretch_factor(View<const Limits> attained, View<const Limits> limits);

}  // namespace internal

/// The same path in `duration` seconds.
PiecewisePolynomial<double> stretched(const PiecewisePolynomial<double>& trajectory,
                                      double duration);
/// Of the trajectory when it is stretched or shrunk uniformly. Velocities at its ends scale too.
double minimum_duration(const PiecewisePolynomial<double>& trajectory, View<const Limits> limits);
/// The trajectory at its minimum duration.
PiecewisePolynomial<double> retimed(const PiecewisePolynomial<double>& trajectory,
                                    View<const Limits> limits);

/// Time laws from rest to rest.
enum class Profile : unsigned char { cubic, quintic, septic, trapezoid, double_s };

/// s(t) from 0 to 1 in `duration` seconds by a polynomial; trapezoid and double_s with thirds
/// (of time, and of the ramps' time) for ramp and cruise.
PiecewisePolynomial<double> unit_law(Profile profile, double duration = 1);

/// q = q0 + s (q1 - q0) for a law s of one coordinate.
PiecewisePolynomial<double> straight_line(const PiecewisePolynomial<double>& law,
                                          View<const double> q0, View<const double> q1);
/// From rest at q0 to rest at q1 along the straight line, as fast as the profile may within limits.
double minimum_duration(Profile profile, View<const double> q0, View<const double> q1,
                        View<const Limits> limits);
PiecewisePolynomial<double> point_to_point(Profile profile, View<const double> q0,
                                           View<const double> q1, View<const Limits> limits);

}  // namespace torsor
