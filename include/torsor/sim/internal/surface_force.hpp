#pragma once
/// The force of a surface on a point of the robot: f n - friction f v / sqrt(v^2 + slip^2), v along it.
#include "torsor/sim/plant.hpp"

namespace torsor::internal {

/// `velocity` of the point and `normal`, of unit length, in the world; `force` along the normal.
inline Vec3<double> surface_force(const Surface& surface, const Vec3<double>& normal,
                                  const Vec3<double>& velocity, double force) {
  const Vec3<double> push = normal * force;
  if (!(surface.friction > 0)) return push;
  const Vec3<double> along = velocity - normal * dot(normal, velocity);
  return push - along * (surface.friction * force /
                         std::sqrt(squared_norm(along) + surface.slip * surface.slip));
}

}  // namespace torsor::internal
