#pragma once
/// Which mesh files of a robot a page may see.
///
/// A page names a mesh by its number, never by a path. A file is served only if it lies, all links
/// resolved, below the folder of the robot's file or below one of the given package folders, is a
/// regular file of a kind that pictures have, and is not too large. formats/packages.hpp says where names
/// of packages are looked for.
#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor::view {

inline constexpr std::size_t mesh_limit = std::size_t{64} << 20;  // bytes

struct Mesh {
  std::string name;  ///< as the robot's file has it
  std::string path;  ///< resolved; empty: not served
  std::string why;   ///< it is not: one line
};

class Meshes {
 public:
  Meshes() = default;
  /// `file`: the robot's; empty, or no file: nothing is served.
  Meshes(const RobotDescription& robot, const std::string& file,
         const std::vector<std::string>& package_folders);

  const std::vector<Mesh>& list() const { return list_; }
  /// Of the visual geometry number k of the robot, in the order of links; -1: no mesh.
  int index_of(const std::string& name) const;
  /// The bytes. Throws Error where it is none of the list or can no longer be read.
  std::string read(int k) const;

 private:
  std::vector<Mesh> list_;
};

}  // namespace torsor::view
