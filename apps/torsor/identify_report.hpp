#pragma once
/// What `torsor identify` says.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "robot_argument.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::command {

Json identification_json(const Identification& found);
std::string identification_text(const Model<double>& model, const Identification& found);
/// Writes the robot with its new numbers; returns what there is to say about it.
std::vector<std::string> save_identified(const Model<double>& model, const IdentifyOptions& options,
                                         const Identification& found, const RobotArgument& from,
                                         const std::string& to);

}  // namespace torsor::command
