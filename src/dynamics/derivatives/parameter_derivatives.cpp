#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

#include "derivatives/parameter_changes.hpp"

namespace torsor {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

template <class Real>
ParameterWorkspace<Real>::ParameterWorkspace(const Model<double>& model)
    : motion(model),
      direction(model),
      q(at(model.n_q())),
      dq(at(model.n_v())),
      joint_tau(dq.size()),
      djoint_tau(dq.size()),
      F_ext(at(model.n_bodies())),
      F_all(F_ext.size()),
      springs(model.description().springs),
      ends(spring_ends(model.description(), model.frames())),
      dspring(springs.size()),
      dqdd(dq.size()),
      dtau(dq.size()) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.body(i).v.count; ++k) body_of_dof.push_back(i);
  if (springs.empty()) return;
  T_world.resize(F_ext.size());
  dT_world.resize(F_ext.size());
}

template <class Real>
void linearize_inverse_dynamics(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                In<Real> q, In<Real> qd, In<Real> qdd, In<Wrench<Real>> F_ext,
                                Out<Real> tau) {
  linearize_loads<Real>(model, ws, q, qd, F_ext);
  linearize_inverse_forces<double, Real>(model, ws.motion, qdd, ws.F_all, tau);
  for (int k = 0; k < model.n_v(); ++k)
    tau[k] = tau[k] + ws.joint_tau[at(k)] + qdd[k] * model.dof(k).armature;
}

template <class Real>
ForwardDynamicsResult<Real> linearize_hybrid_dynamics(const Model<double>& model,
                                                      ParameterWorkspace<Real>& ws,
                                                      In<char> prescribed, In<Real> q, In<Real> qd,
                                                      Out<Real> qdd, Out<Real> tau,
                                                      In<Wrench<Real>> F_ext) {
  linearize_loads<Real>(model, ws, q, qd, F_ext);
  for (int k = 0; k < model.n_v(); ++k) ws.dtau[at(k)] = tau[k] - ws.joint_tau[at(k)];
  const auto result =
      linearize_hybrid_forces<double, Real>(model, ws.motion, prescribed, qdd, ws.dtau, ws.F_all);
  for (int k = 0; k < model.n_v(); ++k)
    if (ws.motion.prescribed[at(ws.body_of_dof[at(k)])])
      tau[k] = ws.dtau[at(k)] + ws.joint_tau[at(k)];
  return result;
}

template <class Real>
void inverse_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws,
                            Out<Real> dtau) {
  directional_motion(model, ws.motion, ws.direction);
  add_spring_changes(model, ws);
  directional_inverse_forces<double, Real>(model, ws.motion, ws.direction, dtau);
  for (int k = 0; k < model.n_v(); ++k)
    dtau[k] = dtau[k] + ws.djoint_tau[at(k)] + ws.direction.qdd[at(k)] * model.dof(k).armature +
              ws.direction.armature[at(k)] * ws.motion.qdd[at(k)];
}

template <class Real>
void hybrid_dynamics_along(const Model<double>& model, ParameterWorkspace<Real>& ws, Out<Real> dqdd,
                           Out<Real> dtau) {
  Direction<Real>& d = ws.direction;
  for (int k = 0; k < model.n_v(); ++k) {
    if (!ws.motion.prescribed[at(ws.body_of_dof[at(k)])]) d.qdd[at(k)] = Real(0);
    d.tau[at(k)] = d.tau[at(k)] - ws.djoint_tau[at(k)];
  }
  directional_motion(model, ws.motion, d);
  add_spring_changes(model, ws);
  directional_hybrid_forces<double, Real>(model, ws.motion, d, dqdd, dtau);
  for (int k = 0; k < model.n_v(); ++k) dtau[k] = dtau[k] + ws.djoint_tau[at(k)];
}

