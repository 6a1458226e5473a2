#pragma once
/// Solids as flat faces. Private to this room.
#include <vector>

#include "torsor/experiments/internal/robot_picture.hpp"

namespace torsor::drawing {

/// A flat, convex face: corners in order, seen from outside counter-clockwise.
struct Face {
  std::vector<Vec3<double>> corners;
  Vec3<double> normal{};  ///< unit, outwards
};

/// The surface of a shape in the shape's own frame.
std::vector<Face> faces_of(internal::PictureShape::Kind kind, const Vec3<double>& size);

/// The corners of the convex hull of points in the plane, in order (Andrew's chain).
struct Point2 {
  double x = 0, y = 0;
};
std::vector<Point2> hull(std::vector<Point2> points);

}  // namespace torsor::drawing
