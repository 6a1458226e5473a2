#pragma once
/// One door for every robot: a file by its extension, or a built-in robot by its name.
///
///   arm.yaml, arm.yml      robot file (robot_file.hpp)
///   arm.urdf, arm.xml      URDF (urdf.hpp)
///   puma560, panda, ...    built in: the files of models/, compiled into the library
///   chain:N                N revolute joints in a row, 1 <= N <= 10000, made by code (chain_robot)
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

struct BuiltinRobot {
  std::string name;    ///< what load_description takes
  std::string title;   ///< one line
  std::string source;  ///< where the figures come from
};

/// Sorted by name; `chain:N` comes last.
std::vector<BuiltinRobot> builtin_robots();

/// Throws Error: the nearest built-in name for an unknown one, and what to run for a .xacro file.
RobotDescription load_description(const std::string& path_or_name);

/// The same, compiled.
Model<double> load_robot(const std::string& path_or_name);

/// The text of a built-in robot file; throws Error like load_description.
std::string builtin_robot_text(const std::string& name);

/// A chain of n equal links from the fixed `base` along x, as a load for benchmarks and large
/// examples.
///
/// Link i (`link_1` ...) is a uniform rod of 0.1 m and 0.5 kg along its x, with the moments of a
/// cylinder of radius 0.01 m. Joint i (`joint_1` ...) is revolute, about y for odd i and about z
/// for even i, at the end of the link before; limits +-pi, 50 N m, 10 rad/s. Frame `tip` is the end
/// of the last link. Synthetic.
RobotDescription chain_robot(int n);

}  // namespace torsor
