#pragma once
/// What the axis, the coordinates and the velocities of a joint kind measure.
///
/// A kind here is not composite: of that, each part has its own.
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor {

template <class Param>
class Model;

/// Whether the joint's axis means something.
constexpr bool has_axis(JointKind kind) {
  switch (kind) {
    case JointKind::revolute:
    case JointKind::continuous:
    case JointKind::prismatic:
    case JointKind::helical:
    case JointKind::cylindrical:
    case JointKind::planar:
      return true;
    default:
      return false;
  }
}

enum class Measure : unsigned char { angle, length, quaternion };

constexpr Measure coordinate_measure(JointKind kind, int k) {
  switch (kind) {
    case JointKind::prismatic:
    case JointKind::translational:
      return Measure::length;
    case JointKind::cylindrical:  // angle, length
      return k == 1 ? Measure::length : Measure::angle;
    case JointKind::planar:  // x, y, angle
      return k < 2 ? Measure::length : Measure::angle;
    case JointKind::spherical:
      return Measure::quaternion;
    case JointKind::free:  // position, quaternion
      return k < 3 ? Measure::length : Measure::quaternion;
    case JointKind::free_euler:  // position, angles
      return k < 3 ? Measure::length : Measure::angle;
    default:
      return Measure::angle;
  }
}

/// Of the time integral: an angular velocity measures an angle.
constexpr Measure velocity_measure(JointKind kind, int k) {
  switch (kind) {
    case JointKind::planar:  // w, vx, vy
      return k == 0 ? Measure::angle : Measure::length;
    case JointKind::spherical:
      return Measure::angle;
    case JointKind::free:  // w, v
      return k < 3 ? Measure::angle : Measure::length;
    default:
      return coordinate_measure(kind, k);
  }
}

/// Of every coordinate and of every velocity of a robot.
std::vector<Measure> coordinate_measures(const Model<double>& model);
std::vector<Measure> velocity_measures(const Model<double>& model);

}  // namespace torsor
