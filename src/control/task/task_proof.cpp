#include "task/task_proof.hpp"

#include <cmath>
#include <numbers>

#include "run_start.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {

namespace {

/// Ratio of singular values below which task_solver.hpp and inverse_velocity.hpp damp.
constexpr double damped_from = 1e-3;

}  // namespace

Array<RunInstant> postures_of(ControlLaw& law, const Run& run) {
  ReferencePoint point;
  if (run.reference) run.reference(run.start, point);
  try {
    law.check_reference(point.view());
  } catch (const Error&) {
    const Array<double> zero(run.plant->n_v());
    return {RunInstant{.t = run.start, .q = run.q0, .qd = run.v0, .qdd = zero}};
  }
  return run_range(law, run).instants;
}

std::vector<Condition> task_conditions(const char* matrix, int n_task, int n_v,
                                       const Array<RunInstant>& postures,
                                       const std::function<double(const RunInstant&)>& regularity) {
  std::vector<Condition> all{condition("the robot can do the task", "degrees of freedom", n_v,
                                       Relation::at_least, n_task)};
  if (n_v < n_task) return all;
  double worst = infinity, when = 0;
  for (const RunInstant& at : postures)
    if (const double ratio = regularity(at); !(ratio >= worst)) worst = ratio, when = at.t;
  all.push_back(condition(
      std::string(matrix) + " not singular at the start and along the reference",
      "worst ratio of smallest to largest singular value", worst, Relation::greater, damped_from,
      internal::count_of(postures.size(), "posture") + " sampled, worst at " + short_number(when) +
          " s; below the bound its inverse is damped"));
  return all;
}

std::vector<Condition> task_conditions(TaskCoordinates& coordinates,
                                       const Array<RunInstant>& postures) {
  const int n = coordinates.jacobian().cols;
  Svd svd(6, n);
  const Array<double> rest(n);
  return task_conditions("J~", coordinates.size(), n, postures, [&](const RunInstant& at) {
    coordinates.evaluate(at.q, rest);
    svd.factorise(coordinates.jacobian());
    return coordinates.regular() ? svd.smallest() / svd.largest() : 0;
  });
}

Condition half_turn_condition(double V, double hill) {
  return condition("the orientation starts below half a turn", "V of the rotation at the start", V,
                   Relation::less, hill, "beyond it V does not keep the error from half a turn");
}

std::vector<Condition> half_turn_conditions(TaskCoordinates& coordinates, const Run& run,
                                            const Gain& K, const Gain& M) {
  const int first = coordinates.n_positions();
  if (coordinates.options().angles != TaskAngles::rotation) return {};
  ReferencePoint point;
  if (run.reference) run.reference(run.start, point);
  coordinates.evaluate(run.q0, run.v0);
  const TaskError error = coordinates.error(point.view());
  const double k = K(first, first);
  double V = 0;
  for (int r = 0; r < 3; ++r) {
    V += 0.5 * k * error.e[first + r] * error.e[first + r];
    for (int c = 0; c < 3; ++c) {
      const double m = M.size() > 0 ? M(first + r, first + c) : r == c ? 1.0 : 0.0;
      V += 0.5 * m * error.edot[first + r] * error.edot[first + c];
    }
  }
  return {half_turn_condition(V, k * std::numbers::pi * std::numbers::pi / 2)};
}

}  // namespace torsor::internal
