#pragma once
/// Where ROS packages and the meshes in them lie, without ROS.
///
/// A package is looked for, in this order, in
///   the given folders; those of TORSOR_PACKAGE_PATH, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and, for
///   model:// names, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH and GAZEBO_MODEL_PATH;
///   the folders above the file that asks, with what lies beside them: a workspace or a repository.
/// A folder stands for itself, for the packages in it (four levels deep), and for those of its share/.
/// A package is called as its package.xml says, or as its folder where there is no package.xml.
#include <string>
#include <vector>

namespace torsor {

/// What else a robot's file may need: arguments of a xacro file, and where packages are.
struct LoadOptions {
  std::vector<std::string> arguments{};        ///< "name:=value" each, of a xacro file
  std::vector<std::string> package_folders{};  ///< looked through first
};

/// The folder of the package; empty where it is not found. `asking`: the file that names it.
std::string find_package(const std::string& package, const std::string& asking,
                         const std::vector<std::string>& folders = {});

/// The file that a robot's file calls a mesh: package://p/x.stl, model://m/x.dae, file:///x.obj, or a
/// path relative to `asking`. Empty where there is none.
std::string find_mesh(const std::string& name, const std::string& asking,
                      const std::vector<std::string>& folders = {});

}  // namespace torsor
