#pragma once
/// A robot that changed, written into the text of its own file: numbers that differ are put where they
/// stand, what the file lacks (an <inertial>, a <dynamics>, a friction map) is inserted, and all else,
/// comments and order included, stays byte for byte.
///
/// The new text is read again and compared: a change that the file has no place for is an Error and
/// nothing is written. Links, joints, frames, springs and motors are those of the file; only their numbers
/// change. A file without motors of several joints takes them; a URDF file takes more of them.
#include <string>

#include "torsor/formats/packages.hpp"
#include "torsor/formats/robot_format.hpp"

namespace torsor {

struct EditedRobot {
  std::string text;
  /// What other readers of the format will not see of it; in plain URDF, all but masses, placements,
  /// damping and Coulomb friction.
  Findings findings;
};

/// `path_or_name` is a file or a built-in robot; `robot` a changed description of it. Throws Error with
/// the first number that the text cannot say.
EditedRobot edited_robot(const std::string& path_or_name, const RobotDescription& robot,
                         RobotFormats formats = robot_formats(), const LoadOptions& options = {});

/// The same into a file, in one step. Throws Error where `path_out` is of another format.
Findings save_edited(const std::string& path_in, const RobotDescription& robot,
                     const std::string& path_out, const LoadOptions& options = {});

}  // namespace torsor
