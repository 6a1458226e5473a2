#pragma once
/// A scenario file to begin with: for any law and robot, commented, and it runs.
///
/// Gains come from the law's entry (control/law_registry.hpp) with meaning and unit; those of torques
/// are scaled by the robot's mass matrix, so that every joint has a double pole near -10 1/s whatever
/// it moves. The start is a posture far from singular ones; the reference goes 0.3 rad, or some
/// centimetres of the task, away from it; laws that press get something to press on.
#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

/// `robot`: as the file names it (built in, or a path from the file's folder); `model` is that robot.
/// Throws Error for an unknown law and one that this robot cannot have: several arms without an
/// object, a task for which it has too few joints.
std::string new_scenario(const std::string& law, const std::string& robot,
                         const Model<double>& model);

}  // namespace torsor
