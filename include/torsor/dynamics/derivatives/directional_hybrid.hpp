#pragma once
/// Derivative of hybrid and forward dynamics with respect to any scalar.
///
///   base -> tip   dV, dV' as directional_inverse.hpp, with dqdd = 0 at released joints
///   tip -> base   b_i = dB_i + sum_k Ad*(T_k^-1) (b'_k - ad*(dh_k) F_k)       dB: body i's own part of dF
///                 released     de = D^-1 (dtau - darmature qdd - dS^T F - S^T b),   b' = b + U de
///                 prescribed   b' = b
///   base -> tip   A' = Ad(T^-1) A_p
///                 released     dqdd = de - K^T A',   A = A' + S dqdd
///                 prescribed   A = A',   dtau = dS^T F + S^T b + U^T A + d(armature qdd)
///                 dV' += A,  dF = b + I^ A
///
/// The unknown dqdd obey M dqdd = dtau - (what inverse dynamics changes by at fixed qdd), so the
/// articulated inertias I^, U = I^ S, D and K = U D^-1 of the undifferentiated sweep suffice: the
/// derivatives of I^, D^-1 and so on in tables 6 and 7 cancel, and a direction costs little more than
/// one of inverse dynamics. kim_tables_test.cpp holds the tables themselves against this.
///
/// Frames   Link frames; V' componentwise. Rotors are part of D.
/// Gravity  V'_0 = (0, -g).
/// Cost     O(n) per direction, no allocation, no branch on the state.
/// Source   Kim 2012, tables 3, 4, 6 and 7, corrected and rearranged as above.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/derivatives/directional_inverse.hpp"

namespace torsor {

namespace internal {

/// U, D and K of one joint; where it is released: I - U K^T and b + U e. `b` holds B + I^ eta.
template <class Param, class Real>
void release_or_hold(const Model<Param>& model, DirectionalWorkspace<Real>& ws, int i, In<Real> tau,
                     ArticulatedInertia<Real>& I, Wrench<Real>& b) {
  const Dofs v = model.body(i).v;
  const int first = v.first;
  for (int k = 0; k < v.count; ++k) ws.U[first + k] = I * ws.S[first + k];
  if (ws.prescribed[i]) {
    for (int k = 0; k < v.count; ++k) b += ws.U[first + k] * ws.qdd[first + k];
    return;
  }
  SmallLdlt<Real>& D = ws.factors[i];
  for (int k = 0; k < v.count; ++k) {
    for (int l = 0; l <= k; ++l) D(k, l) = dot(ws.S[first + l], ws.U[first + k]);
    D(k, k) = D(k, k) + model.dof(v.first + k).armature;
    ws.e[first + k] = tau[v.first + k] - dot(ws.S[first + k], b);
    ws.K[first + k] = ws.U[first + k];
  }
  D.factorise(v.count);
  D.solve(v.count, &ws.e[first]);
  D.solve(v.count, &ws.K[first]);
  for (int k = 0; k < v.count; ++k) {
    ws.pivots[first + k] = D.pivot(k);
    b += ws.U[first + k] * ws.e[first + k];
    I = deflated(I, ws.U[first + k], ws.K[first + k]);
  }
}

/// Smallest over largest pivot of the released joints.
template <class Param, class Real>
ForwardDynamicsResult<Real> released_pivots(const Model<Param>& model,
                                            DirectionalWorkspace<Real>& ws) {
  Real any(1);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (!ws.prescribed[i] && model.body(i).v.count > 0) any = ws.pivots[model.body(i).v.first];
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; ws.prescribed[i] && k < model.body(i).v.count; ++k)
      ws.pivots[model.body(i).v.first + k] = any;
  return regularity(ws.pivots);
}

/// The rest of linearise_hybrid_dynamics, after linearise_velocities.
template <class Param, class Real>
ForwardDynamicsResult<Real> linearise_hybrid_forces(const Model<Param>& model,
                                                    DirectionalWorkspace<Real>& ws,
                                                    In<char> prescribed, Out<Real> qdd,
                                                    Out<Real> tau, In<Wrench<Real>> F_ext) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const char held = prescribed.empty() ? char(0) : prescribed[i];
    ws.prescribed[i] = held;
    for (int k = b.v.first; held && k < b.v.first + b.v.count; ++k) ws.qdd[k] = qdd[k];
    ws.I[i] = ArticulatedInertia<Real>{} + b.inertia;
    ws.B[i] = -ad_dual(ws.V[i], ws.L[i]);
    if (!F_ext.empty()) ws.B[i] -= F_ext[i];
  }
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const int parent = model.body(i).parent;
    ArticulatedInertia<Real> I = ws.I[i];
    Wrench<Real> b = ws.B[i] + I * velocity_product(model, ws, i);
    release_or_hold<Param, Real>(model, ws, i, tau, I, b);
    if (parent == 0) continue;
    ws.I[parent] = ws.I[parent] + transported(ws.T[i], I);
    ws.B[parent] += Ad_dual_inv(ws.T[i], b);
  }
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    Twist<Real> Vdot = ws.Vdot_of_parent[i] = Ad_inv(ws.T[i], ws.Vdot[b.parent]);
    for (int k = b.v.first; !ws.prescribed[i] && k < b.v.first + b.v.count; ++k)
      qdd[k] = ws.qdd[k] = ws.e[k] - dot(ws.Vdot_of_parent[i], ws.K[k]);
    Vdot += velocity_product(model, ws, i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) Vdot += ws.S[k] * ws.qdd[k];
    ws.Vdot[i] = Vdot;
    ws.F[i] = ws.I[i] * Vdot + ws.B[i];
    for (int k = b.v.first; ws.prescribed[i] && k < b.v.first + b.v.count; ++k)
      tau[k] = dot(ws.S[k], ws.F[i]) + ws.qdd[k] * model.dof(k).armature;
  }
  return released_pivots(model, ws);
}

}  // namespace internal

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round, as hybrid_dynamics does (with rotors, without friction); and all that the derivatives need.
/// An empty `prescribed` means none: forward dynamics.
template <class Param, class Real>
ForwardDynamicsResult<Real> linearise_hybrid_dynamics(const Model<Param>& model,
                                                      DirectionalWorkspace<Real>& ws,
                                                      In<char> prescribed, In<Real> q, In<Real> qd,
                                                      Out<Real> qdd, Out<Real> tau,
                                                      In<Wrench<Real>> F_ext) {
  internal::linearise_velocities<Param, Real>(model, ws, q, qd);
  return internal::linearise_hybrid_forces<Param, Real>(model, ws, prescribed, qdd, tau, F_ext);
}

