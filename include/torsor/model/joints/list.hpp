#pragma once
/// The kinds of joints: one #include and one entry for each. An entry is the word for the kind (of
/// the enum and of files) and its type.
///
///   with_kind(kind, f)   f(type of the kind): the only switch over kinds
///
/// A program of its own may define further kinds before its first #include of Torsor, as
/// TORSOR_FURTHER_JOINTS(X), and build the library with them.
#include "torsor/model/joints/composite.hpp"
#include "torsor/model/joints/continuous.hpp"
#include "torsor/model/joints/cylindrical.hpp"
#include "torsor/model/joints/fixed.hpp"
#include "torsor/model/joints/free.hpp"
#include "torsor/model/joints/free_euler.hpp"
#include "torsor/model/joints/helical.hpp"
#include "torsor/model/joints/planar.hpp"
#include "torsor/model/joints/prismatic.hpp"
#include "torsor/model/joints/revolute.hpp"
#include "torsor/model/joints/spherical.hpp"
#include "torsor/model/joints/spherical_euler.hpp"
#include "torsor/model/joints/translational.hpp"
#include "torsor/model/joints/universal.hpp"

#ifndef TORSOR_FURTHER_JOINTS
#define TORSOR_FURTHER_JOINTS(X)
#endif
#define TORSOR_JOINTS(X)             \
  X(fixed, Fixed)                    \
  X(revolute, Revolute)              \
  X(continuous, Continuous)          \
  X(prismatic, Prismatic)            \
  X(helical, Helical)                \
  X(cylindrical, Cylindrical)        \
  X(universal, Universal)            \
  X(planar, Planar)                  \
  X(translational, Translational)    \
  X(spherical, Spherical)            \
  X(spherical_euler, SphericalEuler) \
  X(free, Free)                      \
  X(free_euler, FreeEuler)           \
  X(composite, Composite)            \
  TORSOR_FURTHER_JOINTS(X)

namespace torsor {

/// Coordinates q and velocities v of each kind: docs/conventions.md.
#define TORSOR_JOINT(word, Type) word,
enum class JointKind : unsigned char { TORSOR_JOINTS(TORSOR_JOINT) };
#undef TORSOR_JOINT

#define TORSOR_JOINT(word, Type) JointKind::word,
inline constexpr JointKind joint_kinds[] = {TORSOR_JOINTS(TORSOR_JOINT)};
#undef TORSOR_JOINT

/// The word for a kind in files: "revolute", "spherical_euler", ...
constexpr const char* name_of(JointKind kind) {
#define TORSOR_JOINT(word, Type) #word,
  constexpr const char* names[] = {TORSOR_JOINTS(TORSOR_JOINT)};
#undef TORSOR_JOINT
  return names[static_cast<int>(kind)];
}

#define TORSOR_JOINT(word, Type) static_assert(JointType<joints::Type>);

namespace internal {

TORSOR_JOINTS(TORSOR_JOINT)
#undef TORSOR_JOINT

/// f(a value of the kind's type). Its members are static: f may read them as constants.
template <class Function>
TORSOR_HD constexpr decltype(auto) with_kind(JointKind kind, Function&& f) {
  switch (kind) {
#define TORSOR_JOINT(word, Type) \
  case JointKind::word:          \
    return f(joints::Type{});
    TORSOR_JOINTS(TORSOR_JOINT)
#undef TORSOR_JOINT
  }
  return f(joints::Fixed{});
}

}  // namespace internal

#undef TORSOR_JOINTS
#undef TORSOR_FURTHER_JOINTS

}  // namespace torsor
