/// The robot as viewer/src/robot.ts reads it.
#include <cmath>

#include "page/encoding.hpp"
#include "page/json_text.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::internal {

namespace {

/// The even box of the same mass and inertia: edges^2 = 6 (J_y + J_z - J_x) / m, ...
void add_inertia(JsonText& j, const Inertia<double>& I) {
  const Vec3<double> com = I.h / I.m;
  const Sym3<double> about = I.J - Inertia<double>::parallel_axes(I.m, com);
  const PrincipalAxes<double> axes = principal_axes(about);
  std::vector<double> edges;
  const Vec3<double> J = axes.moments;
  for (int k = 0; k < 3; ++k) {
    const double square = 6 * (J.x + J.y + J.z - 2 * J[k]) / I.m;
    if (square > 0) edges.push_back(std::sqrt(square));
  }
  if (edges.size() < 3) edges.clear();  // no body has such an inertia
  j.open('{').pair("mass", I.m).key("com").list(com).key("edges").list(edges);
  j.key("place").pose({axes.axes, com}).close('}');
}

void add_shape(JsonText& j, const PictureShape& s) {
  static const int numbers[] = {3, 2, 1, 2, 3, 3};
  std::vector<double> size;
  for (int k = 0; k < numbers[static_cast<int>(s.kind)]; ++k) size.push_back(s.size[k]);
  j.open('{').pair("kind", name_of(s.kind)).key("size").list(size).key("place").pose(s.place);
  j.pair("role", name_of(s.role));
  if (!s.rgba.empty()) j.key("colour").list(s.rgba);
  if (s.mesh >= 0) j.pair("mesh", s.mesh);
  j.close('}');
}

void add_bodies(JsonText& j, const Model<double>& model, const RobotPicture& picture) {
  KinematicsWorkspace<double> ws(model);
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  neutral(model, q);
  forward_kinematics(model, ws, q);
  j.key("bodies").open('[');
  for (int i = 0; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    j.open('{').pair("name", i == 0 ? std::string("world") : model.body_name(i));
    j.pair("parent", i == 0 ? -1 : b.parent).key("place").pose(ws.T_world_body[i]);
    if (i > 0) {
      const Joint& joint = model.joint_description(i);
      j.key("joint").open('{').pair("name", joint.name).pair("kind", name_of(joint.kind));
      j.key("axis").list(b.turn * Vec3<double>{0, 0, 1}).close('}');
      if (b.inertia.m > 0) add_inertia(j.key("inertia"), b.inertia);
    }
    j.key("shapes").open('[');
    for (const PictureShape& s : picture.shapes)
      if (s.body == i) add_shape(j, s);
    j.close(']').close('}');
  }
  j.close(']');
}

void add_tie(JsonText& j, const std::string& name, const char* kind, int a, int b,
             const SE3<double>& place_a, const SE3<double>& place_b) {
  j.open('{').pair("name", name).pair("kind", kind).pair("a", a).pair("b", b);
  j.key("place_a").pose(place_a).key("place_b").pose(place_b).close('}');
}

void add_ties(JsonText& j, const Model<double>& model) {
  j.key("ties").open('[');
  const ConstraintSet set(model);
  for (const LoopConstraint& loop : set.loops())
    add_tie(j, loop.name, name_of(loop.kind), loop.body_a, loop.body_b, loop.T_a, loop.T_b);
  for (const SpringDamper& s : model.description().springs) {
    const auto end = [&](const std::string& link, const Vec3<double>& point) {
      Frame f = link.empty() || !model.has_frame(link) ? Frame{} : model.frame(link);
      f.placement = f.placement * SE3<double>{SO3<double>::identity(), point};
      return f;
    };
    const Frame a = end(s.link_a, s.point_a), b = end(s.link_b, s.point_b);
    add_tie(j, s.name, "spring", a.body, b.body, a.placement, b.placement);
  }
  j.close(']');
}

}  // namespace

std::string robot_json(const Model<double>& model, const RobotPicture& picture) {
  JsonText j;
  j.open('{').pair("name", model.name()).key("up").list(picture.up);
  j.pair("ground", picture.ground).pair("size", picture.size);
  j.pair("moving_base", picture.moving_base);
  add_bodies(j, model, picture);
  j.key("frames").open('[');
  for (const FrameOnLink& f : model.description().frames) {
    const Frame& frame = model.frame(f.name);
    j.open('{').pair("name", f.name).pair("body", frame.body);
    j.key("place").pose(frame.placement).close('}');
  }
  j.close(']');
  add_ties(j, model);
  j.key("meshes").open('[');
  for (const PictureMesh& mesh : picture.meshes) {
    j.open('{').pair("name", mesh.name).pair("vertices", base64(mesh.vertices));
    j.pair("triangles", base64(mesh.triangles)).close('}');
  }
  j.close(']').key("missing").open('[');
  for (const std::string& file : picture.missing) j.value(file);
  j.close(']');
  if (picture.tool.body > 0) {
    j.key("tool").open('{').pair("name", picture.tool.name).pair("body", picture.tool.body);
    j.key("point").list(picture.tool.placement.p).close('}');
  }
  return j.close('}').text;
}

std::string surfaces_json(const Model<double>& model, const std::vector<Surface>& surfaces) {
  JsonText j;
  j.open('[');
  for (const Surface& s : surfaces) {
    const Frame& frame = model.frame(s.frame);
    j.open('{').pair("name", s.name).pair("body", frame.body);
    j.key("point").list(frame.placement * s.point).key("origin").list(s.origin);
    j.key("normal").list(s.normal).pair("radius", s.radius).pair("inside", s.inside).close('}');
  }
  return j.close(']').text;
}

}  // namespace torsor::internal
