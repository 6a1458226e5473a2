#pragma once
/// What a law is asked to do, as a function of time.
///
///   hold(q_d, n_v)                  stay there
///   follow(trajectory)              anything with sample(t, q, qd, qdd): quintic, Sinusoid, ...
///   [](double t, ReferencePoint& r) { r.q = ...; }
///
/// The callable fills what it gives; arrays keep their size from call to call, so nothing is
/// allocated after the first one.
#include <functional>
#include <memory>

#include "torsor/control/control_law.hpp"
#include "torsor/math/array.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {

/// The numbers behind a ControlReference. Empty: not given.
struct ReferencePoint {
  Array<double> q, qd, qdd;
  Array<double> x, xd, xdd, f_on_environment;
  PoseMotion<double> pose;
  bool has_pose = false;

  ControlReference view() const {
    return {q, qd, qdd, has_pose ? &pose : nullptr, x, xd, xdd, f_on_environment};
  }
};

using ReferenceFunction = std::function<void(double t, ReferencePoint& point)>;

/// A constant configuration, n_v velocities of zero.
inline ReferenceFunction hold(Array<double> q_d, int n_v) {
  return [q = std::move(q_d), zero = Array<double>(n_v)](double, ReferencePoint& point) {
    point.q = q;
    point.qd = zero;
    point.qdd = zero;
  };
}

/// A joint trajectory of n_q coordinates and n_v velocities.
template <class Trajectory>
ReferenceFunction follow(Trajectory trajectory, int n_q, int n_v) {
  return [path = std::make_shared<const Trajectory>(std::move(trajectory)), n_q, n_v](
             double t, ReferencePoint& point) {
    point.q.resize(n_q);
    point.qd.resize(n_v);
    point.qdd.resize(n_v);
    path->sample(t, Out<double>(point.q), Out<double>(point.qd), Out<double>(point.qdd));
  };
}

/// One coordinate for each velocity.
template <class Trajectory>
ReferenceFunction follow(Trajectory trajectory) {
  const int n = trajectory.size();
  return follow(std::move(trajectory), n, n);
}

}  // namespace torsor
