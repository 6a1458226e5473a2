#include <algorithm>
#include <cmath>

#include "constrained/constrained_residuals.hpp"

// Least force   A_p^T dlambda = dR1_p,   lambda = (A_p^T)^+ ... stays the shortest
// Least torque  the least |W tau_a| makes z = (W^2 tau_a, z_p) a motion that the rows allow:
//                 [ W^-2  A^T ] [ dz      ]   [ dR1  ]
//                 [ A      0  ] [ dlambda ] = [ -dA z ]          W^-2 = 0 for passive velocities
namespace torsor {

ConstrainedInverseDerivatives::ConstrainedInverseDerivatives(const Model<double>& model,
                                                             const ConstraintSet& set)
    : dtau_dq(model.n_v(), model.n_v()),
      dtau_dqd(dtau_dq),
      dtau_dqdd(dtau_dq),
      dlambda_dq(set.n_rows(), model.n_v()),
      dlambda_dqd(dlambda_dq),
      dlambda_dqdd(dlambda_dq) {}

void InverseColumns::prepare() {
  const int n = model.n_v(), m = ws.dynamics.set.n_rows();
  const auto A = column_major(ws.inverse.A.data(), m, n);
  const auto weight = [&](int k) { return options.weights.empty() ? 1.0 : options.weights[k]; };
  OrthogonalDecomposition& rows = ws.inverse.passive;  // A_p^T, or all of A^T
  if (by_torque()) {
    const auto transposed = column_major(ws.inverse.B.data(), n, m);
    for (int r = 0; r < m; ++r)
      for (int k = 0; k < n; ++k) transposed(k, r) = A(r, k);
    rows.factorise(transposed, options.rank_tolerance);
  }
  // v with A v = lambda (least force: among the passive velocities), so that lambda stays shortest
  (void)rows.solve_transposed(ws.lambda, ws.x);
  std::fill(ws.least.begin(), ws.least.end(), 0.0);
  for (int k = 0, at_passive = 0; k < n; ++k)
    if (by_torque() || !actuated[k]) ws.least[k] = ws.x[by_torque() ? k : at_passive++];
  std::fill(ws.z.begin(), ws.z.end(), 0.0);
  if (!by_torque()) return;
  const auto view = column_major(ws.kkt.data(), n + m, n + m);
  for (int c = 0; c < n + m; ++c)
    for (int r = 0; r < n + m; ++r)
      view(r, c) = r < n && c < n ? (r == c && actuated[r] ? std::pow(weight(r), -2) : 0)
                   : r < n        ? A(c - n, r)
                   : c < n        ? A(r - n, c)
                                  : 0;
  ws.system.factorise(view, options.rank_tolerance);
  // z of the solution itself
  Array<double>&right = ws.kkt_right, &solution = ws.kkt_solution;
  for (int k = 0; k < n; ++k) right[k] = ws.inverse.tau_r[k] - (actuated[k] ? 0 : ws.tau_value[k]);
  std::fill(right.begin() + n, right.end(), 0.0);
  (void)ws.system.solve(right, solution);
  std::copy_n(solution.begin(), n, ws.z.begin());
}

void InverseColumns::solve(bool rows_move, Out<double> dlambda, Out<double> dtau) {
  const int n = model.n_v(), m = ws.dynamics.set.n_rows();
  const auto A = column_major(ws.inverse.A.data(), m, n);
  OrthogonalDecomposition& rows = ws.inverse.passive;
  Array<double>&right = ws.kkt_right, &solution = ws.kkt_solution;
  if (by_torque()) {
    std::copy(ws.residual.begin(), ws.residual.end(), right.begin());
    (void)ws.system.solve(right, solution);
    std::copy_n(solution.begin() + n, m, dlambda.begin());
  } else {
    int passive = 0;
    for (int i = 0; i < n; ++i)
      if (!actuated[i]) right[passive++] = ws.residual[i];
    (void)rows.solve({right.data(), passive}, dlambda);
  }
  if (rows_move) {
    rows.project_on_rows(ws.dA, ws.y);
    for (int r = 0; r < m; ++r) dlambda[r] += ws.dA[r] - ws.y[r];
  }
  for (int i = 0; i < n; ++i) {
    double x = actuated[i] ? ws.residual[i] : 0;
    for (int r = 0; r < m && actuated[i]; ++r) x -= A(r, i) * dlambda[r];
    dtau[i] = x;
  }
}

ConstrainedInverseResult constrained_inverse_dynamics_derivatives(
    const Model<double>& model, const ConstraintSet& set, ConstrainedDerivativeWorkspace& ws,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    In<double> tau, ConstrainedInverseDerivatives& out, const ActuationOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  const int n = model.n_v(), m = set.n_rows();
  std::copy(tau.begin(), tau.end(), ws.tau_value.begin());
  const ConstrainedInverseResult result = constrained_inverse_dynamics(
      model, set, ws.inverse, actuated, q, qd, qdd, F_ext, ws.tau_value, ws.lambda, options);
  InverseColumns columns{model, ws, actuated, options};
  columns.prepare();
  const struct {
    Vary vary;
    StoredMatrix<double>&tau, &lambda;
  } outputs[] = {{Vary::q, out.dtau_dq, out.dlambda_dq},
                 {Vary::qd, out.dtau_dqd, out.dlambda_dqd},
                 {Vary::qdd, out.dtau_dqdd, out.dlambda_dqdd}};
  for (const auto& [vary, dtau, dlambda] : outputs)
    for (int k = 0; k < n; ++k) {
      std::fill(ws.kkt_right.begin(), ws.kkt_right.end(), 0.0);
      if (columns.by_torque() && vary == Vary::q) {
        residuals(model, set, ws, vary, k, q, qd, qdd, ws.lambda, F_ext, ws.z, {});
        for (int r = 0; r < m; ++r) ws.kkt_right[n + r] = -ws.dA[r];
      }
      residuals(model, set, ws, vary, k, q, qd, qdd, ws.lambda, F_ext, ws.least, {});
      columns.solve(vary == Vary::q, {dlambda.data.data() + k * m, m},
                    {dtau.data.data() + k * n, n});
    }
  return result;
}

}  // namespace torsor
