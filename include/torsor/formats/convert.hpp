#pragma once
/// A robot in another format: the text, and what that format says differently or not at all.
#include "torsor/formats/robot_format.hpp"

namespace torsor {

/// `tool` names the link or frame that becomes the tool of a DH table.
inline Conversion convert(const RobotDescription& robot, const RobotFormat& format,
                          const std::string& tool = "") {
  return format.write(robot, tool);
}

}  // namespace torsor
