#pragma once
/// Rotations as in Huo 2005, sec. 1.1: direction cosines, axis and angle, composition, repair.
///
///   R_01 = [n o a], columns n, o, a = R.c0, R.c1, R.c2: unit vectors of frame 1's axes in frame 0
///   R_k(theta) = cos(theta) 1 + (1 - cos(theta)) k k^T + sin(theta) S(k),   |k| = 1
///   relative motions (about current axes): R_1 R_2 ... R_n;  absolute (fixed axes): R_n ... R_1
///
/// Frames   One matrix, two readings: R_01 takes coordinates in 1 to coordinates in 0 (to_parent),
///          and turns frame 0, with any vector, onto frame 1 (rotate).
/// Source   Huo 2005, sec. 1.1, (1-1), (1-2), exercises 1-6 to 1-9; Horn 1987 (nearest rotation).
#include "torsor/math/internal/symmetric_eigen.hpp"
#include "torsor/math/so3.hpp"

namespace torsor {

/// From the unit vectors n, o, a of the moving frame's axes, written in the parent.
template <class Real>
TORSOR_HD constexpr SO3<Real> direction_cosine_matrix(const Vec3<Real>& n, const Vec3<Real>& o,
                                                      const Vec3<Real>& a) {
  return {n, o, a};
}
/// From two bases (unit vectors as columns) written in one common frame: entry (i, j) is the cosine
/// of the angle between axis i of the parent and axis j of the moving frame.
template <class Real>
TORSOR_HD constexpr SO3<Real> direction_cosine_matrix(const Mat3<Real>& parent,
                                                      const Mat3<Real>& moving) {
  return transpose_times(parent, moving);
}

/// |n| = |o| = 1, n.o = 0 and n x o = a, each within `tol`. NaN is no rotation.
template <class Real>
TORSOR_HD MaskOf<Real> is_rotation(const Mat3<Real>& R,
                                   std::type_identity_t<typename ScalarTraits<Real>::Value> tol) {
  const Vec3<Real>&n = R.c0, &o = R.c1, d = cross(n, o) - R.c2;
  const auto near0 = [&](const Real& x) { return abs(x) <= Real(tol); };
  return near0(dot(n, n) - Real(1)) & near0(dot(o, o) - Real(1)) & near0(dot(n, o)) & near0(d.x) &
         near0(d.y) & near0(d.z);
}

/// Coordinates in the parent of the vector b, written in the moving frame.
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> to_parent(const SO3<A>& R, const Vec3<B>& b) {
  return R * b;
}
/// b turned by R, in the frame in which both are written.
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> rotate(const SO3<A>& R, const Vec3<B>& b) {
  return R * b;
}

/// R_k(theta) about the unit vector k, theta in rad.
template <class Param, class Real>
TORSOR_HD SO3<Prod<Param, Real>> rotation_axis_angle(const Vec3<Param>& k, const Real& theta) {
  return internal::rotation_about(k, sincos(theta));
}

template <class Real>
struct AxisAngle {
  Vec3<Real> axis;           ///< unit vector; z where there is no trace of one
  Real angle{};              ///< 0 <= angle <= pi
  MaskOf<Real> any_axis{};   ///< angle 0 within tolerance: every axis is right
  MaskOf<Real> sign_free{};  ///< angle pi within tolerance: -axis is right as well
};

/// The angle is exact to rounding everywhere, the axis wherever R contains it. Derivatives exist
/// where neither flag is set; `log` has them at the identity too.
template <class Real>
TORSOR_HD AxisAngle<Real> axis_angle(const SO3<Real>& R,
                                     std::type_identity_t<typename ScalarTraits<Real>::Value> tol =
                                         8 * ScalarTraits<Real>::epsilon) {
  using Value = typename ScalarTraits<Real>::Value;
  const Quaternion<Real> q = quaternion(R);  // w >= 0
  const Vec3<Real> v{q.x, q.y, q.z};
  const Real n2 = squared_norm(v);
  const auto none = n2 < Real(std::numeric_limits<Value>::min() / ScalarTraits<Real>::epsilon);
  const Real n = sqrt(select(none, Real(1), n2)), k = Real(1) / n;
  AxisAngle<Real> result;
  result.axis = {select(none, Real(0), v.x * k), select(none, Real(0), v.y * k),
                 select(none, Real(1), v.z * k)};
  result.angle = select(none, Real(0), Real(2) * atan2(n, q.w));
  result.any_axis = result.angle <= Real(tol);
  result.sign_free = q.w + q.w <= Real(tol);  // 2 cos(angle / 2) = pi - angle, nearly
  return result;
}

/// Motions in the order in which they happen, each about the axes that the earlier ones have moved.
/// SO3 or SE3.
template <class Motion>
TORSOR_HD constexpr Motion compose_relative(const Motion& first) {
  return first;
}
template <class Motion, class... Motions>
TORSOR_HD constexpr Motion compose_relative(const Motion& first, const Motions&... later) {
  return first * compose_relative(later...);
}
/// Motions in the order in which they happen, each about the fixed axes of frame 0.
template <class Motion>
TORSOR_HD constexpr Motion compose_absolute(const Motion& first) {
  return first;
}
template <class Motion, class... Motions>
TORSOR_HD constexpr Motion compose_absolute(const Motion& first, const Motions&... later) {
  return compose_absolute(later...) * first;
}

template <class Real>
struct NearestRotation {
  SO3<Real> R;
  Real distance{};      ///< Frobenius norm of M - R
  bool unique = false;  ///< false: other rotations are as near (M singular twice, or a reflection)
};

/// The rotation nearest to M in the Frobenius norm, also for M with a negative determinant.
/// It maximises tr(R^T M) = q^T K q: the eigenvector of K for its largest eigenvalue.
template <Plain Real>
[[nodiscard]] NearestRotation<Real> nearest_rotation(const Mat3<Real>& M) {
  const auto& [n, o, a] = M;
  const internal::SquareMatrix<Real, 4> K = {{{n.x - o.y - a.z, o.x + n.y, a.x + n.z, o.z - a.y},
                                              {Real(0), o.y - n.x - a.z, a.y + o.z, a.x - n.z},
                                              {Real(0), Real(0), a.z - n.x - o.y, n.y - o.x},
                                              {Real(0), Real(0), Real(0), n.x + o.y + a.z}}};
  const internal::EigenPairs<Real, 4> e = internal::symmetric_eigen(K);
  const auto& q = e.vectors[3];
  const Real scale = max(abs(e.values[0]), abs(e.values[3]));
  NearestRotation<Real> result;
  result.R = rotation(normalised(Quaternion<Real>{q[0], q[1], q[2], q[3]}));
  const Mat3<Real> d = M - result.R;
  result.distance = sqrt(squared_norm(d.c0) + squared_norm(d.c1) + squared_norm(d.c2));
  result.unique = e.values[3] - e.values[2] > 64 * ScalarTraits<Real>::epsilon * scale;
  return result;
}

}  // namespace torsor
