#pragma once
/// q: position in the joint frame; v: its rate. The axes of the child stay those of the joint frame.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Translational : RateJoint<3> {
  static constexpr std::array coordinates{Measure::length, Measure::length, Measure::length};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {SO3<Real>::identity(), {q[0], q[1], q[2]}};
    out.S[0] = {{}, Vec3<Real>::unit_x()};
    out.S[1] = {{}, Vec3<Real>::unit_y()};
    out.S[2] = {{}, Vec3<Real>::unit_z()};
  }
};

}  // namespace torsor::joints
