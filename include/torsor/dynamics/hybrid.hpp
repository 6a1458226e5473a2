#pragma once
/// Hybrid dynamics: some joints follow given accelerations, the others obey given torques.
///
///   base -> tip   w_i, c_i, b_i as in aba.hpp
///   tip -> base   released     I^_p += X^T (I^ - U K^T) X, b^_p += X^T (b^ + (I^ - U K^T) c + U e)
///                 prescribed   I^_p += X^T I^ X,           b^_p += X^T (b^ + I^ (c + S qdd))
///   base -> tip   A' = X A_p + c_i,   A_i = A' + S qdd_i
///                 released     qdd_i = e_i - K^T A'
///                 prescribed   tau_i = S^T (I^ A_i + b^) + rotor qdd_i
///
/// A joint with several degrees of freedom is prescribed as one. With every joint prescribed this
/// is inverse dynamics (with rotors), with none forward dynamics.
///
/// Frames   Canonical frames, accelerations of origins; U, K, e, D, X as in aba.hpp.
/// Gravity  A_0 = (0, -g).
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Featherstone 1987, sec. 9.2; Kim 2012 (seed 001), table 4; rewritten as rnea.hpp is.
#include "torsor/dynamics/aba.hpp"

namespace torsor {

/// U = I^ S and S^T b^ of a prescribed joint, and b^ + I^ (c + S qdd), which its parent bears.
template <class Joint, class Real>
TORSOR_HD TORSOR_INLINE void hold(const Joint& joint, const ArticulatedInertia<Real>& I,
                                  const Real* qdd, Wrench<Real>& b, Wrench<Real>* U, Real* S_b) {
  joint.project(b, S_b);
  if constexpr (has_one_dof<Joint>) {
    U[0] = joint.column(I);
    b += U[0] * qdd[0];
  } else {
    for (int k = 0; k < joint.b.n_v; ++k) {
      U[k] = I * joint.S[k];
      b += U[k] * qdd[k];
    }
  }
}

/// Regularity over the pivots of the released joints; all prescribed counts as regular.
template <class Param, class Real>
TORSOR_HD ForwardDynamicsResult<Real> released_regularity(const Model<Param>& model,
                                                          In<char> prescribed,
                                                          std::vector<Real>& pivots) {
  Real released(1);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (!prescribed[i]) released = pivots[static_cast<std::size_t>(model.canonical(i).v)];
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; prescribed[i] && k < model.canonical(i).n_v; ++k)
      pivots[static_cast<std::size_t>(model.canonical(i).v + k)] = released;
  return regularity(pivots);
}

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round. tau = (M + rotors) qdd + C qd + g - sum_i J_i^T F_ext[i]. prescribed[0] is not used; an
/// empty F_ext means none. The result tells whether the released joints had inertia to move.
template <class Param, class Real>
TORSOR_FLATTEN ForwardDynamicsResult<Real> rigid_hybrid_dynamics(
    const Model<Param>& model, AbaWorkspace<Real>& ws, In<char> prescribed, In<Real> q, In<Real> qd,
    Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext) {
  const auto at = [](int j) { return static_cast<std::size_t>(j); };
  prepare(model, ws.joints, q, qd);
  bias_sweep<Param, Real>(model, ws, qd, F_ext);
  articulated_sweep(model, ws, [&](const auto& joint, int i, auto& I, auto& b) {
    const int v = model.canonical(i).v;
    if (!prescribed[i]) return release(joint, model, i, tau, I, b, ws);
    hold(joint, I, &qdd[v], b, &ws.K[at(v)], &ws.e[at(v)]);
    return false;
  });

  Twist<Real> A{{}, (-model.gravity()) * Real(1)};
  ws.A[0] = A;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<Param>& b = model.canonical(i);
    if (b.parent != i - 1) A = ws.A[at(b.parent)];
    visit(b, ws.joints, i, [&](const auto& joint) {
      A.v = joint.to_child(A.v + cross(A.w, joint.origin())) + ws.c[at(i)].v;
      A.w = joint.to_child(A.w) + ws.c[at(i)].w;
      for (int j = b.v; !prescribed[i] && j < b.v + b.n_v; ++j)
        qdd[j] = ws.e[at(j)] - dot(A, ws.K[at(j)]);
      A.w = A.w + joint.S_w(&qdd[b.v]);
      A.v = A.v + joint.S_v(&qdd[b.v]);
      for (int j = b.v; prescribed[i] && j < b.v + b.n_v; ++j)
        tau[j] = dot(A, ws.K[at(j)]) + ws.e[at(j)] + qdd[j] * model.dof(j).armature;
    });
    ws.A[at(i)].w = A.w;
    ws.A[at(i)].v = A.v;
  }
  return released_regularity(model, prescribed, ws.D);
}

#define TORSOR_HYBRID(Param, Real)                                                       \
  template ForwardDynamicsResult<Real> rigid_hybrid_dynamics(                            \
      const Model<Param>&, AbaWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>, \
      Out<Real>, In<Wrench<Real>>)
extern TORSOR_HYBRID(double, double);
extern TORSOR_HYBRID(float, float);

}  // namespace torsor