template <class Real>
void inverse_dynamics_derivatives(const Model<double>& model, ParameterWorkspace<Real>& ws,
                                  View<const Parameter> parameters, In<Real> q, In<Real> qd,
                                  In<Real> qdd, In<Wrench<Real>> F_ext, Out<Real> tau,
                                  OutMatrix<Real> dtau) {
  linearize_inverse_dynamics<Real>(model, ws, q, qd, qdd, F_ext, tau);
  for (int c = 0; c < parameters.size; ++c) {
    begin_direction(model, ws);
    add_parameter(model, ws, parameters[c]);
    inverse_dynamics_along<Real>(model, ws, ws.dtau);
    for (int k = 0; k < model.n_v(); ++k) dtau(k, c) = ws.dtau[at(k)];
  }
}

template <class Real>
ForwardDynamicsResult<Real> hybrid_dynamics_derivatives(
    const Model<double>& model, ParameterWorkspace<Real>& ws, View<const Parameter> parameters,
    In<char> prescribed, In<Real> q, In<Real> qd, Out<Real> qdd, Out<Real> tau,
    In<Wrench<Real>> F_ext, OutMatrix<Real> dqdd, OutMatrix<Real> dtau) {
  const auto result =
      linearize_hybrid_dynamics<Real>(model, ws, prescribed, q, qd, qdd, tau, F_ext);
  for (int c = 0; c < parameters.size; ++c) {
    begin_direction(model, ws);
    add_parameter(model, ws, parameters[c]);
    hybrid_dynamics_along<Real>(model, ws, ws.dqdd, ws.dtau);
    for (int k = 0; k < model.n_v(); ++k) {
      dqdd(k, c) = ws.dqdd[at(k)];
      if (dtau.data) dtau(k, c) = ws.dtau[at(k)];
    }
  }
  return result;
}

template <class Real>
ForwardDynamicsResult<Real> forward_dynamics_derivatives(const Model<double>& model,
                                                         ParameterWorkspace<Real>& ws,
                                                         View<const Parameter> parameters,
                                                         In<Real> q, In<Real> qd, In<Real> tau,
                                                         In<Wrench<Real>> F_ext, Out<Real> qdd,
                                                         OutMatrix<Real> dqdd) {
  // Without a prescribed joint tau is only read.
  const Out<Real> given(const_cast<Real*>(tau.data), tau.size);
  return hybrid_dynamics_derivatives<Real>(model, ws, parameters, {}, q, qd, qdd, given, F_ext,
                                           dqdd, {});
}

#define TORSOR_PARAMETER_DERIVATIVES(Real)                                                        \
  template struct ParameterWorkspace<Real>;                                                       \
  template void linearize_inverse_dynamics(const Model<double>&, ParameterWorkspace<Real>&,       \
                                           In<Real>, In<Real>, In<Real>, In<Wrench<Real>>,        \
                                           Out<Real>);                                            \
  template ForwardDynamicsResult<Real> linearize_hybrid_dynamics(                                 \
      const Model<double>&, ParameterWorkspace<Real>&, In<char>, In<Real>, In<Real>, Out<Real>,   \
      Out<Real>, In<Wrench<Real>>);                                                               \
  template void inverse_dynamics_along(const Model<double>&, ParameterWorkspace<Real>&,           \
                                       Out<Real>);                                                \
  template void hybrid_dynamics_along(const Model<double>&, ParameterWorkspace<Real>&, Out<Real>, \
                                      Out<Real>);                                                 \
  template void inverse_dynamics_derivatives(const Model<double>&, ParameterWorkspace<Real>&,     \
                                             View<const Parameter>, In<Real>, In<Real>, In<Real>, \
                                             In<Wrench<Real>>, Out<Real>, OutMatrix<Real>);       \
  template ForwardDynamicsResult<Real> forward_dynamics_derivatives(                              \
      const Model<double>&, ParameterWorkspace<Real>&, View<const Parameter>, In<Real>, In<Real>, \
      In<Real>, In<Wrench<Real>>, Out<Real>, OutMatrix<Real>);                                    \
  template ForwardDynamicsResult<Real> hybrid_dynamics_derivatives(                               \
      const Model<double>&, ParameterWorkspace<Real>&, View<const Parameter>, In<char>, In<Real>, \
      In<Real>, Out<Real>, Out<Real>, In<Wrench<Real>>, OutMatrix<Real>, OutMatrix<Real>);
TORSOR_PARAMETER_DERIVATIVES(double)

}  // namespace torsor
