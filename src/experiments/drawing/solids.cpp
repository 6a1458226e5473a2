#include "drawing/solids.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace torsor::drawing {
namespace {

constexpr int around = 20, over = 5;  // faces about an axis; rings of half a ball

void add(std::vector<Face>& faces, std::vector<Vec3<double>> corners) {
  const Vec3<double> n = cross(corners[1] - corners[0], corners[2] - corners[0]);
  const double length = norm(n);
  if (length > 0) faces.push_back({std::move(corners), n / length});
}

std::vector<Face> box(const Vec3<double>& edges) {
  const Vec3<double> h = edges * 0.5;
  std::vector<Face> faces;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const int a = (axis + 1) % 3, b = (axis + 2) % 3;
      std::vector<Vec3<double>> corners;
      for (const auto& [u, v] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        Vec3<double> p;
        p[axis] = side * h[axis];
        p[a] = side * u * h[a];  // turned round on the far side, so that it is seen from outside
        p[b] = v * h[b];
        corners.push_back(p);
      }
      add(faces, std::move(corners));
    }
  return faces;
}

/// A surface of revolution about z: (radius, height) from the bottom up. Ends of no radius are points.
std::vector<Face> turned(const std::vector<Point2>& profile) {
  const auto at = [](const Point2& p, int k) {
    const double angle = 2 * std::numbers::pi * k / around;
    return Vec3<double>{p.x * std::cos(angle), p.x * std::sin(angle), p.y};
  };
  std::vector<Face> faces;
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    const Point2 &low = profile[i], &high = profile[i + 1];
    for (int k = 0; k < around; ++k) {
      if (low.x > 0 && high.x > 0)
        add(faces, {at(low, k), at(low, k + 1), at(high, k + 1), at(high, k)});
      else if (low.x > 0)
        add(faces, {at(low, k), at(low, k + 1), at(high, k)});
      else if (high.x > 0)
        add(faces, {at(low, k), at(high, k + 1), at(high, k)});
    }
  }
  const auto lid = [&](const Point2& p, bool up) {
    std::vector<Vec3<double>> corners;
    for (int k = 0; k < around; ++k) corners.push_back(at(p, up ? k : -k));
    add(faces, std::move(corners));
  };
  if (profile.front().x > 0) lid(profile.front(), false);
  if (profile.back().x > 0) lid(profile.back(), true);
  return faces;
}

/// Two half balls `length` apart.
std::vector<Face> capsule(double radius, double length) {
  std::vector<Point2> profile;
  for (const int half : {-1, 1})
    for (int k = 0; k <= over; ++k) {
      const double angle = 0.5 * std::numbers::pi * (half < 0 ? k - over : k) / over;
      const bool pole = k == (half < 0 ? 0 : over);
      const Point2 p{pole ? 0 : radius * std::cos(angle),
                     radius * std::sin(angle) + half * 0.5 * length};
      const bool same = !profile.empty() && profile.back().y == p.y && profile.back().x == p.x;
      if (!same) profile.push_back(p);  // the equator of a ball comes twice
    }
  return turned(profile);
}

}  // namespace

std::vector<Face> faces_of(internal::PictureShape::Kind kind, const Vec3<double>& size) {
  using Kind = internal::PictureShape::Kind;
  switch (kind) {
    case Kind::box:
      return box(size);
    case Kind::cylinder:
      return turned({{size.x, -0.5 * size.y}, {size.x, 0.5 * size.y}});
    case Kind::sphere:
      return capsule(size.x, 0);
    case Kind::capsule:
      return capsule(size.x, size.y);
    case Kind::cone:
      return turned({{size.x, -0.5 * size.z}, {size.y, 0.5 * size.z}});
    case Kind::mesh:
      break;
  }
  return {};
}

std::vector<Point2> hull(std::vector<Point2> points) {
  std::sort(points.begin(), points.end(),
            [](const Point2& a, const Point2& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const auto turn = [](const Point2& a, const Point2& b, const Point2& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  std::vector<Point2> corners;
  std::size_t fixed = 0;  // corners that this half may not take back
  const auto take = [&](const Point2& p) {
    while (corners.size() >= fixed + 2 && turn(corners[corners.size() - 2], corners.back(), p) <= 0)
      corners.pop_back();
    corners.push_back(p);
  };
  for (const Point2& p : points) take(p);
  fixed = corners.empty() ? 0 : corners.size() - 1;
  for (std::size_t k = points.size(); k-- > 0;) take(points[k]);
  if (!corners.empty()) corners.pop_back();  // the first one again
  return corners;
}

}  // namespace torsor::drawing
