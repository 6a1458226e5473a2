#pragma once
/// A motion of poses as a motion of joints, through any inverse kinematics.
///
///   q_k with T(q_k) = T(t_k),   t_k = k duration / segments,   a cubic spline through (t_k, q_k)
///
/// The spline meets the poses at the t_k and is off in between by O((duration / segments)^4).
#include "torsor/trajectory/spline.hpp"

namespace torsor {

struct JointPath {
  bool complete = false;    ///< every pose was solved
  double solved_until = 0;  ///< s; the time of the last pose that was
  double largest_step = 0;  ///< of one coordinate between neighbours: a change of branch shows here
  PiecewisePolynomial<double> trajectory;  ///< up to solved_until; of size 0 if that is 0
};

/// `inverse(T, q)` solves for the pose T into q, which holds the last solution (at first q_start),
/// and returns whether it did. `trajectory` has duration() and sample(t).T.
template <class PoseMotionSource, class Inverse>
[[nodiscard]] JointPath joint_path(const PoseMotionSource& trajectory, Inverse&& inverse,
                                   const std::vector<double>& q_start, int segments = 100,
                                   SplineEnds ends = SplineEnds::not_a_knot) {
  if (segments < 1)
    throw Error("joint_path: segments is " + std::to_string(segments) + "; 1 at least is needed");
  internal::check::numbers("joint_path", "q_start", q_start, static_cast<int>(q_start.size()));
  JointPath result;
  std::vector<double> times, q = q_start;
  std::vector<std::vector<double>> points;
  for (int k = 0; k <= segments; ++k) {
    const double t = trajectory.duration() * k / segments;
    if (!inverse(trajectory.sample(t).T, q)) break;
    if (!points.empty())
      for (std::size_t i = 0; i < q.size(); ++i)
        result.largest_step = max(result.largest_step, abs(q[i] - points.back()[i]));
    times.push_back(t);
    points.push_back(q);
    result.solved_until = t;
    result.complete = k == segments;
  }
  if (times.size() > 1) result.trajectory = spline(times, points, ends);
  return result;
}

}  // namespace torsor
