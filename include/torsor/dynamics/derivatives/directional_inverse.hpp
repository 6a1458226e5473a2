#pragma once
/// Derivative of inverse dynamics with respect to any scalar, in one pass out and one back.
///
///   base -> tip   dV_i  = Ad(T^-1) dV_p  - ad(dh) Ad(T^-1) V_p  + dS qd + S dqd
///                 dV'_i = Ad(T^-1) dV'_p - ad(dh) Ad(T^-1) V'_p + dS qdd + S dqdd
///                         + ad(dV_i) S qd + ad(V_i) (dS qd + S dqd) + dS' qd + S' dqd
///   tip -> base   dF_i  = dI V' + I dV' - ad*(dV) I V - ad*(V) (dI V + I dV) - dF_ext
///                         + sum_k Ad*(T_k^-1) (dF_k - ad*(dh_k) F_k)
///                 dtau_i = dS^T F_i + S^T dF_i                    k: children of i
///
/// linearise_inverse_dynamics computes the motion and tau once; any number of directions follow.
///
/// Frames   Link frames, twists (w, v), wrenches (m, f); V' componentwise, as joint_wrenches.hpp.
/// Gravity  V'_0 = (0, -g).
/// Cost     O(n) per direction, no allocation, no branch on the state.
/// Source   Kim 2012, tables 2 and 5.
#include "torsor/dynamics/derivatives/directional_derivatives.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

namespace internal {

/// V, I V and the joint's part of V' (velocities only) of every body.
template <class Param, class Real>
void linearise_velocities(const Model<Param>& model, DirectionalWorkspace<Real>& ws, In<Real> q,
                          In<Real> qd) {
  assert_state(model, q, qd);
  ws.V[0] = ws.V_base;
  ws.Vdot[0] = {ws.Vdot_base.w, ws.Vdot_base.v - model.gravity()};
  for (int k = 0; k < model.n_v(); ++k) ws.qd[k] = qd[k];
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    evaluate_joint(model, ws, i, q.data, qd.data);
    Twist<Real> V_joint{};
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) V_joint += ws.S[k] * qd[k];
    ws.V_joint[i] = V_joint;
    ws.V[i] = Ad_inv(ws.T[i], ws.V[b.parent]) + V_joint;
    ws.L[i] = b.inertia * ws.V[i];
  }
}

/// ad(V) S qd + S' qd.
template <class Param, class Real>
Twist<Real> velocity_product(const Model<Param>& model, const DirectionalWorkspace<Real>& ws,
                             int i) {
  const Dofs v = model.body(i).v;
  Twist<Real> eta = ad(ws.V[i], ws.V_joint[i]);
  for (int k = v.first; has_sdot(model.body(i).kind) && k < v.first + v.count; ++k)
    eta += ws.Sdot[k] * ws.qd[k];
  return eta;
}

/// The rest of linearise_inverse_dynamics, after linearise_velocities.
template <class Param, class Real>
void linearise_inverse_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                              In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
  for (int k = 0; k < model.n_v(); ++k) ws.qdd[k] = qdd[k];
  ws.F[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    Twist<Real> Vdot = ws.Vdot_of_parent[i] = Ad_inv(ws.T[i], ws.Vdot[b.parent]);
    Vdot += velocity_product(model, ws, i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) Vdot += ws.S[k] * qdd[k];
    ws.Vdot[i] = Vdot;
    ws.F[i] = b.inertia * Vdot - ad_dual(ws.V[i], ws.L[i]);
    if (!F_ext.empty()) ws.F[i] -= F_ext[i];
  }
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) tau[k] = dot(ws.S[k], ws.F[i]);
    ws.F[b.parent] += Ad_dual_inv(ws.T[i], ws.F[i]);
  }
}

}  // namespace internal

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i], without rotors and friction, and all that its
/// derivatives need. An empty F_ext means none.
template <class Param, class Real>
void linearise_inverse_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                Out<Real> tau) {
  internal::linearise_velocities<Param, Real>(model, ws, q, qd);
  internal::linearise_inverse_forces<Param, Real>(model, ws, qdd, F_ext, tau);
}

