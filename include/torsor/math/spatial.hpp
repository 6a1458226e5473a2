#pragma once
/// Twists and wrenches: se(3) and its dual, named as in Kim 2012.
///
///   Ad(T_ab) V_b = V_a                           Ad_inv(T_ab) V_a = V_b
///   Ad_dual(T_ab) F_a = F_b                      Ad_dual_inv(T_ab) F_b = F_a
///   ad(V) W = [V, W]                             ad_dual(V) F = ad(V)^T F
///   T^-1 dT = dexp(x) dx  for T = exp(x), body side
///
/// Frames   A twist is (w, v), a wrench (m, f): angular part first. They are different types, so a
///          wrench given to Ad does not compile.
/// Source   Kim 2012, (5)-(13), (27), (29); Murray, Li & Sastry 1994, ch. 2; series.hpp.
#include "torsor/math/se3.hpp"

namespace torsor {

/// Angular velocity w (rad/s) and velocity of the frame's origin v (m/s).
template <class Real>
struct Twist {
  Vec3<Real> w{}, v{};

  template <class Other>
  TORSOR_HD constexpr Twist<Other> cast() const {
    return {w.template cast<Other>(), v.template cast<Other>()};
  }
};

/// Moment m about the frame's origin (N m) and force f (N).
template <class Real>
struct Wrench {
  Vec3<Real> m{}, f{};

  template <class Other>
  TORSOR_HD constexpr Wrench<Other> cast() const {
    return {m.template cast<Other>(), f.template cast<Other>()};
  }
};

template <class A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> operator+(const Twist<A>& a, const Twist<B>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> operator-(const Twist<A>& a, const Twist<B>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class A>
TORSOR_HD constexpr Twist<A> operator-(const Twist<A>& a) {
  return {-a.w, -a.v};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Twist<Prod<A, B>> operator*(const Twist<A>& a, const B& s) {
  return {a.w * s, a.v * s};
}
template <internal::Factor A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> operator*(const A& s, const Twist<B>& b) {
  return b * s;
}
template <class A, class B>
TORSOR_HD constexpr Twist<A>& operator+=(Twist<A>& a, const Twist<B>& b) {
  return a = a + b;
}
template <class A, class B>
TORSOR_HD constexpr Twist<A>& operator-=(Twist<A>& a, const Twist<B>& b) {
  return a = a - b;
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator+(const Wrench<A>& a, const Wrench<B>& b) {
  return {a.m + b.m, a.f + b.f};
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator-(const Wrench<A>& a, const Wrench<B>& b) {
  return {a.m - b.m, a.f - b.f};
}
template <class A>
TORSOR_HD constexpr Wrench<A> operator-(const Wrench<A>& a) {
  return {-a.m, -a.f};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator*(const Wrench<A>& a, const B& s) {
  return {a.m * s, a.f * s};
}
template <internal::Factor A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator*(const A& s, const Wrench<B>& b) {
  return b * s;
}
template <class A, class B>
TORSOR_HD constexpr Wrench<A>& operator+=(Wrench<A>& a, const Wrench<B>& b) {
  return a = a + b;
}
template <class A, class B>
TORSOR_HD constexpr Wrench<A>& operator-=(Wrench<A>& a, const Wrench<B>& b) {
  return a = a - b;
}
/// Power <F, V>, in W for a velocity and a force.
template <class A, class B>
TORSOR_HD constexpr Prod<A, B> dot(const Twist<A>& V, const Wrench<B>& F) {
  return dot(V.w, F.m) + dot(V.v, F.f);
}

template <class A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> Ad(const SE3<A>& T, const Twist<B>& V) {
  const auto w = T.R * V.w;
  return {w, T.R * V.v + cross(T.p, w)};
}
template <class A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> Ad_inv(const SE3<A>& T, const Twist<B>& V) {
  return {transpose_times(T.R, V.w), transpose_times(T.R, V.v - cross(T.p, V.w))};
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> Ad_dual(const SE3<A>& T, const Wrench<B>& F) {
  return {transpose_times(T.R, F.m - cross(T.p, F.f)), transpose_times(T.R, F.f)};
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> Ad_dual_inv(const SE3<A>& T, const Wrench<B>& F) {
  const auto f = T.R * F.f;
  return {T.R * F.m + cross(T.p, f), f};
}
template <class A, class B>
TORSOR_HD constexpr Twist<Prod<A, B>> ad(const Twist<A>& V, const Twist<B>& W) {
  return {cross(V.w, W.w), cross(V.w, W.v) + cross(V.v, W.w)};
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> ad_dual(const Twist<A>& V, const Wrench<B>& F) {
  return {cross(F.m, V.w) + cross(F.f, V.v), cross(F.f, V.w)};
}

template <class Real>
TORSOR_HD SE3<Real> exp(const Twist<Real>& x) {
  const internal::ExpCoefficients<Real> k(squared_norm(x.w));
  const Vec3<Real> wv = cross(x.w, x.v);
  return {exp(x.w), x.v + wv * k.b + cross(x.w, wv) * k.c};
}
/// Exponential coordinates with |w| <= pi.
template <class Real>
TORSOR_HD Twist<Real> log(const SE3<Real>& T) {
  const Vec3<Real> w = log(T.R);
  return {w, dexp_inv(-w, T.p)};  // the left dexp^-1 is the right one of -w
}
/// dexp(x) y: the body twist of exp(x(t)) where x' = y.
template <class Real>
TORSOR_HD Twist<Real> dexp(const Twist<Real>& x, const Twist<Real>& y) {
  const internal::DexpCoefficients<Real> k(squared_norm(x.w));
  const Twist<Real> z1 = ad(x, y), z2 = ad(x, z1), z3 = ad(x, z2), z4 = ad(x, z3);
  return y - z1 * k.a1 + z2 * k.a2 - z3 * k.a3 + z4 * k.a4;
}
template <class Real>
TORSOR_HD Twist<Real> dexp_inv(const Twist<Real>& x, const Twist<Real>& y) {
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  const internal::DexpInvCoefficients<Real> k(squared_norm(x.w));
  const Twist<Real> z1 = ad(x, y), z2 = ad(x, z1), z4 = ad(x, ad(x, z2));
  return y + z1 * half + z2 * k.b2 + z4 * k.b4;
}

}  // namespace torsor
