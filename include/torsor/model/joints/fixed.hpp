#pragma once
/// No motion: the child is part of its parent.
#include "torsor/model/joints/joint_type.hpp"

namespace torsor::joints {

struct Fixed : RateJoint<0> {
  static constexpr bool in_urdf = true;
  static constexpr std::array<Measure, 0> coordinates{};
  static constexpr std::array velocities = coordinates;

  template <class Param, class Real>
  TORSOR_HD static void motion(EulerOrder, const Param&, const Real*, JointMotion<Real>&) {}
};

}  // namespace torsor::joints
