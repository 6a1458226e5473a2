#pragma once
/// Inertia of a rigid body, of an articulated body, and mass moments.
///
///   I = [ J_o   [h] ]   J_o: rotational inertia about the frame's origin (kg m^2), h = m c (kg m)
///       [ [h]^T m 1 ]   momentum I V, kinetic energy 1/2 <I V, V>
///   transported(T_ab, I_b) = Ad_dual_inv(T_ab) I_b Ad_inv(T_ab) = I_a
///
/// MassMoments hold the second moment Sigma = int r r^T dm instead: J_o = tr(Sigma) 1 - Sigma. With the
/// classical acceleration a of the origin and U = [alpha] + [w]^2 (a point r accelerates by a + U r):
///   f = m a + U h,   n = h x a + int r x (U r) dm = h x a + axial(U Sigma)
/// with axial(A) = (A_32 - A_23, A_13 - A_31, A_21 - A_12), which is twice `vee` of A's skew part:
///   axial(U Sigma) = sum_k (Sigma e_k) x (U e_k)
///
/// Frames   Products of inertia are matrix entries (negative integrals).
/// Source   Kim 2012, (20)-(24); Craig 2005, ch. 6 (parallel axes).
#include "torsor/math/spatial.hpp"

namespace torsor {

/// m, h = m c and the rotational inertia about the frame's origin: ten numbers.
template <class Real>
struct Inertia {
  Real m{};
  Vec3<Real> h{};
  Sym3<Real> J{};

  template <class Other>
  TORSOR_HD constexpr Inertia<Other> cast() const {
    return {Other(m), h.template cast<Other>(), J.template cast<Other>()};
  }
  /// From mass, centre of mass and the inertia matrix about the centre of mass.
  TORSOR_HD static constexpr Inertia at_com(const Real& mass, const Vec3<Real>& com,
                                            const Sym3<Real>& about_com) {
    return {mass, com * mass, about_com + parallel_axes(mass, com)};
  }
  /// m (|c|^2 1 - c c^T), the matrix form of the parallel axis theorem.
  TORSOR_HD static constexpr Sym3<Real> parallel_axes(const Real& mass, const Vec3<Real>& c) {
    return Sym3<Real>{
               c.y * c.y + c.z * c.z, -c.x * c.y, c.x * c.x + c.z * c.z, -c.x * c.z, -c.y * c.z,
               c.x * c.x + c.y * c.y} *
           mass;
  }
};

template <class A, class B>
TORSOR_HD constexpr Inertia<Prod<A, B>> operator+(const Inertia<A>& a, const Inertia<B>& b) {
  return {a.m + b.m, a.h + b.h, a.J + b.J};
}
template <class A, class B>
TORSOR_HD constexpr Inertia<Prod<A, B>> operator-(const Inertia<A>& a, const Inertia<B>& b) {
  return {a.m - b.m, a.h - b.h, a.J - b.J};
}
template <class A, internal::Factor B>
TORSOR_HD constexpr Inertia<Prod<A, B>> operator*(const Inertia<A>& a, const B& s) {
  return {a.m * s, a.h * s, a.J * s};
}
/// Momentum of the velocity V, or the wrench of the acceleration V.
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator*(const Inertia<A>& I, const Twist<B>& V) {
  return {I.J * V.w + cross(I.h, V.v), V.v * I.m - cross(I.h, V.w)};
}
/// I_a of the body whose inertia in b is I_b.
template <class A, class B>
TORSOR_HD constexpr Inertia<Prod<A, B>> transported(const SE3<A>& T_ab, const Inertia<B>& I_b) {
  using Real = Prod<A, B>;
  const Vec3<Real> h = T_ab.R * I_b.h;
  const auto& p = T_ab.p;
  // int |r + p|^2 1 - (r + p)(r + p)^T = J + 2 (p.h) 1 - (p h^T + h p^T) + m (|p|^2 1 - p p^T)
  const Real ph = dot(p, h) + dot(p, h);
  const Sym3<Real> cross_terms{ph - (p.x * h.x + p.x * h.x), -(p.x * h.y + p.y * h.x),
                               ph - (p.y * h.y + p.y * h.y), -(p.x * h.z + p.z * h.x),
                               -(p.y * h.z + p.z * h.y),     ph - (p.z * h.z + p.z * h.z)};
  return {I_b.m * Real(1), h + p * I_b.m,
          rotated(T_ab.R, I_b.J) + cross_terms + Inertia<A>::parallel_axes(A(1), p) * I_b.m};
}

/// m, h and Sigma = int r r^T dm.
template <class Real>
struct MassMoments {
  Real m{};
  Vec3<Real> h{};
  Sym3<Real> S{};

