// Lower priorities and the objective: null-space steps towards an aim, after each of which what must
// stay is brought back by a descent. A step counts only where that succeeds and the aim is nearer
// than before.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr int max_steps = 150, max_refusals = 8;

/// What a stage lessens.
struct Aim {
  int level;  ///< plan.levels: the objective
  IkObjective objective;
};

double squared_level(const Plan& plan, int level) {
  double sum = 0;
  for (int t = 0; t < plan.n_targets; ++t)
    if (plan.tasks[t].level == level)
      for (int k = 6 * t; k < 6 * t + 6; ++k) sum += plan.e[k] * plan.e[k];
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
    if (plan.tasks[t].level != aim.level) continue;
    const Array<int>& steps = plan.frames[t].steps;
    for (int i = 0; i < steps.size(); ++i) {
      const double* const a = plan.J.data() + 6 * t + steps[i] * plan.n_rows;
      const double unit = plan.unit_of_step[steps[i]];
      for (int r = 0; r < 6; ++r) plan.g[steps[i]] += unit * a[r] * plan.e[6 * t + r];
      for (int j = i; j < steps.size(); ++j) {
        const double* const b = plan.J.data() + 6 * t + steps[j] * plan.n_rows;
        const double units = unit * plan.unit_of_step[steps[j]];
        for (int r = 0; r < 6; ++r) plan.A[steps[i] * n + steps[j]] += units * a[r] * b[r];
      }
    }
  }
}

/// Whether the levels before `level` are as good as they were.
bool kept(const Plan& plan, int level) {
  for (int k = 0; k < level; ++k)
    if (plan.cost[k] > plan.cost_good[k] * (1 + 1e-9)) return false;
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

/// One step from plan.x, after slope(), with as much damping as it takes to lessen the value. False,
/// with plan.x as it was, where none does.
bool step_towards(const Model<double>& model, Plan& plan, const Aim& aim, double& value,
                  double& damping, Budget& budget) {
  plan.x_good = plan.x;
  for (int refused = 0; refused < max_refusals; ++refused) {
    if (refused > 0) {
      plan.x = plan.x_good;
      damping = 4 * damping + 1e-3;
      slope(model, plan, aim);
    }
    ++budget.used;
    set_box(plan, plan.x.data(), true);
    if (!bounded_step(plan, aim.level, true, damping) &&
        !bounded_step(plan, aim.level, false, damping))
      break;
    plan.slope_before = plan.slope_now;
    plan.held_before = plan.at_bound;
    for (int k = 0; k < plan.n_u; ++k) plan.moved[k] = plan.step[k] * plan.per_unit[k];
    advance(model, plan, plan.x_good.data(), plan.step.data(), plan.x.data());
    if (!bring_back(model, plan, aim.level, budget)) continue;
    const double next = aim_value(model, plan, aim, plan.x.data());
    if (!(next < value)) continue;
    value = next;
    damping *= 0.25;
    return true;
  }
  plan.x = plan.x_good;
  return false;
}

}  // namespace

void judge_levels(const Model<double>& model, Plan& plan) {
  forward(model, plan, plan.x.data());
  (void)errors(plan, 0, plan.levels - 1);
  for (int level = 0; level < plan.levels; ++level) {
    bool all = true;
    for (int t = 0; t < plan.n_targets; ++t)
      all = all && (plan.tasks[t].level != level || plan.residuals[t].reached);
    plan.cost[level] = all ? 0 : squared_level(plan, level);
  }
}

void refine(const Model<double>& model, Plan& plan, int level, IkObjective objective,
            Budget& budget) {
  const Aim aim{level, objective};
  const bool is_level = level < plan.levels;
  judge_levels(model, plan);
  plan.cost_good = plan.cost;
  for (int t = 0; t < plan.n_targets; ++t)
    for (int k = 6 * t; k < 6 * t + 6; ++k)
      plan.held[k] = plan.residuals[t].reached ? 0 : plan.e[k];
  std::fill(plan.secant.begin(), plan.secant.end(), 0.0);
  double value = aim_value(model, plan, aim, plan.x.data()), damping = 0.03 * value;
  bool slow = false;
  for (int iteration = 0; iteration < max_steps && !budget.spent(); ++iteration) {
    if (is_level && plan.cost[level] == 0) break;
    slope(model, plan, aim);
    // Targets that can be met have little curvature besides J^T J; those that cannot have.
    if (iteration > 0 && (slow || !is_level)) learn_curvature(plan, level);
    if (iteration == 0 && !is_level && objective == IkObjective::manipulability) {
      double size = 0;  // its curvature is not known: begin with steps of a tenth
      for (const double g : plan.g) size += g * g;
      damping = 10 * std::sqrt(size);
    }
    const double before = value;
    if (!step_towards(model, plan, aim, value, damping, budget)) break;
    judge_levels(model, plan);
    slow = value > 0.7 * before;
    if (before - value <= 1e-13 * std::abs(before)) break;
  }
  judge_levels(model, plan);
}

}  // namespace torsor::numeric_ik
