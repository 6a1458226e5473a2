#pragma once
/// Questions about a kind of joint that only the run knows. Of a composite joint each part has its own
/// answers. The kinds themselves: joints/list.hpp.
#include "torsor/model/joints/list.hpp"

namespace torsor {

/// Numbers of coordinates and of velocities; of a composite joint without its parts: none.
TORSOR_HD constexpr int n_q(JointKind kind) {
  return internal::with_kind(kind, [](auto k) { return k.n_q; });
}
TORSOR_HD constexpr int n_v(JointKind kind) {
  return internal::with_kind(kind, [](auto k) { return k.n_v; });
}

/// Whether axis, pitch and order of the joint mean something.
constexpr bool has_axis(JointKind kind) {
  return internal::with_kind(kind, [](auto k) { return k.has_axis; });
}
constexpr bool has_pitch(JointKind kind) {
  return internal::with_kind(kind, [](auto k) { return k.has_pitch; });
}
constexpr bool has_order(JointKind kind) {
  return internal::with_kind(kind, [](auto k) { return k.has_order; });
}

namespace internal {

/// True where S depends on q.
TORSOR_HD constexpr bool has_sdot(JointKind kind) {
  return with_kind(kind, [](auto k) { return k.has_sdot; });
}
/// True where velocities are the rates of the coordinates.
constexpr bool velocities_are_rates(JointKind kind) {
  return with_kind(kind, [](auto k) { return k.velocities_are_rates; });
}

constexpr JointMotionClass motion_class(JointKind kind) {
  return with_kind(kind, [](auto k) { return k.motion_class; });
}
/// Revolute and continuous; prismatic.
constexpr bool turns_about_axis(JointKind kind) {
  return motion_class(kind) == JointMotionClass::turns;
}
constexpr bool slides_along_axis(JointKind kind) {
  return motion_class(kind) == JointMotionClass::slides;
}

constexpr Measure coordinate_measure(JointKind kind, int k) {
  return with_kind(kind, [k](auto type) {
    if constexpr (type.n_q == 0)
      return Measure::angle;
    else
      return type.coordinates[static_cast<std::size_t>(k)];
  });
}
/// Of the time integral: an angular velocity measures an angle.
constexpr Measure velocity_measure(JointKind kind, int k) {
  return with_kind(kind, [k](auto type) {
    if constexpr (type.n_v == 0)
      return Measure::angle;
    else
      return type.velocities[static_cast<std::size_t>(k)];
  });
}

/// The coordinate that velocity k moves and whose limits are those of k, or -1 (quaternions).
constexpr int moved_coordinate(JointKind kind, int k) {
  return with_kind(kind, [k](auto type) { return type.moved_coordinate(k); });
}
/// The coordinate whose rate is the velocity k, or -1.
constexpr int rate_coordinate(JointKind kind, int k) {
  return with_kind(kind, [k](auto type) {
    const Dofs turned = type.linear_in_child;
    const bool in_child = turned.first <= k && k < turned.first + turned.count;
    return in_child ? -1 : type.moved_coordinate(k);
  });
}
/// The first of the four coordinates that are a quaternion, or -1.
constexpr int quaternion_of(JointKind kind) {
  return with_kind(kind, [](auto k) { return k.quaternion; });
}

}  // namespace internal

}  // namespace torsor
