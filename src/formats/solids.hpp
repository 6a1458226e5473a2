#pragma once
/// Masses of shapes: volume, area and second moments of the solids that robot files draw bodies with, and
/// of triangle meshes. Shared by the readers that compute inertia from shapes.
///
/// With S = int r r^T dm about the centre, per unit mass and along the shape's own axes:
///   sphere     r^2/5 each                         shell r^2/3
///   ellipsoid  a^2/5                              layer of even growth: a^2/5 + 2/5 a abc/(ab+bc+ca)
///   box        a^2/3 of half edges a              faces
///   cylinder   r^2/4 across, h^2/3 along          side r^2/2, h^2/3; lids r^2/4, h^2
///   capsule    cylinder and two half balls, each  h^2 + 3/4 h r + r^2/5 along; shell h^2 + h r + r^2/3
/// and J = tr(S) 1 - S. h is half the length.
///
/// A mesh is the sum of the tetrahedra between its triangles (a, b, c) and a point inside:
///   V = a . (b x c) / 6,   int r = V/4 s,   int r r^T = V/20 (a a^T + b b^T + c c^T + s s^T),  s = a + b + c
#include <array>
#include <vector>

#include "torsor/math/inertia.hpp"

namespace torsor::internal {

enum class Solid : unsigned char { sphere, ellipsoid, box, cylinder, capsule };

/// Per unit mass, about the centre, along the shape's axes.
struct SolidMoments {
  double measure = 0;     ///< volume in m^3; area in m^2 of a shell
  Vec3<double> second{};  ///< m^2
};

/// `size`: radius; semi-axes; half edges; radius and half length.
SolidMoments solid_moments(Solid solid, const Vec3<double>& size, bool shell);

/// Mass, first and second moments about the frame in which the shape stands at T.
MassMoments<double> moments_at(const SE3<double>& T, double mass, const Vec3<double>& second);

struct Triangles {
  std::vector<Vec3<double>> vertices;
  std::vector<std::array<int, 3>> faces;
};

enum class MeshMass : unsigned char {
  signed_volume,  ///< exact for closed meshes with consistent faces
  absolute_volume,  ///< MuJoCo's legacy: every tetrahedron counts positive, for the centre of mass about
  ///< that of the surface, for mass and inertia about the centre of mass; exact for
  ///< convex ones, whatever the faces' order
  area  ///< a shell
};
/// Of density 1 (kg/m^3 or kg/m^2), about the origin of the vertices.
MassMoments<double> mesh_moments(const Triangles& mesh, MeshMass how);

/// Faces of the convex hull, outward; none where the points are flat.
std::vector<std::array<int, 3>> hull_faces(const std::vector<Vec3<double>>& points);

}  // namespace torsor::internal
