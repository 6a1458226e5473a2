#include "solids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

constexpr double pi = std::numbers::pi;

/// Parts of a shell or a solid by their measure, with the mean square of each coordinate.
struct Sum {
  double measure = 0;
  Vec3<double> weighted{};
  void add(double m, const Vec3<double>& mean_square) {
    measure += m;
    weighted += mean_square * m;
  }
  SolidMoments result() const {
    return {measure, measure > 0 ? weighted * (1 / measure) : Vec3<double>{}};
  }
};

SolidMoments box_shell(const Vec3<double>& s) {
  const Vec3<double> q{s.x * s.x, s.y * s.y, s.z * s.z};
  Sum sum;  // two faces each, of edges 2a
  sum.add(8 * s.y * s.z, {q.x, q.y / 3, q.z / 3});
  sum.add(8 * s.z * s.x, {q.x / 3, q.y, q.z / 3});
  sum.add(8 * s.x * s.y, {q.x / 3, q.y / 3, q.z});
  return sum.result();
}

Sym3<double> outer(const Vec3<double>& a) {
  return {a.x * a.x, a.x * a.y, a.y * a.y, a.x * a.z, a.y * a.z, a.z * a.z};
}

}  // namespace

SolidMoments solid_moments(Solid solid, const Vec3<double>& size, bool shell) {
  const double r = size.x, h = size.y, rr = r * r;
  Sum sum;
  switch (solid) {
    case Solid::sphere:
      if (shell)
        sum.add(4 * pi * rr, Vec3<double>{1, 1, 1} * (rr / 3));
      else
        sum.add(4 * pi / 3 * rr * r, Vec3<double>{1, 1, 1} * (rr / 5));
      break;
    case Solid::ellipsoid: {
      const double ab = size.x * size.y, bc = size.y * size.z, ca = size.z * size.x;
      const double abc = ab * size.z, faces = ab + bc + ca;
      const double growth = shell && faces > 0 ? abc / faces : 0;
      const auto square = [&](double a) { return a * a / 5 + 2 * a / 5 * growth; };
      double measure = 4 * pi / 3 * abc;
      if (shell) {  // Thomsen's formula, good to a per cent
        const double p = 1.6075;
        measure =
            4 * pi * std::pow((std::pow(ab, p) + std::pow(bc, p) + std::pow(ca, p)) / 3, 1 / p);
      }
      sum.add(measure, {square(size.x), square(size.y), square(size.z)});
      break;
    }
    case Solid::box:
      if (shell) return box_shell(size);
      sum.add(8 * size.x * size.y * size.z, Vec3<double>{rr, h * h, size.z * size.z} * (1.0 / 3));
      break;
    case Solid::cylinder:
      if (shell) {
        sum.add(4 * pi * r * h, {rr / 2, rr / 2, h * h / 3});
        sum.add(2 * pi * rr, {rr / 4, rr / 4, h * h});
      } else {
        sum.add(2 * pi * rr * h, {rr / 4, rr / 4, h * h / 3});
      }
      break;
    case Solid::capsule:
      if (shell) {
        sum.add(4 * pi * r * h, {rr / 2, rr / 2, h * h / 3});
        sum.add(4 * pi * rr, {rr / 3, rr / 3, h * h + h * r + rr / 3});
      } else {
        sum.add(2 * pi * rr * h, {rr / 4, rr / 4, h * h / 3});
        sum.add(4 * pi / 3 * rr * r, {rr / 5, rr / 5, h * h + 0.75 * h * r + rr / 5});
      }
      break;
  }
  return sum.result();
}

MassMoments<double> moments_at(const SE3<double>& T, double mass, const Vec3<double>& second) {
  const MassMoments<double> own{
      mass, {}, Sym3<double>::diagonal(mass * second.x, mass * second.y, mass * second.z)};
  return transported(T, own);
}

