#pragma once
/// Friction, rotor, spring and disturbance of every degree of freedom: one model for everything.
///
///   tau = (M + armature) qdd + C qd + g + friction(qd) + spring(q) - disturbance + user(q, qd)
///         + sum_m n_m^T (rotor_m n_m qdd + friction_m(n_m qd))                   motors of several joints
///
///   friction = viscous v + viscous_asymmetry v s + offset
///              + s (coulomb + (stiction - coulomb) exp(-(v / stribeck)^2)) + coulomb_asymmetry s^2
///              + s load |t|               t = (M + armature) qdd + C qd + g - J^T F: what is transmitted
///   s        sgn(v), exact with sgn(0) = 0 when width = 0; otherwise tanh(v / width)
///   spring   stiffness (q - rest)
///
/// tau is the torque that the motor supplies: friction and spring count positive where the motor
/// has to overcome them, the disturbance helps it (the d_i of Huo 2005, sec. 2.6, negated).
/// `viscous` holds the bearing's, the structure's damping and the motor's through the gear.
///
/// Load     Gears rub in proportion to the torque t that they transmit to bodies and rotors, the one that
///          rigid_inverse_dynamics gives. Of u, the motor's torque less everything else that the joint
///          takes, t is u / (1 + load s sgn(u)): exact, as load < 1. Joints with one degree of freedom
///          have it; friction_torque, which does not know t, leaves it out.
/// At rest  Coulomb friction is a set, not a number: it takes whatever torque is applied, within
///          `stiction` + load |t| of its middle, offset + coulomb_asymmetry. friction_torque_at_rest gives
///          it; the smooth version holds nothing at rest and takes `offset`.
/// Cost     Elementwise, no allocation, no branch on a Real; Dual and Pack run through.
/// Source   Craig 2005, ch. 6 (nonrigid body effects); Huo 2005, sec. 2.6; Armstrong-Helouvry,
///          Dupont & Canudas de Wit 1994 (Stribeck, load).
#include "torsor/model/configuration.hpp"

namespace torsor {

/// What a model has beside the tree of its rigid bodies; verbs leave out what is false.
struct Effects {
  bool rotors = true;       ///< reflected inertia of motors
  bool friction = true;     ///< viscous, Coulomb, stiction, offset, and the user's
  bool springs = true;      ///< of joints, and springs and dampers between links
  bool disturbance = true;  ///< constant torques
  bool loops = true;        ///< loops and couplings; false: the tree alone

  /// Rigid bodies and nothing else.
  static constexpr Effects none() { return {false, false, false, false, false}; }
  /// Everything but loops and couplings.
  static constexpr Effects tree() { return {true, true, true, true, false}; }
};

/// s: sgn(v), smooth over a width > 0.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> slip_direction(const DofConstants<Param>& dof, const Real& v) {
  using P = Prod<Param, Real>;
  const P speed(v), zero(0), one(1);
  const auto smooth = dof.width > Param(0);
  const P sign = select(speed > zero, one, select(speed < zero, P(-one), zero));
  if (!any(smooth)) return sign;  // a constant of the model: without it no tanh is evaluated
  const P ratio = speed / select(smooth, dof.width, Param(1));
  return select(smooth, P(tanh(ratio)), sign);
}

/// Friction torque of one degree of freedom that slips at the velocity v in the direction `sign`.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> friction_torque(const DofConstants<Param>& dof, const Real& v,
                                            const Prod<Param, Real>& sign) {
  using P = Prod<Param, Real>;
  const P speed(v), zero(0);
  const auto decays = dof.stribeck > Param(0);
  P decay = zero;
  if (any(decays)) {  // a constant of the model: without it no exp is evaluated
    const P ratio = speed / select(decays, dof.stribeck, Param(1));
    decay = select(decays, P(exp(-(ratio * ratio))), zero);
  }
  const P even = speed * dof.viscous_asymmetry + sign * dof.coulomb_asymmetry;
  return speed * dof.viscous + dof.offset +
         sign * (dof.coulomb + (dof.stiction - dof.coulomb) * decay + even);
}
/// Friction torque at the velocity v.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> friction_torque(const DofConstants<Param>& dof, const Real& v) {
  return friction_torque(dof, v, slip_direction(dof, v));
}

