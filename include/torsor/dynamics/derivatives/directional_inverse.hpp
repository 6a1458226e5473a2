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
/// linearize_inverse_dynamics computes the motion and tau once; any number of directions follow.
///
/// Frames   Link frames, twists (w, v), wrenches (m, f); V' componentwise, as joint_wrenches.hpp.
/// Gravity  V'_0 = (0, -g).
/// Cost     O(n) per direction, no allocation, no branch on the state.
/// Source   Kim 2012 (seed 001), tables 2 and 5.
#include "torsor/dynamics/derivatives/directional_derivatives.hpp"

namespace torsor {

/// V, I V and the joint's part of V' (velocities only) of every body.
template <class Param, class Real>
TORSOR_HD void linearize_velocities(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                    In<Real> q, In<Real> qd) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  ws.V[0] = ws.V_base;
  ws.Vdot[0] = {ws.Vdot_base.w, ws.Vdot_base.v - model.gravity()};
  for (int k = 0; k < model.n_v(); ++k) ws.qd[at(k)] = qd[k];
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    evaluate_joint(model, ws, i, q.data, qd.data);
    Twist<Real> V_joint{};
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) V_joint += ws.S[at(k)] * qd[k];
    ws.V_joint[at(i)] = V_joint;
    ws.V[at(i)] = Ad_inv(ws.T[at(i)], ws.V[at(b.parent)]) + V_joint;
    ws.L[at(i)] = b.inertia * ws.V[at(i)];
  }
}

/// ad(V) S qd + S' qd.
template <class Param, class Real>
TORSOR_HD Twist<Real> velocity_product(const Model<Param>& model,
                                       const DirectionalWorkspace<Real>& ws, int i) {
  const auto at = [](int j) { return static_cast<std::size_t>(j); };
  const Dofs v = model.body(i).v;
  Twist<Real> eta = ad(ws.V[at(i)], ws.V_joint[at(i)]);
  for (int k = v.first; has_sdot(model.body(i).kind) && k < v.first + v.count; ++k)
    eta += ws.Sdot[at(k)] * ws.qd[at(k)];
  return eta;
}

/// The rest of linearize_inverse_dynamics, after linearize_velocities.
template <class Param, class Real>
TORSOR_HD void linearize_inverse_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                        In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int k = 0; k < model.n_v(); ++k) ws.qdd[at(k)] = qdd[k];
  ws.F[0] = {};
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    Twist<Real> Vdot = ws.Vdot_of_parent[at(i)] = Ad_inv(ws.T[at(i)], ws.Vdot[at(b.parent)]);
    Vdot += velocity_product(model, ws, i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) Vdot += ws.S[at(k)] * qdd[k];
    ws.Vdot[at(i)] = Vdot;
    ws.F[at(i)] = b.inertia * Vdot - ad_dual(ws.V[at(i)], ws.L[at(i)]);
    if (!F_ext.empty()) ws.F[at(i)] -= F_ext[i];
  }
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) tau[k] = dot(ws.S[at(k)], ws.F[at(i)]);
    ws.F[at(b.parent)] += Ad_dual_inv(ws.T[at(i)], ws.F[at(i)]);
  }
}

/// tau = M qdd + C qd + g - sum_i J_i^T F_ext[i], without rotors and friction, and all that its
/// derivatives need. An empty F_ext means none.
template <class Param, class Real>
void linearize_inverse_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                Out<Real> tau) {
  linearize_velocities<Param, Real>(model, ws, q, qd);
  linearize_inverse_forces<Param, Real>(model, ws, qdd, F_ext, tau);
}

/// dV and dV' of every body.
template <class Param, class Real>
TORSOR_HD void directional_motion(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                  const Direction<Real>& d) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  using D = Direction<Real>;
  ws.dV[0] = d.V_base;
  ws.dVdot[0] = d.Vdot_base;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<Param>& b = model.body(i);
    const Twist<Real>&V = ws.V[at(i)], &V_joint = ws.V_joint[at(i)];
    Twist<Real> dV_joint{}, dVdot = Ad_inv(ws.T[at(i)], ws.dVdot[at(b.parent)]);
    Twist<Real> dV = Ad_inv(ws.T[at(i)], ws.dV[at(b.parent)]);
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      dV_joint += ws.S[at(k)] * d.qd[at(k)];
      dVdot += ws.S[at(k)] * d.qdd[at(k)];
      if (has_sdot(b.kind)) dVdot += ws.Sdot[at(k)] * d.qd[at(k)];
      if (!d.has(i, D::columns)) continue;
      dV_joint += d.S[at(k)] * ws.qd[at(k)];
      dVdot += d.S[at(k)] * ws.qdd[at(k)] + d.Sdot[at(k)] * ws.qd[at(k)];
    }
    dV += dV_joint;
    if (d.has(i, D::pose)) {
      dV = dV - ad(d.h[at(i)], V - V_joint);
      dVdot = dVdot - ad(d.h[at(i)], ws.Vdot_of_parent[at(i)]);
    }
    dVdot += ad(dV, V_joint) + ad(V, dV_joint);
    ws.dV[at(i)] = dV;
    ws.dVdot[at(i)] = dVdot;
  }
}

