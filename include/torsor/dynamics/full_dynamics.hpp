#pragma once
/// Dynamics with everything the model has: rotors, friction, springs, dampers, disturbances, loops.
///
///   tau + A^T lambda = M qdd + C qd + g - sum_i J_i^T (F_ext + F_springs)_i
///                      + friction(q, qd) + joint springs(q) - disturbance         M with rotors
///                      + load s |t|                    t: the first line less A^T lambda, transmitted
///   A qdd + A' qd = 0                                                 loops and couplings
///
/// inverse_dynamics, forward_dynamics and hybrid_dynamics are inverse to each other. `Effects`
/// leaves terms out by name; a model without them comes from with_effects (model/surgery.hpp).
/// Where the model has loops or couplings these verbs obey them (constrained/loop_dynamics.hpp) and
/// refuse a state that is not closed: the result says which row is open and how far. The
/// tree_... verbs never look at loops. The rigid_... verbs see rigid bodies and rotors alone.
///
/// `user` is a friction f(dof, q, qd) of any shape.
///
/// Scalars  Loops are for double; a workspace of another scalar refuses a model that has some,
///          unless it is made with Effects::tree().
/// Frames   F_ext in link frames, as everywhere.
/// Cost     That of the rigid verb, and O(n) where the model has friction, springs or disturbances;
///          no allocation.
/// Source   Huo 2005, section 2.6; Kim 2012, springs and dampers, section 3 (loops).
#include <optional>

#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/spring_dampers.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

/// What only the computation can tell. Where it is false, outputs have no meaning.
template <class Real>
struct [[nodiscard]] DynamicsResult {
  Real pivot_ratio = Real(1);  ///< smallest over largest pivot of M's factorisation
  MaskOf<Real> regular = pivot_ratio > Real(0);
  LoopStatus loops{};

  explicit operator bool() const { return all(regular) && static_cast<bool>(loops); }
};

template <class Real>
struct DynamicsWorkspace {
  RneaWorkspace<Real> rnea;
  AbaWorkspace<Real> aba;
  SpringDamperWorkspace<Real> springs;
  Array<Wrench<Real>> F;  // external ones and those of springs
  Array<Real> joint, left;
  bool joints_add;  // some joint has friction, a spring or a disturbance
  bool loaded;      // some joint has friction of the load
  std::optional<internal::LoopDynamics> loops;  // where the model has some

  /// `effects`: what calls may ask for.
  template <class Param>
  explicit DynamicsWorkspace(const Model<Param>& model, const Effects& effects = {})
      : rnea(model),
        aba(model),
        springs(model),
        F(model.n_bodies()),
        joint(model.n_v()),
        left(model.n_v()),
        joints_add(internal::has_joint_torques(model)),
        loaded(internal::has_load_friction(model)) {
    if (!effects.loops || !has_loops(model)) return;
    if constexpr (std::is_same_v<Param, double> && std::is_same_v<Real, double>)
      loops.emplace(model);
    else
      throw Error("robot \"" + model.name() +
                  "\": has loops or couplings, and their dynamics are for double alone");
  }
};

/// "" where all is well, else one line for a person.
std::string message(const Model<double>& model, const DynamicsResult<double>& result);

