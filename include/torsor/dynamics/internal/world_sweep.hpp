#pragma once
/// The robot at one configuration in world axes: poses, velocity columns, mass moments.
///
/// In world axes a child's inertia adds to its parent's without a transport, and all products of columns with
/// columns are sums over contiguous arrays: the O(n d) algorithms (mass matrix, its inverse, Coriolis matrix,
/// derivatives) run on this, in blocks of neighbouring columns (columns.hpp).
///
/// Frames   World axes; moments and twists about the origin of the first body of the tree that a body belongs
///          to (trees on different first joints do not interact), so a robot far from the world's origin loses no
///          digits. The velocities of a body's subtree are contiguous: v ... v_end - 1.
#include <vector>

#include "torsor/dynamics/internal/columns.hpp"
#include "torsor/model/sweep.hpp"

namespace torsor {

/// Adds the moments of a body at the pose R, p, in world axes about the reference point, to I.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void add_world_moments(const CanonicalBody<Param>& b, const SO3<Real>& R,
                                               const Vec3<Real>& p, MassMoments<Real>& I) {
  const auto& [m, h_b, S_b] = b.moments;
  // R S R^T + p h^T + h p^T + m p p^T = sum_k t_k c_k^T + p k^T + h p^T with k = h + m p
  Vec3<Real> h = R.c0 * h_b.x + R.c1 * h_b.y, k = h;
  Vec3<Real> t0 = R.c0 * S_b.xx + R.c1 * S_b.xy + R.c2 * S_b.xz;
  Vec3<Real> t1 = R.c0 * S_b.xy + R.c1 * S_b.yy + R.c2 * S_b.yz;
  Vec3<Real> t2 = R.c0 * S_b.xz + R.c1 * S_b.yz;
  const bool hinged = b.joint == JointClass::hinge || b.joint == JointClass::turned_hinge;
  if (!hinged) {  // hinges have given m, h_z and S_zz to their parents
    h = h + R.c2 * h_b.z;
    k = h + p * m;
    t2 = t2 + R.c2 * S_b.zz;
    I.m = I.m + m;
  }
  const auto& [c0, c1, c2] = R;
  I.h = I.h + k;
  I.S.xx = I.S.xx + ((t0.x * c0.x + t1.x * c1.x) + (t2.x * c2.x + (p.x * k.x + h.x * p.x)));
  I.S.xy = I.S.xy + ((t0.x * c0.y + t1.x * c1.y) + (t2.x * c2.y + (p.x * k.y + h.x * p.y)));
  I.S.yy = I.S.yy + ((t0.y * c0.y + t1.y * c1.y) + (t2.y * c2.y + (p.y * k.y + h.y * p.y)));
  I.S.xz = I.S.xz + ((t0.x * c0.z + t1.x * c1.z) + (t2.x * c2.z + (p.x * k.z + h.x * p.z)));
  I.S.yz = I.S.yz + ((t0.y * c0.z + t1.y * c1.z) + (t2.y * c2.z + (p.y * k.z + h.y * p.z)));
  I.S.zz = I.S.zz + ((t0.z * c0.z + t1.z * c1.z) + (t2.z * c2.z + (p.z * k.z + h.z * p.z)));
}

/// b += a, number by number: a copy of the whole struct would wait for its stores.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void add(const MassMoments<Param>& a, MassMoments<Real>& b) {
  b.m = b.m + a.m;
  b.h.x = b.h.x + a.h.x, b.h.y = b.h.y + a.h.y, b.h.z = b.h.z + a.h.z;
  b.S.xx = b.S.xx + a.S.xx, b.S.xy = b.S.xy + a.S.xy, b.S.yy = b.S.yy + a.S.yy;
  b.S.xz = b.S.xz + a.S.xz, b.S.yz = b.S.yz + a.S.yz, b.S.zz = b.S.zz + a.S.zz;
}

/// The wrench I (w, v) of a twist: inertia in moment form times a column.
template <class Real>
TORSOR_HD TORSOR_INLINE Wrench<Real> times(const MassMoments<Real>& I, const Vec3<Real>& w,
                                           const Vec3<Real>& v) {
  return {w * trace(I.S) - I.S * w + cross(I.h, v), v * I.m + cross(w, I.h)};
}

template <class Real>
struct WorldSweep {
  JointStates<Real> joints;
  std::vector<SO3<Real>> R;
  std::vector<Vec3<Real>> p;
  Columns<Real> S;

  template <class Param>
  explicit WorldSweep(const Model<Param>& model)
      : joints(model), R(static_cast<std::size_t>(model.n_bodies())), p(R.size()), S(model.n_v()) {}
};

/// Poses and columns, base to tip, after `prepare`.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void world_sweep(const Model<Param>& model, WorldSweep<Real>& ws) {
  SO3<Real> R = SO3<Real>::identity();
  Vec3<Real> p{};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    const auto k = static_cast<std::size_t>(i), from = static_cast<std::size_t>(b.parent);
    if (b.parent == 0) {
      R = SO3<Real>::identity();
    } else if (b.parent != i - 1) {
      R = ws.R[from];
      p = ws.p[from];
    }
    visit(model, ws.joints, i, [&](const auto& joint) {
      p = b.parent == 0 ? Vec3<Real>{} : p + R * joint.origin();
      joint.advance(R);
      if constexpr (is_hinge<decltype(joint)>) {
        ws.S.set(b.v, R.c2, cross(p, R.c2));
      } else if constexpr (has_one_dof<decltype(joint)>) {
        ws.S.set(b.v, {}, R.c2);
      } else {
        for (int c = 0; c < b.n_v; ++c) {
          const Vec3<Real> w = R * joint.S[c].w;
          ws.S.set(b.v + c, w, R * joint.S[c].v + cross(p, w));
        }
      }
    });
    ws.R[k].c0 = R.c0;
    ws.R[k].c1 = R.c1;
    ws.R[k].c2 = R.c2;
    ws.p[k] = p;
  }
}

}  // namespace torsor
