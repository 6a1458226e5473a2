// Lower priorities and the objective: steps in the null space of all that comes before.
//
// With steps z = u / unit, Jc the Jacobian of what must stay and Z an orthonormal basis of its null
// space (of the columns that no bound holds),
//
//   least  z^T (B + lambda) z / 2 - g^T z,  z = Z y,   up to the first bound;
//
// then what must stay is brought back by a descent, and the step counts only where that succeeds
// and the aim is nearer than before.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics_parts.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr int max_steps = 80, max_refusals = 8;

/// A (upper triangle, by rows) and g of what is to be lessened, in z.
struct Aim {
  int level;  ///< plan.levels: the objective
  IkObjective objective;
};

double squared_level(const Plan& plan, int level) {
  double sum = 0;
  for (int t = 0; t < plan.n_targets; ++t)
    if (plan.tasks[at(t)].level == level)
      for (int k = 6 * t; k < 6 * t + 6; ++k) sum += plan.e[at(k)] * plan.e[at(k)];
  return sum;
}

/// sqrt(det J J^T) of the first target's rows that have weight, or of J^T J where columns are fewer.
double manipulability_at(const Model<double>& model, Plan& plan, const double* x) {
  const Task& task = plan.tasks[0];
  forward(model, plan, x);
  (void)errors(plan, task.level, task.level);
  jacobian(model, plan, x, task.level, task.level);
  const std::vector<int>& steps = plan.frames[0].steps;
  double G[36]{};
  int rows[6], m = 0;
  for (int k = 0; k < 6; ++k)
    if ((k < 3 ? task.w_rotation[k] : task.w_position[k - 3]) > 0) rows[m++] = k;
  const auto entry = [&](int row, int step) {
    return plan.J[at(row + step * plan.n_rows)] * (row < 3 ? 1 : plan.length);
  };
  const int columns = static_cast<int>(steps.size()), n = std::min(m, columns);
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      double sum = 0;
      if (m <= columns)
        for (const int s : steps) sum += entry(rows[i], s) * entry(rows[j], s);
      else
        for (int r = 0; r < m; ++r)
          sum += entry(rows[r], steps[at(i)]) * entry(rows[r], steps[at(j)]);
      G[i * 6 + j] = sum;
    }
  double determinant = 1;
  for (int c = 0; c < n; ++c) {
    const double pivot = G[c * 6 + c];
    if (!(pivot > 0)) return 0;
    determinant *= pivot;
    for (int r = c + 1; r < n; ++r)
      for (int k = r; k < n; ++k) G[r * 6 + k] -= G[c * 6 + r] * G[c * 6 + k] / pivot;
  }
  return std::sqrt(determinant);
}

bool has_range(const Plan& plan, int c) {
  return std::isfinite(plan.lower[at(c)]) && std::isfinite(plan.upper[at(c)]) &&
         plan.upper[at(c)] > plan.lower[at(c)];
}

/// q (-) reference along step k, for coordinates whose rate it is.
double away(const Plan& plan, const double* x, int k) {
  const int c = plan.coordinate_of_step[at(k)];
  return x[c] - plan.reference[at(c)];
}
Vec3<double> turn_away(const Plan& plan, const double* x, int quaternion) {
  const auto from = [&](const double* q) { return Quaternion<double>{q[0], q[1], q[2], q[3]}; };
  return log(conjugate(from(plan.reference.data() + quaternion)) * from(x + quaternion));
}

double aim_value(const Model<double>& model, Plan& plan, const Aim& aim, const double* x) {
  if (aim.level == plan.levels) return objective_value(model, plan, aim.objective, x);
  forward(model, plan, x);
  return errors(plan, aim.level, aim.level);
}

