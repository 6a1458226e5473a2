#pragma once
/// What loading a robot and checking its file share. Private to this room.
#include <optional>
#include <string>

#include "torsor/formats/finding.hpp"
#include "torsor/formats/internal/expanded_text.hpp"
#include "torsor/formats/robot_format.hpp"

namespace torsor::internal {

/// A robot's text before anybody reads it.
struct RobotSource {
  std::string name;                            ///< of the file, as messages have it
  std::string text;                            ///< empty for a robot made by code
  const RobotFormat* format = nullptr;         ///< none for a robot made by code
  std::optional<ExpandedText> expanded{};      ///< of a xacro file: what `text` was made from
  Findings findings{};                         ///< of the expansion
  std::vector<std::string> package_folders{};  ///< for what the reader looks for

  /// By the format's reader, and as torsor check has it.
  RobotDescription read(Findings* found) const;
  RobotDescription examine(Findings& found) const;
};
/// A file, a built-in robot or chain:N. A xacro file is expanded, and is then of the format that its root
/// element names. Throws Error like load_robot.
RobotSource find_robot(const std::string& path_or_name, RobotFormats formats,
                       const LoadOptions& options = {});

/// What the check found, with the lines of the reader, which are more exact, and what the reader
/// alone saw; most severe first, then by line.
Findings merged(const Findings& of_reader, Findings of_check);

/// The end of a message about a link that a joint names as its child and the robot has not: a link
/// that no joint mentions is the likeliest one that is meant.
std::string did_you_mean_child(const RobotDescription& robot, const std::string& name,
                               const char* before = "; ");

}  // namespace torsor::internal
