#pragma once
/// What is wrong, doubtful or worth knowing about a robot, and a careful repair.
///
/// Errors are what makes results wrong or undefined (a negative principal moment, a link that hangs on
/// nothing); warnings are likely mistakes (millimetres, degrees, a massless last link); notes are facts
/// to know. Every finding says where, what with the value, why it matters and what to do.
///
/// Descriptions that no reader would accept are examined too: nothing here throws for a bad robot.
#include <string>
#include <vector>

#include "torsor/formats/finding.hpp"
#include "torsor/model/description.hpp"

namespace torsor {

struct CheckOptions {
  bool meshes = true;  ///< ask the file system whether mesh files exist
  /// Folders that hold the packages of package:// names, besides those above the robot's own file.
  std::vector<std::string> package_folders{};
  std::vector<std::string> arguments{};  ///< "name:=value" each, of a xacro file
};

/// Most severe first; within one severity by file and line.
Findings check_model(const RobotDescription& robot, const CheckOptions& options = {});

struct [[nodiscard]] Repair {
  RobotDescription robot;
  std::vector<std::string> changes;  ///< one line each: element, old value, new value
};

/// Repairs what has one sensible answer: inertias are moved to the nearest that a body can have, axes
/// are normalised, swapped limits put in order, limits of zero width or zero effort or velocity removed,
/// stiction raised to coulomb, blanks in names replaced. What needs knowledge of the robot stays.
Repair repair_model(const RobotDescription& robot);

}  // namespace torsor