void objective_slope(const Model<double>& model, Plan& plan, IkObjective objective) {
  const int n = plan.n_u;
  double* const x = plan.x.data();
  const auto set = [&](int k, double slope, double curvature) {
    plan.g[at(k)] = slope * plan.unit_of_step[at(k)];
    plan.A[at(k * n + k)] = curvature;
  };
  if (objective == IkObjective::nearest) {
    for (int k = 0; k < n; ++k)
      if (plan.coordinate_of_step[at(k)] >= 0) {
        const double unit = plan.unit_of_step[at(k)];
        set(k, -2 * away(plan, x, k) / (unit * unit), 2);
      }
    for (std::size_t i = 0; i < plan.quaternions.size(); ++i) {
      const Vec3<double> turn = turn_away(plan, x, plan.quaternions[i]);
      for (int k = 0; k < 3; ++k) set(plan.quaternion_steps[i] + k, -2 * turn[k], 2);
    }
  } else if (objective == IkObjective::away_from_limits) {
    for (int k = 0; k < n; ++k) {
      const int c = plan.coordinate_of_step[at(k)];
      if (c < 0 || !has_range(plan, c)) continue;
      const double half = (plan.upper[at(c)] - plan.lower[at(c)]) / 2;
      const double middle = (plan.upper[at(c)] + plan.lower[at(c)]) / 2, unit = plan.unit[at(c)];
      set(k, -2 * (x[c] - middle) / (half * half), 2 * unit * unit / (half * half));
    }
  } else {
    // Central differences; the step in x_try may be cut by a limit, which makes it one-sided.
    const double h = 1e-5;
    for (int k = 0; k < n; ++k) {
      std::fill(plan.step.begin(), plan.step.end(), 0.0);
      const double size = h * plan.unit_of_step[at(k)];
      const int c = plan.coordinate_of_step[at(k)];
      const auto room = [&](double bound) {
        return c < 0 || plan.wraps[at(c)] || std::abs(bound - x[c]) > size;
      };
      double value[2], apart = 0;
      for (const int side : {0, 1}) {
        const bool go = c < 0 || room(side ? plan.upper[at(c)] : plan.lower[at(c)]);
        plan.step[at(k)] = go ? (side ? size : -size) : 0;
        apart += go ? size : 0;
        advance(model, plan, x, plan.step.data(), plan.x_try.data());
        value[side] = manipulability_at(model, plan, plan.x_try.data());
      }
      if (apart > 0) set(k, (value[1] - value[0]) / apart, 0);
    }
  }
}

/// g and A of the aim at plan.x, and J of all that must stay.
void slope(const Model<double>& model, Plan& plan, const Aim& aim) {
  const int n = plan.n_u;
  std::fill(plan.A.begin(), plan.A.end(), 0.0);
  std::fill(plan.g.begin(), plan.g.end(), 0.0);
  if (aim.level == plan.levels) objective_slope(model, plan, aim.objective);
  const int last = std::min(aim.level, plan.levels - 1);
  forward(model, plan, plan.x.data());
  (void)errors(plan, 0, last);
  jacobian(model, plan, plan.x.data(), 0, last);
  if (aim.level == plan.levels) return;
  for (int t = 0; t < plan.n_targets; ++t) {
    if (plan.tasks[at(t)].level != aim.level) continue;
    const std::vector<int>& steps = plan.frames[at(t)].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const double* const a = plan.J.data() + 6 * t + steps[i] * plan.n_rows;
      const double unit = plan.unit_of_step[at(steps[i])];
      for (int r = 0; r < 6; ++r) plan.g[at(steps[i])] += unit * a[r] * plan.e[at(6 * t + r)];
      for (std::size_t j = i; j < steps.size(); ++j) {
        const double* const b = plan.J.data() + 6 * t + steps[j] * plan.n_rows;
        const double units = unit * plan.unit_of_step[at(steps[j])];
        for (int r = 0; r < 6; ++r) plan.A[at(steps[i] * n + steps[j])] += units * a[r] * b[r];
      }
    }
  }
}

/// Takes from v what lies along the rows 0 ... count - 1 of Q, twice for the rounding; |v|^2.
double orthogonalize(const double* Q, int count, int n, double* v) {
  double size = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      double along = 0;
      for (int k = 0; k < n; ++k) along += Q[i * n + k] * v[k];
      for (int k = 0; k < n; ++k) v[k] -= along * Q[i * n + k];
    }
  }
  for (int k = 0; k < n; ++k) size += v[k] * v[k];
  return size;
}

