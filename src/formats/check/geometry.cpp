#include <filesystem>
#include <map>

#include "check/parts.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::checks {
namespace {

namespace fs = std::filesystem;

/// Meshes are for pictures: nothing is computed from them.
void not_found(const Origin& origin, const std::string& who, const std::string& what,
               const std::string& fix, int meshes, Report& report) {
  report.note(origin, who, what, "meshes are for pictures: no result depends on them", fix,
              Finding::Kind::not_used);
  report.findings.back().subject = "meshes not found";
  report.findings.back().count = meshes;
}

struct MissingPackage {
  int meshes = 0;
  std::string first;
  Origin origin;
};

void check_mesh(const Link& link, const Geometry& g, const MeshFinder& found,
                std::map<std::string, MissingPackage>& packages, Report& report) {
  const std::string& name = g.mesh_file;
  const std::string who = element("link", link.name);
  const std::string package_scheme = "package://", file_scheme = "file://";
  if (name.empty())
    return report.warning(link.origin, who, "has a mesh without a file name",
                          "nothing can be drawn", "name the file");
  if (name.starts_with("http://") || name.starts_with("https://")) return;
  if (!found(link, g).empty()) return;
  if (name.starts_with(package_scheme)) {
    const std::string path = name.substr(package_scheme.size());
    const std::size_t slash = path.find('/');
    const std::string package = path.substr(0, slash);
    MissingPackage& missing = packages[package];
    if (missing.meshes++ == 0) missing.first = name, missing.origin = link.origin;
    return;
  }
  const fs::path path = name.starts_with(file_scheme) ? name.substr(file_scheme.size()) : name;
  not_found(link.origin, who, "mesh " + in_quotes(name) + " does not exist",
            path.is_absolute() ? "correct the path"
                               : "paths are relative to the robot's file: correct it",
            1, report);
}

}  // namespace

void check_geometry(const RobotDescription& robot, const CheckOptions& options, Report& report) {
  report.topic = Finding::Topic::drawing;
  std::map<std::string, MissingPackage> packages;
  const MeshFinder found(robot, options);
  for (const Link& link : robot.links) {
    for (const Geometry& g : link.geometry) {
      using Shape = Geometry::Shape;
      const std::string who = element("link", link.name);
      const bool flat = !(g.size.x > 0) || (g.shape != Shape::sphere && !(g.size.y > 0)) ||
                        (g.shape == Shape::box && !(g.size.z > 0));
      if (g.shape == Shape::mesh) {
        if (options.meshes && !link.origin.file.empty())
          check_mesh(link, g, found, packages, report);
      } else if (flat) {
        report.warning(link.origin, who, "has a shape without volume (" + numbers(g.size) + ") m",
                       "collision programs refuse it", "give its size");
      }
      if (!is_finite(g.placement.p))
        report.error(link.origin, who, "a shape is placed nowhere (" + numbers(g.placement.p) + ")",
                     "it cannot be drawn", "give three finite lengths in m",
                     Finding::Kind::not_finite);
    }
  }
  for (const auto& [package, missing] : packages)
    not_found(missing.origin, "package " + in_quotes(package),
              (missing.meshes > 1 ? std::to_string(missing.meshes) + " meshes are" : "1 mesh is") +
                  " not found, first " + in_quotes(missing.first),
              "name the folder that holds the package with --package-path", missing.meshes, report);
  if (options.meshes) check_mesh_inertias(robot, found, report);
  report.topic = Finding::Topic::motion;
}

}  // namespace torsor::internal::checks
