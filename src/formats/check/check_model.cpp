#include "torsor/formats/check_model.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "check/parts.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {

namespace {

/// The robot as models see it; as written where its loops cannot be cut.
RobotDescription opened(const RobotDescription& robot) {
  try {
    return internal::split_loops(robot);
  } catch (const Error&) {
    return robot;
  }
}

}  // namespace

Findings check_model(const RobotDescription& given, const CheckOptions& options) {
  internal::checks::Report report;
  RobotDescription robot = opened(given);
  const internal::checks::Tree tree(robot);
  check_names(robot, report);
  check_tree(tree, report);
  check_constraints(tree, report);
  check_joints(robot, report);
  check_inertias(tree, report);
  check_units(tree, report);
  check_geometry(robot, options, report);
  if (!report.has_errors()) {
    try {  // what the model refuses and nothing above names
      const Model<double> model(std::move(robot));
    } catch (const Error& refused) {
      // The message may begin with its own file and line.
      Origin origin = given.origin;
      std::string message = refused.what();
      if (const std::string file = origin.file + ":"; message.starts_with(file)) {
        const char* const end = message.data() + message.size();
        const char* at = std::from_chars(message.data() + file.size(), end, origin.line).ptr;
        while (at != end && (*at == ':' || *at == ' ')) ++at;
        message = std::string(at, end);
      }
      report.error(origin, "robot " + internal::checks::element("", given.name), message,
                   "no command can use the robot", "correct it");
    }
  }
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     return std::tuple(b.severity, a.origin.file, a.origin.line) <
                            std::tuple(a.severity, b.origin.file, b.origin.line);
                   });
  return std::move(report.findings);
}

}  // namespace torsor
