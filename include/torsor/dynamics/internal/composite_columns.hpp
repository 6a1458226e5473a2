#pragma once
/// The sweep of crba.hpp in world axes: composite moments from the tips to the base, and the wrench
/// F = I S of every velocity.
#include "torsor/dynamics/internal/world_sweep.hpp"

namespace torsor {

template <class Real>
struct CrbaWorkspace;

namespace internal {

/// Mass moments of a child, seen by its parent.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE MassMoments<Real> transported(const Joint& joint,
                                                      const MassMoments<Real>& I) {
  const Vec3<Real> h = joint.to_parent(I.h);
  const Sym3<Real> S = joint.to_parent(I.S);
  const auto& p = joint.origin();
  const Vec3<Real> k = h + p * I.m;  // S + p h^T + h p^T + m p p^T = S + p k^T + h p^T
  return {I.m,
          k,
          {S.xx + (p.x * k.x + h.x * p.x), S.xy + (p.x * k.y + h.x * p.y),
           S.yy + (p.y * k.y + h.y * p.y), S.xz + (p.x * k.z + h.x * p.z),
           S.yz + (p.y * k.z + h.y * p.z), S.zz + (p.z * k.z + h.z * p.z)}};
}

/// S and F of every velocity at q, in world axes.
template <class Param, class Real>
TORSOR_HD TORSOR_INLINE void composite_columns(const Model<Param>& model, CrbaWorkspace<Real>& ws,
                                               In<Real> q) {
  prepare(model, ws.world.joints, q);
  for (const int i : model.canonical().branching) ws.I[i] = {};
  world_sweep(model, ws.world);
  MassMoments<Real> I{};  // of body i and all it carries
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.branching) add(ws.I[i], I);
    add(b.moments, I);
    const SO3<Real>& R = ws.world.R[i];
    const Vec3<Real>& o = ws.world.p[i];
    visit(model, ws.world.joints, i, [&](const auto& joint) {
      if constexpr (is_hinge<decltype(joint)>) {
        const Vec3<Real> f = R.c1 * I.h.x - R.c0 * I.h.y;
        const Vec3<Real> m = R.c2 * (I.S.xx + I.S.yy) - (R.c0 * I.S.xz + R.c1 * I.S.yz);
        ws.F.set(b.v, m + cross(o, f), f);
      } else if constexpr (has_one_dof<decltype(joint)>) {
        const Vec3<Real> f = R.c2 * I.m;
        ws.F.set(b.v, R.c0 * I.h.y - R.c1 * I.h.x + cross(o, f), f);
      } else {
        for (int c = 0; c < b.n_v; ++c) {
          const Wrench<Real> F = times(I, joint.S[c].w, joint.S[c].v);
          const Vec3<Real> f = R * F.f;
          ws.F.set(b.v + c, R * F.m + cross(o, f), f);
        }
      }
      if (b.parent != 0) {
        const MassMoments<Real> J = transported(joint, I);
        I.m = J.m, I.h = J.h, I.S = J.S;
      }
    });
    if (b.parent != i - 1) {
      if (b.parent != 0) add(I, ws.I[b.parent]);
      I.m = Real(0), I.h = {}, I.S = {};
    }
  }
}

}  // namespace internal

}  // namespace torsor
