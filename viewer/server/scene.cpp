// What a session answers once: the bodies for the scene, the coordinates for the controls.
#include <cmath>

#include "server/parts.hpp"
#include "server/session.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/experiments/internal/robot_picture.hpp"
#include "torsor/formats/mesh.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::view {
namespace {

const char* name_of(Measure measure) {
  switch (measure) {
    case Measure::angle:
      return "angle";
    case Measure::length:
      return "length";
    default:
      return "none";
  }
}

/// Laws that follow a motion of the joints, or hold a configuration.
bool follows_joints(const LawEntry& law) {
  const std::string reference = law.reference;
  return reference == "q, qd, qdd of the joints" || reference == "q of the joints, constant";
}

Json inertia_json(const Inertia<double>& I) {
  if (!(I.m > 0)) return nullptr;
  const Ellipsoid e = inertia_ellipsoid(I);
  const Vec3<double> com = I.h / I.m;
  return {{"mass", I.m}, {"place", pose_json({e.axes, com})}, {"radii", to_json(e.radii)}};
}

}  // namespace

Json Session::robot() const {
  const Model<double>& model = robot_.model();
  const std::vector<Measure> measures = coordinate_measures(model);
  const std::vector<std::string> labels = coordinate_labels(model);
  const Robot::CoordinateLimits limits = robot_.limits();
  Json coordinates = Json::array(), bodies = Json::array(), dofs = Json::array();
  for (int k = 0; k < robot_.n_q(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    coordinates.push_back({{"name", labels[at]},
                           {"measure", name_of(measures[at])},
                           {"lower", to_json(limits.lower[k])},
                           {"upper", to_json(limits.upper[k])}});
  }
  const std::vector<Measure> rates = velocity_measures(model);
  const std::vector<std::string> rate_labels = velocity_labels(model);
  for (int k = 0; k < robot_.n_v(); ++k)
    dofs.push_back({{"name", rate_labels[static_cast<std::size_t>(k)]},
                    {"measure", name_of(rates[static_cast<std::size_t>(k)])}});
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    bodies.push_back({{"name", model.body_name(i)},
                      {"joint", model.joint_name(i)},
                      {"kind", torsor::name_of(b.kind)},
                      {"q", {b.q.first, b.q.count}},
                      {"v", {b.v.first, b.v.count}},
                      {"inertia", inertia_json(b.inertia)}});
  }
  Json out = {{"name", model.name()}, {"n_q", robot_.n_q()},
              {"n_v", robot_.n_v()},  {"coordinates", coordinates},
              {"dofs", dofs},         {"bodies", bodies},
              {"loops", loops_},      {"can_run", options_.runs && !options_.robot.empty()}};
  out["frames"] = Json::array();
  for (const Link& link : model.description().links) out["frames"].push_back(link.name);
  for (const FrameOnLink& f : model.description().frames) out["frames"].push_back(f.name);
  out["laws"] = Json::array();
  for (const LawEntry& law : laws())
    if (follows_joints(law)) out["laws"].push_back({{"name", law.name}, {"claim", law.claim}});
  out["findings"] = Json::array();
  for (const Finding& f : robot_.findings())
    if (f.severity != Finding::Severity::note) out["findings"].push_back(f.line());
  out["missing"] = Json::array();
  for (const Mesh& mesh : meshes_.list())
    if (mesh.path.empty()) out["missing"].push_back(mesh.name + " " + mesh.why);
  return out;
}

Json Session::scene() const {
  const Model<double>& model = robot_.model();
  internal::PictureOptions options;
  options.mesh = [this](const Link&, const Geometry& shape, internal::PictureMesh& to) {
    const int k = meshes_.index_of(shape.mesh_file);
    if (k < 0) return false;
    const Mesh& file = meshes_.list()[static_cast<std::size_t>(k)];
    if (file.path.empty()) throw Error(file.why);
    to = internal::picture_mesh(read_mesh(meshes_.read(k), file.path));
    if (to.triangles.empty()) throw Error("has no triangles");
    return true;
  };
  return Json::parse(internal::robot_json(model, internal::picture_of(model, options)));
}

}  // namespace torsor::view
