#pragma once
/// Any trajectory along another time: q(s(t)) for a law s that never goes back.
///
///   qd = q' sd,   qdd = q'' sd^2 + q' sdd,   jerk = q''' sd^3 + 3 q'' sd sdd + q' sddd
///
/// The law is a piecewise polynomial of one coordinate: cubic, quintic, trapezoid, double_s or
/// spline; its value is the time (or path parameter) of the trajectory below.
/// Source   Hollerbach 1984.
#include "torsor/trajectory/limits.hpp"

namespace torsor {

/// Velocity as a trajectory of its own.
PiecewisePolynomial<double> derivative(const PiecewisePolynomial<double>& trajectory);

namespace internal {

/// Checks a time law: one coordinate, nowhere falling, inside [0, end]; throws Error otherwise.
void check_law(const PiecewisePolynomial<double>& law, double end);

}  // namespace internal

/// `Trajectory` has size(), duration() and sample(t, q, qd, qdd, jerk), as every one of this room.
template <class Trajectory>
class TimeScaled {
 public:
  TimeScaled(Trajectory trajectory, PiecewisePolynomial<double> law)
      : trajectory_(std::move(trajectory)), law_(std::move(law)) {
    internal::check_law(law_, trajectory_.duration());
  }

  int size() const { return trajectory_.size(); }
  double duration() const { return law_.duration(); }

  /// A derivative needs the lower ones too: leave out from the right.
  template <class Real>
  void sample(const Real& t, Out<Prod<double, Real>> q, Out<Prod<double, Real>> qd = {},
              Out<Prod<double, Real>> qdd = {}, Out<Prod<double, Real>> jerk = {}) const {
    using Result = Prod<double, Real>;
    Result s[1], sd[1], sdd[1], sddd[1];
    law_.sample(t, s, sd, sdd, sddd);
    trajectory_.sample(s[0], q, qd, qdd, jerk);
    const Result v = sd[0], a = sdd[0], j = sddd[0];
    for (int i = 0; i < jerk.size; ++i)
      jerk[i] = jerk[i] * (v * v * v) + qdd[i] * (v * a) * Result(3) + qd[i] * j;
    for (int i = 0; i < qdd.size; ++i) qdd[i] = qdd[i] * (v * v) + qd[i] * a;
    for (int i = 0; i < qd.size; ++i) qd[i] = qd[i] * v;
  }

 private:
  Trajectory trajectory_;
  PiecewisePolynomial<double> law_;
};

template <class Trajectory>
TimeScaled<Trajectory> time_scaled(Trajectory trajectory, PiecewisePolynomial<double> law) {
  return {std::move(trajectory), std::move(law)};
}

}  // namespace torsor
