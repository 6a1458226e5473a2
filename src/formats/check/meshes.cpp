// Masses and inertias of the file beside those of the link's shapes, filled uniformly.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include "check/parts.hpp"
#include "torsor/formats/mesh.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::checks {
namespace {

using Shape = Geometry::Shape;

Sym3<double> round_body(double across, double along) {
  return Sym3<double>::diagonal(across, across, along);
}

/// At 1 kg/m^3, in the shape's own frame. Source: tables of any textbook of mechanics.
Inertial primitive(const Geometry& g) {
  const double pi = std::numbers::pi, r = g.size.x, l = g.size.y;
  Inertial body;
  if (g.shape == Shape::box) {
    const Vec3<double> a{g.size.x * g.size.x, g.size.y * g.size.y, g.size.z * g.size.z};
    body.mass = g.size.x * g.size.y * g.size.z;
    body.about_com = Sym3<double>::diagonal(a.y + a.z, a.x + a.z, a.x + a.y) * (body.mass / 12);
  } else if (g.shape == Shape::sphere) {
    body.mass = 4 * pi / 3 * r * r * r;
    const double j = 0.4 * body.mass * r * r;
    body.about_com = round_body(j, j);
  } else {
    body.mass = pi * r * r * l;
    body.about_com = round_body(body.mass * (3 * r * r + l * l) / 12, body.mass * r * r / 2);
    if (g.shape == Shape::capsule) {  // two half balls, their centres of mass 3 r / 8 off the ends
      const double ball = 4 * pi / 3 * r * r * r;
      const double across = ball * (0.4 * r * r + l * l / 4 + 3 * r * l / 8);
      body.mass += ball;
      body.about_com = body.about_com + round_body(across, 0.4 * ball * r * r);
    }
  }
  return body;
}

Inertia<double> at_origin(const Inertial& body) {
  return Inertia<double>::at_com(body.mass, body.com, body.about_com);
}

/// All shapes of one kind as one body at 1 kg/m^3; none where a mesh is missing or open.
struct Filled {
  std::optional<Inertial> body;
  std::string open;     ///< the first mesh that has no inside
  std::string refusal;  ///< of the first mesh that cannot be read
  long open_edges = 0;
  bool has_mesh = false;
};

struct MeshFile {
  std::optional<Mesh> mesh;
  std::string refusal;  ///< empty for kinds of files that nobody reads here
};
using Solids = std::map<std::string, MeshFile>;

const MeshFile& mesh_of(const std::string& file, Solids& known) {
  const auto [at, fresh] = known.emplace(file, MeshFile{});
  if (fresh) try {
      at->second.mesh = load_mesh(file);
    } catch (const Error& refused) {
      std::string lower = file;
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      for (const char* end : {".stl", ".obj", ".dae", ".msh"})
        if (lower.ends_with(end)) at->second.refusal = refused.what();
    }
  return at->second;
}

Filled filled(const Link& link, bool collision, const MeshFinder& found, Solids& known) {
  Filled result;
  Inertia<double> sum{};
  for (const Geometry& g : link.geometry) {
    if (g.collision != collision) continue;
    Inertial body;
    if (g.shape == Shape::mesh) {
      result.has_mesh = true;
      const std::string& file = found(link, g);
      if (file.empty()) return result;
      const MeshFile& read = mesh_of(file, known);
      result.refusal = read.refusal;
      if (!read.mesh) return result;
      const MeshSolid solid = mesh_solid(*read.mesh, g.size);
      if (!solid.closed()) {
        result.open = g.mesh_file;
        result.open_edges = solid.open_edges;
        return result;
      }
      body = solid.inertial;
    } else {
      body = primitive(g);
    }
    sum = sum + transported(g.placement, at_origin(body));
  }
  if (!(sum.m > 0) || !result.has_mesh) return result;
  Inertial all;
  all.mass = sum.m;
  all.com = sum.h * (1 / sum.m);
  all.about_com = sum.J - Inertia<double>::parallel_axes(sum.m, all.com);
  result.body = all;
  return result;
}

std::string proposal(const Inertial& body, double density) {
  const Sym3<double>& J = body.about_com;
  const auto of = [&](double x) { return short_number(x * density); };
  return "mass " + of(body.mass) + " kg, com (" + numbers(body.com) + ") m, ixx " + of(J.xx) +
         ", iyy " + of(J.yy) + ", izz " + of(J.zz) + ", ixy " + of(J.xy) + ", ixz " + of(J.xz) +
         ", iyz " + of(J.yz);
}

void compare(const Link& link, const Inertial& shape, Report& report) {
  const std::string who = element("link", link.name);
  const double water = 1000;  // kg/m^3
  if (!link.has_inertial || link.inertial.mass <= 0) {
    report.note(link.origin, who,
                "has no mass, and a mesh of " + short_number(shape.mass * 1000) +
                    " l; of water it would have " + proposal(shape, water),
                "links that move need mass and inertia", "give them, if the link is not massless");
    return;
  }
  const double density = link.inertial.mass / shape.mass;
  if (density < 20 || density > 25000) {
    report.note(link.origin, who,
                "its mass and its mesh of " + short_number(shape.mass * 1000) +
                    " l make a density of " + short_number(density) + " kg/m^3",
                "aluminium has 2700, steel 7850, foam 20",
                "check mass, and unit and scale of the mesh");
    return;
  }
  const Vec3<double> own = second_moments(link.inertial.about_com).moments;
  const Vec3<double> uniform = second_moments(shape.about_com * density).moments;
  const double ratio = own.z / uniform.z;
  const double size = std::sqrt(5 * uniform.z / link.inertial.mass);
  const double off = norm(link.inertial.com - shape.com);
  if (ratio > 0.4 && ratio < 2.5 && off < 0.5 * size) return;
  report.note(link.origin, who,
              "principal moments " + numbers(own) + " kg m^2 at com (" +
                  numbers(link.inertial.com) + ") m; its mesh, filled uniformly, has " +
                  numbers(uniform) + " at (" + numbers(shape.com) + ")",
              "real links are not uniform, but rarely that far from it",
              "if the file's figures are guesses, take " + proposal(shape, density));
}

}  // namespace

