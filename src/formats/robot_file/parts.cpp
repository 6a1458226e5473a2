#include "torsor/formats/internal/robot_file_parts.hpp"

#include <cmath>
#include <limits>

#include "rpy.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::robot_file {
namespace {

double orthogonality_error(const SO3<double>& R) {
  const Mat3<double> d = transpose_times(R, R) - Mat3<double>::identity();
  double largest = 0;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(d(r, c)));
  return largest;
}

// Numbers of a matrix that somebody typed with few digits are turned into a rotation; those of a
// matrix that is one to rounding are kept, bit by bit.
SO3<double> checked_rotation(const YamlElement& element, SO3<double> R) {
  constexpr double typed = 1e-6, rounding = 1e-12;
  const double error = orthogonality_error(R);
  if (error > typed || determinant(R) < 0)
    element.fail("is not a rotation (R^T R differs from 1 by " + format_number(error) +
                 ", determinant " + format_number(determinant(R)) + ")");
  return error <= rounding ? R : rotation(quaternion(R));
}

SE3<double> read_matrix(const YamlElement& element) {
  const std::vector<YamlElement> rows = element.items(element.name() + ": row");
  if (rows.size() != 4) element.fail("has " + std::to_string(rows.size()) + " rows instead of 4");
  double m[4][4];
  for (std::size_t r = 0; r < 4; ++r) {
    const std::vector<double> row = rows[r].numbers(4);
    std::copy(row.begin(), row.end(), m[r]);
  }
  if (m[3][0] != 0 || m[3][1] != 0 || m[3][2] != 0 || m[3][3] != 1)
    rows[3].fail("the last row must be 0 0 0 1");
  SE3<double> T;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) T.R(r, c) = m[r][c];
    T.p[r] = m[r][3];
  }
  T.R = checked_rotation(element, T.R);
  return T;
}

/// Six numbers xx xy yy xz yz zz, three (the diagonal), three rows of three, or a map.
Sym3<double> read_inertia(const YamlElement& element) {
  if (element.is_map()) {
    element.allow_keys({"xx", "xy", "xz", "yy", "yz", "zz"});
    const auto entry = [&](const char* key) {
      return element.has(key) ? element.at(key).number() : 0.0;
    };
    return {entry("xx"), entry("xy"), entry("yy"), entry("xz"), entry("yz"), entry("zz")};
  }
  if (!element.is_sequence()) element.fail("must be a list or a map of matrix entries");
  const std::vector<YamlNode>& items = element.node().items;
  if (!items.empty() && items[0].kind == YamlNode::Kind::sequence) {
    const std::vector<YamlElement> rows = element.items(element.name() + ": row");
    if (rows.size() != 3) element.fail("has " + std::to_string(rows.size()) + " rows instead of 3");
    Mat3<double> m = Mat3<double>::identity();
    for (int r = 0; r < 3; ++r) {
      const Vec3<double> row = rows[static_cast<std::size_t>(r)].vec3();
      for (int c = 0; c < 3; ++c) m(r, c) = row[c];
    }
    if (m(0, 1) != m(1, 0) || m(0, 2) != m(2, 0) || m(1, 2) != m(2, 1))
      element.fail("is not symmetric");
    return Sym3<double>::of(m);
  }
  const std::vector<double> v = element.numbers();
  if (v.size() == 3) return Sym3<double>::diagonal(v[0], v[1], v[2]);
  if (v.size() != 6)
    element.fail("has " + std::to_string(v.size()) +
                 " numbers; give 3 (the diagonal), 6 (xx xy yy xz yz zz) or 3 rows of 3");
  return {v[0], v[1], v[2], v[3], v[4], v[5]};
}

Geometry::Shape read_shape(const YamlElement& element) {
  const std::string name = element.text();
  using Shape = Geometry::Shape;
  if (name == "box") return Shape::box;
  if (name == "cylinder") return Shape::cylinder;
  if (name == "sphere") return Shape::sphere;
  if (name == "capsule") return Shape::capsule;
  if (name == "mesh") return Shape::mesh;
  element.fail("unknown shape " + in_quotes(name) +
               did_you_mean(name, {"box", "cylinder", "sphere", "capsule", "mesh"}));
}

}  // namespace

void Units::warn(const YamlElement& at, std::string message, std::string why,
                 std::string fix) const {
  if (findings == nullptr) return;
  findings->push_back({Finding::Severity::warning, at.origin(), one_line(at.name()),
                       std::move(message), std::move(why), std::move(fix)});
}

double checked_angle(const YamlElement& element, double value, Units units) {
  const double angle = units.angle(value);
  if (std::abs(angle) > 1e4)
    element.complain(format_number(value) + " is out of range for an angle");
  if (!units.degrees && std::abs(angle) > 6.3)  // a turn is 6.283
    units.warn(element, format_number(value) + " rad is more than a turn", "it looks like degrees",
               "write \"unit: deg\" at the top of the file, or radians");
  return angle;
}

