#pragma once
/// q: angle about the axis and length along it; v: their rates.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Cylindrical : RateJoint<2> {
  static constexpr bool has_axis = true;
  static constexpr std::array coordinates{Measure::angle, Measure::length};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {rotation_z(q[0]), {Real(0), Real(0), q[1]}};
    out.S[0] = {Vec3<Real>::unit_z(), {}};
    out.S[1] = {{}, Vec3<Real>::unit_z()};
  }
};

}  // namespace torsor::joints
