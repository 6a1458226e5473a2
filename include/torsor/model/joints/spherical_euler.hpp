#pragma once
/// q: three Euler angles (ZYX, ZYZ or ZXZ); v: their rates. S depends on q.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct SphericalEuler : RateJoint<3> {
  static constexpr bool has_order = true, has_sdot = true;
  static constexpr std::array coordinates{Measure::angle, Measure::angle, Measure::angle};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder order, const Param&, const Real* q,
                               JointMotion<Real>& out) {
    Vec3<Real> axis[3];
    internal::euler_motion(order, q, out.T.R, axis);
    out.T.p = {};
    for (int k = 0; k < 3; ++k) out.S[k] = {axis[k], {}};
  }
};

}  // namespace torsor::joints