/// dI V' + I dV' - ad*(dV) I V - ad*(V) (dI V + I dV) - dF_ext of one body.
template <class Param, class Real>
TORSOR_HD Wrench<Real> directional_wrench(const Model<Param>& model,
                                          const DirectionalWorkspace<Real>& ws,
                                          const Direction<Real>& d, int i) {
  using D = Direction<Real>;
  const auto k = static_cast<std::size_t>(i);
  const Inertia<Param>& I = model.body(i).inertia;
  Wrench<Real> dL = I * ws.dV[k], dF = I * ws.dVdot[k] - ad_dual(ws.dV[k], ws.L[k]);
  if (d.has(i, D::inertia)) {
    dL += d.I[k] * ws.V[k];
    dF += d.I[k] * ws.Vdot[k];
  }
  if (d.has(i, D::wrench)) dF -= d.F_ext[k];
  return dF - ad_dual(ws.V[k], dL);
}

/// What the parent of body i feels of dF through its joint.
template <class Real>
TORSOR_HD Wrench<Real> directional_reaction(const DirectionalWorkspace<Real>& ws,
                                            const Direction<Real>& d, int i,
                                            const Wrench<Real>& dF) {
  const auto k = static_cast<std::size_t>(i);
  return Ad_dual_inv(ws.T[k], d.has(i, Direction<Real>::pose) ? dF - ad_dual(d.h[k], ws.F[k]) : dF);
}

/// dtau of the forces after directional_motion.
template <class Param, class Real>
TORSOR_HD void directional_inverse_forces(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                          const Direction<Real>& d, Out<Real> dtau) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (Wrench<Real>& F : ws.dF) F = {};
  for (int i = model.n_bodies() - 1; i > 0; --i) {
    const Body<Param>& b = model.body(i);
    const Wrench<Real> dF = ws.dF[at(i)] + directional_wrench(model, ws, d, i);
    ws.dF[at(i)] = dF;
    for (int k = b.v.first; k < b.v.first + b.v.count; ++k) {
      dtau[k] = dot(ws.S[at(k)], dF);
      if (d.has(i, Direction<Real>::columns)) dtau[k] = dtau[k] + dot(d.S[at(k)], ws.F[at(i)]);
    }
    ws.dF[at(b.parent)] += directional_reaction(ws, d, i, dF);
  }
}

/// dtau/dp after linearize_inverse_dynamics. The direction's tau and armature are not read.
template <class Param, class Real>
void directional_inverse_dynamics(const Model<Param>& model, DirectionalWorkspace<Real>& ws,
                                  const Direction<Real>& direction, Out<Real> dtau) {
  directional_motion(model, ws, direction);
  directional_inverse_forces(model, ws, direction, dtau);
}

#define TORSOR_DIRECTIONAL_INVERSE(Extern, Param, Real)                                            \
  Extern template void linearize_velocities(const Model<Param>&, DirectionalWorkspace<Real>&,      \
                                            In<Real>, In<Real>);                                   \
  Extern template void linearize_inverse_forces(const Model<Param>&, DirectionalWorkspace<Real>&,  \
                                                In<Real>, In<Wrench<Real>>, Out<Real>);            \
  Extern template void linearize_inverse_dynamics(const Model<Param>&,                             \
                                                  DirectionalWorkspace<Real>&, In<Real>, In<Real>, \
                                                  In<Real>, In<Wrench<Real>>, Out<Real>);          \
  Extern template void directional_motion(const Model<Param>&, DirectionalWorkspace<Real>&,        \
                                          const Direction<Real>&);                                 \
  Extern template void directional_inverse_forces(                                                 \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&, Out<Real>);        \
  Extern template void directional_inverse_dynamics(                                               \
      const Model<Param>&, DirectionalWorkspace<Real>&, const Direction<Real>&, Out<Real>);
TORSOR_DIRECTIONAL_INVERSE(extern, double, double)

}  // namespace torsor
