#include "torsor/dynamics/operational.hpp"

#include <string>
#include <utility>

#include "torsor/model/error.hpp"

namespace torsor {
namespace {

/// Eigenvalues of J M^-1 J^T below this part of the largest are zeros with rounding.
constexpr double rank_tolerance = 1e-12;

/// Replaces A, symmetric and not negative, by its (damped or pseudo-) inverse; returns the rank.
int invert(StoredMatrix<double>& A, double damping, JacobianSvd& svd) {
  const int m = A.rows;
  jacobian_svd(std::as_const(A).view(), svd);
  const int rank = svd.largest() > 0 ? svd.rank(rank_tolerance) : 0;
  for (double& x : A.data) x = 0;
  for (int k = 0; k < m; ++k) {
    const double damped = (k < rank ? svd.sigma(k) : 0) + damping * damping;
    if (damped == 0) continue;
    // Left and right vectors agree but for rounding, and where sigma is zero: one of them serves.
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c) A(r, c) += svd.left(r, k) * svd.left(c, k) / damped;
  }
  return rank;
}

/// Lambda, J and Jbar.
OperationalResult task_inertia(const Model<double>& model, OperationalWorkspace& ws, In<double> q,
                               const OperationalTask& task, OperationalDynamics& out) {
  const int n = model.n_v(), m = task.n_rows;
  const MatrixView<double> full = column_major(ws.full_jacobian.data(), 6, n);
  jacobian(model, ws.kinematics, q, task.frame, task.reference, full);
  auto& [lambda, mu, p, J, Jbar] = out;
  for (int r = 0; r < m; ++r)
    for (int k = 0; k < n; ++k) {
      J(r, k) = full(task.rows[static_cast<std::size_t>(r)], k);
      Jbar(k, r) = J(r, k);
    }
  jacobian_svd(std::as_const(J).view(), ws.svd);
  const auto mass =
      mass_matrix_inverse_times(model, ws.minverse, q, std::as_const(Jbar).view(), Jbar.view());
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < m; ++c) {
      lambda(r, c) = 0;
      for (int k = 0; k < n; ++k) lambda(r, c) += J(r, k) * Jbar(k, c);
    }
  OperationalResult result;
  result.smallest_singular_value = n < m ? 0 : ws.svd.smallest();
  result.largest_singular_value = ws.svd.largest();
  result.rank = invert(lambda, task.damping, ws.inverse);
  result.regular = result.rank == m;
  result.exact = result.regular && task.damping == 0;
  result.mass_matrix_regular = static_cast<bool>(mass);
  for (int k = 0; k < n; ++k) {
    std::array<double, 6> row{};
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c) row[static_cast<std::size_t>(r)] += Jbar(k, c) * lambda(c, r);
    for (int r = 0; r < m; ++r) Jbar(k, r) = row[static_cast<std::size_t>(r)];
  }
  return result;
}

/// Jdot qd, the rows of the task.
std::array<double, 6> task_bias(const Model<double>& model, OperationalWorkspace& ws, In<double> q,
                                In<double> qd, const OperationalTask& task) {
  const Twist<double> A = jacobian_dot_times_velocity<double, double>(model, ws.velocity, q, qd,
                                                                      task.frame, task.reference);
  const double all[6] = {A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
  std::array<double, 6> chosen{};
  for (int r = 0; r < task.n_rows; ++r)
    chosen[static_cast<std::size_t>(r)] = all[task.rows[static_cast<std::size_t>(r)]];
  return chosen;
}

/// Jbar^T b - Lambda k: the force of a bias b of the joints and k of the task.
std::array<double, 6> task_force(const OperationalDynamics& d, const double* b,
                                 const std::array<double, 6>& k) {
  std::array<double, 6> f{};
  for (int r = 0; r < d.lambda.rows; ++r) {
    double sum = 0;
    for (int j = 0; j < d.jacobian.cols; ++j) sum += d.consistent_inverse(j, r) * b[j];
    for (int c = 0; c < d.lambda.rows; ++c) sum -= d.lambda(r, c) * k[static_cast<std::size_t>(c)];
    f[static_cast<std::size_t>(r)] = sum;
  }
  return f;
}

double transpose_times(const StoredMatrix<double>& J, const std::array<double, 6>& f, int k) {
  double sum = 0;
  for (int r = 0; r < J.rows; ++r) sum += J(r, k) * f[static_cast<std::size_t>(r)];
  return sum;
}

}  // namespace

