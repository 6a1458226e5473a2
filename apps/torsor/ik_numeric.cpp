// One solution by iteration, inside the limits, for any robot.
#include <algorithm>

#include "ik.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"

namespace torsor::command {
namespace {

IkObjective parse_objective(const std::string& name, bool near) {
  if (name.empty()) return near ? IkObjective::nearest : IkObjective::none;
  if (name == "nearest") return IkObjective::nearest;
  if (name == "limits") return IkObjective::away_from_limits;
  if (name == "manipulability") return IkObjective::manipulability;
  throw Error("--prefer: unknown " + in_quotes(name) +
              did_you_mean(name, {"nearest", "limits", "manipulability"}) +
              " (nearest, limits, manipulability)");
}

const char* status_name(IkStatus status) {
  switch (status) {
    case IkStatus::reached:
      return "reached";
    case IkStatus::unreachable:
      return "unreachable";
    default:
      return "out_of_budget";
  }
}

IkTarget target_of(const IkPose& pose) {
  IkTarget target{pose.T};
  if (pose.orientation == IkOrientation::none) target.orientation_weight = {};
  if (pose.orientation == IkOrientation::axis) target.orientation_weight[pose.axis] = 0;
  return target;
}

class Numeric {
 public:
  Numeric(const IkOptions& o, const IkRobot& robot)
      : robot_(robot),
        model_(robot.model()),
        workspace_(model_, robot.frames()),
        follows_(o.follow),
        start_(robot.configuration("--start", o.start, o.degrees)),
        has_start_(!o.start.empty()) {
    options_.objective = parse_objective(o.prefer, !o.near.empty() || o.follow);
    if (o.restarts >= 0) options_.max_restarts = o.restarts;
  }

  IkAnswer solve(const IkQuestion& question, const std::vector<double>& near) {
    std::vector<IkTarget> targets;
    for (const IkPose& pose : question.poses) targets.push_back(target_of(pose));
    options_.reference = near;
    std::vector<double> q(near.size());
    const std::vector<double>& start = has_start_ ? start_ : near;
    const InverseKinematicsResult result =
        inverse_kinematics(model_, workspace_, targets, start, options_, q);
    if (follows_ && result.converged) has_start_ = false;  // the next one begins at this one
    IkAnswer answer;
    answer.solved = result.converged;
    answer.summary = describe(model_, result);
    answer.distance = result.position_residual;
    answer.rotation_distance = result.orientation_residual;
    answer.json = figures(result);
    Json active = Json::array();
    for (const ActiveLimit& limit : result.active_limits) {
      const std::string name = model_.coordinate_name(limit.coordinate);
      active.push_back(name);
      (answer.remark += answer.remark.empty() ? "at a limit: " : ", ") += name;
    }
    answer.json["at_limits"] = std::move(active);
    if (!result.converged) {
      answer.json["closest"] = robot_.whole(q);
      return answer;
    }
    IkSolution solution;
    solution.q = std::move(q);
    solution.position_error = result.position_residual;
    solution.rotation_error = result.orientation_residual;
    answer.solutions.push_back(std::move(solution));
    return answer;
  }

  /// That move a target, or follow one that does.
  std::vector<int> coordinates() const {
    std::vector<int> moved;
    for (const int c : workspace_.coordinates()) moved.push_back(c);
    std::sort(moved.begin(), moved.end());
    return moved;
  }

 private:
  Json figures(const InverseKinematicsResult& result) const {
    Json out{{"status", status_name(result.status)},
             {"iterations", result.iterations},
             {"restarts", result.restarts},
             {"position_residual", result.position_residual},
             {"orientation_residual", result.orientation_residual}};
    if (options_.objective != IkObjective::none) out["objective"] = result.objective;
    if (result.targets.size < 2) return out;
    Json residuals = Json::array();
    for (int t = 0; t < result.targets.size; ++t)
      residuals.push_back({{"frame", robot_.frames()[t]},
                           {"position", result.targets[t].position},
                           {"orientation", result.targets[t].orientation},
                           {"reached", result.targets[t].reached}});
    out["residuals"] = std::move(residuals);
    return out;
  }

  const IkRobot& robot_;
  const Model<double>& model_;
  InverseKinematicsWorkspace workspace_;
  InverseKinematicsOptions options_;
  bool follows_;
  std::vector<double> start_;
  bool has_start_;
};

}  // namespace

IkMethod numeric_method(const IkOptions& o, const IkRobot& robot) {
  const auto method = std::make_shared<Numeric>(o, robot);
  return {"iteration", true, method->coordinates(),
          [method](const IkQuestion& question, const std::vector<double>& near) {
            return method->solve(question, near);
          }};
}

}  // namespace torsor::command
