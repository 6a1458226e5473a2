#include "torsor/formats/mesh.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "mesh/readers.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return extension;
}

/// The number of the first point with the same coordinates.
std::vector<int> merged_points(const std::vector<Vec3<double>>& points) {
  std::map<std::array<double, 3>, int> first;
  std::vector<int> same(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3<double>& p = points[k];
    same[k] = first.emplace(std::array{p.x + 0.0, p.y + 0.0, p.z + 0.0}, static_cast<int>(k))
                  .first->second;
  }
  return same;
}

/// Each triangle runs along its edges once; a closed surface runs along each as often backwards.
long open_edges(const Mesh& mesh) {
  const std::vector<int> same = merged_points(mesh.points);
  std::map<std::pair<int, int>, int> balance;
  for (const auto& t : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = same[static_cast<std::size_t>(t[k])];
      const int b = same[static_cast<std::size_t>(t[(k + 1) % 3])];
      if (a < b) ++balance[{a, b}];
      if (b < a) --balance[{b, a}];
    }
  }
  long open = 0;
  for (const auto& [edge, sum] : balance) open += sum != 0 ? 1 : 0;
  return open;
}

Sym3<double> dyad(const Vec3<double>& v) {
  Sym3<double> m;
  m.xx = v.x * v.x, m.yy = v.y * v.y, m.zz = v.z * v.z;
  m.xy = v.x * v.y, m.xz = v.x * v.z, m.yz = v.y * v.z;
  return m;
}

}  // namespace

Mesh read_mesh(const std::string& bytes, const std::string& file_name) {
  const std::string extension = extension_of(file_name);
  Mesh mesh;
  if (extension == ".stl")
    mesh = internal::mesh::read_stl(bytes, file_name);
  else if (extension == ".obj")
    mesh = internal::mesh::read_obj(bytes, file_name);
  else if (extension == ".dae")
    mesh = internal::mesh::read_dae(bytes, file_name);
  else if (extension == ".msh")
    mesh = internal::mesh::read_msh(bytes, file_name);
  else
    throw Error(one_line(file_name) + ": meshes are read from .stl, .obj, .dae and .msh files");
  if (mesh.triangles.empty()) throw Error(one_line(file_name) + ": the mesh has no triangle");
  for (const Vec3<double>& p : mesh.points)
    if (!std::isfinite(p.x + p.y + p.z))
      throw Error(one_line(file_name) + ": a point of the mesh is not finite");
  return mesh;
}

Mesh load_mesh(const std::string& path) {
  return read_mesh(internal::mesh::read_bytes(path), path);
}

std::string internal::mesh::read_bytes(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw Error(one_line(path) + ": cannot be read: " + error.message());
  if (size > mesh_file_limit)
    throw Error(one_line(path) + ": larger than " + std::to_string(mesh_file_limit >> 20) + " MiB");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw Error(one_line(path) + ": cannot be read");
  return bytes;
}

MeshSolid mesh_solid(const Mesh& mesh, const Vec3<double>& scale) {
  MeshSolid solid;
  solid.open_edges = open_edges(mesh);
  if (mesh.points.empty()) return solid;
  // About the middle of the points: far from the origin, the tetrahedra would cancel badly.
  const auto at = [&](int k) {
    const Vec3<double>& p = mesh.points[static_cast<std::size_t>(k)];
    return Vec3<double>{p.x * scale.x, p.y * scale.y, p.z * scale.z};
  };
  Vec3<double> middle{};
  for (std::size_t k = 0; k < mesh.points.size(); ++k)
    middle = middle + at(static_cast<int>(k)) * (1 / static_cast<double>(mesh.points.size()));
  Vec3<double> first{};
  Sym3<double> second{};
  for (const auto& t : mesh.triangles) {
    const Vec3<double> a = at(t[0]) - middle, b = at(t[1]) - middle, c = at(t[2]) - middle;
    const double v = dot(a, cross(b, c)) / 6;
    const Vec3<double> s = a + b + c;
    solid.volume += v;
    first = first + s * (v / 4);
    second = second + (dyad(a) + dyad(b) + dyad(c) + dyad(s)) * (v / 20);
  }
  if (solid.volume == 0) return solid;
  const double sign = solid.volume < 0 ? -1 : 1;
  const Vec3<double> com = first * (1 / solid.volume);
  const Sym3<double> moments = (second - dyad(com) * solid.volume) * sign;
  const double sum = trace(moments);
  solid.inertial.mass = std::abs(solid.volume);
  solid.inertial.com = middle + com;
  solid.inertial.about_com = Sym3<double>::diagonal(sum, sum, sum) - moments;
  return solid;
}

double internal::mesh::number(std::string_view word, const std::string& file, int line) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double x = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (code == std::errc::result_out_of_range) return 0;  // 1e-400
  if (code != std::errc() || end != word.data() + word.size() || !std::isfinite(x))
    throw Error(Origin{one_line(file), line}.prefix() + in_quotes(word) + " is not a number");
  return x;
}

}  // namespace torsor