MassMoments<double> mesh_moments(const Triangles& mesh, MeshMass how) {
  const auto corner = [&](const std::array<int, 3>& face, std::size_t k) {
    return mesh.vertices[static_cast<std::size_t>(face[k])];
  };
  double area = 0;  // the centre of the surface is inside of what is convex
  Vec3<double> centre{};
  for (const auto& f : mesh.faces) {
    const Vec3<double> a = corner(f, 0), b = corner(f, 1), c = corner(f, 2);
    const double A = norm(cross(b - a, c - a)) / 2;
    area += A;
    centre += (a + b + c) * (A / 3);
  }
  if (!(area > 0)) return {};
  centre = centre * (1 / area);
  const auto about = [&](const Vec3<double>& p) {
    MassMoments<double> sum;
    for (const auto& f : mesh.faces) {
      const Vec3<double> a = corner(f, 0) - p, b = corner(f, 1) - p, c = corner(f, 2) - p,
                         s = a + b + c;
      const Sym3<double> squares = outer(a) + outer(b) + outer(c) + outer(s);
      if (how == MeshMass::area) {
        const double A = norm(cross(b - a, c - a)) / 2;
        sum = sum + MassMoments<double>{A, s * (A / 3), squares * (A / 12)};
        continue;
      }
      double V = dot(a, cross(b, c)) / 6;
      if (how == MeshMass::absolute_volume) V = std::abs(V);
      sum = sum + MassMoments<double>{V, s * (V / 4), squares * (V / 20)};
    }
    return sum;
  };
  MassMoments<double> sum = about(centre);
  if (how == MeshMass::absolute_volume && sum.m > 0) {  // counted again about its centre of mass
    centre = centre + sum.h * (1 / sum.m);
    sum = about(centre);
    sum.h = {};
  }
  if (sum.m < 0) sum = {-sum.m, -sum.h, sum.S * -1.0};  // all faces inward
  return transported(SE3<double>{SO3<double>::identity(), centre}, sum);
}

std::vector<std::array<int, 3>> hull_faces(const std::vector<Vec3<double>>& points) {
  using Face = std::array<int, 3>;
  const int n = static_cast<int>(points.size());
  const auto at = [&](int k) { return points[static_cast<std::size_t>(k)]; };
  double size = 0;
  for (const Vec3<double>& p : points)
    size = std::max({size, std::abs(p.x - points[0].x), std::abs(p.y - points[0].y),
                     std::abs(p.z - points[0].z)});
  const double thin = 1e-12 * size;
  // A first tetrahedron of points that are far from each other.
  const auto farthest = [&](auto distance) {
    int best = 0;
    double most = -1;
    for (int k = 0; k < n; ++k)
      if (const double d = distance(at(k)); d > most) most = d, best = k;
    return std::pair(best, most);
  };
  if (n < 4) return {};
  const auto [b, ab] = farthest([&](const Vec3<double>& p) { return norm(p - at(0)); });
  if (!(ab > thin)) return {};
  const Vec3<double> u = (at(b) - at(0)) * (1 / ab);
  const auto [c, height] =
      farthest([&](const Vec3<double>& p) { return norm(cross(u, p - at(0))); });
  if (!(height > thin)) return {};
  const Vec3<double> flat = cross(u, at(c) - at(0)) * (1 / height);
  const auto [d, depth] =
      farthest([&](const Vec3<double>& p) { return std::abs(dot(flat, p - at(0))); });
  if (!(depth > thin)) return {};

  const auto outside = [&](const Face& f, const Vec3<double>& p) {
    const Vec3<double> normal = cross(at(f[1]) - at(f[0]), at(f[2]) - at(f[0]));
    return dot(normal, p - at(f[0])) > thin * norm(normal);
  };
  std::vector<Face> faces = {{0, b, c}, {0, c, d}, {0, d, b}, {b, d, c}};
  if (dot(flat, at(d) - at(0)) > 0)
    for (Face& f : faces) std::swap(f[1], f[2]);
  for (int k = 0; k < n; ++k) {
    std::set<std::pair<int, int>> horizon;
    std::vector<Face> kept;
    for (const Face& f : faces) {
      if (!outside(f, at(k))) {
        kept.push_back(f);
        continue;
      }
      for (std::size_t e = 0; e < 3; ++e) {
        const int from = f[e], to = f[(e + 1) % 3];
        if (horizon.erase({to, from}) == 0) horizon.insert({from, to});
      }
    }
    if (horizon.empty()) continue;
    for (const auto& [from, to] : horizon) kept.push_back({from, to, k});
    faces = std::move(kept);
  }
  return faces;
}

}  // namespace torsor::internal
