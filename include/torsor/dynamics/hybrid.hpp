#pragma once
/// Hybrid dynamics of rigid bodies and rotors: some joints follow given accelerations, the others obey given torques.
///
///   base -> tip   w_i, c_i, b_i as in aba.hpp
///   tip -> base   released     I^_p += X^T (I^ - U K^T) X, b^_p += X^T (b^ + (I^ - U K^T) c + U e)
///                 prescribed   I^_p += X^T I^ X,           b^_p += X^T (b^ + I^ (c + S qdd))
///   base -> tip   A' = X A_p + c_i,   A_i = A' + S qdd_i
///                 released     qdd_i = e_i - K^T A'
///                 prescribed   tau_i = S^T (I^ A_i + b^) + rotor qdd_i
///
/// A joint with several degrees of freedom is prescribed as one. With every joint prescribed this
/// is rigid_inverse_dynamics, with none rigid_forward_dynamics.
///
/// Frames   Canonical frames, accelerations of origins; U, K, e, D, X as in aba.hpp.
/// Gravity  A_0 = (0, -g).
/// Cost     O(n), no allocation, no branch on the state.
/// Source   Featherstone 1987, sec. 9.2; Kim 2012, table 4; rewritten as rnea.hpp is.
#include "torsor/dynamics/aba.hpp"

namespace torsor {

namespace internal {

/// The sweeps: rigid_hybrid_dynamics without motors of several joints (see aba.hpp).
template <SweepModel Robot, class Real, class Storage>
TORSOR_COLD TORSOR_HD TORSOR_FLATTEN ForwardDynamicsResult<Real> hybrid_sweeps(
    const Robot& model, AbaWorkspace<Real, Storage>& ws, In<char> prescribed, In<Real> q,
    In<Real> qd, Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext) {
  internal::assert_state(model, q, qd, qdd, tau);
  internal::assert_wrenches(model, F_ext);
  internal::assert_workspace(model, ws.joints);
  assert(prescribed.size == model.n_bodies());
  internal::prepare(model, ws.joints, q, qd);
  internal::bias_sweep(model, ws, qd, F_ext);
  internal::articulated_sweep(model, ws, [&](const auto& joint, int i, auto& I, auto& b) {
    const int v = model.first_v(i);
    if (!prescribed[i]) return internal::release(joint, model, i, tau, I, b, ws);
    internal::hold(joint, I, qdd.data + v, b, ws.K.data() + v, ws.e.data() + v);
    return false;
  });

  Twist<Real> A{{}, internal::lift<Real>(-model.gravity())};
  ws.A[0] = A;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int parent = model.parent(i), v = model.first_v(i), end = v + model.n_v(i);
    if (parent != i - 1) A = ws.A[parent];
    internal::visit(model, ws.joints, i, [&](const auto& joint) {
      A = internal::carried_along(joint, A, ws.g[i], ws.c[i]);
      for (int j = v; !prescribed[i] && j < end; ++j) qdd[j] = ws.e[j] - dot(A, ws.K[j]);
      A.w = A.w + joint.S_w(qdd.data + v);
      A.v = A.v + joint.S_v(qdd.data + v);
      for (int j = v; prescribed[i] && j < end; ++j)
        tau[j] = dot(A, ws.K[j]) + ws.e[j] + (ws.rotors ? qdd[j] * model.dof(j).armature : Real(0));
    });
    if (model.branching(i)) ws.A[i] = A;
  }
  return internal::released_regularity(model, prescribed, ws.D);
}

}  // namespace internal

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round. tau = (M + rotors) qdd + C qd + g - sum_i J_i^T F_ext[i]. prescribed[0] is not used; an
/// empty F_ext means none. The result tells whether the released joints had inertia to move.
template <internal::SweepModel Robot, class Real, class Storage>
TORSOR_HD ForwardDynamicsResult<Real> rigid_hybrid_dynamics(const Robot& model,
                                                            AbaWorkspace<Real, Storage>& ws,
                                                            In<char> prescribed, In<Real> q,
                                                            In<Real> qd, Out<Real> qdd,
                                                            Out<Real> tau, In<Wrench<Real>> F_ext) {
  const ForwardDynamicsResult<Real> result =
      internal::hybrid_sweeps(model, ws, prescribed, q, qd, qdd, tau, F_ext);
#ifndef __CUDACC__
  if constexpr (requires { model.motors(); })
    if (!model.motors().empty() && ws.rotors)
      internal::couple_motors<Real>(model, ws, prescribed, qdd, tau);
#endif
  return result;
}

#ifndef __CUDACC__
#define TORSOR_HYBRID(Extern, Param, Real)                                               \
  Extern template ForwardDynamicsResult<Real> internal::hybrid_sweeps(                   \
      const Model<Param>&, AbaWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>, \
      Out<Real>, In<Wrench<Real>>);                                                      \
  Extern template ForwardDynamicsResult<Real> rigid_hybrid_dynamics(                     \
      const Model<Param>&, AbaWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>, \
      Out<Real>, In<Wrench<Real>>);
TORSOR_HYBRID(extern, double, double)
TORSOR_HYBRID(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_HYBRID
#endif
#endif

}  // namespace torsor
