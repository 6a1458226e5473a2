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
      out += std::string("  family ") + static_cast<char>('a' + k) + ": " + notes_[k] + "\n";
    return out;
  }

 private:
  std::vector<std::string> notes_;
};

std::string solution_table(const Model<double>& model, const IkMethod& method, const IkOptions& o,
                           const IkAnswer& answer) {
  std::vector<Table::Column> titles{{"#", Table::right}, {"branch", Table::left}};
  for (const int c : method.coordinates)
    titles.push_back({model.coordinate_name(c) + " ", Table::right});  // the blank: room for "!"
  titles.push_back({"distance", Table::right});
  titles.push_back({"off by m", Table::right});
  titles.push_back({"and rad", Table::right});
  titles.push_back({"family", Table::left});
  Table table(titles);
  FamilyNotes families;
  bool any_outside = false;
  const Array<Measure> measures = coordinate_measures(model);
  for (std::size_t k = 0; k < answer.solutions.size(); ++k) {
    const IkSolution& s = answer.solutions[k];
    std::vector<std::string> row{std::to_string(k + 1), s.name};
    for (const int c : method.coordinates) {
      const bool outside =
          std::find(s.outside_limits.begin(), s.outside_limits.end(), c) != s.outside_limits.end();
      any_outside |= outside;
      const double unit = o.degrees && measures[c] == Measure::angle ? 180 / std::numbers::pi : 1;
      row.push_back(shown(s.q[c] * unit) + (outside ? "!" : " "));
    }
    row.push_back(o.near.empty() ? "" : number(s.distance));
    row.push_back(answer.show_errors ? shown(s.position_error) : "");
    row.push_back(answer.show_errors ? shown(s.rotation_error) : "");
    row.push_back(families.letter(s.family));
    table.add(std::move(row));
  }
  return table.text() + families.text() + (any_outside ? "  ! beyond the joint's limits\n" : "");
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

std::string ik_text(const Model<double>& model, const IkMethod& method, const IkOptions& o,
                    const IkPose& pose, const IkAnswer& answer) {
  const std::string unit = o.degrees ? "deg" : "rad";
  std::string out = bold(model.name()) + "\n";
  if (pose.oriented)
    out += heading("where to", "m, " + unit) + pose_table({{o.frame, pose.T}}, o.degrees);
  else
    out += heading("where to", "m; any orientation") + "  " + o.frame + "  " + number(pose.T.p.x) +
           "  " + number(pose.T.p.y) + "  " + number(pose.T.p.z) + "\n";
  out += heading(answer.summary, "angles in " + unit) +
         (o.numeric ? joint_table(model, method, o, answer.solutions.front())
                    : solution_table(model, method, o, answer));
  if (!answer.remark.empty()) out += "  " + answer.remark + "\n";
  return out;
}

Json ik_json(const Model<double>& model, const IkPose& pose, const IkAnswer& answer,
             bool with_distance) {
  Json target = json_of_pose(pose.T);
  if (!pose.oriented) target = {{"position", json_vector(pose.T.p)}};
  Json out{{"target", std::move(target)}};
  out.update(answer.json);
  Json list = Json::array();
  for (const IkSolution& s : answer.solutions) {
    Json outside = Json::array();
    for (const int c : s.outside_limits) outside.push_back(model.coordinate_name(c));
    Json entry = Json::object();
    if (!s.name.empty()) entry["branch"] = s.name;
    entry.update({{"q", s.q},
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