/// A package is looked for once: that may take a walk through a workspace.
std::string MeshFinder::file(const std::string& name, const std::string& asking) const {
  const std::string scheme = "package://";
  if (!name.starts_with(scheme)) return find_mesh(name, asking, options_.package_folders);
  const std::string path = name.substr(scheme.size());
  const std::string package = path.substr(0, path.find('/'));
  const auto [at, fresh] = packages_.emplace(package + "\n" + asking, "");
  if (fresh) at->second = find_package(package, asking, options_.package_folders);
  if (at->second.empty() || package.size() == path.size()) return {};
  return find_mesh("file://" + at->second + path.substr(package.size()), asking);
}

const std::string& MeshFinder::operator()(const Link& link, const Geometry& mesh) const {
  const auto [at, fresh] = files_.emplace(link.origin.file + "\n" + mesh.mesh_file, "");
  if (!fresh) return at->second;
  // Of an expanded file, paths are relative to the file that was asked for.
  at->second = file(mesh.mesh_file, robot_.origin.file);
  if (at->second.empty() && link.origin.file != robot_.origin.file)
    at->second = file(mesh.mesh_file, link.origin.file);
  return at->second;
}

void check_mesh_inertias(const RobotDescription& robot, const MeshFinder& found, Report& report) {
  report.topic = Finding::Topic::dynamics;
  Solids known;
  for (const Link& link : robot.links) {
    if (link.origin.file.empty() || !is_finite(link.inertial.com) ||
        !is_finite(link.inertial.about_com))
      continue;
    Filled shape = filled(link, true, found, known);
    if (!shape.body) {
      const Filled visual = filled(link, false, found, known);
      if (visual.body || !shape.has_mesh) shape = visual;
    }
    if (shape.body)
      compare(link, *shape.body, report);
    else if (!shape.refusal.empty())
      report.note(link.origin, element("link", link.name),
                  "a mesh cannot be read: " + shape.refusal, "nothing can be said of its inertia",
                  "write the mesh once more");
    else if (!shape.open.empty())
      report.note(link.origin, element("link", link.name),
                  "mesh " + in_quotes(shape.open) +
                      " is open: " + std::to_string(shape.open_edges) +
                      " edges do not join two triangles that face the same side",
                  "it has no volume, so that nothing can be said of its inertia",
                  "nothing to do; a closed mesh could be compared with the file's inertia");
  }
}

}  // namespace torsor::internal::checks