/// Friction of the load, s load |t|, where the joint transmits t and slips in the direction `sign`.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> load_friction(const DofConstants<Param>& dof,
                                          const Prod<Param, Real>& sign, const Real& t) {
  return sign * dof.load * abs(t);
}
/// t of u = t + load_friction(t): what of u is transmitted.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> transmitted_torque(const DofConstants<Param>& dof,
                                               const Prod<Param, Real>& sign, const Real& u) {
  using P = Prod<Param, Real>;
  const P share = sign * dof.load;
  return P(u) / (P(1) + select(P(u) < P(0), P(-share), share));
}

/// How far from its middle friction holds a torque at rest, where the joint transmits t.
template <class Param, class Real = Param>
TORSOR_HD Prod<Param, Real> static_friction_limit(const DofConstants<Param>& dof,
                                                  const Real& t = Real(0)) {
  using P = Prod<Param, Real>;
  return select(dof.width > Param(0), P(0), P(abs(t) * dof.load + dof.stiction));
}
/// Whether friction jumps at rest: it then holds a joint there.
template <class Param>
TORSOR_HD auto is_dry(const DofConstants<Param>& dof) {
  return static_friction_limit(dof, Param(1)) > Param(0);
}
/// The middle of the torques that friction holds at rest: 0 where both directions are alike.
template <class Param>
TORSOR_HD Param static_friction_middle(const DofConstants<Param>& dof) {
  return dof.offset + select(dof.width > Param(0), Param(0), dof.coulomb_asymmetry);
}
/// Friction at v = 0 under an applied torque, where the joint transmits t: as much as is needed, up to
/// the limit.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> friction_torque_at_rest(const DofConstants<Param>& dof,
                                                    const Real& applied,
                                                    const std::type_identity_t<Real>& t = Real(0)) {
  using P = Prod<Param, Real>;
  const P limit(static_friction_limit(dof, t)), middle(static_friction_middle(dof));
  return max(P(middle - limit), min(P(middle + limit), P(applied)));
}
/// True where a joint at rest stays at rest under the applied torque, transmitting t.
template <class Param, class Real>
auto static_friction_holds(const Model<Param>& model, int dof, const Real& applied,
                           const std::type_identity_t<Real>& t = Real(0)) {
  using P = Prod<Param, Real>;
  const P middle(static_friction_middle(model.dof(dof)));
  return abs(P(applied) - middle) <= P(static_friction_limit(model.dof(dof), t));
}

namespace internal {

/// Whether there is friction of the load: a constant of the model.
template <class Param>
TORSOR_HD bool has_load_friction(const DofConstants<Param>& dof) {
  if constexpr (!Plain<Param>)
    return true;  // of a zero there may be a derivative
  else
    return dof.load != Param(0);
}
template <class Param>
bool has_load_friction(const Model<Param>& model) {
  for (int k = 0; k < model.n_v(); ++k)
    if (has_load_friction(model.dof(k))) return true;
  return false;
}
/// t and its friction of the load.
template <class Param, class Real>
TORSOR_HD Prod<Param, Real> with_load_friction(const DofConstants<Param>& dof, const Real& v,
                                               const Real& t) {
  if (!has_load_friction(dof)) return Prod<Param, Real>(t);
  return t + load_friction(dof, slip_direction(dof, v), t);
}
/// Transmitted torques, of what joints have left of the motors' after everything else.
template <class Param, class Vector>
void subtract_load_friction(const Model<Param>& model, In<RealOf<Vector>> qd, Vector&& tau) {
  const Out<RealOf<Vector>> to = tau;
  for (int k = 0; k < model.n_v(); ++k)
    if (const auto& dof = model.dof(k); has_load_friction(dof))
      to[k] = transmitted_torque(dof, slip_direction(dof, qd[k]), to[k]);
}

/// No user function.
struct NoFriction {
  template <class Vector>
  RealOf<Vector> operator()(int, const Vector&, const Vector&) const {
    return RealOf<Vector>(0);
  }
};

}  // namespace internal

