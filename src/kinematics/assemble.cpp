#include "torsor/kinematics/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "torsor/kinematics/assembly_modes.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

struct Largest {
  double value = 0;
  int row = -1;
};
Largest largest(View<const double> x) {
  Largest found;
  for (int k = 0; k < x.size; ++k)
    if (!(std::abs(x[k]) <= found.value)) found = {std::abs(x[k]), k};
  return found;
}
double squared_sum(const Array<double>& x) {
  double sum = 0;
  for (const double e : x) sum += e * e;
  return sum;
}

/// Calls f(coordinate, limits of it, velocity that moves it) for every coordinate with limits.
template <class Function>
void for_each_limit(const Model<double>& model, Function f) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    for (int k = 0; k < b.q.count; ++k) {
      const int dof = limits_of_coordinate(model.joint(i), k);
      if (dof < 0 || internal::coordinate_of_dof(model.joint(i), dof) != k) continue;
      f(b.q.first + k, model.limits(b.v.first + dof), b.v.first + dof);
    }
  }
}

bool moves(View<const char> moving, int k) { return moving.empty() || moving[k]; }

/// A without the columns of what is held; returns its view.
MatrixView<double> masked_jacobian(const Model<double>& model, const ConstraintSet& set,
                                   AssemblyWorkspace& ws, View<const double> q,
                                   View<const char> moving) {
  const auto A = column_major(ws.A.data(), set.n_rows(), model.n_v());
  constraint_jacobian(model, set, ws.rows, q, A);
  for (int k = 0; k < A.cols; ++k)
    for (int r = 0; r < A.rows && !moves(moving, k); ++r) A(r, k) = 0;
  return A;
}

/// The step of the damped least squares problem, over what is not held.
void damped_step(const MatrixView<double>& A, AssemblyWorkspace& ws, double mu) {
  const int m = A.rows, n = A.cols;
  const auto B = column_major(ws.augmented.data(), m + n, n);
  for (int c = 0; c < n; ++c) {
    for (int r = 0; r < m; ++r) B(r, c) = ws.held[c] ? 0 : A(r, c);
    for (int r = 0; r < n; ++r) B(m + r, c) = r == c ? std::sqrt(mu) : 0;
  }
  for (int r = 0; r < m + n; ++r) ws.right[r] = r < m ? -ws.phi[r] : 0;
  ws.decomposition.factorise(B);
  (void)ws.decomposition.solve({ws.right.data(), m + n}, ws.step);
}

/// Holds the coordinates at a limit that the step would leave; true if there are any.
bool hold_at_limits(const Model<double>& model, View<const double> q, AssemblyWorkspace& ws) {
  bool changed = false;
  for_each_limit(model, [&](int k, const Limits& limits, int dof) {
    if (ws.held[dof]) return;
    const double step = ws.step[dof];
    if ((q[k] <= limits.lower && step < 0) || (q[k] >= limits.upper && step > 0))
      ws.held[dof] = 1, changed = true;
  });
  return changed;
}

}  // namespace

AssemblyWorkspace::AssemblyWorkspace(const Model<double>& model, const ConstraintSet& set)
    : rows(model),
      decomposition(set.n_rows() + model.n_v(), std::max(model.n_v(), 1)),
      phi(set.n_rows()),
      next_phi(phi.size()),
      A(phi.size() * model.n_v()),
      augmented((phi.size() + model.n_v()) * model.n_v()),
      right(phi.size() + model.n_v()),
      step(model.n_v()),
      q(model.n_q()),
      bias(phi.size()),
      held(model.n_v()) {}

Assembly assemble(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                  View<double> q, const AssemblyOptions& options) {
  const auto clamp = [&](View<double> x) {
    if (!options.keep_limits) return;
    for_each_limit(model, [&](int k, const Limits& limits, int dof) {
      if (moves(options.moving, dof)) x[k] = std::clamp(x[k], limits.lower, limits.upper);
    });
  };
  clamp(q);
  constraint_residual(model, set, ws.rows, q, ws.phi);
  Assembly result;
  double mu = 1e-3, cost = squared_sum(ws.phi);
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    const Largest worst = largest(ws.phi);
    result.residual = worst.value, result.worst_row = worst.row;
    result.closed = worst.value <= options.tolerance;
    if (result.closed || !std::isfinite(cost) || mu > 1e12) break;
    const MatrixView<double> A = masked_jacobian(model, set, ws, q, options.moving);
    for (int k = 0; k < A.cols; ++k) ws.held[k] = moves(options.moving, k) ? 0 : 1;
    damped_step(A, ws, mu);
    while (options.keep_limits && hold_at_limits(model, q, ws)) damped_step(A, ws, mu);
    integrate(model, q, ws.step, ws.q);
    clamp(ws.q);
    constraint_residual(model, set, ws.rows, ws.q, ws.next_phi);
    const double next = squared_sum(ws.next_phi);
    if (next < cost) {
      std::copy(ws.q.begin(), ws.q.end(), q.begin());
      ws.phi.swap(ws.next_phi);
      cost = next;
      mu = mu < 1e-12 ? 0 : mu * 0.05;
    } else {
      mu = std::max(mu * 10, 1e-10);
    }
  }
  ws.decomposition.factorise(masked_jacobian(model, set, ws, q, options.moving));
  result.rank = ws.decomposition.rank();
  return result;
}

