#pragma once
/// A hinge whose axis is normal to its parent's, as all but the first are in arms like Panda and iiwa:
/// Rx(alpha) only renames axes, and the origins can be slid along the axes (model_bytes.cpp) until p_z = 0. A
/// fifth of the arithmetic of the dynamics and a third of the mass matrix' is by such ones and zeros.
///
/// Frames   Canonical frames with slid origins: R_parent_child = Rx(pi/2) Rz(q + offset), p = (p_x, p_y, 0).
#include "torsor/dynamics/internal/articulated.hpp"

namespace torsor::internal {

/// The number zero as a type.
struct ZeroNumber {};
template <class Real>
TORSOR_HD TORSOR_INLINE ZeroNumber operator*(const Real&, ZeroNumber) {
  return {};
}
template <class Real>
TORSOR_HD TORSOR_INLINE ZeroNumber operator*(ZeroNumber, const Real&) {
  return {};
}
template <class Real>
TORSOR_HD TORSOR_INLINE Real operator+(const Real& a, ZeroNumber) {
  return a;
}
template <class Real>
TORSOR_HD TORSOR_INLINE Real operator-(const Real& a, ZeroNumber) {
  return a;
}
template <class Real>
TORSOR_HD TORSOR_INLINE Real operator-(ZeroNumber, const Real& a) {
  return -a;
}

/// An origin with z = 0.
template <class Param>
struct FlatOrigin {
  Param x, y;
  [[no_unique_address]] ZeroNumber z{};
};
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> cross(const FlatOrigin<Param>& p, const Vec3<Real>& f) {
  return {p.y * f.z, -(p.x * f.z), p.x * f.y - p.y * f.x};
}
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> operator*(const Mat3<Real>& A, const FlatOrigin<Param>& p) {
  return A.c0 * p.x + A.c1 * p.y;
}
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE NormalToZ<Real> operator*(const FlatOrigin<Param>& p, const Real& m) {
  return {p.x * m, p.y * m};
}
/// v (v . p) - |v|^2 p
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> centripetal(const Vec3<Real>& v, const FlatOrigin<Param>& p) {
  const Real along = v.x * p.x + v.y * p.y, vv = squared_norm(v);
  return {v.x * along - vv * p.x, v.y * along - vv * p.y, v.z * along};
}
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE Vec3<Real> centripetal(const Vec3<Real>& v, const Vec3<Param>& p) {
  return Vec3<Real>(v * dot(v, p) - p * squared_norm(v));
}

template <class Param, class Real>
struct RightHinge : TurnsAboutZ<Real> {
  const CanonicalBody<Param>& b;
  const Real c, s;

