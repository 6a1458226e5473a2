#pragma once
/// The ROBOT of the command line, and the options that go with it in every verb.
#include <string>
#include <vector>

#include "command.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

struct RobotArgument {
  std::string name;     ///< file or built-in name
  bool strict = false;  ///< what torsor check warns about is refused
  bool floating = false;
  /// Of a verb for which masses and forces do not matter: warnings about them are not mentioned.
  bool motion_only = false;
  LoadOptions files{};  ///< arguments of a xacro file, folders of packages
};

/// ROBOT, its name:=value words and --package-path; --strict and --floating where they make sense.
void add_robot(Arguments& app, RobotArgument& robot, bool with_floating = true);
/// --package-path alone, of verbs that take their robot from a scenario.
void add_package_path(Arguments& app, std::vector<std::string>& folders);
void add_json(Arguments& app, bool& json);

/// Throws Error for what cannot be used. Warnings about a file are counted on standard error; strict:
/// the first one is an Error. `found`, if there is one, receives all findings.
RobotDescription load(const RobotArgument& robot, Findings* found = nullptr);
/// The same as a model, floating where that is wanted.
Model<double> load_model(const RobotArgument& robot);

/// "my_arm.urdf:7: ...; torsor check --fix exchanges them" of what could be read and no robot can be
/// made of; empty where there is nothing of that kind.
std::string unusable(const Findings& found);
/// Says on standard error how many warnings there are about a robot that concern what is computed.
void mention_warnings(const Findings& found, const std::string& robot, bool motion_only = false);

/// Says on standard error which coordinate is beyond its limits, if any is; the hint is for angles of
/// more than a turn, which may be degrees. Returns whether there was something to say.
bool mention_limits(const std::string& where, const Model<double>& model,
                    const std::vector<double>& q, bool degrees, const std::string& hint);

/// A configuration from `--q 0,0.5,...`; empty text: neutral. Degrees count for angles only. One line
/// on standard error where it is beyond the robot's limits.
std::vector<double> parse_configuration(const std::string& text, bool degrees,
                                        const Model<double>& model,
                                        const std::string& option = "--q");

}  // namespace torsor::command