  template <class Other>
  TORSOR_HD constexpr MassMoments<Other> cast() const {
    return {Other(m), h.template cast<Other>(), S.template cast<Other>()};
  }
};
template <class A, class B>
TORSOR_HD constexpr MassMoments<Prod<A, B>> operator+(const MassMoments<A>& a,
                                                      const MassMoments<B>& b) {
  return {a.m + b.m, a.h + b.h, a.S + b.S};
}
template <class Real>
TORSOR_HD constexpr MassMoments<Real> mass_moments(const Inertia<Real>& I) {
  const Real t = trace(I.J) * typename ScalarTraits<Real>::Value(0.5);
  return {I.m, I.h, Sym3<Real>::diagonal(t, t, t) - I.J};
}
template <class Real>
TORSOR_HD constexpr Inertia<Real> inertia(const MassMoments<Real>& a) {
  const Real t = trace(a.S);
  return {a.m, a.h, Sym3<Real>::diagonal(t, t, t) - a.S};
}
template <class A, class B>
TORSOR_HD constexpr MassMoments<Prod<A, B>> transported(const SE3<A>& T_ab,
                                                        const MassMoments<B>& b) {
  using Real = Prod<A, B>;
  const Vec3<Real> h = T_ab.R * b.h;
  const auto& p = T_ab.p;
  const Vec3<Real> k = h + h + p * b.m;  // p k^T symmetrised is p h^T + h p^T + m p p^T
  const auto half = typename ScalarTraits<Real>::Value(0.5);
  return {b.m * Real(1), h + p * b.m,
          rotated(T_ab.R, b.S) + Sym3<Real>{p.x * k.x, (p.x * k.y + p.y * k.x) * half, p.y * k.y,
                                            (p.x * k.z + p.z * k.x) * half,
                                            (p.y * k.z + p.z * k.y) * half, p.z * k.z}};
}

/// Symmetric map from twists to wrenches, [A B; B^T D]: twenty-one numbers.
template <class Real>
struct ArticulatedInertia {
  Sym3<Real> A{};
  Mat3<Real> B{};
  Sym3<Real> D{};

  TORSOR_HD static constexpr ArticulatedInertia of(const Inertia<Real>& I) {
    return {I.J, skew(I.h), Sym3<Real>::diagonal(I.m, I.m, I.m)};
  }
};
template <class A, class B>
TORSOR_HD constexpr ArticulatedInertia<Prod<A, B>> operator+(const ArticulatedInertia<A>& a,
                                                             const ArticulatedInertia<B>& b) {
  return {a.A + b.A, a.B + b.B, a.D + b.D};
}
template <class A, class B>
TORSOR_HD constexpr ArticulatedInertia<Prod<A, B>> operator+(const ArticulatedInertia<A>& a,
                                                             const Inertia<B>& b) {
  const Vec3<B>& h = b.h;
  Mat3<Prod<A, B>> k = a.B;
  k.c0.y = k.c0.y + h.z, k.c0.z = k.c0.z - h.y, k.c1.x = k.c1.x - h.z;
  k.c1.z = k.c1.z + h.x, k.c2.x = k.c2.x + h.y, k.c2.y = k.c2.y - h.x;
  return {a.A + b.J, k, {a.D.xx + b.m, a.D.xy, a.D.yy + b.m, a.D.xz, a.D.yz, a.D.zz + b.m}};
}
template <class A, class B>
TORSOR_HD constexpr Wrench<Prod<A, B>> operator*(const ArticulatedInertia<A>& I,
                                                 const Twist<B>& V) {
  return {I.A * V.w + I.B * V.v, transpose_times(I.B, V.w) + I.D * V.v};
}
namespace internal {

/// I - U U^T / d, with U a wrench: the inertia that remains when a joint is free in one direction.
template <class Real>
TORSOR_HD constexpr ArticulatedInertia<Real> deflated(const ArticulatedInertia<Real>& I,
                                                      const Wrench<Real>& U,
                                                      const Wrench<Real>& K) {
  const auto &n = U.m, &f = U.f, &a = K.m, &b = K.f;  // K = U / d
  return {{I.A.xx - a.x * n.x, I.A.xy - a.x * n.y, I.A.yy - a.y * n.y, I.A.xz - a.x * n.z,
           I.A.yz - a.y * n.z, I.A.zz - a.z * n.z},
          {I.B.c0 - a * f.x, I.B.c1 - a * f.y, I.B.c2 - a * f.z},
          {I.D.xx - b.x * f.x, I.D.xy - b.x * f.y, I.D.yy - b.y * f.y, I.D.xz - b.x * f.z,
           I.D.yz - b.y * f.z, I.D.zz - b.z * f.z}};
}

}  // namespace internal

/// Ad_dual_inv(T_ab) I_b Ad_inv(T_ab).
template <class A, class B>
TORSOR_HD constexpr ArticulatedInertia<Prod<A, B>> transported(const SE3<A>& T_ab,
                                                               const ArticulatedInertia<B>& I) {
  using Real = Prod<A, B>;
  const Sym3<Real> D = rotated(T_ab.R, I.D);
  const Mat3<Real> B0 = T_ab.R * I.B * transpose(T_ab.R), P = skew(T_ab.p * Real(1));
  const Mat3<Real> B1 = B0 + P * D.matrix();         // about the origin of a
  const Mat3<Real> A1 = P * transpose(B1) - B0 * P;  // symmetric up to rounding
  return {rotated(T_ab.R, I.A) + Sym3<Real>::of(A1), B1, D};
}

}  // namespace torsor
