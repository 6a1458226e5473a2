#pragma once
/// What loading a robot and checking its file share. Private to this room.
#include <string>

#include "torsor/formats/finding.hpp"
#include "torsor/formats/robot_format.hpp"

namespace torsor::internal {

/// A robot's text before anybody reads it.
struct RobotSource {
  std::string name;                     ///< of the file, as messages have it
  std::string text;                     ///< empty for a robot made by code
  const RobotFormat* format = nullptr;  ///< none for a robot made by code
};
/// A file, a built-in robot or chain:N. Throws Error like load_robot.
RobotSource find_robot(const std::string& path_or_name, RobotFormats formats);

/// What the check found, with the lines of the reader, which are more exact, and what the reader
/// alone saw; most severe first, then by line.
Findings merged(const Findings& of_reader, Findings of_check);

/// The end of a message about a link that a joint names as its child and the robot has not: a link
/// that no joint mentions is the likeliest one that is meant.
std::string did_you_mean_child(const RobotDescription& robot, const std::string& name,
                               const char* before = "; ");

}  // namespace torsor::internal
