#pragma once
/// Operational space: the equations of motion of a frame, and what a singularity does to them.
///
///   F = Lambda xdd + mu + p,    tau = J^T F + (1 - J^T Jbar^T) tau_0      x: the task, m <= 6
///   Lambda = (J M^-1 J^T)^-1    Jbar = M^-1 J^T Lambda                    consistent inverse
///   mu = Jbar^T C qd - Lambda Jdot qd           p = Jbar^T g              tau_0 moves no task
///
/// For square regular J these are Craig's Cartesian forms M_x = J^-T M J^-1 = Lambda, V_x = mu,
/// G_x = p; in configuration space form
///   J^T V_x = B_x [qd qd] + C_x [qd^2],     B_x = J^T (Jbar^T B - Lambda K_B),  C_x likewise,
/// with Jdot qd = K_B [qd qd] + K_C [qd^2].
///
/// Singular J M^-1 J^T has no inverse: the task cannot move in some direction, whatever the force:
///          its inertia there is infinite. Without damping the pseudo-inverse is taken (no force is
///          spent on those directions); with damping d, Lambda = (J M^-1 J^T + d^2)^-1, which is
///          finite and no longer exact. The result says which, and how near: rank, singular values.
///
/// Scalars  Duals carry the derivatives at constant rank; packs have a rank in each lane, and the
///          result tells of the worst one.
/// Frames   Rows of the Jacobian as `Reference` says (kinematics/velocity.hpp), angular first.
/// Cost     O(n m) and a singular value problem of size m; no allocation.
/// Source   Khatib 1987; Craig 2005, sec. 6.10.
#include <array>
#include <initializer_list>

#include "torsor/dynamics/internal/task_inverse.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/dynamics/textbook/configuration_space.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/model/internal/assert_state.hpp"

namespace torsor {

/// Which numbers of a frame's motion are the task.
struct OperationalTask {
  Frame frame;
  Reference reference = Reference::world_aligned;
  int n_rows = 6;
  int rows[6] = {0, 1, 2, 3, 4, 5};  ///< of (wx, wy, wz, vx, vy, vz)
  double damping = 0;                ///< d, in units of sqrt(J M^-1 J^T)

  explicit OperationalTask(Frame f, Reference r = Reference::world_aligned)
      : frame(std::move(f)), reference(r) {}
  /// Throws Error for a row outside 0 ... 5, a repeated row, or none.
  OperationalTask(Frame f, Reference r, std::initializer_list<int> chosen);
};

template <class Real = double>
struct OperationalDynamics {
  StoredMatrix<Real> lambda;              ///< m x m; M_x
  std::array<Real, 6> mu{}, p{};          ///< V_x, G_x
  StoredMatrix<Real> jacobian;            ///< m x n
  StoredMatrix<Real> consistent_inverse;  ///< Jbar, n x m

  template <class Param>
  OperationalDynamics(const Model<Param>& model, const OperationalTask& task)
      : lambda(task.n_rows, task.n_rows),
        jacobian(task.n_rows, model.n_v()),
        consistent_inverse(model.n_v(), task.n_rows) {}
};

template <class Real = double>
struct OperationalWorkspace {
  KinematicsWorkspace<Real> kinematics;
  VelocityWorkspace<Real> velocity;
  MinverseTimesWorkspace<Real> minverse;
  RneaWorkspace<Real> rnea;
  ConfigurationSpaceWorkspace<Real> configuration_space;
  internal::TaskInverse inverse;
  Array<Real> full_jacobian, bias, gravity, unit;

