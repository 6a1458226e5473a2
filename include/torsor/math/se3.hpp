#pragma once
/// Rigid motions SE(3).
///
///   T_ab = (R, p):  x_a = R x_b + p              T_ac = T_ab * T_bc
///
/// Frames   T_ab is the pose of b in a; inner letters cancel in products.
/// Source   Kim 2012, (3), (4); Huo 2005, (1-4), (1-7).
#include "torsor/math/so3.hpp"

namespace torsor {

/// Pose of b in a.
template <class Real>
struct SE3 {
  SO3<Real> R = SO3<Real>::identity();
  Vec3<Real> p{};

  template <class Other>
  TORSOR_HD constexpr SE3<Other> cast() const {
    return {R.template cast<Other>(), p.template cast<Other>()};
  }
};

template <class A, class B>
TORSOR_HD constexpr SE3<Prod<A, B>> operator*(const SE3<A>& T, const SE3<B>& U) {
  return {T.R * U.R, T.R * U.p + T.p};
}
/// The point that has coordinates x in b, in a.
template <class A, class B>
TORSOR_HD constexpr Vec3<Prod<A, B>> operator*(const SE3<A>& T, const Vec3<B>& x) {
  return T.R * x + T.p;
}
template <class A>
TORSOR_HD constexpr SE3<A> inverse(const SE3<A>& T) {
  return {transpose(T.R), -transpose_times(T.R, T.p)};
}
/// T^-1 U.
template <class A, class B>
TORSOR_HD constexpr SE3<Prod<A, B>> inverse_times(const SE3<A>& T, const SE3<B>& U) {
  return {transpose_times(T.R, U.R), transpose_times(T.R, U.p - T.p)};
}

}  // namespace torsor
