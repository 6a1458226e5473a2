#pragma once
/// A base that is carried along: its pose, velocity and acceleration are given, not computed.
///
///   tau = M(q) qdd + b(q, qd) + d(q, qd, T_0, V_0, V'_0)
///   d = joint_wrenches of the moving base at qdd = 0, less those of the base at rest
///
/// M does not depend on the motion of the base, so d is all that the motion adds: inverse dynamics gives
/// tau + d, and forward and hybrid dynamics run on tau - d.
///
/// Frames   T_world_base is the pose of body 0, which rests elsewhere in this library; V and Vdot
///          are its body twist and the componentwise derivative of that, in its own axes. Wrenches
///          on bodies in link frames.
/// Gravity  As the model's, in the axes of the world: V'_0 - R^T g is what the robot feels.
/// Cost     Three sweeps for d; no allocation.
/// Source   Kim 2012, table 2: V_0 and V'_0 given.
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

template <class Real>
struct BaseMotion {
  SE3<Real> T_world_base{};
  Twist<Real> V{}, Vdot{};
};

template <class Real>
struct MovingBaseWorkspace {
  JointWrenchWorkspace<Real> wrenches;
  RneaWorkspace<Real> rnea;
  AbaWorkspace<Real> aba;
  Array<Real> zero, d, left;

  template <class Param>
  explicit MovingBaseWorkspace(const Model<Param>& model)
      : wrenches(model), rnea(model), aba(model), zero(model.n_v(), Real(0)), d(zero), left(zero) {}
};

/// The base's motion for joint_wrenches, gravity turned into its axes.
template <class Param, class Real>
void set_base_motion(const Model<Param>& model, JointWrenchWorkspace<Real>& ws,
                     const BaseMotion<Real>& base) {
  const Vec3<Real> g = model.gravity() * Real(1);
  ws.V_base = base.V;
  ws.Vdot_base = {base.Vdot.w, base.Vdot.v + (g - transpose_times(base.T_world_base.R, g))};
}

/// d: what the motion of the base adds to the torques.
template <class Param, class Real>
void base_motion_torque(const Model<Param>& model, MovingBaseWorkspace<Real>& ws,
                        const std::type_identity_t<BaseMotion<Real>>& base, In<Real> q, In<Real> qd,
                        Out<Real> d) {
  set_base_motion(model, ws.wrenches, base);
  joint_wrenches<Param, Real>(model, ws.wrenches, q, qd, ws.zero, {}, d);
  set_base_motion(model, ws.wrenches, BaseMotion<Real>{});
  joint_wrenches<Param, Real>(model, ws.wrenches, q, qd, ws.zero, {}, ws.left);
  for (int k = 0; k < ws.left.size(); ++k) d[k] = d[k] - ws.left[k];
}

/// tau = M qdd + C qd + g + d - sum_i J_i^T F_ext[i].
template <class Param, class Real>
void rigid_inverse_dynamics(const Model<Param>& model, MovingBaseWorkspace<Real>& ws,
                            const std::type_identity_t<BaseMotion<Real>>& base, In<Real> q,
                            In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau) {
  base_motion_torque<Param, Real>(model, ws, base, q, qd, ws.d);
  rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd, F_ext, tau);
  for (int k = 0; k < ws.d.size(); ++k) tau[k] = tau[k] + ws.d[k];
}

/// qdd under tau, M with rotors.
template <class Param, class Real>
ForwardDynamicsResult<Real> rigid_forward_dynamics(
    const Model<Param>& model, MovingBaseWorkspace<Real>& ws,
    const std::type_identity_t<BaseMotion<Real>>& base, In<Real> q, In<Real> qd, In<Real> tau,
    In<Wrench<Real>> F_ext, Out<Real> qdd) {
  base_motion_torque<Param, Real>(model, ws, base, q, qd, ws.d);
  for (int k = 0; k < ws.d.size(); ++k) ws.left[k] = tau[k] - ws.d[k];
  return rigid_forward_dynamics(model, ws.aba, q, qd, ws.left, F_ext, qdd);
}

/// As hybrid_dynamics of hybrid.hpp.
template <class Param, class Real>
ForwardDynamicsResult<Real> rigid_hybrid_dynamics(
    const Model<Param>& model, MovingBaseWorkspace<Real>& ws,
    const std::type_identity_t<BaseMotion<Real>>& base, In<char> prescribed, In<Real> q,
    In<Real> qd, Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext) {
  base_motion_torque<Param, Real>(model, ws, base, q, qd, ws.d);
  for (int k = 0; k < ws.d.size(); ++k) ws.left[k] = tau[k] - ws.d[k];
  const auto result = rigid_hybrid_dynamics(model, ws.aba, prescribed, q, qd, qdd, ws.left, F_ext);
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (!prescribed[i]) continue;
    for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k)
      tau[k] = ws.left[k] + ws.d[k];
  }
  return result;
}

/// Compiled once, in src/dynamics/moving_base.cpp.
#define TORSOR_MOVING_BASE(Extern, Param, Real)                                            \
  Extern template void base_motion_torque(const Model<Param>&, MovingBaseWorkspace<Real>&, \
                                          const BaseMotion<Real>&, In<Real>, In<Real>, Out<Real>);
TORSOR_MOVING_BASE(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_MOVING_BASE
#endif

}  // namespace torsor
