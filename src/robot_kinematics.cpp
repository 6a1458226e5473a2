#include "robot_workspaces.hpp"

namespace torsor {
namespace {

Twist<double> twist_of(const Robot::Vector6& x, const char* what) {
  if (!x.allFinite()) throw Error(std::string(what) + " is not finite");
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}
Wrench<double> wrench_of(const Robot::Vector6& x, const char* what) {
  const Twist<double> same = twist_of(x, what);
  return {same.w, same.v};
}
SE3<double> from_eigen(const Eigen::Isometry3d& T) {
  SE3<double> out;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.R(r, c) = T.matrix()(r, c);
    out.p[r] = T.matrix()(r, 3);
  }
  return out;
}

}  // namespace

Robot::Pose Robot::frame_pose(const std::string& frame, ConstVector q) {
  auto& ws = workspaces_->kinematics(*model_);
  forward_kinematics(*model_, ws, checked_q(q));
  return to_eigen(torsor::frame_pose(ws, model_->frame(frame)));
}
Robot::Vector6 Robot::frame_velocity(const std::string& frame, ConstVector q, ConstVector qd,
                                     Reference reference) {
  check("qd", qd);
  auto& ws = workspaces_->velocity(*model_);
  forward_velocity(*model_, ws, checked_q(q), qd);
  return to_eigen(torsor::frame_velocity(ws, model_->frame(frame), reference));
}
Robot::Vector6 Robot::frame_acceleration(const std::string& frame, ConstVector q, ConstVector qd,
                                         ConstVector qdd, Reference reference) {
  check("qd", qd), check("qdd", qdd);
  auto& ws = workspaces_->velocity(*model_);
  forward_acceleration(*model_, ws, checked_q(q), qd, qdd);
  return to_eigen(torsor::frame_acceleration(ws, model_->frame(frame), reference));
}

Robot::Matrix Robot::jacobian(const std::string& frame, ConstVector q, Reference reference) {
  Matrix J(6, n_v());
  torsor::jacobian(*model_, workspaces_->kinematics(*model_), checked_q(q), model_->frame(frame),
                   reference, J);
  return J;
}
Robot::Matrix Robot::jacobian_dot(const std::string& frame, ConstVector q, ConstVector qd,
                                  Reference reference) {
  check("qd", qd);
  Matrix J(6, n_v());
  torsor::jacobian_dot(*model_, workspaces_->velocity(*model_), checked_q(q), qd,
                       model_->frame(frame), reference, J);
  return J;
}
Robot::Matrix Robot::point_jacobian(const std::string& frame, ConstVector q,
                                    const Vector3& point_in_frame) {
  Matrix J(3, n_v());
  torsor::point_jacobian(*model_, workspaces_->kinematics(*model_), checked_q(q),
                         model_->frame(frame), torsor::from_eigen(point_in_frame), J);
  return J;
}
Robot::Analytic Robot::analytic_jacobian(const std::string& frame, ConstVector q,
                                         EulerSequence sequence) {
  Analytic out{Matrix(6, n_v()), {}, false};
  const auto result =
      torsor::analytic_jacobian(*model_, workspaces_->kinematics(*model_), checked_q(q),
                                model_->frame(frame), sequence, out.J);
  out.angles = {result.angles.phi, result.angles.theta, result.angles.psi};
  out.singular = result.singular;
  return out;
}

Robot::Ik Robot::analytic_ik(const std::string& frame, const Pose& T_world_frame) {
  return analytic_ik(frame, T_world_frame, neutral());
}
Robot::Ik Robot::analytic_ik(const std::string& frame, const Pose& T_world_frame,
                             ConstVector rest) {
  const Vector others = checked_q(rest, "rest");
  const auto& solver = workspaces_->ik.try_emplace(frame, *model_, frame).first->second;
  AnalyticIkResult result;
  solver.solve(from_eigen(T_world_frame), result);
  Ik out{result.status, {}, result.distance};
  for (const AnalyticIkSolution& s : result) {
    out.solutions.push_back(
        {others, solver.branch_name(s), s.inside_limits(), s.position_error, s.rotation_error});
    solver.write(s, out.solutions.back().q);
  }
  return out;
}
Robot::Rates Robot::inverse_velocity(const std::string& frame, ConstVector q, const Vector6& V,
                                     Reference reference, const InverseVelocityOptions& options) {
  Rates out{Vector(n_v()), {}};
  out.info = torsor::inverse_velocity(*model_, workspaces_->inverse_velocity(*model_), checked_q(q),
                                      model_->frame(frame), reference, twist_of(V, "V"), options,
                                      out.rates);
  return out;
}
Robot::Rates Robot::inverse_acceleration(const std::string& frame, ConstVector q, ConstVector qd,
                                         const Vector6& Vdot, Reference reference,
                                         const InverseVelocityOptions& options) {
  check("qd", qd);
  Rates out{Vector(n_v()), {}};
  out.info = torsor::inverse_acceleration(*model_, workspaces_->inverse_velocity(*model_),
                                          checked_q(q), qd, model_->frame(frame), reference,
                                          twist_of(Vdot, "Vdot"), options, out.rates);
  return out;
}

Manipulability Robot::manipulability(const std::string& frame, ConstVector q) {
  return torsor::manipulability(*model_, workspaces_->singularity(*model_), checked_q(q),
                                model_->frame(frame));
}
SingularityReport Robot::singularities(const std::string& frame, ConstVector q, double tolerance) {
  return torsor::singularities(*model_, workspaces_->singularity(*model_), checked_q(q),
                               model_->frame(frame), tolerance);
}
NearestSingularity Robot::nearest_singularity(const std::string& frame, ConstVector q,
                                              const NearestSingularityOptions& options) {
  return torsor::nearest_singularity(*model_, workspaces_->singularity(*model_), checked_q(q),
                                     model_->frame(frame), options);
}
Robot::Vector Robot::statics(const std::string& frame, ConstVector q, const Vector6& F,
                             Reference reference) {
  Vector tau(n_v());
  torsor::statics(*model_, workspaces_->kinematics(*model_), checked_q(q), model_->frame(frame),
                  reference, wrench_of(F, "F"), tau);
  return tau;
}
StaticWrench Robot::wrench_from_torques(const std::string& frame, ConstVector q, ConstVector tau,
                                        Reference reference) {
  check("tau", tau);
  return torsor::wrench_from_torques(*model_, workspaces_->singularity(*model_), checked_q(q),
                                     model_->frame(frame), reference, tau);
}

}  // namespace torsor
