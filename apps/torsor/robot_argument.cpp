#include "robot_argument.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "number_list.hpp"
#include "torsor/formats/check_model.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {

void add_robot(CLI::App& app, RobotArgument& robot, bool with_floating) {
  app.add_option("ROBOT", robot.name, "a file (.urdf, .xml, .yaml, .yml) or a built-in name")
      ->required()
      ->type_name("");
  if (!with_floating) return;
  app.add_flag("--floating", robot.floating, "put a free joint under the root link");
  app.add_flag("--strict", robot.strict, "refuse what torsor check warns about");
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "for programs: JSON with full precision");
}

namespace {

bool is_urdf(const std::string& name) { return robot_format_of_path(name) == RobotFormat::urdf; }

/// Robot files have a silent reader: the doctor speaks for it. Built-in robots are as they are known to be.
void add_doubts(const RobotArgument& robot, LoadedRobot& loaded) {
  std::error_code ignored;
  const bool file = std::filesystem::is_regular_file(robot.name, ignored);
  if (is_urdf(robot.name) || !(file || robot.strict)) return;
  for (Finding& f : check_model(loaded.description, {false, {}}))
    if (f.severity != Finding::note) loaded.findings.push_back(std::move(f));
}

}  // namespace

LoadedRobot load(const RobotArgument& robot) {
  LoadedRobot loaded;
  if (is_urdf(robot.name))  // the reader that has something to say
    loaded.description = load_urdf_description(robot.name, {robot.strict, &loaded.findings});
  else
    loaded.description = load_description(robot.name);
  return loaded;
}

LoadedRobot load_with_doubts(const RobotArgument& robot) {
  LoadedRobot loaded = load(robot);
  add_doubts(robot, loaded);
  int warnings = 0;
  for (const Finding& f : loaded.findings) {
    if (f.severity == Finding::note) continue;
    if (robot.strict) throw Error(f.line() + " (--strict)");
    ++warnings;
  }
  if (warnings > 0)
    std::fprintf(stderr, "torsor: %d warning%s about %s (torsor check says which)\n", warnings,
                 warnings > 1 ? "s" : "", one_line(robot.name).c_str());
  return loaded;
}

Model<double> load_model(const RobotArgument& robot) {
  Model<double> model(load_with_doubts(robot).description);
  return robot.floating ? with_base(model, JointKind::free) : model;
}

std::vector<bool> angular_coordinates(const Model<double>& model) {
  std::vector<bool> angular(static_cast<std::size_t>(model.n_q()), false);
  const auto set = [&](int at) { angular[static_cast<std::size_t>(at)] = true; };
  for (int i = 1; i < model.n_bodies(); ++i)
    for_each_part(model.joint(i), [&](JointKind kind, EulerOrder, int iq, int) {
      const int at = model.body(i).q.first + iq;
      switch (kind) {
        case JointKind::revolute:
        case JointKind::continuous:
        case JointKind::helical:
        case JointKind::cylindrical:
          return set(at);
        case JointKind::universal:
          return set(at), set(at + 1);
        case JointKind::planar:
          return set(at + 2);
        case JointKind::spherical_euler:
          return set(at), set(at + 1), set(at + 2);
        case JointKind::free_euler:
          return set(at + 3), set(at + 4), set(at + 5);
        default:
          return;
      }
    });
  return angular;
}

std::vector<double> parse_configuration(const std::string& text, bool degrees,
                                        const Model<double>& model, const std::string& option) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  neutral(model, q);
  if (text.empty()) return q;
  const std::vector<double> given = parse_numbers(option, text);
  if (given.size() != q.size())
    throw Error(option + ": has " + std::to_string(given.size()) + " numbers, \"" + model.name() +
                "\" has " + std::to_string(q.size()) + " coordinates");
  const std::vector<bool> angular = angular_coordinates(model);
  for (std::size_t k = 0; k < q.size(); ++k)
    q[k] = degrees && angular[k] ? given[k] * std::numbers::pi / 180 : given[k];
  check_configuration(model, q);
  return q;
}

}  // namespace torsor::command
