#pragma once
/// Inverse dynamics by several algorithms: the same torques, at different cost.
#include <string>

#include "states.hpp"

namespace torsor::command {

/// "recursive", "newton_euler", "lagrange", "matrices" or "all": the torques of the rigid bodies, and
/// how many operations they take. Throws Error for another word, and where a method is of DH tables
/// and the robot has none.
Reporter method_report(const Model<double>& model, const std::string& method, const Given& given);

}  // namespace torsor::command
