#include "torsor/kinematics/inverse_kinematics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "inverse_kinematics/parts.hpp"

namespace torsor {

using namespace numeric_ik;

namespace {

constexpr double pi = 3.14159265358979323846;

constexpr int starts_drawn = 8;  // the best of them becomes a start
constexpr int iterations_of_a_start = 40, iterations_to_the_closest = 400;
constexpr int starts_by_levels = 10;  // random ones, where levels conflict

}  // namespace

std::int64_t numeric_ik::nanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

namespace {

/// splitmix64 (Steele, Lea & Flood 2014): the same draws on every machine.
struct Draws {
  std::uint64_t state;
  double operator()(double low, double high) {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return low + (high - low) * (static_cast<double>(z >> 11) * 0x1p-53);
  }
};

void draw_start(const Plan& plan, Draws& draw, double* x) {
  for (int k = 0; k < plan.n_x; ++k)
    x[k] = std::min(draw(plan.draw_low[k], plan.draw_high[k]), plan.draw_high[k]);
  for (const int first : plan.quaternions) {  // uniform: Shoemake 1992
    const double u = draw(0, 1);
    const auto [sa, ca] = sincos(draw(0, 2 * pi));
    const auto [sb, cb] = sincos(draw(0, 2 * pi));
    const double s = std::sqrt(1 - u), c = std::sqrt(u);
    x[first] = s * sa, x[first + 1] = s * ca;
    x[first + 2] = c * sb, x[first + 3] = c * cb;
  }
  follow_masters(plan, x);
}

/// The best of a few random configurations, by the error of the first level.
void choose_start(const Model<double>& model, Plan& plan, Draws& draw) {
  double least = infinity;
  for (int k = 0; k < starts_drawn; ++k) {
    draw_start(plan, draw, plan.x_try.data());
    forward(model, plan, plan.x_try.data());
    const double cost = errors(plan, 0, 0);
    if (k > 0 && !(cost < least)) continue;
    least = cost;
    std::swap(plan.x, plan.x_try);
  }
}

void set_tasks(Plan& plan, View<const IkTarget> targets) {
  const auto equal = [](const Vec3<double>& w) { return w.x == w.y && w.y == w.z; };
  const auto any = [](const Vec3<double>& w) { return w.x > 0 || w.y > 0 || w.z > 0; };
  plan.levels = 0;
  for (int t = 0; t < plan.n_targets; ++t) {
    Task& task = plan.tasks[t];
    const IkTarget& target = targets[t];
    task.T = target.T_world_frame;
    // What a rigid pose lacks in the last digits would be missing from every answer.
    for (int k = 0; k < 2; ++k) {
      const Mat3<double> square = transpose_times(task.T.R, task.T.R);
      task.T.R = task.T.R * ((Mat3<double>::identity() * 3.0 - square) * 0.5);
    }
    task.w_rotation = target.orientation_weight;
    task.w_position = target.position_weight * (1 / plan.length);
    task.isotropic = equal(task.w_rotation) && equal(task.w_position);
    task.has_rotation = any(task.w_rotation);
    // Level: how many different priorities come before.
    task.level = 0;
    for (int other = 0; other < plan.n_targets; ++other) {
      bool first = targets[other].priority < target.priority;
      for (int before = 0; before < other; ++before)
        first = first && targets[before].priority != targets[other].priority;
      task.level += first;
    }
    plan.levels = std::max(plan.levels, task.level + 1);
  }
}

/// Whether the levels' costs in `a` are better than in `b`, the first level first.
bool better(const Plan& plan, In<double> a, In<double> b) {
  for (int level = 0; level < plan.levels; ++level) {
    const double x = a[level], y = b[level];
    if (std::abs(x - y) > 1e-9 * std::max(x, y)) return x < y;
  }
  return false;
}

bool all_reached(const Plan& plan) {
  for (int level = 0; level < plan.levels; ++level)
    if (plan.cost[level] > 0) return false;
  return true;
}

/// Remembers plan.x if it is the best so far; true if it reaches everything.
bool keep_best(const Model<double>& model, Plan& plan, bool first) {
  judge_levels(model, plan);
  if (first || better(plan, plan.cost, plan.cost_best)) {
    plan.x_best = plan.x;
    plan.cost_best = plan.cost;
  }
  return all_reached(plan);
}

/// All levels at once, from one start after the other. Where all can be met, their order does not
/// matter. Leaves the best by the first level in plan.x_best.
bool search_together(const Model<double>& model, Plan& plan,
                     const InverseKinematicsOptions& options, Draws& draw, Budget& budget,
                     int& restarts) {
  Descent d;
  d.last_level = plan.levels - 1;
  d.iterations = iterations_of_a_start;
  for (restarts = 0;; ++restarts) {
    if (restarts > 0) choose_start(model, plan, draw);
    (void)descend(model, plan, d, budget);
    if (keep_best(model, plan, restarts == 0)) return true;
    if (restarts >= options.max_restarts || budget.spent()) return false;
  }
}

/// The first level as near as it comes, then the others in the freedom that it leaves: from the best
/// so far, from q_start and from a few others.
bool search_by_levels(const Model<double>& model, Plan& plan,
                      const InverseKinematicsOptions& options, Draws& draw, Budget& budget,
                      int& restarts) {
  Descent d;
  d.patient = true;
  d.iterations = iterations_to_the_closest;
  const int random = plan.levels > 1 ? std::min(options.max_restarts, starts_by_levels) : -1;
  plan.x = plan.x_best;
  for (int start = 0; start < 2 + random && !budget.spent(); ++start) {
    if (start == 1) plan.x = plan.x_start;
    if (start > 1) choose_start(model, plan, draw), ++restarts;
    (void)descend(model, plan, d, budget);
    for (int level = 1; level < plan.levels; ++level)
      refine(model, plan, level, IkObjective::none, budget);
    if (keep_best(model, plan, start == 0)) return true;
  }
  return false;
}

/// Leaves the answer in plan.x.
IkStatus search(const Model<double>& model, Plan& plan, const InverseKinematicsOptions& options,
                Budget& budget, int& restarts) {
  Draws draw{options.seed};
  const int all = budget.iterations;
  if (plan.levels > 1) budget.iterations = all / 2;
  if (search_together(model, plan, options, draw, budget, restarts)) return IkStatus::reached;
  budget.iterations = all;
  const bool reached = search_by_levels(model, plan, options, draw, budget, restarts);
  plan.x = plan.x_best;
  return reached          ? IkStatus::reached
         : budget.spent() ? IkStatus::out_of_budget
                          : IkStatus::unreachable;
}

void report(const Model<double>& model, Plan& plan, const InverseKinematicsOptions& options,
            InverseKinematicsResult& result) {
  judge_levels(model, plan);
  for (const IkResidual& r : plan.residuals) {
    result.position_residual = std::max(result.position_residual, r.position);
    result.orientation_residual = std::max(result.orientation_residual, r.orientation);
  }
  result.converged = result.status == IkStatus::reached;
  result.levels = plan.levels;
  while (result.levels_reached < plan.levels && plan.cost[result.levels_reached] == 0)
    ++result.levels_reached;
  if (options.objective != IkObjective::none) {
    result.objective = objective_value(model, plan, options.objective, plan.x.data());
    if (options.objective == IkObjective::manipulability) result.objective *= -1;
  }
  plan.active.clear();
  for (int c = 0; c < plan.n_x; ++c) {
    if (plan.wraps[c]) continue;
    const double near = 1e-9 * plan.unit[c], x = plan.x[c];
    const bool low = x - plan.lower[c] <= near, high = plan.upper[c] - x <= near;
    if (low || high)
      plan.active.push_back({plan.coordinate[c], !low, low ? plan.lower[c] : plan.upper[c]});
  }
  result.targets = plan.residuals;
  result.active_limits = plan.active;
}

}  // namespace

InverseKinematicsWorkspace::InverseKinematicsWorkspace(const Model<double>& model,
                                                       const std::vector<std::string>& frames)
    : plan_(std::make_unique<Plan>()) {
  Array<Frame> found;
  for (const std::string& name : frames) found.push_back(model.frame(name));
  prepare(model, found, *plan_);
}
InverseKinematicsWorkspace::InverseKinematicsWorkspace(const Model<double>& model,
                                                       View<const Frame> frames)
    : plan_(std::make_unique<Plan>()) {
  prepare(model, frames, *plan_);
}
InverseKinematicsWorkspace::InverseKinematicsWorkspace(InverseKinematicsWorkspace&&) noexcept =
    default;
InverseKinematicsWorkspace& InverseKinematicsWorkspace::operator=(
    InverseKinematicsWorkspace&&) noexcept = default;
InverseKinematicsWorkspace::~InverseKinematicsWorkspace() = default;
int InverseKinematicsWorkspace::n_targets() const { return plan_->n_targets; }
View<const int> InverseKinematicsWorkspace::coordinates() const { return plan_->coordinate; }
double InverseKinematicsWorkspace::length() const { return plan_->length; }

InverseKinematicsResult inverse_kinematics(const Model<double>& model,
                                           InverseKinematicsWorkspace& ws,
                                           View<const IkTarget> targets, In<double> q_start,
                                           const InverseKinematicsOptions& options, Out<double> q) {
  Plan& plan = ws.plan();
  check(model, plan, targets, q_start, options, q);
  Budget budget;
  budget.iterations = options.max_iterations;
  budget.timed = options.time_limit < 1e6;
  if (budget.timed)
    budget.end = nanoseconds() + static_cast<std::int64_t>(options.time_limit * 1e9);
  if (options.go_on) budget.go_on = &options.go_on;
  plan.position_tolerance = options.position_tolerance;
  plan.orientation_tolerance = options.orientation_tolerance;
  set_tasks(plan, targets);
  const In<double> reference = options.reference.empty() ? q_start : options.reference;
  std::fill(plan.step.begin(), plan.step.end(), 0.0);
  for (int c = 0; c < plan.n_x; ++c) {
    plan.x_start[c] = q_start[plan.coordinate[c]];
    plan.reference[c] = reference[plan.coordinate[c]];
  }
  advance(model, plan, plan.x_start.data(), plan.step.data(), plan.x.data());
  plan.x_start = plan.x;

  InverseKinematicsResult result;
  result.status = search(model, plan, options, budget, result.restarts);
  // The turns that the caller would choose.
  if (options.objective == IkObjective::away_from_limits)
    for (int c = 0; c < plan.n_x; ++c)
      plan.reference[c] = (plan.draw_low[c] + plan.draw_high[c]) / 2;
  nearest_turns(plan, plan.reference.data(), plan.x.data());
  if (options.objective != IkObjective::none)
    refine(model, plan, plan.levels, options.objective, budget);
  result.iterations = budget.used;
  report(model, plan, options, result);
  for (int k = 0; k < model.n_q(); ++k) q[k] = q_start[k];
  for (int c = 0; c < plan.n_x; ++c) q[plan.coordinate[c]] = plan.x[c];
  return result;
}

}  // namespace torsor