namespace internal {

/// F_ext with the wrenches of the springs; F_ext itself where there are none.
template <class Param, class Real>
TORSOR_INLINE In<Wrench<Real>> all_wrenches(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                            In<Real> q, In<Real> qd, In<Wrench<Real>> F_ext,
                                            const Effects& effects) {
  if (!effects.springs || ws.springs.ends.empty()) return F_ext;
  for (int i = 0; i < model.n_bodies(); ++i) ws.F[i] = F_ext.empty() ? Wrench<Real>{} : F_ext[i];
  add_spring_damper_wrenches<Param, Real>(model, ws.springs, q, qd, ws.F);
  return ws.F;
}

template <class Real, class User>
bool joints_add(const DynamicsWorkspace<Real>& ws, const User&) {
  return ws.joints_add || !std::is_same_v<User, NoFriction>;
}
/// What joints take of tau but for friction of the load, in ws.joint.
template <class Param, class Real, class User>
void joint_torques(const Model<Param>& model, DynamicsWorkspace<Real>& ws, In<Real> q, In<Real> qd,
                   const Effects& effects, User& user) {
  for (Real& x : ws.joint) x = Real(0);
  if (joints_add(ws, user)) add_joint_torques(model, q, qd, ws.joint, effects, user);
}
/// Transmitted torques of what joints have left, in ws.left.
template <class Param, class Real>
TORSOR_INLINE void subtract_load(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                 In<Real> qd, const Effects& effects) {
  if (ws.loaded && effects.friction) subtract_load_friction(model, qd, ws.left);
}
/// tau less that: what bodies and rotors get.
template <class Param, class Real, class User>
TORSOR_INLINE In<Real> torques_left(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                    In<Real> q, In<Real> qd, In<Real> tau, const Effects& effects,
                                    User& user) {
  if (!joints_add(ws, user)) return tau;
  joint_torques<Param, Real>(model, ws, q, qd, effects, user);
  for (int k = 0; k < model.n_v(); ++k) ws.left[k] = tau[k] - ws.joint[k];
  subtract_load<Param, Real>(model, ws, qd, effects);
  return ws.left;
}

template <class Real>
DynamicsResult<Real> result_of(const ForwardDynamicsResult<Real>& found) {
  return {found.pivot_ratio, found.regular, {}};
}
inline DynamicsResult<double> result_of(const LoopDynamicsResult& found) {
  return {found.pivot_ratio, found.regular, found.loops};
}

}  // namespace internal

/// t: what the joints of the tree transmit to bodies and rotors, wrenches of springs between links
/// and F_ext included; tau without friction, springs and disturbances of joints.
template <class Param, class Real>
TORSOR_INLINE void transmitted_torques(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                       In<Real> q, In<Real> qd, In<Real> qdd,
                                       In<Wrench<Real>> F_ext, Out<Real> t,
                                       const Effects& effects = {}) {
  ws.rnea.rotors = effects.rotors;
  rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd,
                         internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), t);
}

/// tau of the motion of the tree. An empty F_ext means none.
template <class Param, class Real, class User = internal::NoFriction>
TORSOR_INLINE void tree_inverse_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                         In<Real> q, In<Real> qd, In<Real> qdd,
                                         In<Wrench<Real>> F_ext, Out<Real> tau,
                                         const Effects& effects = {}, User&& user = {}) {
  transmitted_torques<Param, Real>(model, ws, q, qd, qdd, F_ext, tau, effects);
  if (internal::joints_add(ws, user)) add_joint_torques(model, q, qd, tau, effects, user);
}

/// qdd of the tree under tau: what friction, springs and disturbances leave of it moves bodies and
/// rotors.
template <class Param, class Real, class User = internal::NoFriction>
TORSOR_INLINE DynamicsResult<Real> tree_forward_dynamics(
    const Model<Param>& model, DynamicsWorkspace<Real>& ws, In<Real> q, In<Real> qd, In<Real> tau,
    In<Wrench<Real>> F_ext, Out<Real> qdd, const Effects& effects = {}, User&& user = {}) {
  ws.aba.rotors = effects.rotors;
  return internal::result_of(rigid_forward_dynamics(
      model, ws.aba, q, qd,
      internal::torques_left<Param, Real>(model, ws, q, qd, tau, effects, user),
      internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), qdd));
}

/// Where prescribed[i] is not zero, qdd is read and tau written, elsewhere the other way round.
template <class Param, class Real, class User = internal::NoFriction>
DynamicsResult<Real> tree_hybrid_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                          In<char> prescribed, In<Real> q, In<Real> qd,
                                          Out<Real> qdd, Out<Real> tau, In<Wrench<Real>> F_ext,
                                          const Effects& effects = {}, User&& user = {}) {
  ws.aba.rotors = effects.rotors;
  internal::joint_torques<Param, Real>(model, ws, q, qd, effects, user);
  for (int k = 0; k < model.n_v(); ++k) ws.left[k] = tau[k] - ws.joint[k];
  internal::subtract_load<Param, Real>(model, ws, qd, effects);
  const auto result =
      rigid_hybrid_dynamics(model, ws.aba, prescribed, q, qd, qdd, ws.left,
                            internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects));
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (!prescribed[i]) continue;  // a given torque stays as it was given
    const Dofs v = model.body(i).v;
    for (int k = v.first; k < v.first + v.count; ++k) {
      const Real t = ws.left[k];
      tau[k] = (effects.friction ? internal::with_load_friction(model.dof(k), qd[k], t) : t) +
               ws.joint[k];
    }
  }
  return internal::result_of(result);
}

