// One solution by iteration, inside the limits, for any robot.
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

class Numeric {
 public:
  Numeric(const IkOptions& o, const Model<double>& model)
      : model_(model),
        workspace_(model, {o.frame}),
        follows_(o.follow),
        start_(parse_configuration(o.start, o.degrees, model, "--start")),
        has_start_(!o.start.empty()) {
    options_.objective = parse_objective(o.prefer, !o.near.empty() || o.follow);
    if (o.restarts >= 0) options_.max_restarts = o.restarts;
  }

  IkAnswer solve(const IkPose& pose, const std::vector<double>& near) {
    IkTarget target{pose.T};
    if (!pose.oriented) target.orientation_weight = {};
    options_.reference = near;
    std::vector<double> q(near.size());
    const std::vector<double>& start = has_start_ ? start_ : near;
    const InverseKinematicsResult result =
        inverse_kinematics(model_, workspace_, {&target, 1}, start, options_, q);
    if (follows_ && result.converged) has_start_ = false;  // the next one begins at this one
    IkAnswer answer;
    answer.solved = result.converged;
    answer.summary = describe(model_, result);
    answer.json = {{"status", status_name(result.status)},
                   {"iterations", result.iterations},
                   {"restarts", result.restarts},
                   {"position_residual", result.position_residual},
                   {"orientation_residual", result.orientation_residual}};
    if (options_.objective != IkObjective::none) answer.json["objective"] = result.objective;
    Json active = Json::array();
    for (const ActiveLimit& limit : result.active_limits) {
      const std::string name = model_.coordinate_name(limit.coordinate);
      active.push_back(name);
      (answer.remark += answer.remark.empty() ? "at a limit: " : ", ") += name;
    }
    answer.json["at_limits"] = std::move(active);
    if (!result.converged) {
      answer.json["closest"] = q;
      return answer;
    }
    IkSolution solution;
    solution.q = std::move(q);
    solution.position_error = result.position_residual;
    solution.rotation_error = result.orientation_residual;
    answer.solutions.push_back(std::move(solution));
    return answer;
  }

 private:
  const Model<double>& model_;
  InverseKinematicsWorkspace workspace_;
  InverseKinematicsOptions options_;
  bool follows_;
  std::vector<double> start_;
  bool has_start_;
};

}  // namespace

IkMethod numeric_method(const IkOptions& o, const Model<double>& model) {
  const auto method = std::make_shared<Numeric>(o, model);
  std::vector<int> coordinates;
  for (int i = model.frame(o.frame).body; i > 0; i = model.body(i).parent)
    for (int k = model.body(i).q.count - 1; k >= 0; --k)
      coordinates.insert(coordinates.begin(), model.body(i).q.first + k);
  return {"iteration", coordinates, [method](const IkPose& pose, const std::vector<double>& near) {
            return method->solve(pose, near);
          }};
}

}  // namespace torsor::command
