#include "torsor/dynamics/internal/state_derivatives.hpp"

#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"

namespace torsor::internal {

StateDerivativesWorkspace::StateDerivativesWorkspace(const Model<double>& model)
    : covers(!has_loops(model) && model.description().springs.empty()) {
  if (!covers) return;
  dynamics.emplace(model);
  inverse.emplace(model);
  forward.emplace(model);
  transmitted.resize(model.n_v());
}

void state_inverse_dynamics_derivatives(const Model<double>& model, StateDerivativesWorkspace& ws,
                                        In<double> q, In<double> qd, In<double> qdd,
                                        In<Wrench<double>> F_ext, Out<double> tau,
                                        OutMatrix<double> dtau_dq, OutMatrix<double> dtau_dqd,
                                        OutMatrix<double> dtau_dqdd) {
  DynamicsWorkspace<double>& dynamics = *ws.dynamics;
  rigid_inverse_dynamics_derivatives<double, double>(model, *ws.inverse, q, qd, qdd, F_ext, dtau_dq,
                                                     dtau_dqd, dtau_dqdd);
  transmitted_torques<double, double>(model, dynamics, q, qd, qdd, F_ext, tau);
  if (!dynamics.joints_add) return;
  for (int k = 0; k < model.n_v(); ++k) ws.transmitted[k] = tau[k];
  add_joint_torques(model, q, qd, tau, {}, NoFriction{});
  add_joint_torque_derivatives<double>(model, qd, dtau_dq, dtau_dqd, ws.transmitted, dtau_dqdd);
}

DynamicsResult<double> state_forward_dynamics_derivatives(
    const Model<double>& model, StateDerivativesWorkspace& ws, In<double> q, In<double> qd,
    In<double> tau, In<Wrench<double>> F_ext, Out<double> qdd, OutMatrix<double> dqdd_dq,
    OutMatrix<double> dqdd_dqd, OutMatrix<double> dqdd_dtau) {
  DynamicsWorkspace<double>& dynamics = *ws.dynamics;
  NoFriction none;
  const In<double> left =
      torques_left<double, double>(model, dynamics, q, qd, tau, Effects{}, none);
  const auto result = rigid_forward_dynamics_derivatives<double, double>(
      model, *ws.forward, q, qd, left, F_ext, qdd, dqdd_dq, dqdd_dqd, dqdd_dtau);
  if (dynamics.joints_add)
    subtract_joint_torque_derivatives<double>(model, qd, dqdd_dtau, dqdd_dq, dqdd_dqd, left);
  return result_of(result);
}

}  // namespace torsor::internal