  TORSOR_HD TORSOR_INLINE RightHinge(const CanonicalBody<Param>& body, const Real& cosine,
                                     const Real& sine)
      : b(body), c(cosine), s(sine) {}
  TORSOR_HD TORSOR_INLINE Vec3<Real> to_child(const Vec3<Real>& u) const {
    return {c * u.x + s * u.z, c * u.z - s * u.x, -u.y};
  }
  TORSOR_HD TORSOR_INLINE Vec3<Real> to_parent(const Vec3<Real>& u) const {
    return {c * u.x - s * u.y, -u.z, s * u.x + c * u.y};
  }
  TORSOR_HD TORSOR_INLINE void advance(SO3<Real>& R) const {
    const Vec3<Real> y = R.c2;
    R.c2 = -R.c1;
    R.c1 = y * c - R.c0 * s;
    R.c0 = R.c0 * c + y * s;
  }
  /// The rotation of the parent from that of the child.
  TORSOR_HD TORSOR_INLINE void retreat(SO3<Real>& R) const {
    const auto [c0, c1, c2] = R;
    R = {c0 * c - c1 * s, -c2, c0 * s + c1 * c};
  }
  TORSOR_HD TORSOR_INLINE Sym3<Real> to_parent(const Sym3<Real>& a) const {
    const Sym3<Real> t = turned_z(a, c, s);
    return {t.xx, -t.xz, t.zz, t.xy, -t.yz, t.yy};
  }
  TORSOR_HD TORSOR_INLINE Mat3<Real> to_parent(const Mat3<Real>& a) const {
    const auto [c0, c1, c2] = turned_z(a, c, s);
    return {{c0.x, -c0.z, c0.y}, {-c2.x, c2.z, -c2.y}, {c1.x, -c1.z, c1.y}};
  }
  TORSOR_HD TORSOR_INLINE FlatOrigin<Param> origin() const { return {b.p.x, b.p.y}; }
  /// (0, 0, z) of the parent, seen by the child.
  TORSOR_HD TORSOR_INLINE Vec3<Real> axis_to_child(const Real& z) const {
    return {s * z, c * z, Real(0)};
  }
};

/// The same of a hinge at any angle.
template <class Param, class Real>
struct AnyHinge : Hinge<Param, Real> {
  using Hinge<Param, Real>::Hinge;
  TORSOR_HD TORSOR_INLINE void retreat(SO3<Real>& R) const {
    const auto [c0, c1, c2] = R;
    const Vec3<Real> y = c0 * this->s + c1 * this->c;
    R = {c0 * this->c - c1 * this->s, y * this->b.cos_alpha - c2 * this->b.sin_alpha,
         y * this->b.sin_alpha + c2 * this->b.cos_alpha};
  }
  TORSOR_HD TORSOR_INLINE Vec3<Real> axis_to_child(const Real& z) const {
    const Real y = this->b.sin_alpha * z;
    return {this->s * y, this->c * y, this->b.cos_alpha * z};
  }
};

/// As `shifted` of articulated.hpp.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> shifted(const FlatOrigin<Param>& p,
                                                         const ArticulatedInertia<Real>& I) {
  const auto& [A, B, D] = I;
  const Mat3<Real> N{{B.c0.x + p.y * D.xz, B.c0.y - p.x * D.xz, B.c0.z + p.x * D.xy - p.y * D.xx},
                     {B.c1.x + p.y * D.yz, B.c1.y - p.x * D.yz, B.c1.z + p.x * D.yy - p.y * D.xy},
                     {B.c2.x + p.y * D.zz, B.c2.y - p.x * D.zz, B.c2.z + p.x * D.yz - p.y * D.xz}};
  const Mat3<Real> G = B + N;
  const Param x = p.x * Param(0.5), y = p.y * Param(0.5);
  return {{A.xx + p.y * G.c2.x, A.xy + y * G.c2.y - x * G.c2.x, A.yy - p.x * G.c2.y,
           A.xz + x * G.c1.x + y * (G.c2.z - G.c0.x), A.yz - y * G.c0.y + x * (G.c1.y - G.c2.z),
           A.zz + p.x * G.c1.z - p.y * G.c0.z},
          N,
          D};
}
/// Of a flat inertia: rows z of A and B are zero, so that columns and rows y of what comes out are.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> transported_flat(
    const RightHinge<Param, Real>& joint, const ArticulatedInertia<Real>& I) {
  const Real &c = joint.c, &s = joint.s, cs = c * s, cc = c * c;
  const Real e = I.A.xx - I.A.yy, k = cc * e - (cs + cs) * I.A.xy;
  const Real xx = I.A.yy + k, xy = cs * e + (cc + cc - 1) * I.A.xy, yy = I.A.xx - k;
  const auto& [c0, c1, c2] = I.B;
  const Real f = c0.x - c1.y, g = c1.x + c0.y, m = cc * f - cs * g, l = cs * f + cc * g;
  const Real b02 = c * c2.x - s * c2.y, b12 = s * c2.x + c * c2.y, zero(0);
  return shifted(joint.origin(),
                 ArticulatedInertia<Real>{
                     {xx, zero, zero, xy, zero, yy},
                     {{c1.y + m, zero, l - c1.x}, {-b02, zero, -b12}, {l - c0.y, zero, c0.x - m}},
                     joint.to_parent(I.D)});
}

template <class Model, class Real>
struct ChainHingeOf {
  using type = AnyHinge<ParamOf<Model>, Real>;
};
template <class Model, class Real>
requires Model::right_angles struct ChainHingeOf<Model, Real> {
  using type = RightHinge<ParamOf<Model>, Real>;
};
/// What carries body i > 1 of a chain.
template <class Model, class Real>
using ChainHinge = typename ChainHingeOf<Model, Real>::type;

}  // namespace torsor::internal
