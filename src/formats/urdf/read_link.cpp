#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "check/parts.hpp"
#include "torsor/formats/text.hpp"
#include "urdf/elements.hpp"

namespace torsor::internal::urdf {
namespace {

bool is_identity(const SO3<double>& R) {
  const auto one = SO3<double>::identity();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (R(r, c) != one(r, c)) return false;
  return true;
}

/// Closed form (Smith 1961), good to the rounding of the largest eigenvalue.
double smallest_eigenvalue(const Sym3<double>& a) {
  const double mean = trace(a) / 3;
  const Sym3<double> b = a - Sym3<double>::diagonal(mean, mean, mean);
  const double off = b.xy * b.xy + b.xz * b.xz + b.yz * b.yz;
  const double p = std::sqrt((b.xx * b.xx + b.yy * b.yy + b.zz * b.zz + 2 * off) / 6);
  if (!(p > 0)) return mean;
  const double half_det = determinant((b * (1 / p)).matrix()) / 2;
  const double angle = std::acos(std::clamp(half_det, -1.0, 1.0)) / 3;
  return mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
}

/// Six digits: derived values have rounding in the others.
std::string about(double x) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::general, 6).ptr;
  return {buffer, end};
}

void check_inertia(const XmlElement& element, const Inertial& body, Notes& notes) {
  const Sym3<double>& J = body.about_com;
  const double size = std::max({std::abs(J.xx), std::abs(J.yy), std::abs(J.zz), std::abs(J.xy),
                                std::abs(J.xz), std::abs(J.yz)});
  if (size == 0) {
    if (body.mass > 0)
      notes.add(Finding::Severity::note, element, "inertia is zero: the link is a point mass",
                "right for an idealised arm, rarely for a real one",
                "give the inertia, if there is one", Finding::Kind::point_mass);
    return;
  }
  // Of the scaled matrix, so that neither 1e-200 nor 1e200 leaves the range of numbers.
  const Sym3<double> j = J * (1 / size);
  const double half = trace(j) / 2;
  const auto complain = [&](const std::string& message, const std::string& why) {
    notes.add(Finding::Severity::warning, element, message, why, "compute the inertia matrix anew",
              Finding::Kind::impossible_inertia);
  };
  const checks::InertiaVerdict verdict = checks::judge(j);
  if (verdict == checks::InertiaVerdict::not_positive) {
    complain("inertia is not positive definite (smallest eigenvalue " +
                 about(smallest_eigenvalue(j) * size) + " kg m^2)",
             "kinetic energy could be negative");
  } else if (verdict == checks::InertiaVerdict::breaks_triangle) {
    const double slack = smallest_eigenvalue(Sym3<double>::diagonal(half, half, half) - j);
    complain(
        "inertia breaks the triangle inequality: one principal moment exceeds the sum of the "
        "others by " +
            about(-2 * slack * size) + " kg m^2",
        "no body has such an inertia");
  }
  if (body.mass == 0)
    notes.add(Finding::Severity::warning, element, "has inertia but no mass",
              "no body has such figures", "give the link its mass",
              Finding::Kind::inertia_without_mass);
}

Sym3<double> read_inertia(const XmlElement& inertia, Notes& notes) {
  notes.check_names(inertia, {}, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
  const auto product = [&](const char* name) {
    if (!inertia.attribute(name))
      notes.add(Finding::Severity::warning, inertia,
                "<inertia> has no " + std::string(name) + "; taken as 0",
                "other readers refuse the file", "write the product of inertia, 0 if it is");
    return inertia.number(name, 0);
  };
  Sym3<double> J;
  J.xx = inertia.number("ixx"), J.yy = inertia.number("iyy"), J.zz = inertia.number("izz");
  J.xy = product("ixy"), J.xz = product("ixz"), J.yz = product("iyz");
  return J;
}

/// What cannot be read is NaN, where errors are collected.
Inertial read_inertial(const XmlElement& element, Notes& notes) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  notes.check_names(element, {"origin", "mass", "inertia"}, {});
  SE3<double> T;
  notes.attempt([&] { T = read_pose(notes.child(element, "origin"), notes); });
  Inertial body{unknown, T.p, Sym3<double>::diagonal(unknown, unknown, unknown)};
  notes.attempt([&] {
    const XmlElement mass = notes.required_child(element, "mass");
    notes.check_names(mass, {}, {"value"});
    const double value = mass.number("value");
    if (value < 0) mass.fail("mass is negative (" + format_number(value) + " kg)");
    body.mass = value;
  });
  notes.attempt([&] {
    const XmlElement inertia = notes.required_child(element, "inertia");
    const Sym3<double> J = read_inertia(inertia, notes);
    body.about_com = is_identity(T.R) ? J : rotated(T.R, J);
    if (std::isfinite(trace(body.about_com)) && std::isfinite(body.mass))
      check_inertia(inertia, body, notes);
  });
  return body;
}

double positive(const XmlElement& shape, const char* name) {
  const double value = shape.number(name);
  if (value < 0)
    shape.fail("<" + shape.name() + "> " + name + " is negative (" + format_number(value) + " m)");
  return value;
}

