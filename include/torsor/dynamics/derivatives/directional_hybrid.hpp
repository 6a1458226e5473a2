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
/// one of inverse dynamics. seed001_tables_test.cpp holds the tables themselves against this.
///
/// Frames   Link frames; V' componentwise. Rotors are part of D.
/// Gravity  V'_0 = (0, -g).
/// Cost     O(n) per direction, no allocation, no branch on the state.
/// Source   Kim 2012 (seed 001), tables 3, 4, 6 and 7, corrected and rearranged as above.
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/derivatives/directional_inverse.hpp"

namespace torsor {

/// U, D and K of one joint; released ones let go: I - U K^T and b + U e. `b` holds B + I^ eta.
template <class Param, class Real>
TORSOR_HD void release_or_hold(const Model<Param>& model, DirectionalWorkspace<Real>& ws, int i,
                               In<Real> tau, ArticulatedInertia<Real>& I, Wrench<Real>& b) {
  const auto at = [](int j) { return static_cast<std::size_t>(j); };
  const Dofs v = model.body(i).v;
  const auto first = at(v.first);
  for (int k = 0; k < v.count; ++k) ws.U[first + at(k)] = I * ws.S[first + at(k)];
  if (ws.prescribed[at(i)]) {
    for (int k = 0; k < v.count; ++k) b += ws.U[first + at(k)] * ws.qdd[first + at(k)];
    return;
  }
  SmallLdlt<Real>& D = ws.factors[at(i)];
  for (int k = 0; k < v.count; ++k) {
    for (int l = 0; l <= k; ++l) D(k, l) = dot(ws.S[first + at(l)], ws.U[first + at(k)]);
    D(k, k) = D(k, k) + model.dof(v.first + k).armature;
    ws.e[first + at(k)] = tau[v.first + k] - dot(ws.S[first + at(k)], b);
    ws.K[first + at(k)] = ws.U[first + at(k)];
  }
  D.factorise(v.count);
  D.solve(v.count, &ws.e[first]);
  D.solve(v.count, &ws.K[first]);
  for (int k = 0; k < v.count; ++k) {
    ws.pivots[first + at(k)] = D.pivot(k);
    b += ws.U[first + at(k)] * ws.e[first + at(k)];
    I = deflated(I, ws.U[first + at(k)], ws.K[first + at(k)]);
  }
}

/// Smallest over largest pivot of the released joints.
template <class Param, class Real>
TORSOR_HD ForwardDynamicsResult<Real> released_pivots(const Model<Param>& model,
                                                      DirectionalWorkspace<Real>& ws) {
  const auto at = [](int j) { return static_cast<std::size_t>(j); };
  Real any(1);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (!ws.prescribed[at(i)] && model.body(i).v.count > 0)
      any = ws.pivots[at(model.body(i).v.first)];
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; ws.prescribed[at(i)] && k < model.body(i).v.count; ++k)
      ws.pivots[at(model.body(i).v.first + k)] = any;
  return regularity(ws.pivots);
}

/// The rest of linearize_hybrid_dynamics, after linearize_velocities.
template <class Param, class Real>
TORSOR_HD ForwardDynamicsResult<Real> linearize_hybrid_forces(const Model<Param>& model,
                                                              DirectionalWorkspace<Real>& ws,
                                                              In<char> prescribed, Out<Real> qdd,
                                                              Out<Real> tau,
                                                              In<Wrench<Real>> F_ext) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const char held = prescribed.empty() ? char(0) : prescribed[i];
    ws.prescribed[at(i)] = held;
    for (int k = b.v.first; held && k < b.v.first + b.v.count; ++k) ws.qdd[at(k)] = qdd[k];
    ws.I[at(i)] = ArticulatedInertia<Real>{} + b.inertia;
    ws.B[at(i)] = -ad_dual(ws.V[at(i)], ws.L[at(i)]);
    if (!F_ext.empty()) ws.B[at(i)] -= F_ext[i];
  }
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const auto parent = at(model.body(i).parent);
    ArticulatedInertia<Real> I = ws.I[at(i)];
    Wrench<Real> b = ws.B[at(i)] + I * velocity_product(model, ws, i);
    release_or_hold<Param, Real>(model, ws, i, tau, I, b);
    if (parent == 0) continue;
    ws.I[parent] = ws.I[parent] + transported(ws.T[at(i)], I);
    ws.B[parent] += Ad_dual_inv(ws.T[at(i)], b);
  }
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    Twist<Real> Vdot = ws.Vdot_of_parent[at(i)] = Ad_inv(ws.T[at(i)], ws.Vdot[at(b.parent)]);
    for (int k = b.v.first; !ws.prescribed[at(i)] && k < b.v.first + b.v.count; ++k)
      qdd[k] = ws.qdd[at(k)] = ws.e[at(k)] - dot(ws.Vdot_of_parent[at(i)], ws.K[at(k)]);
    Vdot += velocity_product(model, ws, i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) Vdot += ws.S[at(k)] * ws.qdd[at(k)];
    ws.Vdot[at(i)] = Vdot;
    ws.F[at(i)] = ws.I[at(i)] * Vdot + ws.B[at(i)];
    for (int k = b.v.first; ws.prescribed[at(i)] && k < b.v.first + b.v.count; ++k)
      tau[k] = dot(ws.S[at(k)], ws.F[at(i)]) + ws.qdd[at(k)] * model.dof(k).armature;
  }
  return released_pivots(model, ws);
}

