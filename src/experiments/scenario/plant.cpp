/// The true robot of a scenario file, and what its law believes of it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "scenario/parts.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/internal/parameter_advice.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::internal::scenario {

namespace {

/// Three moments about the centre of mass that some body has: none exceeds the other two.
void read_moments(const Section& s, Inertial& body) {
  const Array<double> x = s.numbers("inertia", 3);
  const double largest = std::max({x[0], x[1], x[2]});
  if (2 * largest > (x[0] + x[1] + x[2]) * (1 + 1e-9))
    s.at("inertia").fail("no body has the moments " + format_number(x[0]) + ", " +
                         format_number(x[1]) + ", " + format_number(x[2]) +
                         " kg m^2: one exceeds the sum of the others");
  body.about_com = {x[0], 0, x[1], 0, 0, x[2]};
}

Payload read_payload(const YamlElement& element, const Model<double>& model) {
  const Section s(element, "payloads");
  Payload p;
  p.link = read_link(s.at("link"), model);
  p.inertial.mass = s.number("mass");
  s.read("com", p.inertial.com);
  if (s.has("inertia")) read_moments(s, p.inertial);
  return p;
}

void read_parameters(const YamlElement& e, const Model<double>& model, ModelChanges& c) {
  const std::vector<std::string> names = parameter_names(model);
  if (!e.is_map()) e.fail("is no map of names and values");
  const std::vector<YamlElement> values = e.entries();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& name = e.node().keys[k];
    if (std::find(names.begin(), names.end(), name) == names.end())
      values[k].fail("is no inertial parameter" + parameter_advice(model, name, names));
    const double x = values[k].number();
    if (name.ends_with(".m") && x < 0)
      values[k].fail(format_number(x) + " kg is out of bounds; needed is >= 0");
    c.parameters.push_back({name, x});
  }
}

ModelChanges read_changes(const Section& s, const Model<double>& model) {
  ModelChanges c;
  if (s.has("gravity")) c.gravity = s.at("gravity").vec3();
  s.read("parameter_factor", c.parameter_factor);
  s.if_there("parameters", [&](const YamlElement& e) { read_parameters(e, model, c); });
  s.if_there("payloads", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("payload"))
      c.payloads.push_back(read_payload(item, model));
  });
  return c;
}

/// Single parameters may be those of no body (base parameters): find_impossible_bodies says so. But
/// the robot must have mass: its mass matrix is positive definite.
void check_mass_matrix(const YamlElement& element, const Model<double>& model) {
  const int n = model.n_v();
  CrbaWorkspace<double> ws(model);
  Cholesky factors(n);
  Array<double> q(model.n_q()), M(n * n);
  for (std::uint64_t draw = 0; draw < 8; ++draw) {
    if (draw == 0)
      neutral(model, q);
    else
      random_configuration(model, draw, q);
    mass_matrix(model, ws, q, column_major(M.data(), n, n));
    if (!factors.factorise(column_major(M.data(), n, n)))
      element.fail("with these parameters the mass matrix is not positive definite");
  }
}

/// By how much (kg m^2) the principal moments about the centre of mass miss those of a body: none is
/// negative, and none exceeds the sum of the others.
double impossible(const Inertia<double>& I) {
  const Vec3<double> m = principal_axes(I.m > 0 ? inertia_about_com(I) : I.J).moments;
  return std::max({0.0, -m.x, m.z - m.x - m.y});
}

/// Links that the parameters make bodies that cannot be, though they were possible before.
void find_impossible_bodies(const YamlElement& e, const Model<double>& before,
                            const Model<double>& after, Findings& findings) {
  for (int i = 1; i < after.n_bodies(); ++i) {
    const Inertia<double>&was = before.body(i).inertia, &is = after.body(i).inertia;
    const double rounding = 1e-6 * (std::abs(trace(was.J)) + std::abs(trace(is.J)));
    if (impossible(is) <= impossible(was) + rounding) continue;
    const Vec3<double> m = principal_axes(is.m > 0 ? inertia_about_com(is) : is.J).moments;
    findings.push_back({.severity = Finding::Severity::warning,
                        .origin = e.origin(),
                        .element = "plant: parameters: link " + in_quotes(after.body_name(i)),
                        .message = "no body has the principal moments " + format_number(m.x) +
                                   ", " + format_number(m.y) + ", " + format_number(m.z) +
                                   " kg m^2 about its centre of mass",
                        .why = "the true robot is made of bodies; what a law believes need not be",
                        .fix = "check signs and the other parameters of the link",
                        .kind = Finding::Kind::impossible_inertia,
                        .topic = Finding::Topic::dynamics});
  }
}

