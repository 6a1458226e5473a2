// Any bytes as a mesh of each format: triangles of points that are there, or one line.
#include "torsor/formats/mesh.hpp"
#include "fuzz/property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace torsor;
  const std::string bytes = fuzz::text_of(data, size);
  for (const char* name : {"a.stl", "a.obj", "a.dae", "a.msh"}) {
    Mesh mesh;
    if (!fuzz::accepted([&] { mesh = read_mesh(bytes, name); })) continue;
    for (const auto& triangle : mesh.triangles)
      for (const int k : triangle)
        if (k < 0 || static_cast<std::size_t>(k) >= mesh.points.size())
          fuzz::broken("a triangle of a point that is not there");
    (void)mesh_solid(mesh);
  }
  return 0;
}
