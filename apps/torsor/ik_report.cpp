// What torsor ik shows of one pose.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ik.hpp"
#include "pose_text.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

Limits limits_of(const Model<double>& model, int coordinate) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const int at = coordinate - model.body(i).q.first;
    if (at < 0 || at >= model.body(i).q.count) continue;
    const int k = limits_of_coordinate(model.joint(i), at);
    return k < 0 ? Limits{} : model.limits(model.body(i).v.first + k);
  }
  return {};
}
std::string shown(double value) { return tidy_number(value, 100); }

/// A letter for each family, in the order in which they come.
class FamilyNotes {
 public:
  std::string letter(const std::string& family) {
    if (family.empty()) return {};
    auto at = std::find(notes_.begin(), notes_.end(), family);
    if (at == notes_.end()) at = notes_.insert(notes_.end(), family);
    return std::string(1, static_cast<char>('a' + (at - notes_.begin())));
  }
  std::string text() const {
    std::string out;
    for (std::size_t k = 0; k < notes_.size(); ++k)
      out +=
          "  " +
          wrapped(std::string("family ") + static_cast<char>('a' + k) + ": " + notes_[k], 4, 80) +
          "\n";
    return out;
  }

 private:
  std::vector<std::string> notes_;
};

/// Columns of the text.
constexpr std::size_t width = 80;

/// A row for each solution; where that is too wide, what they are first and their joints below.
std::string solution_table(const Model<double>& model, const IkMethod& method, const IkOptions& o,
                           const IkAnswer& answer) {
  using Columns = std::vector<Table::Column>;
  const Columns number_and_name{{"#", Table::right}, {"branch", Table::left}};
  const Columns figures{{"distance", Table::right},
                        {"off by m", Table::right},
                        {"and rad", Table::right},
                        {"family", Table::left}};
  Columns joints;
  for (const int c : method.coordinates)
    joints.push_back({model.coordinate_name(c) + " ", Table::right});  // the blank: room for "!"
  const auto joined = [](Columns all, const Columns& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  Table whole(joined(joined(number_and_name, joints), figures));
  Table what(joined(number_and_name, figures)), where(joined({number_and_name.front()}, joints));
  FamilyNotes families;
  bool any_outside = false;
  const Array<Measure> measures = coordinate_measures(model);
  for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
    const IkSolution& s = answer.solutions[k];
    const std::vector<std::string> name{std::to_string(k + 1), s.name};
    std::vector<std::string> q;
    for (const int c : method.coordinates) {
      const bool outside =
          std::find(s.outside_limits.begin(), s.outside_limits.end(), c) != s.outside_limits.end();
      any_outside |= outside;
      const double unit = o.degrees && measures[c] == Measure::angle ? 180 / std::numbers::pi : 1;
      q.push_back(shown(s.q[c] * unit) + (outside ? "!" : " "));
    }
    const std::vector<std::string> rest{
        o.near.empty() ? "" : number(s.distance), answer.in_part ? shown(s.position_error) : "",
        answer.in_part ? shown(s.rotation_error) : "", families.letter(s.family)};
    const auto row = [](std::vector<std::string> all, const std::vector<std::string>& more) {
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    whole.add(row(row(name, q), rest));
    what.add(row(name, rest));
    where.add(row({name.front()}, q));
  }
  const std::string text = whole.text();
  return (longest_line(text) <= width ? text : what.text() + where.text()) + families.text() +
         (any_outside ? "  ! beyond the joint's limits\n" : "");
}

/// One solution: a line for each joint, beside its limits.
std::string joint_table(const Model<double>& model, const IkMethod& method, const IkOptions& o,
                        const IkSolution& s) {
  Table table({{"joint"}, {"q", Table::right}, {"lower", Table::right}, {"upper", Table::right}});
  const Array<Measure> measures = coordinate_measures(model);
  for (const int c : method.coordinates) {
    const double unit = o.degrees && measures[c] == Measure::angle ? 180 / std::numbers::pi : 1;
    const Limits limits = limits_of(model, c);
    table.add({model.coordinate_name(c), shown(s.q[c] * unit), number(limits.lower * unit),
               number(limits.upper * unit)});
  }
  return table.text() + (o.near.empty() ? "" : "  distance " + number(s.distance) + "\n");
}

}  // namespace