  template <class Param>
  explicit OperationalWorkspace(const Model<Param>& model)
      : kinematics(model),
        velocity(model),
        minverse(model),
        rnea(model),
        configuration_space(model),
        inverse(model.n_v()),
        full_jacobian(6 * model.n_v()),
        bias(model.n_v()),
        gravity(bias.size()),
        unit(bias.size()) {}
};

namespace internal {

/// Lambda, J and Jbar.
template <class Param, class Real>
OperationalResult task_inertia(const Model<Param>& model, OperationalWorkspace<Real>& ws,
                               In<Real> q, const OperationalTask& task,
                               OperationalDynamics<Real>& out) {
  assert_state(model, q);
  const int n = model.n_v(), m = task.n_rows;
  const MatrixView<Real> full = column_major(ws.full_jacobian.data(), 6, n);
  jacobian(model, ws.kinematics, q, task.frame, task.reference, full);
  auto& [lambda, mu, p, J, Jbar] = out;
  for (int r = 0; r < m; ++r)
    for (int k = 0; k < n; ++k) {
      J(r, k) = full(task.rows[r], k);
      Jbar(k, r) = J(r, k);
    }
  const auto mass =
      mass_matrix_inverse_times(model, ws.minverse, q, std::as_const(Jbar).view(), Jbar.view());
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < m; ++c) {
      Real sum(0);
      for (int k = 0; k < n; ++k) sum = sum + J(r, k) * Jbar(k, c);
      lambda(r, c) = sum;
    }
  OperationalResult result;
  ws.inverse.look_at(std::as_const(J).view(), result);
  ws.inverse.invert(lambda.view(), task.damping, result);
  result.regular = result.rank == m;
  result.exact = result.regular && task.damping == 0;
  result.mass_matrix_regular = static_cast<bool>(mass);
  for (int k = 0; k < n; ++k) {
    Real row[6];
    for (int r = 0; r < m; ++r) {
      Real sum(0);
      for (int c = 0; c < m; ++c) sum = sum + Jbar(k, c) * lambda(c, r);
      row[r] = sum;
    }
    for (int r = 0; r < m; ++r) Jbar(k, r) = row[r];
  }
  return result;
}

/// Jdot qd, the rows of the task.
template <class Param, class Real>
std::array<Real, 6> task_bias(const Model<Param>& model, OperationalWorkspace<Real>& ws, In<Real> q,
                              In<Real> qd, const OperationalTask& task) {
  const Twist<Real> A = jacobian_dot_times_velocity<Param, Real>(model, ws.velocity, q, qd,
                                                                 task.frame, task.reference);
  const Real all[6] = {A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
  std::array<Real, 6> chosen{};
  for (int r = 0; Real & x : Out<Real>(chosen.data(), task.n_rows)) x = all[task.rows[r++]];
  return chosen;
}

/// Jbar^T b - Lambda k: the force of a bias b of the joints and k of the task. An empty k means zero.
template <class Real>
std::array<Real, 6> task_force(const OperationalDynamics<Real>& d, const Real* b, In<Real> k) {
  std::array<Real, 6> out{};
  const Out<Real> f = out;
  for (int r = 0; r < d.lambda.rows; ++r) {
    Real sum(0);
    for (int j = 0; j < d.jacobian.cols; ++j) sum = sum + d.consistent_inverse(j, r) * b[j];
    for (int c = 0; !k.empty() && c < d.lambda.rows; ++c) sum = sum - d.lambda(r, c) * k[c];
    f[r] = sum;
  }
  return out;
}

template <class Real>
Real transpose_times(const StoredMatrix<Real>& J, In<Real> f, int k) {
  Real sum(0);
  for (int r = 0; r < J.rows; ++r) sum = sum + J(r, k) * f[r];
  return sum;
}

}  // namespace internal

/// Lambda, mu, p, J and Jbar of a task.
template <class Param, class Real>
OperationalResult operational_dynamics(const Model<Param>& model, OperationalWorkspace<Real>& ws,
                                       In<Real> q, In<Real> qd, const OperationalTask& task,
                                       OperationalDynamics<Real>& out) {
  const OperationalResult result = internal::task_inertia(model, ws, q, task, out);
  bias_torque(model, ws.rnea, q, qd, ws.bias);
  gravity_torque(model, ws.rnea, q, ws.gravity);
  for (int k = 0; k < ws.bias.size(); ++k) ws.bias[k] = ws.bias[k] - ws.gravity[k];
  out.mu = internal::task_force(out, ws.bias.data(), internal::task_bias(model, ws, q, qd, task));
  out.p = internal::task_force(out, ws.gravity.data(), {});
  return result;
}

/// J^T (Lambda xdd + mu + p): joint torques for an acceleration of the task.
template <class Real>
void task_torque(const OperationalDynamics<Real>& dynamics, In<Real> xdd, Out<Real> tau) {
  Real F[6];
  const In<Real> mu = dynamics.mu, p = dynamics.p;
  const int m = dynamics.lambda.rows;
  for (int r = 0; r < m; ++r) {
    F[r] = mu[r] + p[r];
    for (int c = 0; c < m; ++c) F[r] = F[r] + dynamics.lambda(r, c) * xdd[c];
  }
  for (int k = 0; k < dynamics.jacobian.cols; ++k)
    tau[k] = internal::transpose_times(dynamics.jacobian, F, k);
}

/// (1 - J^T Jbar^T) tau_0: what of tau_0 does not accelerate the task. In place.
template <class Real>
void project_to_null_space(const OperationalDynamics<Real>& dynamics, Out<Real> tau) {
  const std::array<Real, 6> F = internal::task_force<Real>(dynamics, tau.data, {});
  for (int k = 0; k < dynamics.jacobian.cols; ++k)
    tau[k] = tau[k] - internal::transpose_times(dynamics.jacobian, F, k);
}

/// The Cartesian configuration space form: tau = J^T (M_x xdd + G_x) + B_x [qd qd] + C_x [qd^2].
template <class Real = double>
struct CartesianForm {
  OperationalDynamics<Real> at_rest;  ///< M_x = lambda, G_x = p; mu is zero
  StoredMatrix<Real> coriolis_B;      ///< B_x, n x n(n-1)/2
  StoredMatrix<Real> centrifugal_C;   ///< C_x, n x n
  ConfigurationSpaceForm<Real> joint_space;

