#pragma once
/// The ROBOT of the command line, and the options that go with it in every verb.
#include <string>
#include <vector>

#include "command.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

struct RobotArgument {
  std::string name;     ///< file or built-in name
  bool strict = false;  ///< what the reader only warns about is refused
  bool floating = false;
};

/// ROBOT and --strict; --floating where it makes sense.
void add_robot(Arguments& app, RobotArgument& robot, bool with_floating = true);
void add_json(Arguments& app, bool& json);

struct LoadedRobot {
  RobotDescription description;
  Findings findings;  ///< of the reader
};

/// Throws Error for what cannot be read. Limits of the wrong order are left to the doctor.
LoadedRobot load(const RobotArgument& robot);
/// Refuses those, too. Warnings are counted on standard error; strict: the first is an Error.
LoadedRobot load_with_doubts(const RobotArgument& robot);
/// The same as a model, floating where that is wanted.
Model<double> load_model(const RobotArgument& robot);

/// A configuration from `--q 0,0.5,...`; empty text: neutral. Degrees count for angles only.
std::vector<double> parse_configuration(const std::string& text, bool degrees,
                                        const Model<double>& model,
                                        const std::string& option = "--q");

}  // namespace torsor::command
