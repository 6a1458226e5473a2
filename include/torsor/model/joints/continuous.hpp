#pragma once
/// A revolute joint without end: the difference of two angles is the shorter way, in (-pi, pi].
#include "torsor/model/joints/revolute.hpp"

namespace torsor::joints {

struct Continuous : Revolute {
  static constexpr const char* urdf_type = "continuous";

  template <class Real>
  TORSOR_HD static void difference(EulerOrder, const Real* q0, const Real* q1, Real* v) {
    v[0] = internal::wrapped_angle(q1[0] - q0[0]);
  }
};

}  // namespace torsor::joints
