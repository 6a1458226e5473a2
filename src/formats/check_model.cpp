#include "torsor/formats/check_model.hpp"

#include <algorithm>
#include <tuple>

#include "check_parts.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {

namespace {

/// The robot as models see it; as written where its loops cannot be cut.
RobotDescription opened(const RobotDescription& robot) {
  try {
    return split_loops(robot);
  } catch (const Error&) {
    return robot;
  }
}

}  // namespace

Findings check_model(const RobotDescription& given, const CheckOptions& options) {
  doctor::Report report;
  const RobotDescription robot = opened(given);
  const doctor::Tree tree(robot);
  check_names(robot, report);
  check_tree(tree, report);
  check_constraints(tree, report);
  check_joints(robot, report);
  check_inertias(tree, report);
  check_units(tree, report);
  check_geometry(robot, options, report);
  if (!report.has_errors()) {
    try {  // what the model refuses and nothing above names
      const Model<double> model(robot);
    } catch (const Error& refused) {
      report.error({}, "robot " + doctor::element("", robot.name), refused.what(),
                   "no command can use the robot", "");
    }
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tuple(-int{a.severity}, a.origin.file, a.origin.line) <
                            std::tuple(-int{b.severity}, b.origin.file, b.origin.line);
                   });
  return std::move(report.findings);
}

}  // namespace torsor
