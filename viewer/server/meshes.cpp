#include "server/meshes.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "torsor/formats/packages.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::view {
namespace {

namespace fs = std::filesystem;

/// All links resolved; empty where there is no such file.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? fs::path() : real;
}

bool lies_below(const fs::path& file, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

bool is_mesh_name(const fs::path& path) {
  std::string kind = path.extension().string();
  for (char& c : kind) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const char* known : {".stl", ".obj", ".dae"})
    if (kind == known) return true;
  return false;
}

/// The folder of the file, or that of the package it lies in (two folders up, where a package has its
/// robots in `urdf` and its meshes beside them).
std::vector<fs::path> allowed_folders(const fs::path& robot, std::vector<fs::path> packages) {
  const fs::path folder = robot.parent_path();
  packages.push_back(folder);
  std::error_code ignored;
  for (fs::path up = folder; up != up.parent_path(); up = up.parent_path())
    if (fs::exists(up / "package.xml", ignored)) packages.push_back(up);
  return packages;
}

}  // namespace

Meshes::Meshes(const RobotDescription& robot, const std::string& file,
               const std::vector<std::string>& package_folders) {
  const fs::path source = file.empty() ? fs::path() : resolved(file);
  std::vector<fs::path> packages;
  for (const std::string& folder : package_folders)
    if (const fs::path real = resolved(folder); !real.empty()) packages.push_back(real);
  const std::vector<fs::path> allowed =
      source.empty() ? packages : allowed_folders(source, packages);
  for (const Link& link : robot.links)
    for (const Geometry& g : link.geometry) {
      if (g.collision || g.shape != Geometry::Shape::mesh || index_of(g.mesh_file) >= 0) continue;
      Mesh mesh{g.mesh_file, "", "is not found"};
      const auto consider = [&](const fs::path& path) {
        const fs::path real = resolved(path);
        std::error_code error;
        if (real.empty() || !fs::is_regular_file(real, error)) return;
        const bool inside = std::any_of(allowed.begin(), allowed.end(), [&](const fs::path& root) {
          return lies_below(real, root);
        });
        if (!inside)
          mesh.why = "lies outside of the robot's folders (--package-path)";
        else if (!is_mesh_name(real))
          mesh.why = "is of no known kind (.stl, .obj, .dae)";
        else if (fs::file_size(real, error) > mesh_limit || error)
          mesh.why = "is larger than " + std::to_string(mesh_limit >> 20) + " MiB";
        else
          mesh.path = real.string(), mesh.why.clear();
      };
      if (!source.empty()) consider(find_mesh(g.mesh_file, source.string(), package_folders));
      list_.push_back(std::move(mesh));
    }
}

int Meshes::index_of(const std::string& name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const Mesh& mesh) { return mesh.name == name; });
  return found == list_.end() ? -1 : static_cast<int>(found - list_.begin());
}

std::string Meshes::read(int k) const {
  if (k < 0 || k >= static_cast<int>(list_.size())) throw Error("there is no mesh of that number");
  const Mesh& mesh = list_[static_cast<std::size_t>(k)];
  if (mesh.path.empty()) throw Error("mesh " + in_quotes(mesh.name) + " " + mesh.why);
  // The path was resolved before; a link that was put there since would lead elsewhere.
  if (resolved(mesh.path) != fs::path(mesh.path))
    throw Error("mesh " + in_quotes(mesh.name) + " is no longer there");
  std::ifstream in(mesh.path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) throw Error("mesh " + in_quotes(mesh.name) + " cannot be read");
  if (bytes.size() > mesh_limit) throw Error("mesh " + in_quotes(mesh.name) + " has grown");
  return bytes;
}

}  // namespace torsor::view
