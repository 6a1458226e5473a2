// One descent: Levenberg-Marquardt steps inside a box.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::numeric_ik {
namespace {

// Damping lambda = mu |e|^2 + least: it vanishes with the error, and convergence is quadratic.
constexpr double first_damping = 0.06, more_damping = 8, less_damping = 0.5, least_factor = 1e-4;
constexpr double least_damping = 1e-10;
constexpr int max_trials = 12;  // of one step, with more and more damping
// A start is given up where |e|^2 has not fallen to this part within so many iterations.
constexpr double stagnation = 0.3;
constexpr int patience = 4;
constexpr double held_cost = 1e-24;

/// A (upper triangle, by rows) and g of |e - J u|^2 / 2 over the targets of the levels.
void normal_equations(Plan& plan, const Descent& d) {
  const int n = plan.n_u;
  double* const A = plan.A.data();
  double* const g = plan.g.data();
  if (plan.n_targets > 1) {
    std::fill(plan.A.begin(), plan.A.end(), 0.0);
    std::fill(plan.g.begin(), plan.g.end(), 0.0);
  }
  for (int t = 0; t < plan.n_targets; ++t) {
    const Task& task = plan.tasks[t];
    if (task.level < d.first_level || task.level > d.last_level) continue;
    double e[6];
    for (int k = 0; k < 6; ++k) e[k] = plan.e[6 * t + k] - (d.hold ? plan.held[6 * t + k] : 0);
    const double* const J = plan.J.data() + 6 * t;
    const Array<int>& steps = plan.frames[t].steps;
    const int count = steps.size();
    const auto dot6 = [](const double* a, const double* b) {
      return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
    };
    if (plan.n_targets == 1) {
      for (int i = 0; i < n; ++i) {
        const double* const a = J + i * 6;
        for (int j = i; j < n; ++j) A[i * n + j] = dot6(a, J + j * 6);
        g[i] = dot6(a, e);
      }
      return;
    }
    for (int i = 0; i < count; ++i) {
      const double* const a = J + steps[i] * plan.n_rows;
      for (int j = i; j < count; ++j)
        A[steps[i] * n + steps[j]] += dot6(a, J + steps[j] * plan.n_rows);
      g[steps[i]] += dot6(a, e);
    }
  }
}

/// The step of N where no bound holds anything.
template <int N>
void solve_all(Plan& plan, double lambda) {
  double F[N * N], y[N];
  for (int i = 0; i < N; ++i) {
    for (int j = i; j < N; ++j) F[i * N + j] = plan.A[i * N + j];
    const double s = plan.per_unit[i];
    F[i * N + i] += lambda * s * s;
    y[i] = plan.g[i];
  }
  (void)internal::ldlt_solve<N>(F, y, N, N);
  for (int i = 0; i < N; ++i) plan.step[i] = y[i];
}

/// u of the free ones, from the free part of A + lambda D^2; the others are given.
void solve_free(Plan& plan, double lambda, int n_free) {
  const int n = plan.n_u;
  if (n_free == 6 && n == 6) return solve_all<6>(plan, lambda);
  if (n_free == 7 && n == 7) return solve_all<7>(plan, lambda);
  const double* const A = plan.A.data();
  double* const F = plan.factor.data();
  double* const y = plan.rhs.data();
  const int* const free = plan.free.data();
  double* const u = plan.step.data();
  for (int i = 0; i < n_free; ++i) {
    const int a = free[i];
    for (int j = i; j < n_free; ++j) F[i * n + j] = A[a * n + free[j]];
    const double s = plan.per_unit[a];
    F[i * n + i] += lambda * s * s;
    y[i] = plan.g[a];
  }
  if (n_free < n)
    for (int k = 0; k < n; ++k) {
      if (!plan.at_bound[k] || u[k] == 0) continue;
      for (int i = 0; i < n_free; ++i) {
        const int a = free[i];
        y[i] -= (a < k ? A[a * n + k] : A[k * n + a]) * u[k];
      }
    }
  (void)internal::ldlt_solve(F, y, n_free, n);
  for (int i = 0; i < n_free; ++i) u[free[i]] = y[i];
}

/// The step inside the box: holds what reaches a bound and releases what the model pulls inwards.
void solve_step(Plan& plan, double lambda) {
  const int n = plan.n_u;
  double* const u = plan.step.data();
  std::fill(plan.at_bound.begin(), plan.at_bound.end(), static_cast<signed char>(0));
  for (int round = 0, released = 0; round < 3 * n + 3; ++round) {
    int n_free = 0;
    for (int k = 0; k < n; ++k)
      if (!plan.at_bound[k]) plan.free[n_free++] = k;
    solve_free(plan, lambda, n_free);
    bool violated = false;
    for (int i = 0; i < n_free; ++i) {
      const int k = plan.free[i];
      if (u[k] < plan.low[k]) {
        u[k] = plan.low[k], plan.at_bound[k] = -1, violated = true;
      } else if (u[k] > plan.high[k]) {
        u[k] = plan.high[k], plan.at_bound[k] = 1, violated = true;
      }
    }
    if (violated) continue;
    if (n_free == n || released > n) return;
    // What a bound holds against the pull of the model's gradient stays; the others go free.
    int worst = -1;
    double pull = 0;
    for (int k = 0; k < n; ++k) {
      if (!plan.at_bound[k]) continue;
      const double s = plan.per_unit[k];
      double r = plan.g[k] - lambda * s * s * u[k];
      for (int j = 0; j < n; ++j) r -= (j < k ? plan.A[j * n + k] : plan.A[k * n + j]) * u[j];
      const double inwards = -r * plan.at_bound[k];
      if (inwards > pull) pull = inwards, worst = k;
    }
    if (worst < 0 || pull < 1e-14) return;
    plan.at_bound[worst] = 0;
    ++released;
  }
}

/// By how much |e|^2 would fall if J were constant: g^T u + lambda |D u|^2, from (A + lambda D^2) u
/// = g. Steps that a bound cuts promise less; this need not be exact.
double promised(const Plan& plan, double lambda) {
  double sum = 0;
  for (int k = 0; k < plan.n_u; ++k) {
    const double u = plan.step[k], z = u * plan.per_unit[k];
    sum += plan.g[k] * u + lambda * z * z;
  }
  return sum;
}

bool reached(const Plan& plan, const Descent& d) {
  for (int t = 0; t < plan.n_targets; ++t)
    if (plan.tasks[t].level >= d.first_level && plan.tasks[t].level <= d.last_level &&
        !plan.residuals[t].reached)
      return false;
  return true;
}

double evaluate(const Model<double>& model, Plan& plan, const double* x, const Descent& d) {
  forward(model, plan, x);
  const double cost = errors(plan, d.first_level, d.last_level);
  if (!d.hold) return cost;
  double sum = 0;
  for (int t = 0; t < plan.n_targets; ++t)
    if (plan.tasks[t].level >= d.first_level && plan.tasks[t].level <= d.last_level)
      for (int k = 6 * t; k < 6 * t + 6; ++k)
        sum += (plan.e[k] - plan.held[k]) * (plan.e[k] - plan.held[k]);
  return sum;
}

}  // namespace