namespace internal {

/// dV and dV' of every body.
template <class Param, class Real>
void directional_motion(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                        const Direction<Real>& d) {
  using D = Direction<Real>;
  ws.dV[0] = d.V_base;
  ws.dVdot[0] = d.Vdot_base;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const Twist<Real>&V = ws.V[i], &V_joint = ws.V_joint[i];
    Twist<Real> dV_joint{}, dVdot = Ad_inv(ws.T[i], ws.dVdot[b.parent]);
    Twist<Real> dV = Ad_inv(ws.T[i], ws.dV[b.parent]);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      dV_joint += ws.S[k] * d.qd[k];
      dVdot += ws.S[k] * d.qdd[k];
      if (has_sdot(b.kind)) dVdot += ws.Sdot[k] * d.qd[k];
      if (!d.has(i, D::columns)) continue;
      dV_joint += d.S[k] * ws.qd[k];
      dVdot += d.S[k] * ws.qdd[k] + d.Sdot[k] * ws.qd[k];
    }
    dV += dV_joint;
    if (d.has(i, D::pose)) {
      dV = dV - ad(d.h[i], V - V_joint);
      dVdot = dVdot - ad(d.h[i], ws.Vdot_of_parent[i]);
    }
    dVdot += ad(dV, V_joint) + ad(V, dV_joint);
    ws.dV[i] = dV;
    ws.dVdot[i] = dVdot;
  }
}

/// dI V' + I dV' - ad*(dV) I V - ad*(V) (dI V + I dV) - dF_ext of one body.
template <class Param, class Real>
Wrench<Real> directional_wrench(const Model<Param>& model, const DirectionalWorkspace<Real>& ws,
                                const Direction<Real>& d, int i) {
  using D = Direction<Real>;
  const Inertia<Param>& I = model.body(i).inertia;
  Wrench<Real> dL = I * ws.dV[i], dF = I * ws.dVdot[i] - ad_dual(ws.dV[i], ws.L[i]);
  if (d.has(i, D::inertia)) {
    dL += d.I[i] * ws.V[i];
    dF += d.I[i] * ws.Vdot[i];
  }
  if (d.has(i, D::wrench)) dF -= d.F_ext[i];
  return dF - ad_dual(ws.V[i], dL);
}

/// What the parent of body i feels of dF through its joint.
template <class Real>
Wrench<Real> directional_reaction(const DirectionalWorkspace<Real>& ws, const Direction<Real>& d,
                                  int i, const Wrench<Real>& dF) {
  return Ad_dual_inv(ws.T[i], d.has(i, Direction<Real>::pose) ? dF - ad_dual(d.h[i], ws.F[i]) : dF);
}

/// dtau of the forces after directional_motion.
template <class Param, class Real>
void directional_inverse_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                const Direction<Real>& d, Out<Real> dtau) {
  for (Wrench<Real>& F : ws.dF) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    const Wrench<Real> dF = ws.dF[i] + directional_wrench(model, ws, d, i);
    ws.dF[i] = dF;
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      dtau[k] = dot(ws.S[k], dF);
      if (d.has(i, Direction<Real>::columns)) dtau[k] = dtau[k] + dot(d.S[k], ws.F[i]);
    }
    ws.dF[b.parent] += directional_reaction(ws, d, i, dF);
  }
}

}  // namespace internal

/// dtau/dp after linearise_inverse_dynamics. The direction's tau and armature are not read.
template <class Param, class Real>
void directional_inverse_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                  const Direction<Real>& direction, Out<Real> dtau) {
  internal::directional_motion(model, ws, direction);
  internal::directional_inverse_forces(model, ws, direction, dtau);
}

#define TORSOR_DIRECTIONAL_INVERSE(Extern, Param, Real)                                            \
  Extern template void internal::linearise_velocities(                                             \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<Real>, In<Real>);                       \
  Extern template void internal::linearise_inverse_forces(                                         \
      const Model<Param>&, DirectionalWorkspace<Real>&, In<Real>, In<Wrench<Real>>, Out<Real>);    \
  Extern template void linearise_inverse_dynamics(const Model<Param>&,                             \
                                                  DirectionalWorkspace<Real>&, In<Real>, In<Real>, \
                                                  In<Real>, In<Wrench<Real>>, Out<Real>);          \
  Extern template void internal::directional_motion(                                               \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&);                   \
  Extern template void internal::directional_inverse_forces(                                       \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&, Out<Real>);        \
  Extern template void directional_inverse_dynamics(                                               \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&, Out<Real>);
TORSOR_DIRECTIONAL_INVERSE(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_DIRECTIONAL_INVERSE
#endif

}  // namespace torsor
