#pragma once
/// The composite bodies of crba.hpp for a serial chain of hinges: each wrench F = I S is walked to the
/// base in registers, and M_kj is its moment about the axis of joint k.
#include "hinge_chain.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor::internal {

/// First and second moments of a body and what it carries: of hinges no mass is left.
template <class Real>
struct ChainMoments {
  Vec3<Real> h{};
  Sym3<Real> S{};

  template <class Param>
  TORSOR_INLINE void add(const MassMoments<Param>& own) {  // h_z = S_zz = 0
    h.x = h.x + own.h.x, h.y = h.y + own.h.y;
    S.xx = S.xx + own.S.xx, S.xy = S.xy + own.S.xy, S.yy = S.yy + own.S.yy;
    S.xz = S.xz + own.S.xz, S.yz = S.yz + own.S.yz;
  }
};

/// Of a child, seen by its parent.
template <class Joint, class Real>
TORSOR_INLINE ChainMoments<Real> transported(const Joint& joint, const ChainMoments<Real>& I) {
  const Vec3<Real> h = joint.to_parent(I.h), h2 = h + h;
  const Sym3<Real> S = joint.to_parent(I.S);
  const auto& p = joint.origin();
  return {h,
          {S.xx + p.x * h2.x, S.xy + p.x * h.y + h.x * p.y, S.yy + p.y * h2.y,
           S.xz + p.x * h.z + h.x * p.z, S.yz + p.y * h.z + h.y * p.z, S.zz + p.z * h2.z}};
}
/// F = I S of a hinge, seen by its parent: f_z = 0 in the child.
template <class Joint, class Real>
TORSOR_INLINE Wrench<Real> column_seen_by_parent(const Joint& joint, const ChainMoments<Real>& I) {
  const Real y = joint.c * I.h.x - joint.s * I.h.y;
  const Vec3<Real> f{-(joint.c * I.h.y + joint.s * I.h.x), joint.b.cos_alpha * y,
                     joint.b.sin_alpha * y};
  const Vec3<Real> m = joint.to_parent(Vec3<Real>{-I.S.xz, -I.S.yz, I.S.xx + I.S.yy});
  return {m + cross(joint.origin(), f), f};
}

/// M at q, both triangles, by rows; rotors included. Nothing but moments about its axis is asked of the
/// first body.
template <class Chain, class Param, class Real = Lanes<Param>>
TORSOR_FLATTEN TORSOR_COLD void chain_mass_matrix(const Chain& chain, JointStates<Real>& joints,
                                                  LaneIn<Param> q, LaneOut<Param> M) {
  prepare(chain, joints, q);
  const int n = chain.n_v();
  const auto hinge = [&](int i) TORSOR_INLINE_LAMBDA {
    return Hinge<Param, Real>(chain.canonical(i), joints.cos[i - 1], joints.sin[i - 1]);
  };
  ChainMoments<Real> I;
  for (int i = n;; --i) {
    I.add(chain.canonical(i).moments);
    int row = (i - 1) * (n + 1), column = row;  // entries (i, j) and (j, i), j to the base
    M.set(row, I.S.xx + I.S.yy + chain.dof(i - 1).armature);
    if (i == 1) return;
    const auto give = [&](const Real& x) TORSOR_INLINE_LAMBDA {
      M.set(row -= 1, x);
      M.set(column -= n, x);
    };
    Wrench<Real> F = column_seen_by_parent(hinge(i), I);
    for (int j = i - 1; j > 1; --j) {
      give(F.m.z);
      if (j > 2)
        F = transported(hinge(j), F);
      else
        F.m.z = transported(hinge(2), F).m.z;
    }
    give(F.m.z);
    I = transported(hinge(i), I);
  }
}

}  // namespace torsor::internal
