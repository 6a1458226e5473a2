#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

#include "derivatives/parameter_changes.hpp"

namespace torsor {
using namespace internal;

template <class Real>
ParameterWorkspace<Real>::ParameterWorkspace(const Model<double>& model)
    : motion(model),
      direction(model),
      q(model.n_q()),
      dq(model.n_v()),
      joint_tau(dq.size()),
      djoint_tau(dq.size()),
      transmitted(dq.size()),
      dload(dq.size()),
      F_ext(model.n_bodies()),
      F_all(F_ext.size()),
      springs(model.description().springs),
      ends(internal::spring_ends(model.description(), model.frames())),
      dspring(springs.size()),
      dqdd(dq.size()),
      dtau(dq.size()),
      tau(dq.size()),
      motors(model),
      drotor(model.motors().size()) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.body(i).v.count; ++k) body_of_dof.push_back(i);
  if (springs.empty()) return;
  T_world.resize(F_ext.size());
  dT_world.resize(F_ext.size());
}

template <class Real>
void linearise_inverse_dynamics(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                Out<Real> tau) {
  linearise_loads<Real>(model, ws, q, qd, F_ext);
  linearise_inverse_forces<double, Real>(model, ws.motion, qdd, ws.F_all, tau);
  for (int k = 0; k < model.n_v(); ++k) tau[k] = tau[k] + qdd[k] * model.dof(k).armature;
  add_motor_torques<double, Real>(model, qdd, tau);
  for (int k = 0; k < model.n_v(); ++k) {
    ws.transmitted[k] = tau[k];
    tau[k] = with_load_friction(model.dof(k), qd[k], tau[k]) + ws.joint_tau[k];
  }
}

namespace {

template <class Real>
auto released(const ParameterWorkspace<Real>& ws) {
  return [&ws](int k) { return !ws.motion.prescribed[ws.body_of_dof[k]]; };
}
/// Given torques become those that are left for the tree once the rotors of motors of several joints
/// are moved: their sum is that of qdd, which the tree has found without them.
template <class Real>
void subtract_motors(const Model<double>& model, ParameterWorkspace<Real>& ws, In<Real> qdd,
                     Out<Real> tau) {
  MotorScratch<Real>& m = ws.motors;
  for (int j = 0; j < model.motors().size(); ++j) {
    internal::begin_direction(model, ws);
    set_row(model.motors()[j], m, released(ws));
    for (int k = 0; k < model.n_v(); ++k) ws.direction.tau[k] = m.x[k];
    directional_motion(model, ws.motion, ws.direction);
    directional_hybrid_forces<double, Real>(model, ws.motion, ws.direction, ws.dqdd, m.x);
    for (int k = 0; k < model.n_v(); ++k) m.response(j)[k] = released(ws)(k) ? ws.dqdd[k] : m.x[k];
  }
  factorise_motors(model, m, released(ws));
  for (int j = 0; j < model.motors().size(); ++j)
    m.lambda[j] = model.motors()[j].along(qdd) * model.motors()[j].constants.armature;
  solve_motors(m);
  for (int j = 0; j < model.motors().size(); ++j)
    for (const auto& term : model.motors()[j].terms)
      if (released(ws)(term.v)) tau[term.v] = tau[term.v] - m.lambda[j] * term.ratio;
}

}  // namespace

template <class Real>
ForwardDynamicsResult<Real> linearise_hybrid_dynamics(const Model<double>& model,
                                                      ParameterWorkspace<Real>& ws,
                                                      In<char> prescribed, In<Real> q, In<Real> qd,
                                                      Out<Real> qdd, Out<Real> tau,
                                                      In<Wrench<Real>> F_ext) {
  linearise_loads<Real>(model, ws, q, qd, F_ext);
  for (int k = 0; k < model.n_v(); ++k) ws.dtau[k] = tau[k] - ws.joint_tau[k];
  subtract_load_friction(model, qd, ws.dtau);
  ws.transmitted = ws.dtau;
  auto result =
      linearise_hybrid_forces<double, Real>(model, ws.motion, prescribed, qdd, ws.dtau, ws.F_all);
  if (!model.motors().empty()) {
    subtract_motors<Real>(model, ws, qdd, ws.dtau);
    result =
        linearise_hybrid_forces<double, Real>(model, ws.motion, prescribed, qdd, ws.dtau, ws.F_all);
    for (int j = 0; j < model.motors().size(); ++j)
      for (const auto& term : model.motors()[j].terms)
        if (!released(ws)(term.v))
          ws.dtau[term.v] = ws.dtau[term.v] + ws.motors.lambda[j] * term.ratio;
  }
  for (int k = 0; k < model.n_v(); ++k) {
    if (released(ws)(k)) continue;
    ws.transmitted[k] = ws.dtau[k];
    tau[k] = with_load_friction(model.dof(k), qd[k], ws.dtau[k]) + ws.joint_tau[k];
  }
  return result;
}

template <class Real>
void internal::inverse_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                      Out<Real> dtau) {
  directional_motion(model, ws.motion, ws.direction);
  add_spring_changes(model, ws);
  directional_inverse_forces<double, Real>(model, ws.motion, ws.direction, dtau);
  for (int k = 0; k < model.n_v(); ++k)
    dtau[k] = dtau[k] + ws.direction.qdd[k] * model.dof(k).armature +
              ws.direction.armature[k] * ws.motion.qdd[k];
  add_motor_torques<double, Real>(model, ws.direction.qdd, dtau);
  for (int j = 0; j < model.motors().size(); ++j)
    model.motors()[j].add(Real(model.motors()[j].along(ws.motion.qdd) * ws.drotor[j]), dtau);
  for (int k = 0; k < model.n_v(); ++k)
    dtau[k] = with_load_change(model, ws, k, dtau[k]) + ws.djoint_tau[k];
}