/// Rows of plan.basis: first the directions that move what must stay, then those that do not.
/// Returns how many there are of the former. Held steps have no entry.
int split_directions(Plan& plan, const Aim& aim) {
  const int n = plan.n_u;
  double* const Q = plan.basis.data();
  double* const rows = plan.gram.data();
  int m = 0;
  double largest = 0;
  for (int t = 0; t < plan.n_targets; ++t) {
    if (plan.tasks[at(t)].level >= aim.level) continue;
    for (int r = 6 * t; r < 6 * t + 6; ++r, ++m) {
      double size = 0;
      for (int k = 0; k < n; ++k) {
        double& entry = rows[m * n + k];
        entry =
            plan.at_bound[at(k)] ? 0 : plan.J[at(r + k * plan.n_rows)] * plan.unit_of_step[at(k)];
        size += entry * entry;
      }
      largest = std::max(largest, size);
    }
  }
  int rank = 0;
  while (rank < n) {  // largest row first
    int best = -1;
    double size = 1e-12 * largest;
    for (int i = 0; i < m; ++i) {
      const double left = orthogonalize(Q, rank, n, rows + i * n);
      if (left > size) size = left, best = i;
    }
    if (best < 0) break;
    const double scale = 1 / std::sqrt(size);
    for (int k = 0; k < n; ++k) {
      Q[rank * n + k] = rows[best * n + k] * scale;
      rows[best * n + k] = 0;
    }
    ++rank;
  }
  // The rest of the space, from the unit vectors.
  int count = rank, n_free = 0;
  for (int k = 0; k < n; ++k) n_free += !plan.at_bound[at(k)];
  for (int k = 0; k < n && count < n_free; ++k) {
    if (plan.at_bound[at(k)]) continue;
    double* const v = Q + count * n;
    std::fill(v, v + n, 0.0);
    v[k] = 1;
    const double size = orthogonalize(Q, count, n, v);
    if (size < 0.25 / n) continue;
    const double scale = 1 / std::sqrt(size);
    for (int i = 0; i < n; ++i) v[i] *= scale;
    ++count;
  }
  plan.free[0] = count;
  return rank;
}

/// y of the reduced problem, then u = unit Z y in plan.step.
void null_space_step(Plan& plan, int rank, int count, double lambda) {
  const int n = plan.n_u, m = count - rank;
  const double* const Z = plan.basis.data() + rank * n;
  double* const H = plan.reduced.data();
  double* const y = plan.rhs.data();
  double* const Az = plan.factor.data();
  for (int i = 0; i < m; ++i) {
    for (int r = 0; r < n; ++r) {
      double sum = lambda * Z[i * n + r];
      for (int k = 0; k < n; ++k)
        sum += (r < k ? plan.A[at(r * n + k)] : plan.A[at(k * n + r)]) * Z[i * n + k];
      Az[r] = sum;
    }
    y[i] = 0;
    for (int k = 0; k < n; ++k) y[i] += Z[i * n + k] * plan.g[at(k)];
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += Z[j * n + k] * Az[k];
      H[j * n + i] = sum;
    }
  }
  for (int c = 0; c < m; ++c)
    for (int r = c + 1; r < m; ++r) {
      const double l = H[c * n + r] / H[c * n + c];
      for (int k = r; k < m; ++k) H[r * n + k] -= l * H[c * n + k];
      y[r] -= l * y[c];
    }
  for (int c = m - 1; c >= 0; --c) {
    for (int r = c + 1; r < m; ++r) y[c] -= H[c * n + r] * y[r];
    y[c] /= H[c * n + c];
  }
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += Z[i * n + k] * y[i];
    plan.step[at(k)] = plan.at_bound[at(k)] ? 0 : sum * plan.unit_of_step[at(k)];
  }
}

/// The step that the bounds allow; false where nothing may move.
bool bounded_step(Plan& plan, const Aim& aim, double lambda) {
  const int n = plan.n_u;
  std::fill(plan.at_bound.begin(), plan.at_bound.end(), static_cast<signed char>(0));
  for (int round = 0; round <= n; ++round) {
    const int rank = split_directions(plan, aim);
    const int count = plan.free[0];
    if (count <= rank) return false;
    null_space_step(plan, rank, count, lambda);
    int worst = -1;  // at a bound already and pushing against it
    double push = 0, part = 1;
    for (int k = 0; k < n; ++k) {
      const double u = plan.step[at(k)], unit = plan.unit_of_step[at(k)];
      if (u == 0) continue;
      const double room = u > 0 ? plan.high[at(k)] : -plan.low[at(k)];
      if (room <= 1e-12 * unit) {
        if (std::abs(u) / unit > push) push = std::abs(u) / unit, worst = k;
      } else {
        part = std::min(part, room / std::abs(u));
      }
    }
    if (worst >= 0) {
      plan.at_bound[at(worst)] = 1;
      continue;
    }
    for (double& u : plan.step) u *= part;
    return true;
  }
  return false;
}