double project_velocity(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                        View<const double> q, View<double> qd, View<const char> moving) {
  const auto A = column_major(ws.A.data(), set.n_rows(), model.n_v());
  const auto left = [&](Array<double>& out) {
    for (int r = 0; r < A.rows; ++r) {
      out[r] = 0;
      for (int k = 0; k < A.cols; ++k) out[r] += A(r, k) * qd[k];
    }
  };
  constraint_jacobian(model, set, ws.rows, q, A);
  left(ws.phi);
  ws.decomposition.factorise(masked_jacobian(model, set, ws, q, moving));
  (void)ws.decomposition.solve(ws.phi, ws.step);
  for (int k = 0; k < A.cols; ++k) qd[k] -= ws.step[k];
  constraint_jacobian(model, set, ws.rows, q, A);
  left(ws.phi);
  return largest(ws.phi).value;
}

double project_acceleration(const Model<double>& model, const ConstraintSet& set,
                            AssemblyWorkspace& ws, View<const double> q, View<const double> qd,
                            View<double> qdd, View<const char> moving) {
  const auto A = column_major(ws.A.data(), set.n_rows(), model.n_v());
  const auto left = [&] {
    for (int r = 0; r < A.rows; ++r) {
      ws.phi[r] = ws.bias[r];
      for (int k = 0; k < A.cols; ++k) ws.phi[r] += A(r, k) * qdd[k];
    }
  };
  constraint_bias(model, set, ws.rows, q, qd, ws.bias);
  constraint_jacobian(model, set, ws.rows, q, A);
  left();
  ws.decomposition.factorise(masked_jacobian(model, set, ws, q, moving));
  (void)ws.decomposition.solve(ws.phi, ws.step);
  for (int k = 0; k < A.cols; ++k) qdd[k] -= ws.step[k];
  constraint_jacobian(model, set, ws.rows, q, A);
  left();
  return largest(ws.phi).value;
}

ConstraintErrors constraint_errors(const Model<double>& model, const ConstraintSet& set,
                                   AssemblyWorkspace& ws, View<const double> q,
                                   View<const double> qd, View<const double> qdd) {
  ConstraintErrors errors;
  const auto A = column_major(ws.A.data(), set.n_rows(), model.n_v());
  const auto times = [&](View<const double> x) {
    for (int r = 0; r < A.rows; ++r)
      for (int k = 0; k < A.cols; ++k) ws.phi[r] += A(r, k) * x[k];
    return largest(ws.phi);
  };
  constraint_residual(model, set, ws.rows, q, ws.phi);
  const Largest position = largest(ws.phi);
  errors.position = position.value, errors.position_row = position.row;
  if (qd.empty()) return errors;
  constraint_jacobian(model, set, ws.rows, q, A);
  std::fill(ws.phi.begin(), ws.phi.end(), 0.0);
  const Largest velocity = times(qd);
  errors.velocity = velocity.value, errors.velocity_row = velocity.row;
  if (qdd.empty()) return errors;
  constraint_bias(model, set, ws.rows, q, qd, ws.phi);
  const Largest acceleration = times(qdd);
  errors.acceleration = acceleration.value, errors.acceleration_row = acceleration.row;
  return errors;
}

Array<Array<double>> assembly_modes(const Model<double>& model, const ConstraintSet& set,
                                    View<const double> q, const AssemblyOptions& options,
                                    int samples, std::uint64_t seed) {
  return assembly_modes(model, set, q, options, samples, seed, {});
}
Array<Array<double>> assembly_modes(const Model<double>& model, const ConstraintSet& set,
                                    View<const double> q, const AssemblyOptions& options,
                                    int samples, std::uint64_t seed,
                                    const std::function<bool(double)>& progress) {
  AssemblyWorkspace ws(model, set);
  Array<Array<double>> modes;
  Array<double> drawn(model.n_q()), apart(model.n_v());
  const auto same = [&](const Array<double>& a, const Array<double>& b) {
    difference(model, a, b, apart);
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = 0; k < model.body(i).v.count; ++k) {
        double& x = apart[model.body(i).v.first + k];
        if (model.joint(i).kind == JointKind::revolute) x = internal::wrapped_angle(x);
        if (std::abs(x) > 1e-6) return false;
      }
    return true;
  };
  for (int s = 0; s < samples && (!progress || progress(double(s) / samples)); ++s) {
    random_configuration(model, seed + static_cast<std::uint64_t>(s), drawn);
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Body<double>& b = model.body(i);
      if (moves(options.moving, b.v.first)) continue;
      for (int k = b.q.first; k < b.q.first + b.q.count; ++k) drawn[k] = q[k];
    }
    if (!assemble(model, set, ws, drawn, options)) continue;
    if (std::none_of(modes.begin(), modes.end(),
                     [&](const Array<double>& mode) { return same(mode, drawn); }))
      modes.push_back(drawn);
  }
  return modes;
}

std::string message(const ConstraintSet& set, const Assembly& assembly) {
  char number[32];
  std::snprintf(number, sizeof number, "%.3g", assembly.residual);
  if (assembly.closed)
    return "loops are closed to " + std::string(number) + " (" +
           std::to_string(assembly.iterations) + " steps)";
  return "loops do not close: \"" + set.row_name(assembly.worst_row) + "\" stays open by " +
         number + " (m or rad) after " + std::to_string(assembly.iterations) + " steps";
}

}  // namespace torsor
