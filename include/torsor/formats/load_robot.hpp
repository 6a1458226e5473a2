#pragma once
/// One door for every robot: a file by its extension and content, or a built-in robot by its name.
///
///   arm.urdf, arm.yaml, ...    a file of one of the robot_formats()
///   arm.urdf.xacro             the same after expansion, with LoadOptions::arguments (xacro.hpp);
///                              they may stand behind the name: "arm.urdf.xacro side:=left"
///   puma560, panda, ...        built in: the files of models/, compiled into the library
///   chain:N                    N revolute joints in a row, 1 <= N <= 10000, made by code (chain_robot)
///
/// `findings`, if there are any, receives all that reader and check_model have to say, most severe
/// first: whoever loads a robot can hear the same warnings. Nothing is said of meshes unless `check`
/// asks for them.
#include <string>
#include <vector>

#include "torsor/formats/check_model.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/model/internal/chain_robot.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct BuiltinRobot {
  std::string name;    ///< what load_robot takes
  std::string title;   ///< one line
  std::string source;  ///< where the figures come from
};

/// Sorted by name; `chain:N` comes last.
std::vector<BuiltinRobot> builtin_robots();
bool is_builtin_robot(const std::string& name);
/// The text of a built-in robot file; throws Error like load_robot.
std::string builtin_robot_text(const std::string& name);

/// The robot, compiled. Throws Error: the nearest built-in name for an unknown one.
Model<double> load_robot(const std::string& path_or_name, Findings* findings = nullptr,
                         const LoadOptions& options = {});

/// The same before it is compiled: also of robots that no Model can be made of.
RobotDescription load_description(const std::string& path_or_name, Findings* findings = nullptr,
                                  const CheckOptions& check = {.meshes = false},
                                  RobotFormats formats = robot_formats(),
                                  const LoadOptions& options = {});

}  // namespace torsor