  template <class Param>
  CartesianForm(const Model<Param>& model, const OperationalTask& task)
      : at_rest(model, task),
        coriolis_B(model.n_v(), internal::n_velocity_products(model.n_v())),
        centrifugal_C(model.n_v(), model.n_v()),
        joint_space(model) {}
};
template <class Param, class Real>
OperationalResult cartesian_form(const Model<Param>& model, OperationalWorkspace<Real>& ws,
                                 In<Real> q, const OperationalTask& task,
                                 CartesianForm<Real>& out) {
  const int n = model.n_v();
  OperationalDynamics<Real>& at_rest = out.at_rest;
  ConfigurationSpaceForm<Real>& joint_space = out.joint_space;
  const OperationalResult result = internal::task_inertia(model, ws, q, task, at_rest);
  configuration_space_form(model, ws.configuration_space, q, joint_space);
  at_rest.mu = {};
  at_rest.p = internal::task_force(at_rest, joint_space.gravity.data(), {});
  // Jdot qd is quadratic in qd: coefficients are its values at e_j, and at e_j + e_k less those.
  const auto bias_at = [&](int j, int k) {
    for (int i = 0; i < n; ++i) ws.unit[i] = Real(i == j || i == k ? 1 : 0);
    return internal::task_bias<Param, Real>(model, ws, q, ws.unit, task);
  };
  const auto store = [&](const StoredMatrix<Real>& from, StoredMatrix<Real>& to, int column,
                         const std::array<Real, 6>& k) {
    const auto F = internal::task_force(at_rest, &from(0, column), k);
    for (int i = 0; i < n; ++i) to(i, column) = internal::transpose_times(at_rest.jacobian, F, i);
  };
  int column = 0;
  for (int j = 0; j < n; ++j) {
    const auto own = bias_at(j, j);
    store(joint_space.centrifugal_C, out.centrifugal_C, j, own);
    for (int k = j + 1; k < n; ++k) {
      const auto other = bias_at(k, k);
      auto both = bias_at(j, k);
      for (int r = 0; Real & x : both) x = x - (own.data()[r] + other.data()[r]), ++r;
      store(joint_space.coriolis_B, out.coriolis_B, column++, both);
    }
  }
  return result;
}

/// Compiled once, in src/dynamics/operational.cpp; other scalars where they are used.
#define TORSOR_OPERATIONAL(Extern, Param, Real)                                           \
  Extern template OperationalResult operational_dynamics(                                 \
      const Model<Param>&, OperationalWorkspace<Real>&, In<Real>, In<Real>,               \
      const OperationalTask&, OperationalDynamics<Real>&);                                \
  Extern template OperationalResult cartesian_form(const Model<Param>&,                   \
                                                   OperationalWorkspace<Real>&, In<Real>, \
                                                   const OperationalTask&, CartesianForm<Real>&);
TORSOR_OPERATIONAL(extern, double, double)
TORSOR_OPERATIONAL(extern, float, float)
#ifndef TORSOR_INSTANTIATE
#undef TORSOR_OPERATIONAL
#endif

}  // namespace torsor
