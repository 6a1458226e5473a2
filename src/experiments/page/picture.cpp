/// What a picture of a robot consists of: the geometry of its file, or a skeleton.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "page/skeleton.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal {

const char* name_of(PictureShape::Kind kind) {
  static const char* const names[] = {"box", "cylinder", "sphere", "capsule", "cone", "mesh"};
  return names[static_cast<int>(kind)];
}
const char* name_of(PictureShape::Role role) {
  static const char* const names[] = {"visual", "collision", "link", "joint", "tool", "base"};
  return names[static_cast<int>(role)];
}

namespace {

PictureShape::Kind kind_of(Geometry::Shape shape) {
  switch (shape) {
    case Geometry::Shape::box:
      return PictureShape::Kind::box;
    case Geometry::Shape::cylinder:
      return PictureShape::Kind::cylinder;
    case Geometry::Shape::sphere:
      return PictureShape::Kind::sphere;
    case Geometry::Shape::capsule:
      return PictureShape::Kind::capsule;
    case Geometry::Shape::mesh:
      break;
  }
  return PictureShape::Kind::mesh;
}

/// The index of the mesh of a shape, read once for all shapes that share it; -1: it is missing.
int mesh_of(const Link& link, const Geometry& g, const PictureOptions& options,
            RobotPicture& picture) {
  const auto lacks = [&](const std::string& line) {
    return line == g.mesh_file || line.starts_with(g.mesh_file + ": ");
  };
  if (std::any_of(picture.missing.begin(), picture.missing.end(), lacks)) return -1;
  for (std::size_t k = 0; k < picture.meshes.size(); ++k)
    if (picture.meshes[k].name == g.mesh_file) return static_cast<int>(k);
  PictureMesh mesh;
  std::string why;
  try {
    if (!options.mesh || !options.mesh(link, g, mesh)) why = g.mesh_file;
  } catch (const Error& error) {
    why = g.mesh_file + ": " + error.what();
  }
  if (!why.empty()) {
    picture.missing.push_back(why);
    return -1;
  }
  mesh.name = g.mesh_file;
  picture.meshes.push_back(std::move(mesh));
  return static_cast<int>(picture.meshes.size()) - 1;
}

/// True where the file draws the robot with what a page can show.
bool add_geometry(const Model<double>& model, const PictureOptions& options,
                  RobotPicture& picture) {
  bool drawn = false;
  for (const Link& link : model.description().links) {
    const Frame& at = model.frame(link.name);
    for (const Geometry& g : link.geometry) {
      PictureShape shape;
      if (g.shape == Geometry::Shape::mesh) {
        if (g.collision) continue;
        shape.mesh = mesh_of(link, g, options, picture);
        if (shape.mesh < 0) continue;
      }
      shape.kind = kind_of(g.shape);
      shape.role = g.collision ? PictureShape::Role::collision : PictureShape::Role::visual;
      shape.body = at.body;
      shape.size = g.size;
      shape.place = at.placement * g.placement;
      if (g.rgba.size() == 4) shape.rgba = g.rgba;
      drawn = drawn || !g.collision;
      picture.shapes.push_back(std::move(shape));
    }
  }
  return drawn;
}

/// A floor: at zero under a robot that stands on it, else so low that the arm hangs free.
double ground_under(const Model<double>& model, const RobotPicture& picture) {
  KinematicsWorkspace<double> ws(model);
  Array<double> q(model.n_q());
  neutral(model, q);
  forward_kinematics(model, ws, q);
  double lowest = HUGE_VAL, base = HUGE_VAL;
  bool upright = true;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const double height = dot(ws.T_world_body[i].p, picture.up);
    lowest = std::min(lowest, height);
    if (model.body(i).parent != 0) continue;
    base = std::min(base, height);
    const Vec3<double> axis = ws.T_world_body[i].R * (model.body(i).turn * Vec3<double>{0, 0, 1});
    upright = std::abs(dot(axis, picture.up)) > 0.6;
  }
  if (model.n_bodies() < 2) return 0;
  if (picture.moving_base) return std::min(0.0, lowest);
  if (lowest < base - 0.15 * picture.size) return std::min(0.0, lowest - 0.15 * picture.size);
  if (base > 0.12 * picture.size) return 0;
  return base - (upright ? 0.5 : 1.15) * picture.size;
}

}  // namespace

PictureMesh picture_mesh(const torsor::Mesh& mesh) {
  PictureMesh out;
  std::map<std::array<float, 3>, std::uint32_t> known;
  Array<std::uint32_t> number;
  number.reserve(static_cast<int>(mesh.points.size()));
  for (const Vec3<double>& p : mesh.points) {
    // A zero of either sign is one number.
    const std::array<float, 3> x{static_cast<float>(p.x) + 0.0f, static_cast<float>(p.y) + 0.0f,
                                 static_cast<float>(p.z) + 0.0f};
    const auto [at, added] = known.emplace(x, static_cast<std::uint32_t>(known.size()));
    if (added) out.vertices.insert(out.vertices.end(), x.begin(), x.end());
    number.push_back(at->second);
  }
  out.triangles.reserve(3 * mesh.triangles.size());
  for (const std::array<int, 3>& t : mesh.triangles)
    for (const int k : t) out.triangles.push_back(number[k]);
  return out;
}

MeshReader mesh_files(const std::string& robot_file, std::vector<std::string> package_folders) {
  return [robot_file, folders = std::move(package_folders)](const Link&, const Geometry& g,
                                                            PictureMesh& to) {
    const std::string path = find_mesh(g.mesh_file, robot_file, folders);
    if (path.empty()) throw Error("is not found");
    to = picture_mesh(load_mesh(path));
    if (to.triangles.empty()) throw Error("has no triangles");
    return true;
  };
}

RobotPicture picture_of(const Model<double>& model, const PictureOptions& options) {
  RobotPicture picture;
  const Vec3<double> g = model.gravity();
  if (norm(g) > 0) picture.up = g * (-1 / norm(g));
  picture.size = reach_of(model);
  picture.tool = tool_of(model);
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.body(i).parent == 0 && model.body(i).v.count == 6) picture.moving_base = true;
  const bool drawn = add_geometry(model, options, picture);
  if (!drawn) add_skeleton(model, picture);
  picture.ground = drawn ? 0 : ground_under(model, picture);
  return picture;
}

void append_poses(const KinematicsWorkspace<double>& ws, std::vector<float>& poses) {
  for (int i = 1; i < ws.T_world_body.size(); ++i) {
    const SE3<double>& T = ws.T_world_body[i];
    const Quaternion<double> q = quaternion(T.R);
    for (const double x : {T.p.x, T.p.y, T.p.z, q.x, q.y, q.z, q.w})
      poses.push_back(static_cast<float>(x));
  }
}

}  // namespace torsor::internal
