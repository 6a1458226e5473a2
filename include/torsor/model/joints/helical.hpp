#pragma once
/// q: angle about the axis; v: its rate. A turn by q moves by pitch q (m/rad) along the axis.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Helical : RateJoint<1> {
  static constexpr bool has_axis = true, has_pitch = true;
  static constexpr std::array coordinates{Measure::angle};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param& pitch, const Real* q,
                               JointMotion<Real>& out) {
    out.T = {rotation_z(q[0]), {Real(0), Real(0), q[0] * pitch}};
    out.S[0] = {Vec3<Real>::unit_z(), {Real(0), Real(0), Real(1) * pitch}};
  }
};

}  // namespace torsor::joints
