#pragma once
/// q: angle about x, then about the turned y; v: their rates. S depends on q.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Universal : RateJoint<2> {
  static constexpr bool has_sdot = true;
  static constexpr std::array coordinates{Measure::angle, Measure::angle};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    const SO3<Real> Ry = rotation_y(q[1]);
    out.T = {rotation_x(q[0]) * Ry, {}};
    out.S[0] = {transpose_times(Ry, Vec3<Real>::unit_x()), {}};
    out.S[1] = {Vec3<Real>::unit_y(), {}};
  }
};

}  // namespace torsor::joints
