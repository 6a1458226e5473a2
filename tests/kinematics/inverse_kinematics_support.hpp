#pragma once
/// One question to inverse_kinematics and its answer, judged by products of joint poses.
#include "support/random_model.hpp"
#include "support/tree_motion.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"

namespace torsor::testing {

inline SE3<double> pose_by_products(const Model<double>& model, const std::string& frame,
                                    const std::vector<double>& q) {
  const std::vector<double> still(static_cast<std::size_t>(model.n_v()));
  return world_pose(model, tree_motion(model, q, still), frame);
}
inline double position_apart(const SE3<double>& A, const SE3<double>& B) { return norm(A.p - B.p); }
inline double angle_apart(const SE3<double>& A, const SE3<double>& B) {
  return norm(log(transpose_times(A.R, B.R)));
}

inline bool inside_limits(const Model<double>& model, const std::vector<double>& q) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.body(i).q.count; ++k) {
      const int dof = limits_of_coordinate(model.joint(i), k);
      if (dof < 0) continue;
      const Limits& limits = model.limits(model.body(i).v.first + dof);
      const double x = q[static_cast<std::size_t>(model.body(i).q.first + k)];
      if (!(x >= limits.lower && x <= limits.upper)) return false;
    }
  return true;
}
/// The middle of the limits; 0 where there are none.
inline std::vector<double> middle_of_limits(const Model<double>& model) {
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  neutral(model, q);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Limits& limits = model.limits(model.body(i).v.first);
    if (model.body(i).q.count == 1 && std::isfinite(limits.upper - limits.lower))
      q[static_cast<std::size_t>(model.body(i).q.first)] = (limits.lower + limits.upper) / 2;
  }
  return q;
}

struct Answer {
  InverseKinematicsResult result;
  std::vector<double> q;
};
/// Keeps its workspace: the answer's views lie in it.
class Asker {
 public:
  Asker(const Model<double>& model, const std::vector<std::string>& frames)
      : model_(model), ws_(model, frames) {}
  Answer ask(const std::vector<IkTarget>& targets, const std::vector<double>& start,
             const InverseKinematicsOptions& options = {}) {
    std::vector<double> q(start.size());
    InverseKinematicsResult result = inverse_kinematics(model_, ws_, targets, start, options, q);
    return {result, std::move(q)};
  }

 private:
  const Model<double>& model_;
  InverseKinematicsWorkspace ws_;
};

/// Position alone.
inline IkTarget point_target(const Vec3<double>& p, int priority = 0) {
  return {{SO3<double>::identity(), p}, {0, 0, 0}, {1, 1, 1}, priority};
}

}  // namespace torsor::testing