void set_box(Plan& plan, const double* x, bool every) {
  for (int k = 0; k < plan.n_u; ++k) {
    const int c = plan.coordinate_of_step[k];
    const bool boxed = c >= 0 && (every || !plan.wraps[c]);
    plan.low[k] = boxed ? plan.lower[c] - x[c] : -infinity;
    plan.high[k] = boxed ? plan.upper[c] - x[c] : infinity;
  }
}

Ending descend(const Model<double>& model, Plan& plan, const Descent& d, Budget& budget) {
  const auto arrived = [&](double cost) { return d.hold ? cost < held_cost : reached(plan, d); };
  double cost = evaluate(model, plan, plan.x.data(), d);
  double mu = first_damping;
  double earlier[patience];  // costs of the last iterations
  for (int iteration = 0; iteration < d.iterations; ++iteration) {
    if (arrived(cost)) return Ending::reached;
    if (budget.spent()) return Ending::out_of_budget;
    double& long_ago = earlier[iteration % patience];
    if (!d.patient && iteration >= patience && cost > stagnation * long_ago)
      return Ending::given_up;
    long_ago = cost;
    jacobian(model, plan, plan.x.data(), d.first_level, d.last_level);
    normal_equations(plan, d);
    set_box(plan, plan.x.data(), false);
    double next = cost, lambda = 0;
    for (int trial = 0; trial < max_trials && !(next < cost); ++trial) {
      if (trial > 0) mu *= more_damping;
      ++budget.used;
      lambda = mu * cost + least_damping;
      solve_step(plan, lambda);
      advance(model, plan, plan.x.data(), plan.step.data(), plan.x_try.data());
      next = evaluate(model, plan, plan.x_try.data(), d);
    }
    if (!(next < cost)) {
      (void)evaluate(model, plan, plan.x.data(), d);
      return Ending::minimum;
    }
    if (next < 0.25 * cost || cost - next > 0.75 * promised(plan, lambda))
      mu = std::max(mu * less_damping, least_factor);
    std::swap(plan.x, plan.x_try);
    const bool still = cost - next < 1e-15 * cost;
    cost = next;
    if (still && !arrived(cost)) return Ending::minimum;
  }
  return arrived(cost) ? Ending::reached : Ending::given_up;
}

}  // namespace torsor::numeric_ik
