#include "torsor/dynamics/internal/state_derivatives.hpp"

#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"

namespace torsor::internal {

StateDerivativesWorkspace::StateDerivativesWorkspace(const Model<double>& model)
    : covers(!has_loops(model) && model.description().springs.empty()) {
  if (!covers) return;
  dynamics.emplace(model);
  inverse.emplace(model);
  forward.emplace(model);
  const int n = model.n_v();
  transmitted.resize(n);
  free = Lu(n);
  A.resize(n * n);
  A_ff.resize(n * n);
  dqdd_f.resize(n * n);
  tau.resize(n);
  free_dofs.resize(n);
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

bool state_hybrid_dynamics_derivatives(const Model<double>& model, StateDerivativesWorkspace& ws,
                                       View<const char> prescribed, In<double> q, In<double> qd,
                                       In<double> qdd, In<Wrench<double>> F_ext,
                                       const HybridColumns& out) {
  const int n = model.n_v();
  const auto A = column_major(ws.A.data(), n, n);
  state_inverse_dynamics_derivatives(model, ws, q, qd, qdd, F_ext, ws.tau, out.dtau[0], out.dtau[1],
                                     A);
  const auto is_led = [&](int k) { return !prescribed.empty() && prescribed[k] != 0; };
  int n_f = 0;
  for (int k = 0; k < n; ++k)
    if (!is_led(k)) ws.free_dofs[n_f++] = k;
  const View<const int> f(ws.free_dofs.data(), n_f);
  const auto A_ff = column_major(ws.A_ff.data(), n_f, n_f);
  for (int i = 0; i < n_f; ++i)
    for (int j = 0; j < n_f; ++j) A_ff(i, j) = A(f[i], f[j]);
  if (!ws.free.factorise(A_ff)) return false;
  const auto dqdd_f = row_major(ws.dqdd_f.data(), n_f, n);
  for (int x = 0; x < 4; ++x) {
    const auto given = [&](int c) { return x < 2 || is_led(c) == (x == 2); };
    // How tau would change with qdd_f held; of tau itself what is given, with the other sign.
    const auto held = [&](int r, int c) {
      if (!given(c)) return 0.0;
      return x < 2 ? out.dtau[x](r, c) : x == 2 ? A(r, c) : r == c ? -1.0 : 0.0;
    };
    for (int i = 0; i < n_f; ++i)
      for (int c = 0; c < n; ++c) dqdd_f(i, c) = -held(f[i], c);
    ws.free.solve(dqdd_f);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        const double own = given(c) && r == c ? 1 : 0;
        double tau = x == 3 ? own : 0;
        if (is_led(r)) {
          tau = x == 3 ? 0 : held(r, c);
          for (int i = 0; i < n_f; ++i) tau += A(r, f[i]) * dqdd_f(i, c);
        }
        out.dqdd[x](r, c) = x == 2 ? own : 0;
        out.dtau[x](r, c) = tau;
      }
    for (int i = 0; i < n_f; ++i)
      for (int c = 0; c < n; ++c) out.dqdd[x](f[i], c) = dqdd_f(i, c);
  }
  return true;
}

}  // namespace torsor::internal
