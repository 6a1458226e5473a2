#pragma once
/// Writes a robot as MJCF, for MuJoCo 3.
///
/// Links are bodies in their own frames, and joints of several coordinates are several joints of one body;
/// a massless link between two joints, as the reader makes it, is left out again. Inertia is
/// written in its principal axes; rotors are `armature`; effort is the range of a <motor>, or `actuatorfrcrange` of a joint
/// without a motor. Angles are in radians.
#include "torsor/formats/robot_format.hpp"

namespace torsor::internal::mjcf {

Conversion write(const RobotDescription& robot, const std::string& tool);
std::vector<std::string> cannot_say(const RobotDescription& robot);

}  // namespace torsor::internal::mjcf
