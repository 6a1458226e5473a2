#include "robot_argument.hpp"

#include <algorithm>
#include <numbers>
#include <optional>

#include "findings.hpp"
#include "number_list.hpp"
#include "print.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/measure.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::command {

void add_robot(Arguments& app, RobotArgument& robot, bool with_floating) {
  app.add_option("ROBOT", robot.name, "a file (.urdf, .xml, .yaml, .yml) or a built-in name")
      .required()
      .type_name("");
  if (!with_floating) return;
  app.add_flag("--floating", robot.floating, "put a free joint under the root link");
  app.add_flag("--strict", robot.strict, "refuse what torsor check warns about");
}

void add_json(Arguments& app, bool& json) {
  app.add_flag("--json", json, "for programs: JSON with full precision");
}

namespace {

/// Whether the doctor has found what the reader saw already.
bool same_subject(const Finding& of_reader, const Finding& of_doctor) {
  return of_reader.kind != Finding::Kind::other && of_reader.kind == of_doctor.kind &&
         of_reader.element == of_doctor.element;
}

}  // namespace

LoadedRobot load(const RobotArgument& robot) {
  LoadedRobot loaded;
  Findings* const findings = &loaded.findings;
  const std::optional<RobotFormat> format = robot_format_of_path(robot.name);
  if (format == RobotFormat::urdf)
    loaded.description = load_urdf_description(robot.name, {robot.strict, findings});
  else if (format == RobotFormat::robot_file)
    loaded.description = load_robot_file_description(robot.name, {findings});
  else
    loaded.description = load_description(robot.name);
  return loaded;
}

Findings all_findings(const LoadedRobot& loaded, const CheckOptions& how) {
  Findings found = check_model(loaded.description, how);
  const std::size_t of_doctor = found.size();
  for (const Finding& r : loaded.findings) {
    bool known = false;
    for (std::size_t k = 0; k < of_doctor; ++k) {
      if (!same_subject(r, found[k])) continue;
      if (r.origin.line > 0) found[k].origin = r.origin;
      known = true;
    }
    if (!known) found.push_back(r);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

const Finding* unusable(const Findings& found) {
  const auto at = std::find_if(found.begin(), found.end(), [](const Finding& f) {
    return f.kind == Finding::Kind::limit_order;
  });
  return at == found.end() ? nullptr : &*at;
}

LoadedRobot load_with_doubts(const RobotArgument& robot) {
  LoadedRobot loaded = load(robot);
  // Built-in robots are as they are known to be. Meshes are nobody's concern here.
  if (!robot_format_of_path(robot.name) && !robot.strict) return loaded;
  const Findings found = all_findings(loaded, {false, {}});
  if (const Finding* f = unusable(found))  // Model would say so, too; the doctor knows the remedy
    throw Error(f->line() + "; torsor check --fix exchanges them");
  int warnings = 0;
  for (const Finding& f : found) {
    if (f.severity == Finding::note) continue;
    if (robot.strict) throw Error(f.line() + " (--strict)");
    ++warnings;
  }
  if (warnings > 0)
    remark("torsor: " + std::to_string(warnings) + (warnings > 1 ? " warnings" : " warning") +
           " about " + one_line(robot.name) + " (torsor check says which)");
  return loaded;
}

Model<double> load_model(const RobotArgument& robot) {
  Model<double> model(load_with_doubts(robot).description);
  return robot.floating ? with_base(model, JointKind::free) : model;
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
  const std::vector<Measure> measures = coordinate_measures(model);
  for (std::size_t k = 0; k < q.size(); ++k)
    q[k] = degrees && measures[k] == Measure::angle ? given[k] * std::numbers::pi / 180 : given[k];
  check_configuration(model, q);
  return q;
}

}  // namespace torsor::command
