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
#include "torsor/dynamics/internal/columns.hpp"
#include "torsor/model/internal/sweep.hpp"

namespace torsor::internal {

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

/// Pose of a body. Sweeps that carry more from body to body derive from it.
template <class Real>
struct WorldPose {
  SO3<Real> R = SO3<Real>::identity();
  Vec3<Real> p{};
};

/// Base to tip, after `prepare`: move(i, body, joint, step, at) for every body. There the pose in `at` is
/// that of body i and everything else in it still its parent's; `step` leads from the parent's origin
/// to that of body i. resume(k, at) makes `at` what it was after body k; for k = 0, what it is here.
template <class Param, class Real, class State, class Resume, class Move>
TORSOR_HD TORSOR_INLINE void world_sweep(const Model<Param>& model, const JointStates<Real>& joints,
                                         State at, Resume resume, Move move) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.parent != i - 1) resume(b.parent, at);  // else it stays in registers
    visit(model, joints, i, [&](const auto& joint) {
      const Vec3<Real> step = at.R * joint.origin();
      at.p = b.parent == 0 ? Vec3<Real>{} : at.p + step;
      joint.advance(at.R);
      move(i, b, joint, step, at);
    });
  }
}

/// The columns of one joint at the pose R, p of its body.
template <class Param, class Joint, class Real>
TORSOR_HD TORSOR_INLINE void set_columns(const CanonicalBody<Param>& b, const Joint& joint,
                                         const WorldPose<Real>& at, Columns<Real>& S) {
  if constexpr (is_hinge<Joint>) {
    S.set(b.v, at.R.c2, cross(at.p, at.R.c2));
  } else if constexpr (has_one_dof<Joint>) {
    S.set(b.v, {}, at.R.c2);
  } else {
    for (int c = 0; c < b.n_v; ++c) {
      const Vec3<Real> w = at.R * joint.S[c].w;
      S.set(b.v + c, w, at.R * joint.S[c].v + cross(at.p, w));
    }
  }
}

template <class Real>
struct WorldSweep {
  JointStates<Real> joints;
  Array<SO3<Real>> R;
  Array<Vec3<Real>> p;
  Columns<Real> S;

  template <class Param>
  explicit WorldSweep(const Model<Param>& model)
      : joints(model), R(model.n_bodies()), p(model.n_bodies()), S(model.n_v()) {
    R[0] = SO3<Real>::identity();
  }
  TORSOR_HD TORSOR_INLINE void resume(int i, WorldPose<Real>& at) const {
    at.R = R[i], at.p = p[i];
  }
  TORSOR_HD TORSOR_INLINE void store(int i, const WorldPose<Real>& at) {
    R[i].c0 = at.R.c0, R[i].c1 = at.R.c1, R[i].c2 = at.R.c2;
    p[i] = at.p;
  }
};

/// Poses and columns of all bodies at q.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void world_sweep(const Model<Param>& model, WorldSweep<Real>& ws) {
  world_sweep(
      model, ws.joints, WorldPose<Real>{}, [&](int i, WorldPose<Real>& at) { ws.resume(i, at); },
      [&](int i, const auto& b, const auto& joint, const Vec3<Real>&, const WorldPose<Real>& at) {
        set_columns(b, joint, at, ws.S);
        ws.store(i, at);
      });
}

}  // namespace torsor::internal
