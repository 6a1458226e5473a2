/// The robot as viewer/src/robot.ts reads it.
#include <nlohmann/json.hpp>

#include "page/encoding.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::internal {

namespace {

using Json = nlohmann::ordered_json;

Json list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Json pose(const SE3<double>& T) {
  const Quaternion<double> q = quaternion(T.R);
  return {T.p.x, T.p.y, T.p.z, q.x, q.y, q.z, q.w};
}

/// The even box of the same mass and inertia: edges^2 = 6 (J_y + J_z - J_x) / m, ...
Json inertia(const Inertia<double>& I) {
  const Vec3<double> com = I.h / I.m;
  const Sym3<double> about = I.J - Inertia<double>::parallel_axes(I.m, com);
  const PrincipalAxes<double> axes = principal_axes(about);
  Json edges = Json::array();
  const Vec3<double> J = axes.moments;
  const double sum = J.x + J.y + J.z;
  for (int k = 0; k < 3; ++k) {
    const double square = 6 * (sum - 2 * J[k]) / I.m;
    if (square > 0) edges.push_back(std::sqrt(square));
  }
  if (edges.size() < 3) edges = Json::array();  // no body has such an inertia
  return {{"mass", I.m}, {"com", list(com)}, {"edges", edges}, {"place", pose({axes.axes, com})}};
}

Json shape_json(const PictureShape& s) {
  static const int numbers[] = {3, 2, 1, 2, 3, 3};
  Json size = Json::array();
  for (int k = 0; k < numbers[static_cast<int>(s.kind)]; ++k) size.push_back(s.size[k]);
  Json j{{"kind", name_of(s.kind)}, {"size", size}, {"place", pose(s.place)}};
  j["role"] = name_of(s.role);
  if (!s.rgba.empty()) j["colour"] = s.rgba;
  if (s.mesh >= 0) j["mesh"] = s.mesh;
  return j;
}

Json bodies(const Model<double>& model, const RobotPicture& picture) {
  KinematicsWorkspace<double> ws(model);
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  neutral(model, q);
  forward_kinematics(model, ws, q);
  Json all = Json::array();
  for (int i = 0; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    Json j{{"name", i == 0 ? std::string("world") : model.body_name(i)},
           {"parent", i == 0 ? -1 : b.parent},
           {"place", pose(ws.T_world_body[i])},
           {"shapes", Json::array()}};
    if (i > 0) {
      const Joint& joint = model.joint_description(i);
      j["joint"] = {{"name", joint.name},
                    {"kind", name_of(joint.kind)},
                    {"axis", list(b.turn * Vec3<double>{0, 0, 1})}};
      if (b.inertia.m > 0) j["inertia"] = inertia(b.inertia);
    }
    all.push_back(std::move(j));
  }
  for (const PictureShape& s : picture.shapes)
    all[static_cast<std::size_t>(s.body)]["shapes"].push_back(shape_json(s));
  return all;
}

Json ties(const Model<double>& model) {
  Json all = Json::array();
  const ConstraintSet set(model);
  for (const LoopConstraint& loop : set.loops())
    all.push_back({{"name", loop.name},
                   {"kind", name_of(loop.kind)},
                   {"a", loop.body_a},
                   {"b", loop.body_b},
                   {"place_a", pose(loop.T_a)},
                   {"place_b", pose(loop.T_b)}});
  for (const SpringDamper& s : model.description().springs) {
    const auto end = [&](const std::string& link, const Vec3<double>& point) {
      Frame f = link.empty() || !model.has_frame(link) ? Frame{} : model.frame(link);
      f.placement = f.placement * SE3<double>{SO3<double>::identity(), point};
      return f;
    };
    const Frame a = end(s.link_a, s.point_a), b = end(s.link_b, s.point_b);
    all.push_back({{"name", s.name},
                   {"kind", "spring"},
                   {"a", a.body},
                   {"b", b.body},
                   {"place_a", pose(a.placement)},
                   {"place_b", pose(b.placement)}});
  }
  return all;
}

}  // namespace

std::string robot_json(const Model<double>& model, const RobotPicture& picture) {
  Json j{{"name", model.name()},
         {"up", list(picture.up)},
         {"ground", picture.ground},
         {"size", picture.size},
         {"moving_base", picture.moving_base},
         {"bodies", bodies(model, picture)},
         {"frames", Json::array()},
         {"ties", ties(model)},
         {"meshes", Json::array()},
         {"missing", picture.missing}};
  for (const FrameOnLink& f : model.description().frames) {
    const Frame& frame = model.frame(f.name);
    j["frames"].push_back(
        {{"name", f.name}, {"body", frame.body}, {"place", pose(frame.placement)}});
  }
  for (const PictureMesh& mesh : picture.meshes)
    j["meshes"].push_back({{"name", mesh.name},
                           {"vertices", base64(mesh.vertices)},
                           {"triangles", base64(mesh.triangles)}});
  if (picture.tool.body > 0)
    j["tool"] = {{"name", picture.tool.name},
                 {"body", picture.tool.body},
                 {"point", list(picture.tool.placement.p)}};
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string surfaces_json(const Model<double>& model, const std::vector<Surface>& surfaces) {
  Json all = Json::array();
  for (const Surface& s : surfaces) {
    const Frame& frame = model.frame(s.frame);
    all.push_back({{"name", s.name},
                   {"body", frame.body},
                   {"point", list(frame.placement * s.point)},
                   {"origin", list(s.origin)},
                   {"normal", list(s.normal)},
                   {"radius", s.radius},
                   {"inside", s.inside}});
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace torsor::internal