template <class Real>
void internal::hybrid_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                     Out<Real> dqdd, Out<Real> dtau) {
  Direction<Real>& d = ws.direction;
  for (int k = 0; k < model.n_v(); ++k) {
    if (!ws.motion.prescribed[ws.body_of_dof[k]]) d.qdd[k] = Real(0);
    d.tau[k] = without_load_change(model, ws, k, Real(d.tau[k] - ws.djoint_tau[k]));
  }
  directional_motion(model, ws.motion, d);
  add_spring_changes(model, ws);
  directional_hybrid_forces<double, Real>(model, ws.motion, d, dqdd, dtau);
  if (!model.motors().empty()) {
    for (int j = 0; j < model.motors().size(); ++j) {
      const CoupledMotor<double>& motor = model.motors()[j];
      ws.motors.lambda[j] =
          motor.along(dqdd) * motor.constants.armature + motor.along(ws.motion.qdd) * ws.drotor[j];
    }
    solve_motors(ws.motors);
    couple(model, ws.motors, released(ws),
           [&](int k) -> Real& { return released(ws)(k) ? dqdd[k] : dtau[k]; });
  }
  for (int k = 0; k < model.n_v(); ++k)
    dtau[k] = with_load_change(model, ws, k, dtau[k]) + ws.djoint_tau[k];
}

template <class Real>
void tree_inverse_dynamics_derivatives(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                       In<Parameter> parameters, In<Real> q, In<Real> qd,
                                       In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau,
                                       OutMatrix<Real> dtau) {
  linearise_inverse_dynamics<Real>(model, ws, q, qd, qdd, F_ext, tau);
  for (int c = 0; c < parameters.size; ++c) {
    internal::begin_direction(model, ws);
    internal::add_parameter(model, ws, parameters[c]);
    internal::inverse_dynamics_along<Real>(model, ws, ws.dtau);
    for (int k = 0; k < model.n_v(); ++k) dtau(k, c) = ws.dtau[k];
  }
}

template <class Real>
ForwardDynamicsResult<Real> tree_hybrid_dynamics_derivatives(
    const Model<double>& model, ParameterWorkspace<Real>& ws, In<Parameter> parameters,
    In<char> prescribed, In<Real> q, In<Real> qd, Out<Real> qdd, Out<Real> tau,
    In<Wrench<Real>> F_ext, OutMatrix<Real> dqdd, OutMatrix<Real> dtau) {
  const auto result =
      linearise_hybrid_dynamics<Real>(model, ws, prescribed, q, qd, qdd, tau, F_ext);
  for (int c = 0; c < parameters.size; ++c) {
    internal::begin_direction(model, ws);
    internal::add_parameter(model, ws, parameters[c]);
    internal::hybrid_dynamics_along<Real>(model, ws, ws.dqdd, ws.dtau);
    for (int k = 0; k < model.n_v(); ++k) {
      dqdd(k, c) = ws.dqdd[k];
      if (dtau.data) dtau(k, c) = ws.dtau[k];
    }
  }
  return result;
}

template <class Real>
ForwardDynamicsResult<Real> tree_forward_dynamics_derivatives(
    const Model<double>& model, ParameterWorkspace<Real>& ws, In<Parameter> parameters, In<Real> q,
    In<Real> qd, In<Real> tau, In<Wrench<Real>> F_ext, Out<Real> qdd, OutMatrix<Real> dqdd) {
  ws.tau.assign(tau.begin(), tau.end());
  return tree_hybrid_dynamics_derivatives<Real>(model, ws, parameters, {}, q, qd, qdd, ws.tau,
                                                F_ext, dqdd, {});
}

#define TORSOR_PARAMETER_DERIVATIVES(Real)                                                         \
  template struct ParameterWorkspace<Real>;                                                        \
  template void linearise_inverse_dynamics(const Model<double>&, ParameterWorkspace<Real>&,        \
                                           In<Real>, In<Real>, In<Real>, In<Wrench<Real>>,         \
                                           Out<Real>);                                             \
  template ForwardDynamicsResult<Real> linearise_hybrid_dynamics(                                  \
      const Model<double>&, ParameterWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>,    \
      Out<Real>, In<Wrench<Real>>);                                                                \
  template void internal::inverse_dynamics_along(const Model<double>&, ParameterWorkspace<Real>&,  \
                                                 Out<Real>);                                       \
  template void internal::hybrid_dynamics_along(const Model<double>&, ParameterWorkspace<Real>&,   \
                                                Out<Real>, Out<Real>);                             \
  template void tree_inverse_dynamics_derivatives(const Model<double>&, ParameterWorkspace<Real>&, \
                                                  In<Parameter>, In<Real>, In<Real>, In<Real>,     \
                                                  In<Wrench<Real>>, Out<Real>, OutMatrix<Real>);   \
  template ForwardDynamicsResult<Real> tree_forward_dynamics_derivatives(                          \
      const Model<double>&, ParameterWorkspace<Real>&, In<Parameter>, In<Real>, In<Real>,          \
      In<Real>, In<Wrench<Real>>, Out<Real>, OutMatrix<Real>);                                     \
  template ForwardDynamicsResult<Real> tree_hybrid_dynamics_derivatives(                           \
      const Model<double>&, ParameterWorkspace<Real>&, In<Parameter>, In<char>, In<Real>,          \
      In<Real>, Out<Real>, Out<Real>, In<Wrench<Real>>, OutMatrix<Real>, OutMatrix<Real>);
TORSOR_PARAMETER_DERIVATIVES(double)
#undef TORSOR_PARAMETER_DERIVATIVES

}  // namespace torsor
