// Links: mass and shapes.
#include <cmath>
#include <numbers>

#include "sdf/reader.hpp"
#include "solids.hpp"
#include "torsor/formats/mesh.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::sdf {
namespace {

double size_in(const XmlElement& shape, const char* name) {
  const double value = number_in(shape, name, 1);
  if (value < 0)
    shape.fail("<" + std::string(name) + "> is negative (" + format_number(value) + " m)");
  return value;
}
Vec3<double> vector_in(const XmlElement& shape, const char* name) {
  const XmlElement at = first(shape, name);
  if (!at) return {1, 1, 1};
  const std::vector<double> v = at.text_numbers(3);
  return {v[0], v[1], v[2]};
}

}  // namespace

/// Of a solid collision shape, about the origin of the link. Source of the cone: its centre of mass is a
/// quarter of its length below the middle; S = diag(3/20 r^2, 3/20 r^2, 3/80 l^2) about it, per unit mass.
MassMoments<double> Reader::moments_of_shape(const XmlElement& collision, double density) {
  const XmlElement geometry = first(collision, "geometry");
  const std::vector<XmlElement> shapes = geometry ? geometry.children() : std::vector<XmlElement>{};
  if (shapes.empty()) return {};
  const XmlElement& shape = shapes[0];
  const std::string kind = shape.name();
  const double own_density = number_in(collision, "density", density);
  SE3<double> T = read_pose(first(collision, "pose"));
  SolidMoments own;
  if (kind == "box") {
    own = solid_moments(Solid::box, vector_in(shape, "size") * 0.5, false);
  } else if (kind == "sphere") {
    own = solid_moments(Solid::sphere, {size_in(shape, "radius"), 0, 0}, false);
  } else if (kind == "cylinder" || kind == "capsule") {
    own = solid_moments(kind == "cylinder" ? Solid::cylinder : Solid::capsule,
                        {size_in(shape, "radius"), size_in(shape, "length") / 2, 0}, false);
  } else if (kind == "ellipsoid") {
    own = solid_moments(Solid::ellipsoid, vector_in(shape, "radii"), false);
  } else if (kind == "cone") {
    const double r = size_in(shape, "radius"), l = size_in(shape, "length");
    own = {std::numbers::pi * r * r * l / 3, {0.15 * r * r, 0.15 * r * r, 0.0375 * l * l}};
    T = T * SE3<double>{SO3<double>::identity(), {0, 0, -l / 4}};
  } else if (kind == "mesh") {
    const std::string uri = text_in(shape, "uri"), file = find_mesh(uri, shape.origin().file, {});
    if (file.empty())
      shape.fail("mesh " + in_quotes(uri) + " is not found; the inertia of the link needs it");
    const Mesh mesh = load_mesh(file);
    const Vec3<double> scale = vector_in(shape, "scale");
    if (!mesh_solid(mesh, scale).closed())
      shape.fail("mesh " + in_quotes(uri) + " is not closed: it has no inertia; write <inertia>");
    Triangles solid{mesh.points, mesh.triangles};
    for (Vec3<double>& p : solid.vertices)
      p = T * Vec3<double>{p.x * scale.x, p.y * scale.y, p.z * scale.z};
    const MassMoments<double> m = mesh_moments(solid, MeshMass::signed_volume);
    const double factor = m.m < 0 ? -own_density : own_density;  // faces inwards
    return {m.m * factor, m.h * factor, m.S * factor};
  } else {
    shape.fail("the inertia of a <" + kind + "> is not computed; write <inertia>");
  }
  return moments_at(T, own_density * own.measure, own.second);
}

/// <inertial auto="true">: from the collision shapes and their densities.
Inertial Reader::inertia_of_shapes(const XmlElement& link, double density) {
  MassMoments<double> sum;
  for (const XmlElement& collision : link.children("collision"))
    sum = sum + moments_of_shape(collision, density);
  if (!(sum.m > 0)) link.fail("<inertial auto=\"true\"> needs a <collision> with a volume");
  const Inertia<double> I = inertia(sum);
  Inertial body;
  body.mass = I.m;
  body.com = I.h * (1 / I.m);
  body.about_com = I.J - Inertia<double>::parallel_axes(I.m, body.com);
  return body;
}

