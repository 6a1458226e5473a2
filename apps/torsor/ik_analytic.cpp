// All branches from the geometry of the arm, with their names.
#include <cmath>
#include <numbers>

#include "ik.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

bool turns(const Model<double>& model, int coordinate) {
  return Array<Measure>(coordinate_measures(model))[coordinate] == Measure::angle;
}

class Analytic {
 public:
  Analytic(const IkOptions& o, const Model<double>& model, const std::string& frame)
      : model_(model), o_(o), solver_(model, frame) {
    for (int i = 0; i < solver_.n_joints(); ++i) coordinates.push_back(solver_.coordinate(i));
  }

  const char* method() const { return solver_.method(); }

  IkAnswer solve(const IkPose& pose, const std::vector<double>& near) {
    if (pose.orientation == IkOrientation::none)
      solver_.solve_position(pose.T.p, result_);
    else
      solver_.solve(pose.T, result_);
    IkAnswer answer;
    answer.solved = !result_.empty();
    answer.distance = result_.distance;
    answer.rotation_distance = result_.rotation_distance;
    answer.in_part = result_.status == AnalyticIkStatus::reduced;
    const Array<std::string> names = solver_.branch_names(result_);
    for (int i = 0; i < result_.n_solutions; ++i)
      answer.solutions.push_back(solution(result_.begin()[i], names[i], near));
    answer.json = {{"status", status_name()}, {"complete", complete()}};
    if (!answer.solved) {
      answer.json["distance"] = result_.distance;
      answer.json["rotation_distance"] = result_.rotation_distance;
      answer.json["distance_of_wrist_centre"] = result_.distance_of_wrist_centre;
    }
    answer.summary = summary(answer);
    return answer;
  }

  std::vector<int> coordinates;

 private:
  const char* status_name() const {
    switch (result_.status) {
      case AnalyticIkStatus::solved:
        return "solved";
      case AnalyticIkStatus::continuum:
        return "continuum";
      case AnalyticIkStatus::reduced:
        return "reduced";
      default:
        return "unreachable";
    }
  }

  /// No isolated solution is left out.
  bool complete() const {
    return solver_.finds_all() && result_.status != AnalyticIkStatus::continuum;
  }

  IkSolution solution(const AnalyticIkSolution& s, const std::string& name,
                      const std::vector<double>& near) const {
    IkSolution out;
    out.name = name;
    out.q = near;
    solver_.write(s, out.q);
    if (o_.follow || !o_.near.empty()) turn_towards(near, out.q);
    out.outside_limits = outside_limits(model_, out.q, coordinates);
    out.position_error = s.position_error;
    out.rotation_error = s.rotation_error;
    if (s.family >= 0) describe(result_.families[s.family], out);
    return out;
  }
  /// Whole turns towards `near`, where the limits leave room for them.
  void turn_towards(In<double> near, Array<double>& q) const {
    constexpr double turn = 2 * std::numbers::pi;
    for (const int c : coordinates) {
      if (!turns(model_, c)) continue;
      const double before = q[c], turned = before + turn * std::round((near[c] - before) / turn);
      if (std::abs(turned - near[c]) > std::abs(before - near[c]) - 1e-9) continue;
      const bool was_outside = !outside_limits(model_, q, {c}).empty();
      q[c] = turned;
      if (!was_outside && !outside_limits(model_, q, {c}).empty()) q[c] = before;
    }
  }

  std::string joint(int i) const { return model_.coordinate_name(solver_.coordinate(i)); }
  void describe(const AnalyticIkFamily& family, IkSolution& out) const {
    std::string sum;
    Json combination = Json::object();
    for (int i = 0; i < solver_.n_joints(); ++i) {
      const double c = family.combination[i];
      if (c == 0) continue;
      combination[joint(i)] = c;
      sum += sum.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
      sum += (std::abs(c) == 1 ? "" : number(std::abs(c)) + " ") + joint(i);
    }
    const double unit = o_.degrees ? 180 / std::numbers::pi : 1;
    Json free = Json::array();
    std::string names;
    for (int k = 0; k < family.dimension; ++k) {
      const std::string name = joint(family.free_joints[k]);
      free.push_back(name);
      names += (k == 0 ? "" : k + 1 < family.dimension ? ", " : " and ") + name;
    }
    const bool one = family.dimension == 1;
    out.family = names + (one ? " is free, " : " are free, ") +
                 (sum.empty() ? std::string("the other joints follow (--lock ") +
                                    (one ? "it" : "them") + " and solve again)"
                              : "while " + sum + " = " + number(family.value * unit));
    out.family_json = {{"dimension", family.dimension}, {"free_joints", std::move(free)}};
    if (!sum.empty()) {
      out.family_json["combination"] = combination;
      out.family_json["value"] = family.value;
    }
  }

  std::string summary(const IkAnswer& answer) const {
    if (!answer.solved) {
      const std::string off = number(result_.distance) + " m";
      if (result_.distance_of_wrist_centre)
        return "unreachable: the wrist centre would be " + off + " outside the arm's workspace";
      return "unreachable: the nearest pose found is " + off + " and " +
             number(result_.rotation_distance) + " rad away";
    }
    int inside = 0;
    for (const IkSolution& s : answer.solutions) inside += s.outside_limits.empty() ? 1 : 0;
    const int n = result_.n_solutions;
    std::string out = std::to_string(n) + (n == 1 ? " solution" : " solutions");
    if (result_.status == AnalyticIkStatus::continuum) {
      const int freedom = solver_.freedom();
      out = "a continuum of solutions: the arm keeps " + std::to_string(freedom) +
            (freedom == 1 ? " freedom" : " freedoms") + " at every pose; " + out + " of it";
    }
    if (std::string(solver_.method()) == "numeric search") out += " found";
    out += std::string(" by ") + solver_.method() + ", " +
           (inside == n   ? (n == 1 ? "inside" : "all inside")
            : inside == 0 ? (n == 1 ? "not inside" : "none inside")
                          : std::to_string(inside) + " inside") +
           " the limits";
    if (!solver_.finds_all() && solver_.freedom() == 0 &&
        std::string(solver_.method()) == "numeric search")
      out += "; there may be more";
    if (result_.status == AnalyticIkStatus::reduced)
      out += "; " + std::to_string(result_.n_joints) +
             (result_.n_joints == 1 ? " joint meets" : " joints meet") + " the pose in part only";
    return out;
  }

  const Model<double>& model_;
  const IkOptions& o_;
  AnalyticIkSolver solver_;
  AnalyticIkResult result_;
};

}  // namespace

IkMethod analytic_method(const IkOptions& o, const Model<double>& model, const std::string& frame) {
  std::shared_ptr<Analytic> method;
  try {
    method = std::make_shared<Analytic>(o, model, frame);
  } catch (const Error& refused) {
    std::string why = refused.what();
    const std::string verb = "analytic_ik: ", lock = ": lock the others";
    if (why.starts_with(verb)) why.erase(0, verb.size());
    const bool many = why.ends_with(lock);
    if (many) why.erase(why.size() - lock.size());
    throw Error("no closed form: " + why + "; --numeric solves it by iteration" +
                (many ? ", --lock JOINT=VALUE leaves six" : ""));
  }
  return {method->method(), false, method->coordinates,
          [method](const IkQuestion& question, const std::vector<double>& near) {
            return method->solve(question.poses.front(), near);
          }};
}

bool position_has_closed_form(const Model<double>& model, const std::string& frame) {
  try {
    return AnalyticIkSolver(model, frame).solves_position();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace torsor::command
