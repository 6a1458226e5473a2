// Lower priorities and the objective: steps in the null space of all that comes before.
//
// With steps z = u / unit, Jc the Jacobian of what must stay and Z an orthonormal basis of its null
// space (of the columns that no bound holds),
//
//   least  z^T (B + lambda) z / 2 - g^T z,  z = Z y,   and what passes a bound stops there;
//
// B is the aim's own curvature plus what the last steps have shown of the constraints' (symmetric
// rank one updates: B s = change of the projected slope). Then what must stay is brought back by a descent, and the step counts only where that succeeds
// and the aim is nearer than before.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics_parts.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr int max_steps = 150, max_refusals = 8;

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

double aim_value(const Model<double>& model, Plan& plan, const Aim& aim, const double* x) {
  if (aim.level == plan.levels) return objective_value(model, plan, aim.objective, x);
  forward(model, plan, x);
  return errors(plan, aim.level, aim.level);
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
  plan.n_directions = count;
  return rank;
}

/// The part of g in the null space, for the columns that are free.
void project(const Plan& plan, int rank, double* projected) {
  const int n = plan.n_u;
  for (int k = 0; k < n; ++k) projected[k] = plan.at_bound[at(k)] ? 0 : plan.g[at(k)];
  for (int i = 0; i < rank; ++i) {
    const double* const row = plan.basis.data() + i * n;
    double along = 0;
    for (int k = 0; k < n; ++k) along += row[k] * projected[k];
    for (int k = 0; k < n; ++k) projected[k] -= along * row[k];
  }
}

double times(const Plan& plan, int r, const double* z) {
  const int n = plan.n_u;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += ((r < k ? plan.A[at(r * n + k)] : plan.A[at(k * n + r)]) + plan.secant[at(r * n + k)]) *
           z[k];
  return sum;
}

/// After a step plan.moved from where the projected slope was plan.slope_before.
void learn_curvature(Plan& plan, const Aim& aim) {
  const int n = plan.n_u;
  plan.at_bound = plan.held_before;
  project(plan, split_directions(plan, aim), plan.slope_now.data());
  double along = 0, size = 0, length = 0;
  for (int k = 0; k < n; ++k) {
    // r = y - B s, in place of slope_before.
    double& r = plan.slope_before[at(k)];
    r -= plan.slope_now[at(k)] + times(plan, k, plan.moved.data());
    along += r * plan.moved[at(k)];
    size += r * r;
    length += plan.moved[at(k)] * plan.moved[at(k)];
  }
  if (!(std::abs(along) > 1e-6 * std::sqrt(size * length))) return;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      plan.secant[at(i * n + k)] += plan.slope_before[at(i)] * plan.slope_before[at(k)] / along;
}

/// y of the reduced problem, then u = unit Z y in plan.step; false where it has no minimum.
bool null_space_step(Plan& plan, int rank, int count, double lambda) {
  const int n = plan.n_u, m = count - rank;
  const double* const Z = plan.basis.data() + rank * n;
  double* const H = plan.reduced.data();
  double* const y = plan.rhs.data();
  double* const Az = plan.factor.data();
  for (int i = 0; i < m; ++i) {
    for (int r = 0; r < n; ++r) Az[r] = lambda * Z[i * n + r] + times(plan, r, Z + i * n);
    y[i] = 0;
    for (int k = 0; k < n; ++k) y[i] += Z[i * n + k] * plan.g[at(k)];
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += Z[j * n + k] * Az[k];
      H[j * n + i] = sum;
    }
  }
  for (int c = 0; c < m; ++c) {
    if (!(H[c * n + c] > 0.1 * lambda)) return false;
    for (int r = c + 1; r < m; ++r) {
      const double l = H[c * n + r] / H[c * n + c];
      for (int k = r; k < m; ++k) H[r * n + k] -= l * H[c * n + k];
      y[r] -= l * y[c];
    }
  }
  for (int c = m - 1; c >= 0; --c) {
    for (int r = c + 1; r < m; ++r) y[c] -= H[c * n + r] * y[r];
    y[c] /= H[c * n + c];
  }
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += Z[i * n + k] * y[i];
    if (!plan.at_bound[at(k)]) plan.step[at(k)] = sum * plan.unit_of_step[at(k)];
  }
  return true;
}