/// False for a shape that is not known, which is left out.
bool read_shape(const XmlElement& parent, Notes& notes, Geometry& geometry) {
  using Shape = Geometry::Shape;
  const XmlElement holder = notes.required_child(parent, "geometry");
  const std::vector<std::string> known = {"box", "cylinder", "sphere", "capsule", "mesh"};
  notes.check_names(holder, known, {});
  std::vector<XmlElement> shapes;
  for (const XmlElement& e : holder.children())
    if (std::find(known.begin(), known.end(), e.name()) != known.end()) shapes.push_back(e);
  if (shapes.size() > 1)
    notes.add(Finding::Severity::warning, shapes[1],
              "second shape in one <geometry>: <" + shapes[1].name() + ">; the first is used",
              "the second may be the one that is meant", "remove one of them");
  if (shapes.empty()) {
    notes.add(Finding::Severity::warning, holder, "<geometry> has no known shape; left out",
              "the shape is neither drawn nor kept",
              "give a box, cylinder, sphere, capsule or mesh");
    return false;
  }
  const XmlElement shape = shapes[0];
  const std::string name = shape.name();
  if (name == "box") {
    notes.check_names(shape, {}, {"size"});
    geometry.shape = Shape::box;
    geometry.size = shape.vec3("size");
  } else if (name == "sphere") {
    notes.check_names(shape, {}, {"radius"});
    geometry.shape = Shape::sphere;
    geometry.size.x = positive(shape, "radius");
  } else if (name == "mesh") {
    notes.check_names(shape, {}, {"filename", "scale"});
    geometry.shape = Shape::mesh;
    geometry.mesh_file = shape.required("filename");
    geometry.size = shape.vec3("scale", {1, 1, 1});
  } else {
    notes.check_names(shape, {}, {"radius", "length", "torsor:capsule"});
    const bool capsule = name == "capsule" || shape.attribute("torsor:capsule") == "true";
    geometry.shape = capsule ? Shape::capsule : Shape::cylinder;
    geometry.size.x = positive(shape, "radius");
    geometry.size.y = positive(shape, "length");
  }
  return true;
}

std::vector<double> read_colour(const XmlElement& material, Notes& notes) {
  notes.check_names(material, {"color"}, {"name"}, {"texture"});
  const XmlElement colour = notes.child(material, "color");
  if (!colour) return {};
  notes.check_names(colour, {}, {"rgba"});
  return colour.numbers("rgba", 4);
}

bool read_geometry(const XmlElement& element, Notes& notes, Materials& materials,
                   Geometry& geometry) {
  notes.check_names(element, {"origin", "geometry", "material"}, {"name", "torsor:material"},
                    {"verbose", "contact_coefficients"});
  geometry.collision = element.name() == "collision";
  geometry.name = element.attribute("name").value_or("");
  geometry.placement = read_pose(notes.child(element, "origin"), notes);
  if (const XmlElement material = notes.child(element, "material")) {
    geometry.material = material.attribute("name").value_or("");
    geometry.rgba = read_colour(material, notes);
    if (!geometry.rgba.empty() && !geometry.material.empty()) {
      materials.emplace(geometry.material, geometry.rgba);
    } else if (const auto known = materials.find(geometry.material); known != materials.end()) {
      geometry.rgba = known->second;
    } else if (geometry.rgba.empty() && !geometry.material.empty() && !material.child("texture")) {
      std::vector<std::string> names;
      for (const auto& [name, colour] : materials)
        if (names.size() < 100) names.push_back(name);
      notes.add(Finding::Severity::warning, material,
                "unknown material " + in_quotes(geometry.material) +
                    did_you_mean(geometry.material, names),
                "the shape has no colour", "give the material a <color>");
    }
  } else if (const auto name = element.attribute("torsor:material")) {
    geometry.material = *name;
  }
  return read_shape(element, notes, geometry);
}

/// A shape moves nothing: one that cannot be read is left out and does not cost the robot.
bool read_geometry_if_possible(const XmlElement& element, Notes& notes, Materials& materials,
                               Geometry& geometry) {
  try {
    return notes.strictly(
        [&] { return read_geometry(element.strict(), notes, materials, geometry); });
  } catch (const Error& refused) {
    std::string what = refused.what();
    const std::string label = one_line(element.label()) + ": ";
    if (const std::size_t at = what.find(label); at != std::string::npos)
      what.erase(0, at + label.size());
    notes.add(Finding::Severity::warning, element, what + "; left out",
              "the robot moves as it would with it, but is not drawn whole",
              "correct the <" + element.name() + ">");
    return false;
  }
}

}  // namespace

Link read_link(const XmlElement& element, Notes& notes, Materials& materials) {
  Link link;
  link.origin = element.origin();
  notes.attempt([&] {
    link.name = element.required("name");
    if (link.name.empty()) element.fail("the name is empty");
  });
  notes.check_names(element, {"inertial", "visual", "collision"}, {"name", "type"},
                    {"gazebo", "sensor", "contact", "self_collision_checking", "verbose"});
  if (const XmlElement inertial = notes.child(element, "inertial")) {
    notes.topic = Finding::Topic::dynamics;
    link.has_inertial = true;
    link.inertial = read_inertial(inertial, notes);
  }
  notes.topic = Finding::Topic::drawing;
  for (const XmlElement& child : element.children()) {
    const std::string name = child.name();
    Geometry geometry;
    if ((name == "visual" || name == "collision") &&
        read_geometry_if_possible(child, notes, materials, geometry))
      link.geometry.push_back(std::move(geometry));
  }
  notes.topic = Finding::Topic::motion;
  return link;
}

void read_material(const XmlElement& element, Notes& notes, Materials& materials) {
  const std::string name = element.required("name");
  const std::vector<double> colour = read_colour(element, notes);
  if (!materials.emplace(name, colour).second)
    notes.add(Finding::Severity::warning, element,
              "another material has the same name; the first is used",
              "shapes may have the other colour", "rename one of them");
}

}  // namespace torsor::internal::urdf
