// What inverse_kinematics refuses, and its results in words.
#include <cmath>
#include <cstdio>

#include "inverse_kinematics/parts.hpp"
#include "torsor/math/rotation.hpp"

#include "torsor/model/text.hpp"

namespace torsor {
namespace numeric_ik {
namespace {

bool finite(const SE3<double>& T) {
  for (int k = 0; k < 3; ++k)
    if (!(is_finite(T.p[k]) && is_finite(T.R[k].x) && is_finite(T.R[k].y) && is_finite(T.R[k].z)))
      return false;
  return true;
}

void check_q(const Model<double>& model, const Plan& plan, const char* name, In<double> x) {
  if (x.size != model.n_q())
    refuse(std::string(name) + " has " + std::to_string(x.size) + " numbers; robot \"" +
           model.name() + "\" needs " + std::to_string(model.n_q()));
  for (int k = 0; k < x.size; ++k)
    if (!is_finite(x[k]))
      refuse(std::string(name) + ": coordinate \"" + model.coordinate_name(k) +
             "\" is not finite (" + short_number(x[k]) + ")");
  for (const int c : plan.quaternions) {
    double size = 0;
    for (int k = 0; k < 4; ++k) {
      const double y = x[plan.coordinate[c + k]];
      size += y * y;
    }
    if (!(std::abs(std::sqrt(size) - 1) <= 1e-6))
      refuse(std::string(name) + ": the quaternion at \"" +
             model.coordinate_name(plan.coordinate[c]) + "\" has norm " +
             short_number(std::sqrt(size)) + "; it must be 1");
  }
}

void check_target(const Plan& plan, const IkTarget& target, int number_of_it) {
  const auto refuse_target = [&](const std::string& why) {
    refuse("target " + std::to_string(number_of_it + 1) + " (frame \"" +
           plan.frames[number_of_it].name + "\"): " + why);
  };
  if (!finite(target.T_world_frame)) refuse_target("the pose has a number that is not finite");
  if (!is_rotation(target.T_world_frame.R, 1e-6))
    refuse_target("the pose is not rigid: its 3 x 3 part is no rotation");
  for (int k = 0; k < 3; ++k)
    for (const double w : {target.orientation_weight[k], target.position_weight[k]})
      if (!(w >= 0 && is_finite(w)))
        refuse_target("a weight of " + short_number(w) + " makes no sense");
  if (target.priority < 0)
    refuse_target("priority " + std::to_string(target.priority) + " is below 0");
}

void check_options(const InverseKinematicsOptions& options) {
  for (const double x : {options.position_tolerance, options.orientation_tolerance})
    if (!(x > 0)) refuse("a tolerance of " + short_number(x) + " cannot be met");
  if (!(options.time_limit > 0)) refuse("time_limit is " + short_number(options.time_limit) + " s");
  if (options.max_iterations < 1)
    refuse("max_iterations is " + std::to_string(options.max_iterations));
  if (options.max_restarts < 0) refuse("max_restarts is " + std::to_string(options.max_restarts));
}

}  // namespace

void refuse(const std::string& why) { throw Error("inverse_kinematics: " + why); }

void check(const Model<double>& model, const Plan& plan, View<const IkTarget> targets,
           In<double> q_start, const InverseKinematicsOptions& options, Out<double> q) {
  if (plan.n_model != model.n_q())
    refuse("the workspace was made for another robot than \"" + model.name() + "\"");
  if (targets.empty()) refuse("no target is given");
  if (targets.size != plan.n_targets)
    refuse("there are " + std::to_string(targets.size) + " targets for " +
           std::to_string(plan.n_targets) + " frames");
  check_q(model, plan, "q_start", q_start);
  if (!options.reference.empty()) check_q(model, plan, "reference", options.reference);
  if (q.size != model.n_q())
    refuse("q has room for " + std::to_string(q.size) + " numbers; robot \"" + model.name() +
           "\" needs " + std::to_string(model.n_q()));
  double weights = 0;
  for (int t = 0; t < targets.size; ++t) {
    check_target(plan, targets[t], t);
    for (int k = 0; k < 3; ++k)
      weights += targets[t].orientation_weight[k] + targets[t].position_weight[k];
  }
  if (weights == 0) refuse("every weight is zero: there is nothing to reach");
  check_options(options);
}

}  // namespace numeric_ik

const char* name_of(IkObjective objective) {
  switch (objective) {
    case IkObjective::none:
      return "none";
    case IkObjective::nearest:
      return "nearest";
    case IkObjective::away_from_limits:
      return "away_from_limits";
    case IkObjective::manipulability:
      return "manipulability";
  }
  return "";
}

std::string describe(const Model<double>& model, const InverseKinematicsResult& result) {
  const auto plural = [](int n, const char* word) {
    return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
  };
  std::string text;
  if (result.converged) {
    text = "reached in " + plural(result.iterations, "iteration");
    if (result.restarts > 0) text += " and " + plural(result.restarts, "restart");
  } else {
    text = result.status == IkStatus::unreachable ? "unreachable: the closest pose is "
                                                  : "out of budget: the closest pose so far is ";
    text += short_number(result.position_residual) + " m and " +
            short_number(result.orientation_residual) + " rad away";
    if (result.levels > 1)
      text += "; " + std::to_string(result.levels_reached) + " of " +
              plural(result.levels, "priority level") + " reached";
  }
  for (const ActiveLimit& limit : result.active_limits)
    text += "; \"" + model.coordinate_name(limit.coordinate) + "\" is at its " +
            (limit.upper ? "upper" : "lower") + " limit " + short_number(limit.value);
  return text;
}

}  // namespace torsor
