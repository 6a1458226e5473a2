#pragma once
/// Where a simulated law gets its reference from: any callable of time.
///
///   hold(q_d)              stay there
///   follow(trajectory)     anything with sample(t, q, qd, qdd): quintic, spline, fourier, ...
///   follow(Sinusoid{...})
///   [](double t, ReferencePoint& r) { r.q = ...; }
///
/// The callable fills what it gives; vectors keep their size from call to call, so nothing is
/// allocated after the first one.
#include <functional>
#include <memory>
#include <vector>

#include "torsor/control/control_law.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {

/// The numbers behind a ControlReference. Empty vectors: not given.
struct ReferencePoint {
  std::vector<double> q, qd, qdd;
  std::vector<double> x, xd, xdd, f_on_environment;
  PoseMotion<double> pose;
  bool has_pose = false;

  ControlReference view() const {
    return {q, qd, qdd, has_pose ? &pose : nullptr, x, xd, xdd, f_on_environment};
  }
};

using ReferenceFunction = std::function<void(double t, ReferencePoint& point)>;

/// A constant configuration, n_v velocities of zero.
inline ReferenceFunction hold(std::vector<double> q_d, int n_v) {
  return [q = std::move(q_d), n = static_cast<std::size_t>(n_v)](double, ReferencePoint& point) {
    point.q = q;
    point.qd.assign(n, 0.0);
    point.qdd.assign(n, 0.0);
  };
}

/// A joint trajectory of n_q coordinates and n_v velocities.
template <class Trajectory>
ReferenceFunction follow(Trajectory trajectory, int n_q, int n_v) {
  return [path = std::make_shared<const Trajectory>(std::move(trajectory)),
          nq = static_cast<std::size_t>(n_q),
          nv = static_cast<std::size_t>(n_v)](double t, ReferencePoint& point) {
    point.q.resize(nq);
    point.qd.resize(nv);
    point.qdd.resize(nv);
    path->sample(t, View<double>(point.q), View<double>(point.qd), View<double>(point.qdd));
  };
}

/// offset + amplitude sin(frequency t + phase), frequency in rad/s; one of each per joint.
struct Sinusoid {
  std::vector<double> offset, amplitude, frequency, phase;

  /// An empty view leaves its part out.
  void sample(double t, View<double> q, View<double> qd, View<double> qdd) const;
};
ReferenceFunction follow(const Sinusoid& wave);

}  // namespace torsor