/// tau of the motion. With loops: the least torques of the actuated joints, 0 of the others; the
/// multipliers are ws.loops->lambda. An empty F_ext means none.
template <class Param, class Real, class User = internal::NoFriction>
DynamicsResult<Real> inverse_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                      In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                      Out<Real> tau, const Effects& effects = {},
                                      User&& user = {}) {
  if constexpr (std::is_same_v<Param, double> && std::is_same_v<Real, double>)
    if (ws.loops && effects.loops) {
      internal::joint_torques<Param, Real>(model, ws, q, qd, effects, user);
      return internal::result_of(ws.loops->inverse_dynamics(
          model, q, qd, qdd, ws.joint,
          internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), effects, tau));
    }
  tree_inverse_dynamics<Param, Real>(model, ws, q, qd, qdd, F_ext, tau, effects, user);
  return {};
}

/// qdd under tau.
template <class Param, class Real, class User = internal::NoFriction>
DynamicsResult<Real> forward_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                      In<Real> q, In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext,
                                      Out<Real> qdd, const Effects& effects = {},
                                      User&& user = {}) {
  if constexpr (std::is_same_v<Param, double> && std::is_same_v<Real, double>)
    if (ws.loops && effects.loops) {
      internal::joint_torques<Param, Real>(model, ws, q, qd, effects, user);
      // Without a prescribed joint tau is only read.
      const Out<double> given(const_cast<double*>(tau.data), tau.size);
      return internal::result_of(ws.loops->hybrid_dynamics(
          model, {}, q, qd, qdd, given, ws.joint,
          internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), effects));
    }
  return tree_forward_dynamics<Param, Real>(model, ws, q, qd, tau, F_ext, qdd, effects, user);
}

/// Where prescribed[i] is not zero, qdd is read and tau written, elsewhere the other way round.
template <class Param, class Real, class User = internal::NoFriction>
DynamicsResult<Real> hybrid_dynamics(const Model<Param>& model, DynamicsWorkspace<Real>& ws,
                                     In<char> prescribed, In<Real> q, In<Real> qd, Out<Real> qdd,
                                     Out<Real> tau, In<Wrench<Real>> F_ext,
                                     const Effects& effects = {}, User&& user = {}) {
  if constexpr (std::is_same_v<Param, double> && std::is_same_v<Real, double>)
    if (ws.loops && effects.loops) {
      internal::joint_torques<Param, Real>(model, ws, q, qd, effects, user);
      return internal::result_of(ws.loops->hybrid_dynamics(
          model, prescribed, q, qd, qdd, tau, ws.joint,
          internal::all_wrenches<Param, Real>(model, ws, q, qd, F_ext, effects), effects));
    }
  return tree_hybrid_dynamics<Param, Real>(model, ws, prescribed, q, qd, qdd, tau, F_ext, effects,
                                           user);
}

/// Compiled once, in src/dynamics/full_dynamics.cpp, without a user's friction.
#define TORSOR_FULL_DYNAMICS(Extern, Param, Real)                                             \
  Extern template DynamicsResult<Real> inverse_dynamics(                                      \
      const Model<Param>&, DynamicsWorkspace<Real>&, In<Real>, In<Real>, In<Real>,            \
      In<Wrench<Real>>, Out<Real>, const Effects&, internal::NoFriction&&);                   \
  Extern template DynamicsResult<Real> forward_dynamics(                                      \
      const Model<Param>&, DynamicsWorkspace<Real>&, In<Real>, In<Real>, In<Real>,            \
      In<Wrench<Real>>, Out<Real>, const Effects&, internal::NoFriction&&);                   \
  Extern template DynamicsResult<Real> hybrid_dynamics(                                       \
      const Model<Param>&, DynamicsWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>, \
      Out<Real>, In<Wrench<Real>>, const Effects&, internal::NoFriction&&);
TORSOR_FULL_DYNAMICS(extern, double, double)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_FULL_DYNAMICS
#endif

}  // namespace torsor
