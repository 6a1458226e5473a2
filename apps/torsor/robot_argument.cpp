#include "robot_argument.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "number_list.hpp"
#include "print.hpp"
#include "text_output.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {

void add_robot(Arguments& app, RobotArgument& robot, bool with_floating) {
  app.add_option("ROBOT", robot.name,
                 "a file (" + robot_extensions(", ") +
                     "; a xacro file with its name:=value words) or a built-in name")
      .required()
      .type_name("");
  app.take_assignments(robot.files.arguments);
  add_package_path(app, robot.files.package_folders);
  if (!with_floating) return;
  app.add_flag("--floating", robot.floating, "put a free joint under the root link");
  app.add_flag("--strict", robot.strict, "refuse what torsor check warns about");
}

void add_package_path(Arguments& app, std::vector<std::string>& folders) {
  app.add_option("--package-path", folders,
                 "folder with ROS packages, of $(find ...) and package:// meshes")
      .type_name("FOLDER")
      .repeatable();
}

void add_json(Arguments& app, bool& json) {
  app.add_flag("--json", json, "for programs: JSON with full precision");
}

std::string unusable(const Findings& found) {
  const auto swapped = std::find_if(found.begin(), found.end(), [](const Finding& f) {
    return f.kind == Finding::Kind::limit_order;
  });
  return swapped == found.end() ? "" : swapped->line() + "; torsor check --fix exchanges them";
}

void mention_warnings(const Findings& found, const std::string& robot, bool motion_only) {
  const auto warnings = std::count_if(found.begin(), found.end(), [&](const Finding& f) {
    return f.severity != Finding::Severity::note &&
           (f.topic == Finding::Topic::motion || !motion_only);
  });
  if (warnings > 0)
    remark("torsor: " + std::to_string(warnings) + (warnings > 1 ? " warnings" : " warning") +
           " about " + one_line(robot) + " (torsor check says which)");
}

RobotDescription load(const RobotArgument& robot, Findings* found) {
  Findings own;
  Findings& all = found == nullptr ? own : *found;
  const bool known = is_builtin_robot(robot.name);  // built-in robots are as they are known to be
  const bool unchecked = known && !robot.strict && found == nullptr;
  RobotDescription description = load_description(robot.name, unchecked ? nullptr : &all,
                                                  {.meshes = false}, robot_formats(), robot.files);
  if (const std::string why = unusable(all); !why.empty()) throw Error(why);
  if (robot.strict && !all.empty() && all.front().severity != Finding::Severity::note)
    throw Error(all.front().line() + " (--strict)");
  if (!known) mention_warnings(all, robot.name, robot.motion_only);
  return description;
}

Model<double> load_model(const RobotArgument& robot) {
  const Model<double> model(load(robot));
  return robot.floating ? with_base(model, JointKind::free) : model;
}

bool mention_limits(const std::string& where, const Model<double>& model,
                    const std::vector<double>& given, bool degrees, const std::string& hint) {
  const In<double> q = given;
  std::string first;
  int beyond = 0;
  bool beyond_a_turn = false;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& body = model.body(i);
    internal::for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int iv) {
      for (int k = 0; k < n_v(kind); ++k) {
        const int moved = internal::moved_coordinate(kind, k);
        if (moved < 0) continue;
        const int c = body.q.first + iq + moved;
        const Limits& l = model.limits(body.v.first + iv + k);
        if (q[c] >= l.lower && q[c] <= l.upper) continue;
        const bool angle = internal::coordinate_measure(kind, moved) == Measure::angle;
        const double unit = degrees && angle ? 180 / std::numbers::pi : 1;
        beyond_a_turn = beyond_a_turn || (angle && std::abs(q[c]) > 2 * std::numbers::pi);
        if (++beyond > 1) continue;
        const auto shown = [&](double x) { return number(x * unit); };
        first = model.coordinate_name(c) + " = " + shown(q[c]) +
                (!angle    ? " m"
                 : degrees ? " deg"
                           : " rad") +
                ", beyond its limits " + shown(l.lower) + " to " + shown(l.upper);
      }
    });
  }
  if (beyond == 0) return false;
  if (beyond > 1) first += " (and " + std::to_string(beyond - 1) + " more)";
  remark("torsor: " + one_line(where) + ": " + one_line(first) +
         (beyond_a_turn && !degrees ? "; " + hint : ""));
  return true;
}

std::vector<double> parse_configuration(const std::string& text, bool degrees,
                                        const Model<double>& model, const std::string& option) {
  Array<double> q(model.n_q());
  neutral(model, q);
  if (text.empty()) return q;
  const std::vector<NamedConfiguration>& named = model.description().configurations;
  const bool is_name =
      std::any_of(named.begin(), named.end(), [&](const auto& c) { return c.name == text; });
  if (is_name || (!named.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0))
    return named_configuration(model, text);
  const Array<double> given = parse_numbers(option, text);
  if (given.size() != q.size())
    throw Error(option + ": has " + std::to_string(given.size()) + " numbers, \"" + model.name() +
                "\" has " + std::to_string(q.size()) + " coordinates");
  const Array<Measure> measures = coordinate_measures(model);
  for (int k = 0; k < q.size(); ++k)
    q[k] = degrees && measures[k] == Measure::angle ? given[k] * std::numbers::pi / 180 : given[k];
  check_configuration(model, q);
  (void)mention_limits(option, model, q, degrees, "did you mean --deg?");
  return q;
}

}  // namespace torsor::command