/// Whether the levels before `level` are as good as they were.
bool kept(const Plan& plan, int level) {
  for (int k = 0; k < level; ++k)
    if (plan.cost[at(k)] > plan.cost_good[at(k)] * (1 + 1e-9)) return false;
  return true;
}

/// Brings plan.x back to where the levels before `level` are what they were.
bool bring_back(const Model<double>& model, Plan& plan, int level, Budget& budget) {
  Descent d;
  d.last_level = level - 1;
  d.hold = true;
  d.patient = true;
  d.iterations = 8;
  (void)descend(model, plan, d, budget);
  judge_levels(model, plan);
  return kept(plan, level);
}

}  // namespace

void judge_levels(const Model<double>& model, Plan& plan) {
  forward(model, plan, plan.x.data());
  (void)errors(plan, 0, plan.levels - 1);
  for (int level = 0; level < plan.levels; ++level) {
    bool all = true;
    for (int t = 0; t < plan.n_targets; ++t)
      all = all && (plan.tasks[at(t)].level != level || plan.residuals[at(t)].reached);
    plan.cost[at(level)] = all ? 0 : squared_level(plan, level);
  }
}

double objective_value(const Model<double>& model, Plan& plan, IkObjective objective,
                       const double* x) {
  double sum = 0;
  switch (objective) {
    case IkObjective::none:
      return 0;
    case IkObjective::manipulability:
      return -manipulability_at(model, plan, x);
    case IkObjective::nearest:
      for (int k = 0; k < plan.n_u; ++k)
        if (plan.coordinate_of_step[at(k)] >= 0) {
          const double d = away(plan, x, k) / plan.unit_of_step[at(k)];
          sum += d * d;
        }
      for (const int quaternion : plan.quaternions)
        sum += squared_norm(turn_away(plan, x, quaternion));
      return sum;
    case IkObjective::away_from_limits:
      for (int c = 0; c < plan.n_x; ++c) {
        if (!has_range(plan, c)) continue;
        const double d = (2 * x[c] - plan.upper[at(c)] - plan.lower[at(c)]) /
                         (plan.upper[at(c)] - plan.lower[at(c)]);
        sum += d * d;
      }
      return sum;
  }
  return sum;
}

void refine(const Model<double>& model, Plan& plan, int level, IkObjective objective,
            Budget& budget) {
  const Aim aim{level, objective};
  judge_levels(model, plan);
  plan.cost_good = plan.cost;
  for (int t = 0; t < plan.n_targets; ++t)
    for (int k = 6 * t; k < 6 * t + 6; ++k)
      plan.held[at(k)] = plan.residuals[at(t)].reached ? 0 : plan.e[at(k)];
  double value = aim_value(model, plan, aim, plan.x.data());
  double damping = -1;
  for (int iteration = 0; iteration < max_steps && !budget.spent(); ++iteration) {
    if (level < plan.levels && plan.cost[at(level)] == 0) break;
    slope(model, plan, aim);
    set_box(plan, plan.x.data(), true);
    if (damping < 0) {
      double size = 0;
      for (const double g : plan.g) size += g * g;
      // Quadratic aims know their curvature; manipulability begins with steps of a tenth.
      damping = aim.objective == IkObjective::manipulability && level == plan.levels
                    ? 10 * std::sqrt(size)
                    : 0.03 * value;
    }
    plan.x_good = plan.x;
    double next = value;
    bool better = false;
    for (int refused = 0; refused < max_refusals && !better; ++refused) {
      if (refused > 0) {
        plan.x = plan.x_good;
        damping = 4 * damping + 1e-6;
        slope(model, plan, aim);
        set_box(plan, plan.x.data(), true);
      }
      ++budget.used;
      if (!bounded_step(plan, aim, damping + 1e-10)) break;
      advance(model, plan, plan.x_good.data(), plan.step.data(), plan.x.data());
      if (!bring_back(model, plan, level, budget)) continue;
      next = aim_value(model, plan, aim, plan.x.data());
      better = next < value;
    }
    if (!better) {
      plan.x = plan.x_good;
      break;
    }
    judge_levels(model, plan);
    damping *= 0.25;
    const bool still = value - next <= 1e-12 * std::abs(value);
    value = next;
    if (still) break;
  }
  judge_levels(model, plan);
}

}  // namespace torsor::numeric_ik
