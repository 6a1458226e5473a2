#pragma once
/// q: angle about the axis; v: its rate. The angle counts every turn.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Revolute : RateJoint<1> {
  static constexpr JointMotionClass motion_class = JointMotionClass::turns;
  static constexpr bool has_axis = true, in_urdf = true;
  static constexpr const char* urdf_type = "revolute";
  static constexpr std::array coordinates{Measure::angle};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {rotation_z(q[0]), {}};
    out.S[0] = {Vec3<Real>::unit_z(), {}};
  }
};

}  // namespace torsor::joints
