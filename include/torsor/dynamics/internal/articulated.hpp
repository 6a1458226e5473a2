#pragma once
/// Articulated inertias in canonical frames, carried from a child to its parent.
///
///   D' = R D R^T,   B' = R B R^T + [p] D',   A' = R A R^T + [p/2] G^T + G [p/2]^T,   G = R B R^T + B'
///
/// A hinge without rotor passes no moment about its axis z on: what remains is "flat", its row z
/// of A and B is zero, and rotating it costs less.
///
/// Frames   I^ = [A B; B^T D] of body i in its canonical frame, about its origin; R, p: the pose of
///          body i in its parent.
/// Source   Featherstone 2008, sec. 7.2; canonical.hpp for the two plane rotations.
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal {

/// I about the point -p: the frame's origin moves by -p, the axes stay.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> shifted(const Vec3<Param>& p,
                                                         const ArticulatedInertia<Real>& I) {
  const auto& [A, B, D] = I;
  const Mat3<Real> N{{B.c0.x + p.y * D.xz - p.z * D.xy, B.c0.y + p.z * D.xx - p.x * D.xz,
                      B.c0.z + p.x * D.xy - p.y * D.xx},
                     {B.c1.x + p.y * D.yz - p.z * D.yy, B.c1.y + p.z * D.xy - p.x * D.yz,
                      B.c1.z + p.x * D.yy - p.y * D.xy},
                     {B.c2.x + p.y * D.zz - p.z * D.yz, B.c2.y + p.z * D.xz - p.x * D.zz,
                      B.c2.z + p.x * D.yz - p.y * D.xz}};
  const Mat3<Real> G = B + N;
  const Vec3<Param> h = p * Param(0.5);
  return {{A.xx + p.y * G.c2.x - p.z * G.c1.x,
           A.xy + h.y * G.c2.y - h.x * G.c2.x + h.z * (G.c0.x - G.c1.y),
           A.yy + p.z * G.c0.y - p.x * G.c2.y,
           A.xz + h.x * G.c1.x - h.z * G.c1.z + h.y * (G.c2.z - G.c0.x),
           A.yz + h.z * G.c0.z - h.y * G.c0.y + h.x * (G.c1.y - G.c2.z),
           A.zz + p.x * G.c1.z - p.y * G.c0.z},
          N,
          D};
}

/// The articulated inertia of a child, seen by its parent.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> transported(const Joint& joint,
                                                             const ArticulatedInertia<Real>& I) {
  return shifted(
      joint.origin(),
      ArticulatedInertia<Real>{joint.to_parent(I.A), joint.to_parent(I.B), joint.to_parent(I.D)});
}
/// The same of a flat inertia.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> transported_flat(
    const Hinge<Param, Real>& joint, const ArticulatedInertia<Real>& I) {
  const Real &c = joint.c, &s = joint.s, cs = c * s, cc = c * c;
  const Param &u = joint.b.cos_alpha, &v = joint.b.sin_alpha, uv = u * v, uu = u * u, vv = v * v;
  // Rz a Rz^T of the upper left parts, as turned_z does it, then Rx with a third row of zeros.
  const Real e = I.A.xx - I.A.yy, k = cc * e - (cs + cs) * I.A.xy;
  const Real xx = I.A.yy + k, xy = cs * e + (cc + cc - 1) * I.A.xy, yy = I.A.xx - k;
  const auto& [c0, c1, c2] = I.B;
  const Real f = c0.x - c1.y, g = c1.x + c0.y, m = cc * f - cs * g, l = cs * f + cc * g;
  const Real b00 = c1.y + m, b01 = l - c0.y, b10 = l - c1.x, b11 = c0.x - m;
  const Real b02 = c * c2.x - s * c2.y, b12 = s * c2.x + c * c2.y;
  const Real y = uu * b11 - uv * b12, z = uv * b11 + uu * b12;
  return shifted(joint.origin(),
                 ArticulatedInertia<Real>{{xx, u * xy, uu * yy, v * xy, uv * yy, vv * yy},
                                          {{b00, u * b10, v * b10},
                                           {u * b01 - v * b02, y, z - b12},
                                           {v * b01 + u * b02, z, b11 - y}},
                                          joint.to_parent(I.D)});
}

/// I - U K^T where the row z of what remains is zero; that of the result stays as it was.
template <class Real>
TORSOR_HD TORSOR_INLINE ArticulatedInertia<Real> deflated_flat(const ArticulatedInertia<Real>& I,
                                                               const Wrench<Real>& U,
                                                               const Wrench<Real>& K) {
  const auto &n = U.m, &f = U.f, &a = K.m, &b = K.f;
  const auto& [A, B, D] = I;
  return {{A.xx - a.x * n.x, A.xy - a.x * n.y, A.yy - a.y * n.y, A.xz, A.yz, A.zz},
          {{B.c0.x - a.x * f.x, B.c0.y - a.y * f.x, B.c0.z},
           {B.c1.x - a.x * f.y, B.c1.y - a.y * f.y, B.c1.z},
           {B.c2.x - a.x * f.z, B.c2.y - a.y * f.z, B.c2.z}},
          {D.xx - b.x * f.x, D.xy - b.x * f.y, D.yy - b.y * f.y, D.xz - b.x * f.z, D.yz - b.y * f.z,
           D.zz - b.z * f.z}};
}

/// F + I (w, 0) for a flat I and a w normal to z.
template <class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> plus_flat_times(const Wrench<Real>& F,
                                                     const ArticulatedInertia<Real>& I,
                                                     const Vec3<Real>& w) {
  const auto& [A, B, D] = I;
  return {{F.m.x + A.xx * w.x + A.xy * w.y, F.m.y + A.xy * w.x + A.yy * w.y, F.m.z},
          {F.f.x + B.c0.x * w.x + B.c0.y * w.y, F.f.y + B.c1.x * w.x + B.c1.y * w.y,
           F.f.z + B.c2.x * w.x + B.c2.y * w.y}};
}

/// Adds a body's own moments. `hinged`: m = h_z = S_zz = 0.
template <bool hinged, class Param, class Real>
TORSOR_HD TORSOR_INLINE void add_moments(const MassMoments<Param>& own,
                                         ArticulatedInertia<Real>& I) {
  const auto& [m, h, S] = own;
  if constexpr (hinged) {
    auto& [A, B, D] = I;
    A.xx = A.xx + S.yy, A.yy = A.yy + S.xx, A.zz = A.zz + (S.xx + S.yy);
    A.xy = A.xy - S.xy, A.xz = A.xz - S.xz, A.yz = A.yz - S.yz;
    B.c0.z = B.c0.z - h.y, B.c1.z = B.c1.z + h.x, B.c2.x = B.c2.x + h.y, B.c2.y = B.c2.y - h.x;
  } else {
    I = I + inertia(own);
  }
}

}  // namespace torsor::internal