std::vector<int> outside_limits(const Model<double>& model, In<double> q,
                                const std::vector<int>& coordinates) {
  std::vector<int> outside;
  for (const int c : coordinates) {
    const Limits limits = limits_of(model, c);
    if (q[c] < limits.lower - 1e-9 || q[c] > limits.upper + 1e-9) outside.push_back(c);
  }
  return outside;
}

namespace {

/// Where the frames shall be, as far as that was said.
std::string target_text(const IkRobot& robot, const IkOptions& o, const IkQuestion& question) {
  const std::string unit = o.degrees ? "deg" : "rad";
  const std::string in = robot.root().empty() ? "" : "; in " + robot.root();
  std::vector<NamedPose> whole;
  std::string rest;
  const SE3<double> T_root_world = inverse(robot.T_world_root());
  for (const IkPose& pose : question.poses) {
    const SE3<double> T = T_root_world * pose.T;
    if (pose.orientation == IkOrientation::all) {
      whole.push_back({pose.frame, T});
      continue;
    }
    const Vec3<double> d = T.R[pose.axis];
    rest += "  " + pose.frame + "  " + shown(T.p.x) + "  " + shown(T.p.y) + "  " + shown(T.p.z) +
            (pose.orientation == IkOrientation::none
                 ? "  any orientation"
                 : std::string("  ") + "xyz"[pose.axis] + " axis along " + shown(d.x) + "  " +
                       shown(d.y) + "  " + shown(d.z)) +
            "\n";
  }
  std::string out;
  if (!whole.empty()) out += heading("where to", "m, " + unit + in) + pose_table(whole, o.degrees);
  if (!rest.empty()) out += heading("where to", "m" + in) + rest;
  return out;
}

}  // namespace

std::string ik_text(const IkRobot& robot, const IkMethod& method, const IkOptions& o,
                    const IkQuestion& question, const IkAnswer& answer) {
  const Model<double>& model = robot.model();
  std::string out = bold(model.name()) + "\n" + target_text(robot, o, question);
  out += "\n" + bold(wrapped(answer.summary, 2, width)) + " (angles in " +
         (o.degrees ? "deg" : "rad") + ")\n" +
         (method.numeric ? joint_table(model, method, o, answer.solutions.front())
                         : solution_table(model, method, o, answer));
  if (!answer.remark.empty()) out += "  " + answer.remark + "\n";
  for (const std::string& lock : o.lock) out += "  locked: " + one_line(lock) + "\n";
  return out;
}

Json ik_json(const IkRobot& robot, const IkQuestion& question, const IkAnswer& answer,
             bool with_distance) {
  const Model<double>& model = robot.model();
  Json out = Json::object(), targets = Json::array();
  for (const IkPose& pose : question.poses) {
    Json target = json_of_pose(pose.T);
    if (pose.orientation != IkOrientation::all) target = {{"position", json_vector(pose.T.p)}};
    if (pose.orientation == IkOrientation::axis)
      target["axis"] = {{"of_frame", std::string(1, "xyz"[pose.axis])},
                        {"direction", json_vector(pose.T.R[pose.axis])}};
    if (question.poses.size() > 1) target["frame"] = pose.frame;
    if (question.poses.size() == 1)
      out["target"] = std::move(target);
    else
      targets.push_back(std::move(target));
  }
  if (question.poses.size() > 1) out["targets"] = std::move(targets);
  out.update(answer.json);
  Json list = Json::array();
  for (const IkSolution& s : answer.solutions) {
    Json outside = Json::array();
    for (const int c : s.outside_limits) outside.push_back(model.coordinate_name(c));
    Json entry = Json::object();
    if (!s.name.empty()) entry["branch"] = s.name;
    entry.update({{"q", robot.whole(s.q)},
                  {"inside_limits", s.outside_limits.empty()},
                  {"outside_limits", std::move(outside)},
                  {"position_error", s.position_error},
                  {"rotation_error", s.rotation_error}});
    if (with_distance) entry["distance"] = s.distance;
    if (!s.family.empty()) entry["family"] = s.family_json;
    list.push_back(std::move(entry));
  }
  out["solutions"] = std::move(list);
  return out;
}

}  // namespace torsor::command