namespace internal {

/// The two passes after directional_motion.
template <class Param, class Real>
void directional_hybrid_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                               const Direction<Real>& d, Out<Real> dqdd, Out<Real> dtau) {
  using D = Direction<Real>;
  for (Wrench<Real>& F : ws.dF) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Dofs v = model.body(i).v;
    const Wrench<Real> b = ws.dF[i] + directional_wrench(model, ws, d, i);
    Wrench<Real> borne = b;
    ws.dF[i] = b;
    for (int k = v.first; k < v.first + v.count; ++k) {
      Real y = dot(ws.S[k], b) + d.armature[k] * ws.qdd[k];
      if (d.has(i, D::columns)) y = y + dot(d.S[k], ws.F[i]);
      ws.de[k] = ws.prescribed[i] ? y : Real(d.tau[k] - y);
    }
    if (!ws.prescribed[i]) {
      ws.factors[i].solve(v.count, &ws.de[v.first]);
      for (int k = v.first; k < v.first + v.count; ++k) borne += ws.U[k] * ws.de[k];
    }
    ws.dF[model.body(i).parent] += directional_reaction(ws, d, i, borne);
  }
  ws.A[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const Twist<Real> A_parent = Ad_inv(ws.T[i], ws.A[b.parent]);
    Twist<Real> A = A_parent;
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      if (ws.prescribed[i]) {
        dqdd[k] = d.qdd[k];
        dtau[k] = ws.de[k] + dot(A, ws.U[k]) + dqdd[k] * model.dof(k).armature;
      } else {
        dqdd[k] = ws.de[k] - dot(A_parent, ws.K[k]);
        dtau[k] = d.tau[k];
        A += ws.S[k] * dqdd[k];
      }
    }
    ws.A[i] = A;
    ws.dVdot[i] += A;
    ws.dF[i] += ws.I[i] * A;
  }
}

}  // namespace internal

/// d(qdd, tau)/dp after linearise_hybrid_dynamics. The direction's qdd is read at prescribed joints
/// (it must be zero at others), its tau at released ones.
template <class Param, class Real>
void directional_hybrid_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                 const Direction<Real>& direction, Out<Real> dqdd, Out<Real> dtau) {
  internal::directional_motion(model, ws, direction);
  internal::directional_hybrid_forces(model, ws, direction, dqdd, dtau);
}

#define TORSOR_DIRECTIONAL_HYBRID(Extern, Param, Real)                                           \
  Extern template ForwardDynamicsResult<Real> internal::linearise_hybrid_forces(                 \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<char>, Out<Real>, Out<Real>,          \
      In<Wrench<Real>>);                                                                         \
  Extern template ForwardDynamicsResult<Real> linearise_hybrid_dynamics(                         \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>, \
      Out<Real>, In<Wrench<Real>>);                                                              \
  Extern template void internal::directional_hybrid_forces(                                      \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&, Out<Real>,       \
      Out<Real>);                                                                                \
  Extern template void directional_hybrid_dynamics(const Model<Param>&,                          \
                                                   DirectionalWorkspace<Real>&,                  \
                                                   const Direction<Real>&, Out<Real>, Out<Real>);
TORSOR_DIRECTIONAL_HYBRID(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_DIRECTIONAL_HYBRID
#endif

}  // namespace torsor