SE3<double> read_pose(const YamlElement& element, Units units) {
  element.allow_keys({"xyz", "rpy", "quaternion", "matrix"});
  if (element.has("matrix")) {
    if (element.node().keys.size() > 1) element.fail("\"matrix\" leaves no room for other keys");
    return read_matrix(element.at("matrix"));
  }
  SE3<double> T;
  if (element.has("xyz")) T.p = element.at("xyz").vec3();
  if (element.has("rpy") && element.has("quaternion"))
    element.fail("has both \"rpy\" and \"quaternion\"");
  if (element.has("rpy")) {
    const YamlElement angles = element.at("rpy");
    const Vec3<double> rpy = angles.vec3();
    T.R = rotation_xyz({checked_angle(angles, rpy.x, units), checked_angle(angles, rpy.y, units),
                        checked_angle(angles, rpy.z, units)});
  }
  if (element.has("quaternion")) {
    const YamlElement quaternion = element.at("quaternion");
    const std::vector<double> q = quaternion.numbers(4);
    const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(norm - 1) <= 1e-6))
      quaternion.fail("has norm " + format_number(norm) + " instead of 1 (order x y z w)");
    T.R = rotation(normalised(Quaternion<double>{q[0], q[1], q[2], q[3]}));
  }
  return T;
}

SE3<double> read_placement(const YamlElement& element, Units units, const char* key) {
  return element.has(key) ? read_pose(element.at(key), units) : SE3<double>{};
}

bool read_inertial(const YamlElement& element, Inertial& inertial) {
  if (!element.has("mass")) {
    for (const char* key : {"com", "inertia", "inertia_about"})
      if (element.has(key)) element.at(key).complain("stands without \"mass\"");
    return false;
  }
  inertial.mass = element.at("mass").number();
  if (inertial.mass < 0) {
    element.at("mass").complain(format_number(inertial.mass) + " kg is negative");
    inertial.mass = std::numeric_limits<double>::quiet_NaN();
  }
  element.attempt([&] {
    if (element.has("com")) inertial.com = element.at("com").vec3();
  });
  element.attempt([&] {
    if (element.has("inertia")) inertial.about_com = read_inertia(element.at("inertia"));
  });
  if (!element.has("inertia_about")) return true;
  element.attempt([&] {
    const std::string about = element.at("inertia_about").text();
    if (about == "origin")
      inertial.about_com =
          inertial.about_com - Inertia<double>::parallel_axes(inertial.mass, inertial.com);
    else if (about != "com")
      element.at("inertia_about").fail(in_quotes(about) + " is neither \"com\" nor \"origin\"");
    if (!element.reads_on() && !std::isfinite(trace(inertial.about_com)))
      element.at("inertia").fail("overflows");
  });
  return true;
}

std::vector<Geometry> read_geometry(const YamlElement& list, Units units) {
  std::vector<Geometry> result;
  const auto read = [&](const YamlElement& element) {
    element.allow_keys({"shape", "name", "size", "radius", "length", "file", "scale", "collision",
                        "material", "rgba", "placement"});
    const auto only_for = [&](const char* key, bool fits) {
      if (element.has(key) && !fits) element.at(key).fail("does not belong to this shape");
    };
    Geometry g;
    using Shape = Geometry::Shape;
    g.shape = read_shape(element.at("shape"));
    const bool round = g.shape == Shape::cylinder || g.shape == Shape::capsule;
    only_for("size", g.shape == Shape::box);
    only_for("radius", round || g.shape == Shape::sphere);
    only_for("length", round);
    only_for("file", g.shape == Shape::mesh);
    only_for("scale", g.shape == Shape::mesh);
    if (g.shape == Shape::box) g.size = element.at("size").vec3();
    if (round || g.shape == Shape::sphere) g.size.x = element.at("radius").number();
    if (round) g.size.y = element.at("length").number();
    if (g.shape == Shape::mesh) {
      g.mesh_file = element.at("file").text();
      if (element.has("scale")) g.size = element.at("scale").vec3();
    } else if (g.size.x < 0 || g.size.y < 0 || g.size.z < 0) {
      element.fail("has a negative dimension");
    }
    if (element.has("collision")) g.collision = element.at("collision").boolean();
    if (element.has("name")) g.name = element.at("name").text();
    if (element.has("material")) g.material = element.at("material").text();
    if (element.has("rgba")) g.rgba = element.at("rgba").numbers(4);
    g.placement = read_placement(element, units);
    result.push_back(std::move(g));
  };
  for (const YamlElement& element : list.items()) element.attempt([&] { read(element); });
  return result;
}

}  // namespace torsor::internal::robot_file
