#pragma once
/// The articulated bodies of aba.hpp for a serial chain of hinges: the same steps, with nothing between
/// them that would send the inertia in hand through memory.
#include "hinge_chain.hpp"
#include "torsor/dynamics/aba.hpp"

namespace torsor::internal {

/// K, e and D of all bodies, tip to base.
template <class Param, bool with_rotors, class Real>
TORSOR_INLINE void chain_release(const HingeChain<Param, with_rotors>& chain,
                                 AbaWorkspace<Real>& ws, const In<Real>& tau) {
  ArticulatedInertia<Real> I{};
  Wrench<Real> b{};
  for (int i = chain.n_bodies() - 1; i > 0; --i) {
    const Hinge<Param, Real> joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
    b += ws.b[i];
    add_moments<true>(chain.canonical(i).moments, I);
    const Wrench<Real> U = joint.column(I);
    Real D = U.m.z;
    if constexpr (with_rotors) D = D + chain.dof(i - 1).armature;
    const Real inverse = reciprocal_or_zero(D), e = (tau[i - 1] - b.m.z) * inverse;
    const Wrench<Real> K = U * inverse;
    b += U * e;
    store(K, ws.K[i - 1]);
    ws.e[i - 1] = e;
    ws.D[i - 1] = D;
    if (i == 1) return;
    I = with_rotors ? deflated(I, U, K) : deflated_flat(I, U, K);
    const Vec3<Real>&g = ws.g[i], &c = ws.c[i].w;
    if constexpr (with_rotors) {
      b = {b.m + I.A * c, b.f + transpose_times(I.B, c)};
      I = transported(joint, I);
    } else {
      b = plus_flat_times(b, I, c);
      I = transported_flat(joint, I);
    }
    const Vec3<Real> f = joint.to_parent(b.f);
    b = {joint.to_parent(b.m) + cross(joint.origin(), f) + I.B * g, f + I.D * g};
  }
}

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]).
template <class Param, bool with_rotors, class Real>
TORSOR_FLATTEN TORSOR_COLD ForwardDynamicsResult<Real> chain_forward_dynamics(
    const HingeChain<Param, with_rotors>& chain, AbaWorkspace<Real>& ws, In<Real> q, In<Real> qd,
    In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd) {
  prepare(chain, ws.joints, q, qd);
  bias_sweep(chain, ws, qd, F_ext);
  chain_release(chain, ws, tau);
  acceleration_sweep(chain, ws, qdd);
  return regularity(ws.D);
}

}  // namespace torsor::internal
