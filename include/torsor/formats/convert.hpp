#pragma once
/// A robot in another format: the text, and what that format says differently or not at all.
#include <optional>
#include <string>
#include <vector>

#include "torsor/model/dh.hpp"

namespace torsor {

enum class RobotFormat : unsigned char {
  urdf,
  robot_file,  ///< YAML, bodies and joints
  dh,          ///< YAML, standard DH table
  mdh          ///< YAML, modified DH table
};

/// "urdf", "robot", "dh", "mdh".
const char* name_of(RobotFormat format);
/// Throws Error with the nearest name.
RobotFormat robot_format(const std::string& name);
/// By the extension: .urdf and .xml, .yaml and .yml.
std::optional<RobotFormat> robot_format_of_path(const std::string& path);

struct [[nodiscard]] Conversion {
  std::string message;  ///< empty, or one line that says why the format cannot hold the robot
  std::string text;     ///< the file
  std::vector<std::string> notes;  ///< what the format cannot say, or says in another way
  /// Every link of the original by its name: the link of the result that carries it and its pose there.
  std::vector<FrameOnLink> link_frames;

  bool ok() const { return message.empty(); }
};

/// `tool` names the link or frame that becomes the tool of a DH table.
Conversion convert_robot(const RobotDescription& robot, RobotFormat format,
                         const std::string& tool = "");

/// The YAML text of a DH table; `frames` are further frames on its links (in the frames that from_dh
/// gives them).
std::string write_dh_file(const DhTable& table, const std::vector<FrameOnLink>& frames = {});

}  // namespace torsor