void Reader::read_inertial(const XmlElement& at, Link& link) {
  const XmlElement inertial = first(at, "inertial");
  link.has_inertial = true;
  if (!inertial) {
    link.inertial = {1, {}, Sym3<double>::diagonal(1, 1, 1)};
    return notes_.say(at, Finding::Severity::warning, "has no <inertial>",
                      "SDF gives such a link 1 kg and 1 kg m^2 about each axis",
                      "write its <inertial>", Finding::Topic::dynamics);
  }
  check_names(inertial, notes_);
  if (first(inertial, "fluid_added_mass"))
    notes_.dropped(first(inertial, "fluid_added_mass"), "<fluid_added_mass>",
                   "the medium around the link is not computed", "remove it");
  const std::string automatic = inertial.attribute("auto").value_or("false");
  if (automatic == "true" || automatic == "1") {
    link.inertial = inertia_of_shapes(at, number_in(inertial, "density", 1000));
    if (first(inertial, "mass")) {
      const double mass = number_in(inertial, "mass", 1);
      link.inertial.about_com = link.inertial.about_com * (mass / link.inertial.mass);
      link.inertial.mass = mass;
    }
    return;
  }
  const XmlElement pose = first(inertial, "pose");
  if (pose && !pose.attribute("relative_to").value_or("").empty())
    pose.fail("the pose of <inertial> is in the frame of its link; remove relative_to");
  const SE3<double> T = read_pose(pose);
  Inertial& body = link.inertial;
  body.com = T.p;
  body.mass = number_in(inertial, "mass", 1);
  if (body.mass < 0) inertial.fail("mass is negative (" + format_number(body.mass) + " kg)");
  Sym3<double> J = Sym3<double>::diagonal(1, 1, 1);
  if (const XmlElement inertia = first(inertial, "inertia"))
    J = {number_in(inertia, "ixx", 1), number_in(inertia, "ixy", 0), number_in(inertia, "iyy", 1),
         number_in(inertia, "ixz", 0), number_in(inertia, "iyz", 0), number_in(inertia, "izz", 1)};
  const bool turned =
      norm(T.R.c0 - Vec3<double>{1, 0, 0}) != 0 || norm(T.R.c1 - Vec3<double>{0, 1, 0}) != 0;
  body.about_com = turned ? rotated(T.R, J) : J;
}

void Reader::read_shape(const XmlElement& at, Link& link) {
  using Shape = Geometry::Shape;
  check_names(at, notes_);
  const XmlElement geometry = first(at, "geometry");
  const std::vector<XmlElement> shapes = geometry ? geometry.children() : std::vector<XmlElement>{};
  if (shapes.empty()) return notes_.unused(at, "shapes without <geometry>");
  const XmlElement& shape = shapes[0];
  const std::string kind = shape.name();
  Geometry g;
  g.collision = at.name() == "collision";
  g.name = at.attribute("name").value_or("");
  const XmlElement pose = first(at, "pose");
  if (pose && pose.attribute("relative_to"))
    return notes_.unused(at, "shapes placed relative to other frames");
  g.placement = read_pose(pose);
  if (kind == "box") {
    g.shape = Shape::box;
    g.size = vector_in(shape, "size");
  } else if (kind == "sphere") {
    g.shape = Shape::sphere;
    g.size.x = size_in(shape, "radius");
  } else if (kind == "cylinder" || kind == "capsule") {
    g.shape = kind == "cylinder" ? Shape::cylinder : Shape::capsule;
    g.size = {size_in(shape, "radius"), size_in(shape, "length"), 1};
  } else if (kind == "mesh") {
    g.shape = Shape::mesh;
    g.mesh_file = text_in(shape, "uri");
    g.size = vector_in(shape, "scale");
  } else {
    return notes_.unused(at, "shapes of type " + kind);
  }
  if (const XmlElement material = first(at, "material"))
    if (const XmlElement colour = first(material, "diffuse")) {
      g.rgba = colour.text_numbers(4);
    }
  link.geometry.push_back(std::move(g));
}

Link Reader::read_link(const Model& model, const XmlElement& at) {
  check_names(at, notes_);
  Link link;
  link.name = model.prefix + at.required("name");
  link.origin = at.origin();
  notes_.attempt([&] { read_inertial(at, link); });
  if (!truth_in(at, "gravity", true))
    notes_.dropped(at, "<gravity> of a link", "all links have weight here",
                   "subtract its gravity torques");
  if (truth_in(at, "kinematic", false))
    notes_.dropped(at, "<kinematic>", "the link moves by forces here", "remove it");
  for (const XmlElement& child : at.children())
    if (child.name() == "visual" || child.name() == "collision") {
      try {  // a shape moves nothing: one that cannot be read does not cost the robot
        read_shape(child.strict(), link);
      } catch (const Error& refused) {
        notes_.say(child, Finding::Severity::warning,
                   "a shape is left out: " + std::string(refused.what()),
                   "the robot is not drawn whole", "correct it", Finding::Topic::drawing);
      }
    }
  return link;
}

void Reader::add_links(Model& model, const SE3<double>& T_world, bool is_static) {
  for (const std::string& name : model.order) {
    Entity& entity = model.entities.at(name);
    notes_.attempt([&] {
      const SE3<double> T = T_world * pose_of(model, name);
      if (entity.kind == Entity::Kind::link) {
        Link link = read_link(model, entity.xml);
        link_names_.insert(link.name);
        T_world_[link.name] = T;
        if (is_static || model.is_static) static_links_.push_back(link.name);
        robot_.links.push_back(std::move(link));
      } else if (entity.model) {
        add_links(*entity.model, T, is_static || model.is_static);
      }
    });
  }
}

}  // namespace torsor::internal::sdf
