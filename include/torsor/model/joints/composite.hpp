#pragma once
/// Several joints in a row without bodies between them. Coordinates, velocities and motion are those
/// of its parts (JointShape in joint.hpp holds them); of its own it has none.
#include "torsor/model/joints/fixed.hpp"

namespace torsor::joints {

struct Composite : Fixed {
  static constexpr bool in_urdf = false;
  static constexpr bool has_sdot = true, velocities_are_rates = false;
};

}  // namespace torsor::joints
