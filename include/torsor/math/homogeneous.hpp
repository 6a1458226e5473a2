#pragma once
/// Homogeneous coordinates and 4x4 matrices, as Huo 2005 writes poses.
///
///   point Q at r:  [a; alpha] with alpha r = a;  [s a; s alpha] is the same point for every s != 0
///   A = [ R p ]    row-major, 16 numbers          trans and rot are the six basic motions
///       [ 0 1 ]
///
/// Relative and absolute composition: compose_relative and compose_absolute of rotation.hpp.
/// Source   Huo 2005, sec. 1.1, (1-4) to (1-7), example 1-1, exercise 1-14.
#include <array>
#include <optional>

#include "torsor/math/rotation.hpp"
#include "torsor/math/se3.hpp"

namespace torsor {

/// The point a / alpha; with alpha = 0 the direction a, which is no point.
template <class Real>
struct HomogeneousPoint {
  Vec3<Real> a{};
  Real alpha{1};
};

/// Equal up to a nonzero factor, relative to the length of the columns. Zero columns equal none.
template <class Real>
[[nodiscard]] TORSOR_HD MaskOf<Real> same_point(
    const HomogeneousPoint<Real>& p, const HomogeneousPoint<Real>& q,
    std::type_identity_t<typename ScalarTraits<Real>::Value> tol = 8 *
                                                                   ScalarTraits<Real>::epsilon) {
  // Two columns are parallel where all their 2x2 minors vanish.
  const Vec3<Real> c = cross(p.a, q.a), d = p.a * q.alpha - q.a * p.alpha;
  const Real minors = squared_norm(c) + squared_norm(d);
  const Real size =
      (squared_norm(p.a) + p.alpha * p.alpha) * (squared_norm(q.a) + q.alpha * q.alpha);
  return (minors <= size * Real(tol * tol)) & (size > Real(0));
}
template <class Real>
[[nodiscard]] MaskOf<Real> operator==(const HomogeneousPoint<Real>& p,
                                      const HomogeneousPoint<Real>& q) {
  return same_point(p, q);
}
/// The same point with alpha = 1; nothing for a direction (alpha = 0).
template <Plain Real>
[[nodiscard]] std::optional<HomogeneousPoint<Real>> normalised(const HomogeneousPoint<Real>& p) {
  if (!(abs(p.alpha) > Real(0))) return std::nullopt;
  return HomogeneousPoint<Real>{{p.a.x / p.alpha, p.a.y / p.alpha, p.a.z / p.alpha}, Real(1)};
}
/// Points move, directions only turn.
template <class A, class B>
TORSOR_HD constexpr HomogeneousPoint<Prod<A, B>> operator*(const SE3<A>& T,
                                                           const HomogeneousPoint<B>& x) {
  return {T.R * x.a + T.p * x.alpha, x.alpha * Prod<A, B>(1)};
}

/// Translation by d (m) along, and rotation by an angle (rad) about, a coordinate axis.
template <class Real>
TORSOR_HD constexpr SE3<Real> trans_x(const Real& d) {
  return {SO3<Real>::identity(), {d, Real(0), Real(0)}};
}
template <class Real>
TORSOR_HD constexpr SE3<Real> trans_y(const Real& d) {
  return {SO3<Real>::identity(), {Real(0), d, Real(0)}};
}
template <class Real>
TORSOR_HD constexpr SE3<Real> trans_z(const Real& d) {
  return {SO3<Real>::identity(), {Real(0), Real(0), d}};
}
template <class Real>
TORSOR_HD SE3<Real> rot_x(const Real& angle) {
  return {rotation_x(angle), {}};
}
template <class Real>
TORSOR_HD SE3<Real> rot_y(const Real& angle) {
  return {rotation_y(angle), {}};
}
template <class Real>
TORSOR_HD SE3<Real> rot_z(const Real& angle) {
  return {rotation_z(angle), {}};
}
/// Rotation about the line through `point` along the unit vector k.
template <class Param, class Real>
TORSOR_HD SE3<Prod<Param, Real>> rotation_about_line(const Vec3<Param>& point, const Vec3<Param>& k,
                                                     const Real& angle) {
  const SO3<Prod<Param, Real>> R = rotation_axis_angle(k, angle);
  return {R, point - R * point};
}

/// Row by row.
template <class Real>
using HomogeneousMatrix = std::array<Real, 16>;

template <class Real>
constexpr HomogeneousMatrix<Real> homogeneous_matrix(const SE3<Real>& T) {
  const auto& [R, p] = T;
  const Real o(0);
  return {R.c0.x, R.c1.x, R.c2.x, p.x, R.c0.y, R.c1.y, R.c2.y, p.y,
          R.c0.z, R.c1.z, R.c2.z, p.z, o,      o,      o,      Real(1)};
}
/// Nothing unless the last row is 0 0 0 1 and the block R a rotation, within `tol`, and p finite.
/// The rotation is taken as it is: nearest_rotation repairs one that is not.
template <Plain Real>
[[nodiscard]] std::optional<SE3<Real>> rigid_motion(
    const HomogeneousMatrix<Real>& A,
    std::type_identity_t<Real> tol = 64 * ScalarTraits<Real>::epsilon) {
  const SE3<Real> T{{{A[0], A[4], A[8]}, {A[1], A[5], A[9]}, {A[2], A[6], A[10]}},
                    {A[3], A[7], A[11]}};
  const auto near0 = [&](Real x) { return abs(x) <= tol; };
  const bool last_row = near0(A[12]) && near0(A[13]) && near0(A[14]) && near0(A[15] - Real(1));
  const bool finite = is_finite(T.p.x) && is_finite(T.p.y) && is_finite(T.p.z);
  if (!last_row || !finite || !is_rotation(T.R, tol)) return std::nullopt;
  return T;
}

}  // namespace torsor
