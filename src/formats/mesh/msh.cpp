// MuJoCo's own binary meshes: four counts, positions, normals, texture coordinates, corners of the faces.
#include <cmath>

#include "mesh/readers.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mesh {

/// Without faces, it stands for the hull of its points.
Mesh read_msh(const std::string& bytes, const std::string& file) {
  const auto fail = [&](const std::string& what) { throw Error(one_line(file) + ": " + what); };
  constexpr std::size_t head = 16;
  if (bytes.size() < head) fail("no MSH file: it has less than 16 bytes");
  std::size_t count[4] = {};  // of points, normals, texture coordinates, faces
  for (std::size_t k = 0; k < 4; ++k) {
    count[k] = little_endian(bytes.data() + 4 * k);
    if (count[k] > triangle_limit)
      fail("no MSH file, or too large: it announces " + std::to_string(count[k]) + " elements");
  }
  const std::size_t size = head + 12 * count[0] + 12 * count[1] + 8 * count[2] + 12 * count[3];
  if (bytes.size() != size)
    fail("has " + std::to_string(bytes.size()) + " bytes, and announces " + std::to_string(size) +
         "; is the file cut off?");
  Mesh mesh;
  mesh.points.reserve(count[0]);
  mesh.triangles.reserve(count[3]);
  const char* at = bytes.data() + head;
  for (std::size_t k = 0; k < count[0]; ++k, at += 12) {
    mesh.points.push_back({real(at), real(at + 4), real(at + 8)});
    const Vec3<double>& p = mesh.points.back();
    if (!std::isfinite(p.x + p.y + p.z)) fail("a point of the mesh is not finite");
  }
  at += 12 * count[1] + 8 * count[2];
  for (std::size_t k = 0; k < count[3]; ++k) {
    std::array<int, 3> corners{};
    for (std::size_t c = 0; c < 3; ++c, at += 4) {
      const std::uint32_t corner = little_endian(at);
      if (corner >= count[0]) fail("there is no point " + std::to_string(corner));
      corners[c] = static_cast<int>(corner);
    }
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

}  // namespace torsor::internal::mesh
