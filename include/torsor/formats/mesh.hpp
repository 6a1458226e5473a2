#pragma once
/// Meshes of STL (text and binary), OBJ, COLLADA and MSH files as triangles, for pictures and for inertia.
///
/// The readers are our own: they need positions and faces alone, of simple formats, and say what is
/// wrong with a file in one line. COLLADA is taken with its unit and the transforms of its scene, and
/// without its up_axis, as RViz does.
///
/// A solid of uniform density between the triangles, each seen from outside counterclockwise:
///   V     = sum_t det(a, b, c) / 6                      a, b, c: the corners of triangle t
///   V com = sum_t V_t (a + b + c) / 4
///   int x x^T dV = sum_t V_t / 20 (a a^T + b b^T + c c^T + s s^T)        s = a + b + c
/// which holds for closed surfaces alone: every edge belongs to two triangles that run along it in
/// opposite directions.
/// Source   divergence theorem on tetrahedra with one corner at the origin; Tonon 2004 has the moments.
#include <array>
#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor {

struct Mesh {
  std::vector<Vec3<double>> points;           ///< m
  std::vector<std::array<int, 3>> triangles;  ///< numbers of points
};

/// Larger files are refused before they are read.
inline constexpr std::size_t mesh_file_limit = std::size_t{256} << 20;  // bytes

/// By the extension: .stl, .obj, .dae or .msh. Throws Error for what is no such mesh.
Mesh load_mesh(const std::string& path);
/// The same of a text or of bytes; `file_name` has the extension.
Mesh read_mesh(const std::string& bytes, const std::string& file_name);

struct MeshSolid {
  double volume = 0;    ///< m^3; negative where all triangles face inwards
  Inertial inertial{};  ///< at a density of 1 kg/m^3 and with triangles that face outwards
  long open_edges = 0;  ///< of one triangle alone, or of two that disagree on the outside
  bool closed() const { return open_edges == 0 && volume != 0; }
};

/// Points that coincide count as one. `scale` multiplies the coordinates first, each by its own.
MeshSolid mesh_solid(const Mesh& mesh, const Vec3<double>& scale = {1, 1, 1});

}  // namespace torsor