/// Where prescribed[i] of body i is not zero, qdd is read and tau written; elsewhere the other way
/// round, as hybrid_dynamics does (with rotors, without friction); and all that the derivatives need.
/// An empty `prescribed` means none: forward dynamics.
template <class Param, class Real>
ForwardDynamicsResult<Real> linearize_hybrid_dynamics(const Model<Param>& model,
                                                      DirectionalWorkspace<Real>& ws,
                                                      In<char> prescribed, In<Real> q, In<Real> qd,
                                                      Out<Real> qdd, Out<Real> tau,
                                                      In<Wrench<Real>> F_ext) {
  linearize_velocities<Param, Real>(model, ws, q, qd);
  return linearize_hybrid_forces<Param, Real>(model, ws, prescribed, qdd, tau, F_ext);
}

/// The two passes after directional_motion.
template <class Param, class Real>
TORSOR_HD void directional_hybrid_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                         const Direction<Real>& d, Out<Real> dqdd, Out<Real> dtau) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  using D = Direction<Real>;
  for (Wrench<Real>& F : ws.dF) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Dofs v = model.body(i).v;
    const Wrench<Real> b = ws.dF[at(i)] + directional_wrench(model, ws, d, i);
    Wrench<Real> borne = b;
    ws.dF[at(i)] = b;
    for (int k = v.first; k < v.first + v.count; ++k) {
      Real y = dot(ws.S[at(k)], b) + d.armature[at(k)] * ws.qdd[at(k)];
      if (d.has(i, D::columns)) y = y + dot(d.S[at(k)], ws.F[at(i)]);
      ws.de[at(k)] = ws.prescribed[at(i)] ? y : Real(d.tau[at(k)] - y);
    }
    if (!ws.prescribed[at(i)]) {
      ws.factors[at(i)].solve(v.count, &ws.de[at(v.first)]);
      for (int k = v.first; k < v.first + v.count; ++k) borne += ws.U[at(k)] * ws.de[at(k)];
    }
    ws.dF[at(model.body(i).parent)] += directional_reaction(ws, d, i, borne);
  }
  ws.A[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const Twist<Real> A_parent = Ad_inv(ws.T[at(i)], ws.A[at(b.parent)]);
    Twist<Real> A = A_parent;
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      if (ws.prescribed[at(i)]) {
        dqdd[k] = d.qdd[at(k)];
        dtau[k] = ws.de[at(k)] + dot(A, ws.U[at(k)]) + dqdd[k] * model.dof(k).armature;
      } else {
        dqdd[k] = ws.de[at(k)] - dot(A_parent, ws.K[at(k)]);
        dtau[k] = d.tau[at(k)];
        A += ws.S[at(k)] * dqdd[k];
      }
    }
    ws.A[at(i)] = A;
    ws.dVdot[at(i)] += A;
    ws.dF[at(i)] += ws.I[at(i)] * A;
  }
}

/// d(qdd, tau)/dp after linearize_hybrid_dynamics. The direction's qdd is read at prescribed joints
/// (it must be zero at others), its tau at released ones.
template <class Param, class Real>
void directional_hybrid_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                 const Direction<Real>& direction, Out<Real> dqdd, Out<Real> dtau) {
  directional_motion(model, ws, direction);
  directional_hybrid_forces(model, ws, direction, dqdd, dtau);
}

#define TORSOR_DIRECTIONAL_HYBRID(Extern, Param, Real)                                             \
  Extern template ForwardDynamicsResult<Real> linearize_hybrid_forces(                             \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<char>, Out<Real>, Out<Real>,            \
      In<Wrench<Real>>);                                                                           \
  Extern template ForwardDynamicsResult<Real> linearize_hybrid_dynamics(                           \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>,   \
      Out<Real>, In<Wrench<Real>>);                                                                \
  Extern template void directional_hybrid_forces(const Model<Param>&, DirectionalWorkspace<Real>&, \
                                                 const Direction<Real>&, Out<Real>, Out<Real>);    \
  Extern template void directional_hybrid_dynamics(const Model<Param>&,                            \
                                                   DirectionalWorkspace<Real>&,                    \
                                                   const Direction<Real>&, Out<Real>, Out<Real>);
TORSOR_DIRECTIONAL_HYBRID(extern, double, double)

}  // namespace torsor