Surface read_surface(const YamlElement& element, const Model<double>& model) {
  const Section s(element, "surfaces");
  Surface surface;
  s.read("name", surface.name);
  surface.frame = read_link(s.at("frame"), model, "frame");
  s.read("point", surface.point);
  s.read("origin", surface.origin);
  s.read("normal", surface.normal);
  if (!(norm(surface.normal) > 0)) s.at("normal").fail("must not be zero");
  s.read("radius", surface.radius);
  s.read("inside", surface.inside);
  s.read("stiffness", surface.stiffness);
  s.read("damping", surface.damping);
  s.read("bilateral", surface.bilateral);
  s.read("restitution", surface.restitution);
  s.read("friction", surface.friction);
  s.read("slip", surface.slip);
  const bool rigid = surface.stiffness == infinity;
  if (rigid && surface.damping > 0) s.at("damping").fail("belongs to a surface with a stiffness");
  if (rigid && surface.friction > 0) s.at("friction").fail("belongs to a surface with a stiffness");
  if (!rigid && surface.bilateral) s.at("bilateral").fail("belongs to a surface without stiffness");
  if (surface.restitution > 0 && (!rigid || surface.bilateral))
    s.at("restitution").fail("belongs to a surface without stiffness that may be left");
  if (surface.inside && !(surface.radius > 0)) s.at("inside").fail("belongs to a sphere: a radius");
  return surface;
}

TorqueFunction read_disturbance(const YamlElement& element, int n_v, Array<double>& breaks) {
  const Section s(element, "disturbance");
  double from = -infinity, to = infinity;
  s.read("from", from);
  s.read("to", to);
  if (from > to)
    s.at("to").fail(format_number(to) + " s is before its beginning at " + format_number(from) +
                    " s");
  for (const double t : {from, to})
    if (std::isfinite(t)) breaks.push_back(t);
  return [torque = s.numbers("torque", n_v), from, to](double t, View<const double>,
                                                       View<const double>, View<double> tau) {
    for (int k = 0; t >= from && t < to && k < tau.size; ++k) tau[k] += torque[k];
  };
}

/// Another file for the law: an identified robot beside the true one. Its joints are the same.
Model<double> read_believed_robot(const YamlElement& e, const Model<double>& robot,
                                  const LoadOptions& files) {
  Model<double> believed = load_robot(robot_of_scenario(e.text(), e.origin().file), nullptr, files);
  if (believed.n_v() + 6 == robot.n_v() && robot.joint(1).kind == JointKind::free)
    believed = with_base(believed, JointKind::free);  // `floating` holds for both
  if (believed.n_q() != robot.n_q() || believed.n_v() != robot.n_v())
    e.fail(in_quotes(e.text()) + " has " + std::to_string(believed.n_v()) +
           " degrees of freedom, the robot " + std::to_string(robot.n_v()));
  for (int k = 0; k < robot.n_v(); ++k)
    if (believed.dof_name(k) != robot.dof_name(k))
      e.fail(in_quotes(e.text()) + " has the joint " + in_quotes(believed.dof_name(k)) +
             " where the robot has " + in_quotes(robot.dof_name(k)));
  return believed;
}

}  // namespace

std::string read_link(const YamlElement& element, const Model<double>& model, const char* what) {
  std::string name = element.text();
  const bool frame = std::string_view(what) == "frame", there = model.has_frame(name);
  if (there && (frame || model.description().find_link(name) != nullptr)) return name;
  if (there) {
    const int body = model.frame(name).body;
    element.fail(in_quotes(name) + " is no link but a frame of " +
                 (body == 0 ? "the world" : "link " + in_quotes(model.body_name(body))));
  }
  std::vector<std::string> known;
  for (const Frame& f : model.frames()) known.push_back(f.name);
  element.fail(std::string("no ") + what + " " + in_quotes(name) + did_you_mean(name, known));
}

void read_plant(const YamlElement& element, Scenario& s, Findings* findings) {
  const Section plant(element, "plant");
  const ModelChanges changes = read_changes(plant, s.plant_model);
  const Model<double> robot = std::exchange(s.plant_model, changed(s.plant_model, changes));
  if (!changes.parameters.empty()) {
    const YamlElement& parameters = plant.at("parameters");
    check_mass_matrix(parameters, s.plant_model);
    if (findings != nullptr) find_impossible_bodies(parameters, robot, s.plant_model, *findings);
  }
  plant.read("friction", s.friction);
  plant.if_there("stops", [&](const YamlElement& e) {
    const Section stops(e, "stops");
    s.stops.stiffness = stops.number("stiffness");
    stops.read("damping", s.stops.damping);
  });
  plant.if_there("surfaces", [&](const YamlElement& e) {
    for (const YamlElement& item : e.items("surface"))
      s.surfaces.push_back(read_surface(item, s.plant_model));
  });
  plant.if_there("disturbance", [&](const YamlElement& e) {
    s.disturbance = read_disturbance(e, s.plant_model.n_v(), s.options.breaks);
  });
}

void read_believes(const YamlElement& element, Scenario& s, const LoadOptions& files) {
  const Section believes(element, "believes");
  believes.if_there("robot", [&](const YamlElement& e) {
    s.controller_model = read_believed_robot(e, s.controller_model, files);
  });
  ModelChanges changes = read_changes(believes, s.controller_model);
  believes.read("friction", changes.friction);
  s.controller_model = changed(s.controller_model, changes);
}

}  // namespace torsor::internal::scenario
