#pragma once
/// Writes a robot as SDF 1.9, or 1.11 where it has couplings or screws.
///
/// A joint's pose is relative to its parent link, a link's to the joint that carries it; rotations are
/// quaternions. The root is fixed to the world unless it is called "world"; a free joint on it is left out,
/// as SDF means it. What SDF has no words for is a loss or, where the robot could not move as it does, a refusal.
#include <map>

#include "torsor/formats/robot_format.hpp"

namespace torsor::internal::sdf {

Conversion write(const RobotDescription& robot, const std::string& tool);
std::vector<std::string> cannot_say(const RobotDescription& robot);

/// Names that SDF reserves, as those of links in nested models, become plain ones, wherever they are mentioned.
/// The old names by the new ones.
std::map<std::string, std::string> make_names_plain(RobotDescription& robot);

}  // namespace torsor::internal::sdf