OperationalTask::OperationalTask(Frame f, Reference r, std::initializer_list<int> chosen)
    : frame(std::move(f)), reference(r), n_rows(static_cast<int>(chosen.size())) {
  if (n_rows < 1 || n_rows > 6)
    throw Error("task of frame '" + frame.name + "': " + std::to_string(n_rows) +
                " rows chosen; 1 to 6 are possible");
  int at = 0, seen = 0;
  for (const int row : chosen) {
    if (row < 0 || row > 5 || (seen >> row & 1))
      throw Error("task of frame '" + frame.name + "': row " + std::to_string(row) +
                  (row < 0 || row > 5 ? " is not one of 0 to 5 (wx, wy, wz, vx, vy, vz)"
                                      : " is chosen twice"));
    seen |= 1 << row;
    rows[static_cast<std::size_t>(at++)] = row;
  }
}

OperationalResult operational_dynamics(const Model<double>& model, OperationalWorkspace& ws,
                                       In<double> q, In<double> qd, const OperationalTask& task,
                                       OperationalDynamics& out) {
  const OperationalResult result = task_inertia(model, ws, q, task, out);
  bias_torque(model, ws.rnea, q, qd, ws.bias);
  gravity_torque(model, ws.rnea, q, ws.gravity);
  for (std::size_t k = 0; k < ws.bias.size(); ++k) ws.bias[k] -= ws.gravity[k];
  out.mu = task_force(out, ws.bias.data(), task_bias(model, ws, q, qd, task));
  out.p = task_force(out, ws.gravity.data(), {});
  return result;
}

void task_torque(const OperationalDynamics& dynamics, In<double> xdd, Out<double> tau) {
  std::array<double, 6> F{};
  const int m = dynamics.lambda.rows;
  for (int r = 0; r < m; ++r) {
    const auto at = static_cast<std::size_t>(r);
    F[at] = dynamics.mu[at] + dynamics.p[at];
    for (int c = 0; c < m; ++c) F[at] += dynamics.lambda(r, c) * xdd[c];
  }
  for (int k = 0; k < dynamics.jacobian.cols; ++k)
    tau[k] = transpose_times(dynamics.jacobian, F, k);
}

void project_to_null_space(const OperationalDynamics& dynamics, Out<double> tau) {
  const std::array<double, 6> F = task_force(dynamics, tau.data, {});
  for (int k = 0; k < dynamics.jacobian.cols; ++k)
    tau[k] -= transpose_times(dynamics.jacobian, F, k);
}

OperationalResult cartesian_form(const Model<double>& model, OperationalWorkspace& ws, In<double> q,
                                 const OperationalTask& task, CartesianForm& out) {
  const int n = model.n_v();
  OperationalDynamics& at_rest = out.at_rest;
  ConfigurationSpaceForm<double>& joint_space = out.joint_space;
  const OperationalResult result = task_inertia(model, ws, q, task, at_rest);
  configuration_space_form(model, ws.configuration_space, q, joint_space);
  at_rest.mu = {};
  at_rest.p = task_force(at_rest, joint_space.gravity.data(), {});
  // Jdot qd is quadratic in qd: coefficients are its values at e_j, and at e_j + e_k less those.
  const auto bias_at = [&](int j, int k) {
    for (int i = 0; i < n; ++i) ws.unit[static_cast<std::size_t>(i)] = i == j || i == k ? 1 : 0;
    return task_bias(model, ws, q, ws.unit, task);
  };
  const auto store = [&](const StoredMatrix<double>& from, StoredMatrix<double>& to, int column,
                         const std::array<double, 6>& k) {
    const auto F = task_force(at_rest, &from(0, column), k);
    for (int i = 0; i < n; ++i) to(i, column) = transpose_times(at_rest.jacobian, F, i);
  };
  int column = 0;
  for (int j = 0; j < n; ++j) {
    const auto own = bias_at(j, j);
    store(joint_space.centrifugal_C, out.centrifugal_C, j, own);
    for (int k = j + 1; k < n; ++k) {
      const auto other = bias_at(k, k);
      auto both = bias_at(j, k);
      for (std::size_t r = 0; r < 6; ++r) both[r] -= own[r] + other[r];
      store(joint_space.coriolis_B, out.coriolis_B, column++, both);
    }
  }
  return result;
}

}  // namespace torsor
