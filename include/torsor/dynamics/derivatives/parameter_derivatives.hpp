#pragma once
/// Derivatives of inverse, forward and hybrid dynamics with respect to a list of named parameters.
///
///   tree_inverse_dynamics_derivatives(model, ws, parameters, q, qd, qdd, F_ext, tau, dtau)
///   dtau(:, k) = d tau / d parameters[k]                          n_v x parameters
///
/// What is differentiated is the robot with everything that it has:
///
///   tau = (M + rotors) qdd + C qd + g + friction(qd) + joint springs(q) - disturbance
///         - sum_i J_i^T (F_ext[i] + spring-dampers between links)
///         + load s |t|               t: what bodies, rotors and wrenches take, which joints transmit
///
/// with the rotors and the friction of motors of several joints (internal/motor_coupling.hpp).
///
/// A parameter that the problem does not read (tau of inverse dynamics) has a zero column. Where
/// Coulomb friction jumps (v = 0, no smooth width) its derivative with respect to v is taken as 0.
///
/// Frames   F_ext[i] on body i in its link frame, which a parameter of the geometry carries along.
/// Cost     One linearisation, then O(n) for each parameter (directional_*.hpp). No allocation.
/// Source   Kim 2012, section 4.
#include "torsor/dynamics/derivatives/directional_hybrid.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/parameter.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor {

template <class Real>
struct ParameterWorkspace {
  DirectionalWorkspace<Real> motion;
  Direction<Real> direction;
  Array<Real> q, dq;                 // configuration; d along its tangent, per velocity
  Array<Real> joint_tau;             // friction but that of the load, springs, disturbance
  Array<Real> djoint_tau;            // its derivative along the direction
  Array<Real> transmitted;           // t
  Array<Real> dload;                 // of load s along the direction
  Array<Wrench<Real>> F_ext, F_all;  // given; with those of the spring-dampers
  Array<int> body_of_dof;

  Array<SpringDamper> springs;  // between links
  Array<internal::SpringEnds> ends;
  Array<std::array<Real, 10>> dspring;
  Array<SE3<Real>> T_world;     // where there are springs
  Array<Twist<Real>> dT_world;  // T^-1 dT of it
  Array<Real> dqdd, dtau;
  Array<Real> tau;  // of forward dynamics
  internal::MotorScratch<Real> motors;
  Array<Real> drotor;  // of motors of several joints, along the direction

  explicit ParameterWorkspace(const Model<double>& model);
};

/// The motion at a state, for inverse dynamics: tau as above.
template <class Real>
void linearise_inverse_dynamics(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                Out<Real> tau);
/// For hybrid dynamics: reads qdd and writes tau where prescribed[i] of body i is not zero, the other
/// way round elsewhere. An empty `prescribed` means none: forward dynamics.
template <class Real>
ForwardDynamicsResult<Real> linearise_hybrid_dynamics(const Model<double>& model,
                                                      ParameterWorkspace<Real>& ws,
                                                      In<char> prescribed, In<Real> q, In<Real> qd,
                                                      Out<Real> qdd, Out<Real> tau,
                                                      In<Wrench<Real>> F_ext);

namespace internal {

/// A direction, after one of the two above: begin_direction, then any number of add_*.
template <class Real>
void begin_direction(const Model<double>& model, ParameterWorkspace<Real>& ws);
template <class Real>
void add_parameter(const Model<double>& model, ParameterWorkspace<Real>& ws,
                   const Parameter& parameter);
/// A change of the whole state: dq along the tangent of q, and dqd; n_v numbers each.
template <class Real>
void add_state_change(const Model<double>& model, ParameterWorkspace<Real>& ws, In<Real> dq,
                      In<Real> dqd);

/// dtau along the direction, after linearise_inverse_dynamics.
template <class Real>
void inverse_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws,
                            Out<Real> dtau);
/// dqdd and dtau along the direction, after linearise_hybrid_dynamics.
template <class Real>
void hybrid_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws, Out<Real> dqdd,
                           Out<Real> dtau);

}  // namespace internal

/// tau and d tau / d parameters.
template <class Real>
void tree_inverse_dynamics_derivatives(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                       In<Parameter> parameters, In<Real> q, In<Real> qd,
                                       In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau,
                                       OutMatrix<Real> dtau);
/// qdd and d qdd / d parameters.
template <class Real>
ForwardDynamicsResult<Real> tree_forward_dynamics_derivatives(
    const Model<double>& model, ParameterWorkspace<Real>& ws, In<Parameter> parameters, In<Real> q,
    In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd, OutMatrix<Real> dqdd);
/// qdd and tau, given and found, and their derivatives. Given ones change only with a parameter that
/// is one of them.
template <class Real>
ForwardDynamicsResult<Real> tree_hybrid_dynamics_derivatives(
    const Model<double>& model, ParameterWorkspace<Real>& ws, In<Parameter> parameters,
    In<char> prescribed, In<Real> q, In<Real> qd, Out<Real> qdd, Out<Real> tau,
    In<Wrench<Real>> F_ext, OutMatrix<Real> dqdd, OutMatrix<Real> dtau);

}  // namespace torsor
