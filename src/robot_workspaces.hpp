#pragma once
/// What the verbs of Robot scribble on, each made when it is first needed; Eigen's side of SE(3).
#include <map>
#include <optional>

#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/robot.hpp"

namespace torsor {

/// A workspace that is made at its first use.
template <class Workspace>
class Lazy {
 public:
  Workspace& operator()(const Model<double>& model) {
    if (!workspace_) workspace_.emplace(model);
    return *workspace_;
  }

 private:
  std::optional<Workspace> workspace_;
};

struct Robot::Workspaces {
  Lazy<KinematicsWorkspace<double>> kinematics;
  Lazy<VelocityWorkspace<double>> velocity;
  Lazy<InverseVelocityWorkspace> inverse_velocity;
  Lazy<SingularityWorkspace> singularity;
  std::map<std::string, AnalyticIkSolver> ik;  // by frame

  Lazy<DynamicsWorkspace<double>> full;
  Lazy<MovingBaseWorkspace<double>> moving_base;
  Lazy<CrbaWorkspace<double>> crba;
  Lazy<MinverseWorkspace<double>> minverse;
  Lazy<MinverseTimesWorkspace<double>> minverse_times;
  Lazy<CoriolisWorkspace<double>> coriolis;
  Lazy<ChristoffelWorkspace<double>> christoffel;
  Lazy<TwoVelocityWorkspace<double>> two_velocity;
  Lazy<JointWrenchWorkspace<double>> joint_wrenches;
  Lazy<GeneralisedForceWorkspace<double>> generalised_force;
  Lazy<ConfigurationSpaceWorkspace<double>> configuration_space;
  Lazy<OperationalWorkspace<double>> operational;
  Lazy<MomentumWorkspace<double>> momentum;
  Lazy<CentroidalWorkspace<double>> centroidal;
  Lazy<RegressorWorkspace<double>> regressor;
};

inline Eigen::Vector3d to_eigen(const Vec3<double>& x) { return {x.x, x.y, x.z}; }
inline Vec3<double> from_eigen(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }
inline Eigen::Isometry3d to_eigen(const SE3<double>& T) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.matrix()(r, c) = T.R(r, c);
    out.matrix()(r, 3) = T.p[r];
  }
  return out;
}
inline Robot::Vector6 six(const Vec3<double>& angular, const Vec3<double>& linear) {
  Robot::Vector6 out;
  out << angular.x, angular.y, angular.z, linear.x, linear.y, linear.z;
  return out;
}
inline Robot::Vector6 to_eigen(const Twist<double>& V) { return six(V.w, V.v); }
inline Robot::Vector6 to_eigen(const Wrench<double>& F) { return six(F.m, F.f); }
inline Robot::Matrix to_eigen(const StoredMatrix<double>& A) {
  return Eigen::Map<const Robot::Matrix>(A.data.data(), A.rows, A.cols);
}

}  // namespace torsor
