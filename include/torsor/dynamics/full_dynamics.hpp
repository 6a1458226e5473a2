#pragma once
/// Dynamics with everything the model has: friction, rotors, springs, dampers, disturbances.
///
///   tau = (M + rotors) qdd + C qd + g - sum_i J_i^T (F_ext + F_springs)_i
///         + friction(q, qd) + joint springs(q) - disturbance
///
/// The overloads of inverse_dynamics, forward_dynamics and hybrid_dynamics that take an
/// DynamicsWorkspace; those that take a workspace of their own see rigid bodies alone (with rotors,
/// where M is inverted). `Effects` leaves terms out; a model without rotors comes from
/// without_friction (model/surgery.hpp). `user` is a friction f(dof, q, qd) of any shape.
///
/// Frames   F_ext in link frames, as everywhere.
/// Cost     That of the rigid verb and O(n); no allocation.
/// Source   textbook section 2.6; model/friction.hpp; Kim 2012 (seed 001), springs and dampers.
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/spring_dampers.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

/// Which terms beside rigid bodies and rotors count.
struct Effects {
  bool friction = true;     ///< viscous, Coulomb, stiction, and the user's
  bool springs = true;      ///< of joints, and springs and dampers between links
  bool disturbance = true;  ///< constant torques
};

template <class Real>
struct DynamicsWorkspace {
  RneaWorkspace<Real> rnea;
  AbaWorkspace<Real> aba;
  SpringDamperWorkspace<Real> springs;
  std::vector<Wrench<Real>> F;  // external ones and those of springs
  std::vector<Real> joint, left;

  template <class Param>
  explicit DynamicsWorkspace(const Model<Param>& model)
      : rnea(model),
        aba(model),
        springs(model),
        F(static_cast<std::size_t>(model.n_bodies())),
        joint(static_cast<std::size_t>(model.n_v())),
        left(joint.size()) {}
};

/// What motors supply for friction and joint springs, less the disturbance: ws.joint.
template <class Param, class Real, class User>
void joint_torques(const Model<Param>& model, DynamicsWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                   const Effects& effects, User&& user) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int j = 0; j < model.joint(i).n_v; ++j) {
      const int k = model.body(i).v.first + j, at = coordinate_of_dof(model.joint(i), j);
      const DofConstants<Param>& dof = model.dof(k);
      Real sum(0);
      if (effects.friction) sum = sum + friction_torque(dof, qd[k]) + user(k, q, qd);
      if (effects.springs && at >= 0)
        sum = sum + (q[model.body(i).q.first + at] - dof.rest) * dof.stiffness;
      if (effects.disturbance) sum = sum - dof.disturbance;
      ws.joint[static_cast<std::size_t>(k)] = sum;
    }
}

/// F_ext with the wrenches of the springs; F_ext itself where there are none.
template <class Param, class Real>
In<Wrench<Real>> all_wrenches(const Model<Param>& model, DynamicsWorkspace<Real>& ws, In<Real> q,
                              In<Real> qd, In<Wrench<Real>> F_ext, const Effects& effects) {
  if (!effects.springs || ws.springs.ends.empty()) return F_ext;
  for (int i = 0; i < model.n_bodies(); ++i)
    ws.F[static_cast<std::size_t>(i)] = F_ext.empty() ? Wrench<Real>{} : F_ext[i];
  add_spring_damper_wrenches<Param, Real>(model, ws.springs, q, qd, ws.F);
  return ws.F;
}

/// tau of the motion, with rotors. An empty F_ext means none.
template <class Param, class Real, class User = NoFriction>
void inverse_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws, In<Real> q,
                      In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau,
                      const Effects& effects = {}, User&& user = {}) {
  rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd,
                         all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), tau);
  joint_torques<Param, Real>(model, ws, q, qd, effects, user);
  for (int k = 0; k < model.n_v(); ++k)
    tau[k] = tau[k] + qdd[k] * model.dof(k).armature + ws.joint[static_cast<std::size_t>(k)];
}

/// qdd under tau: what friction, springs and disturbances leave of it moves bodies and rotors.
template <class Param, class Real, class User = NoFriction>
ForwardDynamicsResult<Real> forward_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                             In<Real> q, In<Real> qd, In<Real> tau,
                                             In<Wrench<Real>> F_ext, Out<Real> qdd,
                                             const Effects& effects = {}, User&& user = {}) {
  joint_torques<Param, Real>(model, ws, q, qd, effects, user);
  for (int k = 0; k < model.n_v(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    ws.left[at] = tau[k] - ws.joint[at];
  }
  return rigid_forward_dynamics(model, ws.aba, q, qd, ws.left,
                                all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), qdd);
}

/// Where prescribed[i] is not zero, qdd is read and tau written, elsewhere the other way round.
template <class Param, class Real, class User = NoFriction>
ForwardDynamicsResult<Real> hybrid_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                            In<char> prescribed, In<Real> q, In<Real> qd,
                                            Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext,
                                            const Effects& effects = {}, User&& user = {}) {
  joint_torques<Param, Real>(model, ws, q, qd, effects, user);
  const In<Wrench<Real>> F = all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects);
  for (std::size_t k = 0; k < ws.left.size(); ++k)
    ws.left[k] = tau[static_cast<int>(k)] - ws.joint[k];
  const auto result = rigid_hybrid_dynamics(model, ws.aba, prescribed, q, qd, qdd, ws.left, F);
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (!prescribed[i]) continue;  // a given torque stays as it was given
    for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      tau[k] = ws.left[at] + ws.joint[at];
    }
  }
  return result;
}

/// Compiled once, in src/dynamics/full_dynamics.cpp, without a user's friction.
#define TORSOR_FULL_DYNAMICS(Extern, Param, Real)                                                \
  Extern template void inverse_dynamics(const Model<Param>&, DynamicsWorkspace<Real>&, In<Real>, \
                                        In<Real>, In<Real>, In<Wrench<Real>>, Out<Real>,         \
                                        const Effects&, NoFriction&&);                           \
  Extern template ForwardDynamicsResult<Real> forward_dynamics(                                  \
      const Model<Param>&, DynamicsWorkspace<Real>&, In<Real>, In<Real>, In<Real>,               \
      In<Wrench<Real>>, Out<Real>, const Effects&, NoFriction&&);                                \
  Extern template ForwardDynamicsResult<Real> hybrid_dynamics(                                   \
      const Model<Param>&, DynamicsWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>,    \
      Out<Real>, In<Wrench<Real>>, const Effects&, NoFriction&&);
TORSOR_FULL_DYNAMICS(extern, double, double)

}  // namespace torsor
