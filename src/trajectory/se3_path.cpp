#include "torsor/trajectory/se3_path.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {
namespace internal::check {

void pose(const char* planner, const std::string& what, const SE3<double>& T) {
  for (int c = 0; c < 3; ++c) {
    finite(planner, what + ".p[" + std::to_string(c) + "]", T.p[c]);
    for (int r = 0; r < 3; ++r)
      finite(planner, what + ".R(" + std::to_string(r) + ", " + std::to_string(c) + ")", T.R(r, c));
  }
  if (!is_rotation(T.R, 1e-6))
    throw Error(std::string(planner) + ": " + what + ".R is not a rotation (determinant " +
                number(determinant(T.R)) + ", first column of norm " + number(norm(T.R.c0)) + ")");
}

}  // namespace internal::check

double minimum_duration(const internal::PathRates& path, const PiecewisePolynomial<double>& law,
                        const PoseLimits& limits) {
  internal::check_law(law, 1);
  for (const double limit :
       {limits.velocity, limits.acceleration, limits.angular_velocity, limits.angular_acceleration})
    if (!(limit > 0))
      throw Error("minimum_duration: a pose limit is " + internal::check::number(limit) +
                  "; it must be greater than zero");
  const Limits s = attained(law)[0];
  const bool accelerates =
      std::isfinite(limits.acceleration) || std::isfinite(limits.angular_acceleration);
  if (accelerates && std::isinf(s.acceleration))
    throw Error("minimum_duration: the law's velocity jumps; no acceleration limit can be kept");
  const double V = s.velocity, A = accelerates ? s.acceleration : 0;
  const double origin = std::hypot(path.linear * A, path.bend * V * V);
  const double factor =
      std::max({path.linear * V / limits.velocity, path.angular * V / limits.angular_velocity,
                std::sqrt(origin / limits.acceleration),
                std::sqrt(path.angular * A / limits.angular_acceleration)});
  if (factor == 0 && (path.linear > 0 || path.angular > 0))
    throw Error("minimum_duration: nothing that moves has a finite limit");
  return law.duration() * factor;
}

}  // namespace torsor
