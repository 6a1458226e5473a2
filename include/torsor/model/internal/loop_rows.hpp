#pragma once
/// The rows of one loop joint at a motion, as loop.hpp lists them.
///
/// Frames   Poses, velocities and rows in world axes.
#include "torsor/model/loop.hpp"

namespace torsor::internal {

/// Which rows a kind has.
struct LoopShape {
  int moments = 0, forces = 0;  ///< 2: x y, 3: x y z
  bool universal = false, distance = false;
};
constexpr LoopShape shape_of(LoopJoint::Kind kind) {
  using Kind = LoopJoint::Kind;
  switch (kind) {
    case Kind::weld:
      return {3, 3};
    case Kind::revolute:
      return {2, 3};
    case Kind::prismatic:
      return {3, 2};
    case Kind::universal:
      return {0, 3, true};
    case Kind::cylindrical:
      return {2, 2};
    case Kind::spherical:
      return {0, 3};
    case Kind::distance:
      return {0, 0, false, true};
  }
  return {};
}

/// Pose and velocity of a loop's frame, in world axes.
template <class Real>
struct LoopFrame {
  SE3<Real> T{};
  Vec3<Real> w{}, v{};  ///< v of the origin
};

/// A row: moment and force on b through the origin of b's frame, and their rates.
template <class Real>
struct LoopRow {
  Vec3<Real> m{}, f{}, mdot{}, fdot{};
};
inline constexpr int max_loop_rows = 6;

/// The rows of a loop joint at a motion; returns how many.
template <class Real>
int loop_rows(const LoopConstraint& loop, const LoopFrame<Real>& a, const LoopFrame<Real>& b,
              LoopRow<Real>* rows) {
  const LoopShape shape = shape_of(loop.kind);
  const Vec3<Real> axes[3] = {a.T.R.c0, a.T.R.c1, a.T.R.c2};
  int n = 0;
  for (int k = 0; k < shape.moments; ++k) rows[n++] = {axes[k], {}, cross(a.w, axes[k]), {}};
  if (shape.universal) {
    const Vec3<Real>&x = a.T.R.c0, &y = b.T.R.c1;
    rows[n++] = {cross(x, y), {}, cross(cross(a.w, x), y) + cross(x, cross(b.w, y)), {}};
  }
  for (int k = 0; k < shape.forces; ++k) rows[n++] = {{}, axes[k], {}, cross(a.w, axes[k])};
  if (shape.distance) {
    const Real scale(1 / loop.distance);
    rows[n++] = {{}, (b.T.p - a.T.p) * scale, {}, (b.v - a.v) * scale};
  }
  return n;
}

/// phi of a loop joint at the poses of its frames; returns the number of rows.
template <class Real>
int loop_residual(const LoopConstraint& loop, const SE3<Real>& T_a, const SE3<Real>& T_b,
                  Real* phi) {
  using Value = typename ScalarTraits<Real>::Value;
  const LoopShape shape = shape_of(loop.kind);
  const SO3<Real> R = transpose_times(T_a.R, T_b.R);
  const Vec3<Real> d = transpose_times(T_a.R, T_b.p - T_a.p);
  int n = 0;
  if (shape.moments == 3) {
    const Vec3<Real> turn = log(R);
    for (int k = 0; k < 3; ++k) phi[n++] = turn[k];
  } else if (shape.moments == 2) {  // the smallest rotation that takes a's axis to b's
    const Vec3<Real>& z = R.c2;
    const Real s2 = z.x * z.x + z.y * z.y;
    const auto small = s2 < Real(Value(1e-24));
    const Real s = sqrt(select(small, Real(1), s2));
    const Real factor = select(small & (z.z > Real(0)), Real(1), atan2(s, z.z) / s);
    phi[n++] = -(z.y * factor);
    phi[n++] = z.x * factor;
  }
  if (shape.universal) phi[n++] = -R.c1.x;
  for (int k = 0; k < shape.forces; ++k) phi[n++] = d[k];
  if (shape.distance)
    phi[n++] = (squared_norm(d) - Real(loop.distance * loop.distance)) * Real(0.5 / loop.distance);
  return n;
}

}  // namespace torsor::internal
