#include "torsor/dynamics/constrained/constrained_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace torsor {
namespace {}  // namespace

ConstrainedInverseWorkspace::ConstrainedInverseWorkspace(const Model<double>& model,
                                                         const ConstraintSet& set)
    : rnea(model),
      rows(model),
      passive(std::max(model.n_v(), 1), std::max(set.n_rows(), 1)),
      choice(std::max(model.n_v(), 1), std::max(set.n_rows(), 1)),
      A(set.n_rows() * model.n_v()),
      A_p(A.size()),
      N(set.n_rows() * set.n_rows()),
      B(A.size()),
      tau_r(model.n_v()),
      right(tau_r.size()),
      force(set.n_rows()),
      s(force.size()) {}

ConstrainedInverseResult constrained_inverse_dynamics(
    const Model<double>& model, const ConstraintSet& set, ConstrainedInverseWorkspace& ws,
    In<char> actuated, In<double> q, In<double> qd, In<double> qdd, In<Wrench<double>> F_ext,
    Out<double> tau, Out<double> lambda, const ActuationOptions& options) {
  internal::assert_state(model, q, qd, qdd, tau);
  assert(actuated.size == model.n_v() && lambda.size == set.n_rows());
  const int n = model.n_v(), m = set.n_rows();
  ConstrainedInverseResult result;
  for (int k = 0; k < n; ++k) result.passive += actuated[k] ? 0 : 1;
  if (m < result.passive)
    throw Error("robot \"" + model.name() + "\": " + std::to_string(result.passive) +
                " passive joints and " + std::to_string(m) +
                " constraint rows: no torque forces every motion; hybrid dynamics prescribes the "
                "actuated joints alone");
  rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd, F_ext, ws.tau_r);
  const auto A = column_major(ws.A.data(), m, n);
  constraint_jacobian(model, set, ws.rows, q, A);

  // A_p^T lambda_0 = tau_pr - tau_p
  const auto A_p = column_major(ws.A_p.data(), result.passive, m);
  for (int k = 0, row = 0; k < n; ++k) {
    if (actuated[k]) continue;
    for (int c = 0; c < m; ++c) A_p(row, c) = A(c, k);
    ws.right[row++] = ws.tau_r[k] - tau[k];
  }
  double scale = 1;
  for (int k = 0; k < result.passive; ++k) scale = std::max(scale, std::abs(ws.right[k]));
  ws.passive.factorise(A_p, options.rank_tolerance);
  result.rank = ws.passive.rank();
  result.residual = ws.passive.solve({ws.right.data(), result.passive}, lambda);
  result.solvable = result.residual <= 1e-8 * scale;
  result.unique_force = result.rank == m;

  // tau_a = tau_ar - A_a^T (lambda_0 + N s)
  const int n_a = n - result.passive, n_null = m - result.rank;
  const auto N = column_major(ws.N.data(), m, n_null);
  const auto B = column_major(ws.B.data(), n_a, n_null);
  for (int c = 0; c < n_null; ++c) ws.passive.null_vector(c, {&N(0, c), m});
  const auto constraint_torque = [&](int k, const double* force) {
    double sum = 0;
    for (int r = 0; r < m; ++r) sum += A(r, k) * force[r];
    return sum;
  };
  const auto weight = [&](int k) { return options.weights.empty() ? 1.0 : options.weights[k]; };
  for (int k = 0, row = 0; k < n; ++k) {
    if (!actuated[k]) continue;
    double size = 0;  // a torque of N that rounding alone made is none
    for (int r = 0; r < m; ++r) size += std::abs(A(r, k));
    for (int c = 0; c < n_null; ++c) {
      const double torque = constraint_torque(k, &N(0, c));
      B(row, c) = std::abs(torque) > 1e-12 * size ? weight(k) * torque : 0;
    }
    ws.right[row++] = weight(k) * (ws.tau_r[k] - constraint_torque(k, lambda.data));
  }
  ws.choice.factorise(B, options.rank_tolerance);
  result.preloads = ws.choice.rank();
  if (options.choice == ActuationOptions::Choice::least_torque && n_null > 0) {
    (void)ws.choice.solve({ws.right.data(), n_a}, ws.s);
    for (int c = 0; c < n_null; ++c)
      for (int r = 0; r < m; ++r) lambda[r] += N(r, c) * ws.s[c];
  }
  for (int k = 0; k < n; ++k)
    if (actuated[k]) tau[k] = ws.tau_r[k] - constraint_torque(k, lambda.data);
  return result;
}

void add_constraint_wrenches(const Model<double>& model, const ConstraintSet& set,
                             ConstraintWorkspace<double>& ws, In<double> q, In<double> lambda,
                             Out<Wrench<double>> F) {
  forward_velocity(model, ws.motion, q, ws.zero);
  for (const LoopConstraint& loop : set.loops()) {
    const internal::LoopFrame<double> a = internal::loop_frame(ws.motion, loop.body_a, loop.T_a);
    const internal::LoopFrame<double> b = internal::loop_frame(ws.motion, loop.body_b, loop.T_b);
    internal::LoopRow<double> rows[internal::max_loop_rows];
    internal::loop_rows(loop, a, b, rows);
    internal::add_loop_wrench(loop, ws.motion, rows, b, lambda, F);
  }
}

}  // namespace torsor
