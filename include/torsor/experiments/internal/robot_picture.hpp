#pragma once
/// What to draw of a robot: the shapes of its file, or a body made up from its joints.
///
/// A file without visual geometry (a DH table) still has axes, origins and masses. From them each
/// moving joint gets a housing along its axis, each link a tapered tube that leads from axis to axis
/// along their common normal, as a mechanic would build it, and the base a foot. Joints that share an
/// origin (wrists) are drawn apart along their axes.
///
/// Frames   Shapes are in the file's frame of their body (model.hpp); body 0 is the world.
#include <functional>
#include <string>
#include <vector>

#include "torsor/formats/mesh.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/sim/plant.hpp"

namespace torsor::internal {

struct PictureShape {
  enum class Kind : unsigned char { box, cylinder, sphere, capsule, cone, mesh };
  /// visual, collision: of the file; the others are made up.
  enum class Role : unsigned char { visual, collision, link, joint, tool, base };
  Kind kind = Kind::box;
  Role role = Role::visual;
  int body = 0;
  /// As Geometry::size; a cone has the radii at -z and at +z and its length.
  Vec3<double> size{1, 1, 1};
  SE3<double> place{};       ///< in the frame of the body
  std::vector<double> rgba;  ///< four numbers, or none
  int mesh = -1;             ///< index in RobotPicture::meshes
};
const char* name_of(PictureShape::Kind kind);
const char* name_of(PictureShape::Role role);

struct PictureMesh {
  std::string name;
  std::vector<float> vertices;           ///< x y z of each
  std::vector<std::uint32_t> triangles;  ///< three of each; empty: the vertices in their order
};

/// Points that are the same in single precision are one.
PictureMesh picture_mesh(const torsor::Mesh& mesh);

/// Reads the mesh of a link's shape into the last argument; false, or an Error that says why, where it
/// cannot be had.
using MeshReader = std::function<bool(const Link&, const Geometry&, PictureMesh&)>;

/// From files that lie where the robot's file says (formats/packages.hpp), `mesh_file_limit` at most.
MeshReader mesh_files(const std::string& robot_file, std::vector<std::string> package_folders = {});

struct PictureOptions {
  /// Of visual shapes; those for collision are never read. Without it no mesh is drawn, and all are
  /// `missing`.
  MeshReader mesh{};
};

struct RobotPicture {
  std::vector<PictureShape> shapes;
  std::vector<PictureMesh> meshes;
  std::vector<std::string> missing;  ///< visual meshes that are not drawn: "a.stl: why"
  Vec3<double> up{0, 0, 1};          ///< against gravity
  double size = 1;                   ///< m: how far it reaches from its base, about
  double ground = 0;                 ///< height of a floor, along `up` from the world's origin
  bool moving_base = false;          ///< a free joint carries the robot
  Frame tool;                        ///< whose origin's path is drawn; body 0: none
};

RobotPicture picture_of(const Model<double>& model, const PictureOptions& options = {});

/// The robot as viewer/src/robot.ts reads it.
std::string robot_json(const Model<double>& model, const RobotPicture& picture);
/// Surfaces as viewer/src/robot.ts reads them: a list.
std::string surfaces_json(const Model<double>& model, const std::vector<Surface>& surfaces);
/// x y z qx qy qz qw of each body but the world, after forward_kinematics.
void append_poses(const KinematicsWorkspace<double>& ws, std::vector<float>& poses);

}  // namespace torsor::internal