/// tau += friction(q, qd) + spring(q) - disturbance: what joints and motors add to the torque of the
/// bodies and rotors, which tau is on entry: of it is the friction of the load. `user` is any callable
/// (dof, q, qd) -> Real, added to friction: a position-dependent friction f(theta, thetadot) of any
/// shape; q and qd are views of all of them. Springs sit on coordinates whose rates are velocities;
/// Model refuses others. qd may be empty where friction is left out.
template <class Param, class Vector, class User = internal::NoFriction>
void add_joint_torques(const Model<Param>& model, In<RealOf<Vector>> q, In<RealOf<Vector>> qd,
                       Vector&& tau, const Effects& effects = {}, User&& user = {}) {
  using Real = RealOf<Vector>;
  const Out<Real> to = tau;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int j = 0; j < model.joint(i).n_v; ++j) {
      const int k = model.body(i).v.first + j, at = internal::coordinate_of_dof(model.joint(i), j);
      const DofConstants<Param>& dof = model.dof(k);
      if (effects.friction) {
        to[k] = internal::with_load_friction(dof, qd[k], to[k]);
        to[k] = to[k] + friction_torque(dof, qd[k]) + user(k, q, qd);
      }
      if (effects.springs && at >= 0)
        to[k] = to[k] + (q[model.body(i).q.first + at] - dof.rest) * dof.stiffness;
      if (effects.disturbance) to[k] = to[k] - dof.disturbance;
    }
  if (!effects.friction) return;
  for (const CoupledMotor<Param>& motor : model.motors())
    motor.add(friction_torque(motor.constants, motor.along(qd)), to);
}

namespace internal {

/// Whether add_joint_torques adds anything but the user's friction.
template <class Param>
bool has_joint_torques(const Model<Param>& model) {
  if constexpr (!Plain<Param>)
    return true;  // of a zero there may be a derivative
  else {
    const auto adds = [](const DofConstants<Param>& d) {
      for (const Param* x :
           {&d.viscous, &d.coulomb, &d.stiction, &d.stiffness, &d.disturbance, &d.offset, &d.load})
        if (*x != Param(0)) return true;
      return false;  // asymmetries are not larger than what they add to
    };
    for (int k = 0; k < model.n_v(); ++k)
      if (adds(model.dof(k))) return true;
    for (const CoupledMotor<Param>& motor : model.motors())
      if (adds(motor.constants)) return true;
  }
  return false;
}

}  // namespace internal

/// tau = friction of each degree of freedom, without that of the load.
template <class Param, class Vector, class User = internal::NoFriction>
void friction_torque(const Model<Param>& model, In<RealOf<Vector>> q, In<RealOf<Vector>> qd,
                     Vector&& tau, User&& user = {}) {
  const Out<RealOf<Vector>> to = tau;
  for (int k = 0; k < model.n_v(); ++k) to[k] = RealOf<Vector>(0);
  add_joint_torques(model, q, qd, to, {.springs = false, .disturbance = false}, user);
}
/// tau = stiffness (q - rest): what the motor supplies against the joint springs.
template <class Param, class Vector>
void joint_spring_torque(const Model<Param>& model, In<RealOf<Vector>> q, Vector&& tau) {
  const Out<RealOf<Vector>> to = tau;
  for (int k = 0; k < model.n_v(); ++k) to[k] = RealOf<Vector>(0);
  add_joint_torques(model, q, {}, to, {.friction = false, .disturbance = false});
}
/// 1/2 stiffness (q - rest)^2, all joint springs.
template <class Param, class Vector>
auto joint_spring_energy(const Model<Param>& model, const Vector& q) {
  using P = Prod<Param, RealOf<Vector>>;
  const In<RealOf<Vector>> x = q;
  P energy(0);
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.joint(i).n_v; ++k) {
      const DofConstants<Param>& dof = model.dof(model.body(i).v.first + k);
      const int at = internal::coordinate_of_dof(model.joint(i), k);
      if (at < 0) continue;
      const P stretch = x[model.body(i).q.first + at] - dof.rest;
      energy = energy + stretch * stretch * dof.stiffness * typename ScalarTraits<P>::Value(0.5);
    }
  return energy;
}

}  // namespace torsor
