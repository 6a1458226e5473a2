// Ellipsoids of inertias, velocities and forces.
#include <algorithm>
#include <cmath>

#include "torsor/experiments/drawing.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor {

Ellipsoid inertia_ellipsoid(const Inertia<double>& I) {
  if (!(I.m > 0)) return {Mat3<double>::identity(), {}};
  const PrincipalAxes<double> p =
      principal_axes(I.J - Inertia<double>::parallel_axes(I.m, I.h / I.m));
  const auto& [x, y, z] = p.moments;
  const auto radius = [&](double twice) { return std::sqrt(std::max(2.5 * twice / I.m, 0.0)); };
  return {p.axes, {radius(y + z - x), radius(z + x - y), radius(x + y - z)}};
}

Ellipsoid force_ellipsoid(const Ellipsoid& velocities) {
  const Vec3<double>& r = velocities.radii;
  const auto reciprocal = [](double x) { return x > 0 ? 1 / x : infinity; };
  return {velocities.axes, {reciprocal(r.x), reciprocal(r.y), reciprocal(r.z)}};
}

}  // namespace torsor