double room(const Plan& plan, int k) {
  return plan.step[at(k)] > 0 ? plan.high[at(k)] : -plan.low[at(k)];
}
bool has_room(const Plan& plan, int k) { return room(plan, k) > 1e-12 * plan.unit_of_step[at(k)]; }
/// A step by the room that it has; at most 1: inside.
double excess(const Plan& plan, int k) {
  const double tiny = 1e-12 * plan.unit_of_step[at(k)], u = std::abs(plan.step[at(k)]);
  return u < tiny ? 0 : u / std::max(room(plan, k), tiny);
}

/// The step that the bounds allow; false where nothing may move. What pushes against its bound is
/// held. What has some room goes to its bound while the others go on (`apart`), or all stop where
/// the first one does. Raises the damping where the curvature asks for it.
bool bounded_step(Plan& plan, const Aim& aim, bool apart, double& damping) {
  const int n = plan.n_u;
  std::fill(plan.at_bound.begin(), plan.at_bound.end(), static_cast<signed char>(0));
  for (int round = 0; round <= n; ++round) {
    const int rank = split_directions(plan, aim), count = plan.n_directions;
    if (count <= rank) return false;
    project(plan, rank, plan.slope_now.data());
    for (int raised = 0; !null_space_step(plan, rank, count, damping + 1e-10); ++raised) {
      if (raised == 30) return false;
      damping = 4 * damping + 1e-3;
    }
    double worst = 0;  // of those that may be held
    double first = 1;  // of all
    for (int k = 0; k < n; ++k) {
      if (plan.at_bound[at(k)]) continue;
      const double x = excess(plan, k);
      first = std::max(first, x);
      if (x > 1 && (apart || !has_room(plan, k))) worst = std::max(worst, x);
    }
    if (worst == 0) {
      for (double& u : plan.step) u /= first;
      return true;
    }
    // The worst ones; the others may turn round without them.
    for (int k = 0; k < n; ++k) {
      if (plan.at_bound[at(k)] || !(excess(plan, k) > std::max(1.0, 0.5 * worst))) continue;
      if (!apart && has_room(plan, k)) continue;
      plan.step[at(k)] = !has_room(plan, k)     ? 0
                         : plan.step[at(k)] > 0 ? plan.high[at(k)]
                                                : plan.low[at(k)];
      plan.at_bound[at(k)] = 1;
    }
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

void refine(const Model<double>& model, Plan& plan, int level, IkObjective objective,
            Budget& budget) {
  const Aim aim{level, objective};
  judge_levels(model, plan);
  plan.cost_good = plan.cost;
  for (int t = 0; t < plan.n_targets; ++t)
    for (int k = 6 * t; k < 6 * t + 6; ++k)
      plan.held[at(k)] = plan.residuals[at(t)].reached ? 0 : plan.e[at(k)];
  double value = aim_value(model, plan, aim, plan.x.data()), damping = -1;
  bool slow = false;
  std::fill(plan.secant.begin(), plan.secant.end(), 0.0);
  for (int iteration = 0; iteration < max_steps && !budget.spent(); ++iteration) {
    if (level < plan.levels && plan.cost[at(level)] == 0) break;
    slope(model, plan, aim);
    // Targets that can be met have little curvature besides J^T J; those that cannot have.
    if (iteration > 0 && (level == plan.levels || slow)) learn_curvature(plan, aim);
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
        damping = 4 * damping + 1e-3;
        slope(model, plan, aim);
      }
      ++budget.used;
      set_box(plan, plan.x.data(), true);
      if (!bounded_step(plan, aim, true, damping) && !bounded_step(plan, aim, false, damping))
        break;
      plan.slope_before = plan.slope_now;
      plan.held_before = plan.at_bound;
      for (int k = 0; k < plan.n_u; ++k)
        plan.moved[at(k)] = plan.step[at(k)] / plan.unit_of_step[at(k)];
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
    const bool still = value - next <= 1e-13 * std::abs(value);
    slow = next > 0.7 * value;
    value = next;
    if (still) break;
  }
  judge_levels(model, plan);
}

}  // namespace torsor::numeric_ik
