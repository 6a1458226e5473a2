// Steps in the null space of all that must stay.
//
// With steps z = u / unit, Jc the Jacobian of what must stay and Z an orthonormal basis of its null
// space (of the columns that no bound holds),
//
//   least  z^T (B + lambda) z / 2 - g^T z,  z = Z y.
//
// B is the aim's own curvature plus what the last steps have shown of the constraints': symmetric
// rank one updates that make B s the change of the projected slope over the step s.
// Source   Nakamura, Hanafusa & Yoshikawa 1987; Nocedal & Wright 2006, sec. 6.2 and 18.3.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::numeric_ik {
namespace {

/// Takes from v what lies along the rows 0 ... count - 1 of Q, twice for the rounding; |v|^2.
double orthogonalise(const double* Q, int count, int n, double* v) {
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
int split_directions(Plan& plan, int level) {
  const int n = plan.n_u;
  double* const Q = plan.basis.data();
  double* const rows = plan.gram.data();
  int m = 0;
  double largest = 0;
  for (int t = 0; t < plan.n_targets; ++t) {
    if (plan.tasks[t].level >= level) continue;
    for (int r = 6 * t; r < 6 * t + 6; ++r, ++m) {
      double size = 0;
      for (int k = 0; k < n; ++k) {
        double& entry = rows[m * n + k];
        entry = plan.at_bound[k] ? 0 : plan.J[r + k * plan.n_rows] * plan.unit_of_step[k];
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
      const double left = orthogonalise(Q, rank, n, rows + i * n);
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
  for (int k = 0; k < n; ++k) n_free += !plan.at_bound[k];
  for (int k = 0; k < n && count < n_free; ++k) {
    if (plan.at_bound[k]) continue;
    double* const v = Q + count * n;
    std::fill(v, v + n, 0.0);
    v[k] = 1;
    const double size = orthogonalise(Q, count, n, v);
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
  for (int k = 0; k < n; ++k) projected[k] = plan.at_bound[k] ? 0 : plan.g[k];
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
    sum += ((r < k ? plan.A[r * n + k] : plan.A[k * n + r]) + plan.secant[r * n + k]) * z[k];
  return sum;
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
    for (int k = 0; k < n; ++k) y[i] += Z[i * n + k] * plan.g[k];
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += Z[j * n + k] * Az[k];
      H[j * n + i] = sum;
    }
  }
  if (!(internal::ldlt_solve(H, y, m, n).least > 0.1 * lambda)) return false;
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += Z[i * n + k] * y[i];
    if (!plan.at_bound[k]) plan.step[k] = sum * plan.unit_of_step[k];
  }
  return true;
}

double room(const Plan& plan, int k) { return plan.step[k] > 0 ? plan.high[k] : -plan.low[k]; }
bool has_room(const Plan& plan, int k) { return room(plan, k) > 1e-12 * plan.unit_of_step[k]; }
/// A step by the room that it has; at most 1: inside.
double excess(const Plan& plan, int k) {
  const double tiny = 1e-12 * plan.unit_of_step[k], u = std::abs(plan.step[k]);
  return u < tiny ? 0 : u / std::max(room(plan, k), tiny);
}

}  // namespace

void learn_curvature(Plan& plan, int level) {
  const int n = plan.n_u;
  plan.at_bound = plan.held_before;
  project(plan, split_directions(plan, level), plan.slope_now.data());
  double along = 0, size = 0, length = 0;
  for (int k = 0; k < n; ++k) {
    // r = y - B s, in place of slope_before.
    double& r = plan.slope_before[k];
    r -= plan.slope_now[k] + times(plan, k, plan.moved.data());
    along += r * plan.moved[k];
    size += r * r;
    length += plan.moved[k] * plan.moved[k];
  }
  if (!(std::abs(along) > 1e-6 * std::sqrt(size * length))) return;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      plan.secant[i * n + k] += plan.slope_before[i] * plan.slope_before[k] / along;
}

bool bounded_step(Plan& plan, int level, bool apart, double& damping) {
  const int n = plan.n_u;
  std::fill(plan.at_bound.begin(), plan.at_bound.end(), static_cast<signed char>(0));
  for (int round = 0; round <= n; ++round) {
    const int rank = split_directions(plan, level), count = plan.n_directions;
    if (count <= rank) return false;
    project(plan, rank, plan.slope_now.data());
    for (int raised = 0; !null_space_step(plan, rank, count, damping + 1e-10); ++raised) {
      if (raised == 30) return false;
      damping = 4 * damping + 1e-3;
    }
    double worst = 0;  // of those that may be held
    double first = 1;  // of all
    for (int k = 0; k < n; ++k) {
      if (plan.at_bound[k]) continue;
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
      if (plan.at_bound[k] || !(excess(plan, k) > std::max(1.0, 0.5 * worst))) continue;
      if (!apart && has_room(plan, k)) continue;
      plan.step[k] = !has_room(plan, k) ? 0 : plan.step[k] > 0 ? plan.high[k] : plan.low[k];
      plan.at_bound[k] = 1;
    }
  }
  return false;
}

}  // namespace torsor::numeric_ik
