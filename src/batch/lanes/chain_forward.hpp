#pragma once
/// The articulated bodies of aba.hpp for a serial chain of hinges: the same steps, with nothing between
/// them that would send the inertia in hand through memory. The first body turns about its axis alone: its
/// bias is zero, and of its articulated inertia only the column of that axis is asked for.
#include "hinge_chain.hpp"
#include "torsor/dynamics/aba.hpp"

namespace torsor::internal {

/// w, g, c and b of all bodies, base to tip.
template <class Chain, class Param, class Real>
TORSOR_INLINE void chain_bias(const Chain& chain, AbaWorkspace<Real>& ws, LaneIn<Param> qd,
                              const In<Wrench<Real>>& F_ext) {
  Vec3<Real> w{Real(0), Real(0), qd[0]};
  store(Wrench<Real>{}, ws.b[1]);
  for (int i = 2; i < chain.n_bodies(); ++i) {
    const Hinge<Param, Real> joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
    const AlongZ<Real> w_joint{qd[i - 1]};
    const Vec3<Real> g = w * dot(w, joint.origin()) - joint.origin() * squared_norm(w);
    ws.g[i].x = g.x, ws.g[i].y = g.y, ws.g[i].z = g.z;
    w = joint.to_child(w) + w_joint;
    const NormalToZ<Real> c = cross(w, w_joint);
    ws.c[i].w.x = c.x, ws.c[i].w.y = c.y;
    store(centrifugal_wrench<true>(chain.canonical(i).moments, w), ws.b[i]);
  }
  subtract_external(chain, F_ext, ws.b.data());
}

/// What a joint leaves of an articulated inertia and a bias, seen by the parent: b + I c + I_parent (0, g).
template <bool with_rotors, class Param, class Real>
TORSOR_INLINE void chain_carry(const Hinge<Param, Real>& joint, const Vec3<Real>& g,
                               const Vec3<Real>& c, ArticulatedInertia<Real>& I, Wrench<Real>& b) {
  if constexpr (with_rotors) {
    b.m.z = b.m.z + I.A.xz * c.x + I.A.yz * c.y;
    b = plus_flat_times(b, I, c);
    I = transported(joint, I);
  } else {
    b = plus_flat_times(b, I, c);
    I = transported_flat(joint, I);
  }
  const Vec3<Real> f = joint.to_parent(b.f);
  b = {joint.to_parent(b.m) + cross(joint.origin(), f) + I.B * g, f + I.D * g};
}

/// K, e and D of all bodies, tip to base.
template <class Param, bool with_rotors, class Real>
TORSOR_INLINE void chain_release(const HingeChain<Param, with_rotors>& chain,
                                 AbaWorkspace<Real>& ws, LaneIn<Param> tau) {
  ArticulatedInertia<Real> I{};
  Wrench<Real> b{};
  const auto solve = [&](int i, const Wrench<Real>& U) TORSOR_INLINE_LAMBDA {
    Real D = U.m.z;
    if constexpr (with_rotors) D = D + chain.dof(i - 1).armature;
    const Real inverse = reciprocal_or_zero(D);
    const Wrench<Real> K = U * inverse;
    store(K, ws.K[i - 1]);
    ws.e[i - 1] = (tau[i - 1] - b.m.z) * inverse;
    ws.D[i - 1] = D;
    return K;
  };
  const auto base = [&]() TORSOR_INLINE_LAMBDA {
    b.m.z = b.m.z + ws.b[1].m.z;
    add_moments<true>(chain.canonical(1).moments, I);
    solve(1, TurnsAboutZ<Real>{}.column(I));
  };
  for (int i = chain.n_bodies() - 1; i > 1; --i) {
    const Hinge<Param, Real> joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
    b += ws.b[i];
    add_moments<true>(chain.canonical(i).moments, I);
    const Wrench<Real> U = joint.column(I), K = solve(i, U);
    b += U * ws.e[i - 1];
    I = with_rotors ? deflated(I, U, K) : deflated_flat(I, U, K);
    const Vec3<Real>&g = ws.g[i], c{ws.c[i].w.x, ws.c[i].w.y, Real(0)};
    if (i > 2) {
      chain_carry<with_rotors>(joint, g, c, I, b);
    } else {  // on its own: most of what is carried is not looked at
      chain_carry<with_rotors>(joint, g, c, I, b);
      return base();
    }
  }
  base();
}

/// A of all bodies and qdd, base to tip.
template <class Chain, class Param, class Real>
TORSOR_INLINE void chain_accelerations(const Chain& chain, const AbaWorkspace<Real>& ws,
                                       LaneOut<Param> qdd) {
  Twist<Real> A{};
  for (int i = 1; i < chain.n_bodies(); ++i) {
    const Hinge<Param, Real> joint(chain.canonical(i), ws.joints.cos[i - 1], ws.joints.sin[i - 1]);
    const Wrench<Real>& K = ws.K[i - 1];
    Real x = ws.e[i - 1];
    if (i == 1) {
      A.v = joint.to_child(lift<Real>(-chain.gravity()));
      x = x - dot(A.v, K.f);
    } else {
      A = carried_along(joint, A, ws.g[i], ws.c[i]);
      x = x - dot(A, K);
    }
    qdd.set(i - 1, x);
    A.w = A.w + AlongZ<Real>{x};
  }
}

/// Whether the mass matrix has an inverse, as regularity() has it.
template <class Real>
TORSOR_INLINE MaskOf<Real> regular(const Array<Real>& pivots) {
  Real least = pivots[0], most = least;
  for (int k = 1; k < pivots.size(); ++k) {
    least = min(least, pivots[k]);
    most = max(most, pivots[k]);
  }
  return least > most * Real(8 * ScalarTraits<Real>::epsilon);
}

/// qdd = M^-1 (tau - C qd - g + sum_i J_i^T F_ext[i]), and where M has an inverse.
template <class Param, bool with_rotors, class Real = Lanes<Param>>
TORSOR_FLATTEN TORSOR_COLD MaskOf<Real> chain_forward_dynamics(
    const HingeChain<Param, with_rotors>& chain, AbaWorkspace<Real>& ws, LaneIn<Param> q,
    LaneIn<Param> qd, LaneIn<Param> tau, In<Wrench<Real>> F_ext, LaneOut<Param> qdd) {
  prepare(chain, ws.joints, q);
  chain_bias(chain, ws, qd, F_ext);
  chain_release(chain, ws, tau);
  chain_accelerations(chain, ws, qdd);
  return regular(ws.D);
}

}  // namespace torsor::internal
