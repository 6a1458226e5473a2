#pragma once
/// Time-optimal motion within limits: trapezoidal velocity, and the double S with limited jerk.
///
/// trapezoid   acceleration +-A or 0. Over the distance h >= 0 from v0 to v1, the peak velocity is
///               vp = min(V, sqrt(A h + (v0^2 + v1^2) / 2)),
///             reached at full acceleration and left at full deceleration; the rest of h is cruised
///             at V. From rest: T = h/V + V/A if h >= V^2/A, else the triangle T = 2 sqrt(h/A).
/// double_s    jerk +-J or 0. From va to vb, with d = |vb - va|, takes
///               A/J + d/A  if d >= A^2/J,  else 2 sqrt(d/J)
///             and goes (va + vb)/2 times that; the peak velocity is the root of "both ramps make
///             h". From rest, if all limits are reached: T = h/V + V/A + A/J.
///
/// Where h is less than the way of the direct change from v0 to v1, signs are reversed.
/// Source   Biagiotti & Melchiorri 2008, sec. 3.2, 3.4.
#include "torsor/trajectory/internal/check_input.hpp"
#include "torsor/trajectory/piecewise.hpp"

namespace torsor {

/// How several coordinates share the time of the slowest.
enum class Sync : unsigned char {
  straight_line,  ///< one time law s(t): q = q0 + s (q1 - q0), as fast as every limit allows
  arrival,        ///< each its own profile, slowed uniformly to arrive with the slowest
};

/// One coordinate from (q0, v0) to (q1, v1) in minimum time. Uses velocity and acceleration limits
/// (the jerk is infinite at the corners, whatever its limit); |v0|, |v1| <= the velocity limit.
PiecewisePolynomial<double> trapezoid(double q0, double q1, const Limits& limits, double v0 = 0,
                                      double v1 = 0);
/// Rest to rest, several coordinates.
PiecewisePolynomial<double> trapezoid(View<const double> q0, View<const double> q1,
                                      View<const Limits> limits, Sync sync = Sync::straight_line);

/// The same with limited jerk; the accelerations at both ends are zero.
PiecewisePolynomial<double> double_s(double q0, double q1, const Limits& limits, double v0 = 0,
                                     double v1 = 0);
PiecewisePolynomial<double> double_s(View<const double> q0, View<const double> q1,
                                     View<const Limits> limits, Sync sync = Sync::straight_line);

/// Trajectories of one coordinate and equal durations as one of several, on the union of their
/// knots.
PiecewisePolynomial<double> joined(const std::vector<PiecewisePolynomial<double>>& parts);

}  // namespace torsor
