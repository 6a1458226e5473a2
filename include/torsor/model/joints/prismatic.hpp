#pragma once
/// q: length along the axis; v: its rate.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Prismatic : RateJoint<1> {
  static constexpr JointMotionClass motion_class = JointMotionClass::slides;
  static constexpr bool has_axis = true, in_urdf = true;
  static constexpr const char* urdf_type = "prismatic";
  static constexpr std::array coordinates{Measure::length};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real* q, JointMotion<Real>& out) {
    out.T = {SO3<Real>::identity(), {Real(0), Real(0), q[0]}};
    out.S[0] = {{}, Vec3<Real>::unit_z()};
  }
};

}  // namespace torsor::joints
