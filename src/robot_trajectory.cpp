// Robot: motions between configurations and along poses.
#include "robot_workspaces.hpp"
#include "torsor/model/text.hpp"
#include "torsor/trajectory/configuration_path.hpp"
#include "torsor/trajectory/joint_path.hpp"

namespace torsor {
namespace {

JointTrajectory trajectory_of(PiecewisePolynomial<double> q) {
  const int n = q.size();
  const double duration = q.duration();
  return {n, n, duration,
          [q = std::move(q)](double t, Out<double> x, Out<double> v, Out<double> a) {
            q.sample(t, x, v, a);
          }};
}

/// Poses of a function of time, as joint_path asks for them.
struct PoseFunction {
  double length;
  std::function<SE3<double>(double)> pose;
  double duration() const { return length; }
  PoseMotion<double> sample(double t) const { return {pose(t), {}, {}}; }
};

}  // namespace

JointTrajectory::Sample JointTrajectory::sample(double t) const {
  Sample out{Eigen::VectorXd(n_q_), Eigen::VectorXd(n_v_), Eigen::VectorXd(n_v_)};
  sample(t, out.q, out.qd, out.qdd);
  return out;
}
void JointTrajectory::sample(double t, Eigen::Ref<Eigen::VectorXd> q,
                             Eigen::Ref<Eigen::VectorXd> qd,
                             Eigen::Ref<Eigen::VectorXd> qdd) const {
  const auto check = [](const char* what, Eigen::Index size, int expected) {
    if (size != expected)
      throw Error("trajectory: " + std::string(what) + " has " + std::to_string(size) +
                  " numbers, expected " + std::to_string(expected));
  };
  if (!function_) throw Error("trajectory: it is empty");
  if (!std::isfinite(t)) throw Error("trajectory: the time is " + std::to_string(t));
  check("q", q.size(), n_q_);
  check("qd", qd.size(), n_v_);
  check("qdd", qdd.size(), n_v_);
  (*function_)(t, q, qd, qdd);
}

JointTrajectory Robot::configuration_trajectory(ConstVector q0, ConstVector q1,
                                                Profile profile) const {
  const ConfigurationTrajectory motion = torsor::configuration_trajectory(
      model(), checked_copy("q0", q0), checked_copy("q1", q1), profile);
  return {n_q(), n_v(), motion.duration(),
          [motion, model = model_](double t, Out<double> q, Out<double> qd, Out<double> qdd) {
            motion.sample(t, q, qd, qdd);
          }};
}
JointTrajectory Robot::configuration_trajectory(ConstVector q0, ConstVector q1, double duration,
                                                Profile profile) const {
  const ConfigurationTrajectory motion(
      ConfigurationPath(model(), checked_copy("q0", q0), checked_copy("q1", q1)),
      unit_law(profile, duration));
  return {n_q(), n_v(), motion.duration(),
          [motion, model = model_](double t, Out<double> q, Out<double> qd, Out<double> qdd) {
            motion.sample(t, q, qd, qdd);
          }};
}

std::vector<std::vector<double>> Robot::checked_points(const std::vector<Vector>& points) const {
  std::vector<std::vector<double>> out;
  for (const Vector& q : points) out.push_back(checked_copy("a point", q));
  return out;
}
JointTrajectory Robot::spline(const std::vector<Vector>& points) const {
  const std::vector<Limits> limits = coordinate_limits(model());
  return trajectory_of(torsor::spline(checked_points(points), limits));
}
JointTrajectory Robot::spline(const std::vector<double>& times, const std::vector<Vector>& points,
                              SplineEnds ends) const {
  (void)coordinate_limits(model());
  return trajectory_of(torsor::spline(times, checked_points(points), ends));
}

Robot::JointPath Robot::joint_path(const FrameArgument& frame,
                                   const std::function<Pose(double)>& T_world_frame,
                                   double duration, ConstVector q_start, int segments,
                                   const std::function<bool(double)>& progress) {
  (void)coordinate_limits(model());  // refuses joints whose velocities are no rates
  if (!(duration > 0) || !std::isfinite(duration))
    refuse("duration is " + short_number(duration) + " s; it must be positive");
  InverseKinematicsOptions near;
  near.max_restarts = 0;
  double share = 0;
  const auto inverse = [&](const SE3<double>& T, std::vector<double>& q) {
    if (progress && !progress(share)) return false;
    const NumericIk found =
        inverse_kinematics(frame, internal::to_eigen(T), Eigen::Map<Vector>(q.data(), n_q()), near);
    std::copy(found.q.data(), found.q.data() + n_q(), q.begin());
    return found.converged;
  };
  const PoseFunction poses{duration, [&](double t) {
                             share = t / duration;
                             return pose("T_world_frame", T_world_frame(t));
                           }};
  torsor::JointPath path =
      torsor::joint_path(poses, inverse, checked_copy("q_start", q_start), segments);
  JointPath out{{}, path.complete, path.solved_until, path.largest_step};
  if (path.trajectory.size() > 0) out.trajectory = trajectory_of(std::move(path.trajectory));
  return out;
}
Robot::JointPath Robot::screw_path(const FrameArgument& frame, const Pose& T0, const Pose& T1,
                                   ConstVector q_start, const PoseLimits& limits, Profile profile,
                                   int segments, const std::function<bool(double)>& progress) {
  const auto poses = timed(torsor::screw_path(pose("T0", T0), pose("T1", T1)), limits, profile);
  return joint_path(
      frame, [&](double t) { return internal::to_eigen(poses.sample(t).T); }, poses.duration(),
      q_start, segments, progress);
}
Robot::JointPath Robot::line_path(const FrameArgument& frame, const Pose& T0, const Pose& T1,
                                  ConstVector q_start, const PoseLimits& limits, Profile profile,
                                  int segments, const std::function<bool(double)>& progress) {
  const auto poses = timed(torsor::line_path(pose("T0", T0), pose("T1", T1)), limits, profile);
  return joint_path(
      frame, [&](double t) { return internal::to_eigen(poses.sample(t).T); }, poses.duration(),
      q_start, segments, progress);
}

}  // namespace torsor
