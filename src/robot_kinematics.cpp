// Robot: poses, velocities, Jacobians, singularities and statics of frames.
#include "robot_workspaces.hpp"
#include "torsor/kinematics/jacobian_derivatives.hpp"

namespace torsor {

using internal::to_eigen;

std::vector<Robot::Pose> Robot::forward_kinematics(ConstVector q) {
  auto& ws = work<KinematicsWorkspace<double>>();
  torsor::forward_kinematics(model(), ws, checked(q));
  std::vector<Pose> out;
  for (const SE3<double>& T : ws.T_world_body) out.push_back(to_eigen(T));
  return out;
}
Robot::Pose Robot::frame_pose(const FrameArgument& frame, ConstVector q) {
  auto& ws = work<KinematicsWorkspace<double>>();
  const Frame& of = find(frame);
  torsor::forward_kinematics(model(), ws, checked(q), of.body);
  return to_eigen(torsor::frame_pose(ws, of));
}
Robot::Vector6 Robot::frame_velocity(const FrameArgument& frame, ConstVector q, ConstVector qd,
                                     Reference reference) {
  check("qd", qd);
  auto& ws = work<VelocityWorkspace<double>>();
  forward_velocity(model(), ws, checked(q), qd);
  return to_eigen(torsor::frame_velocity(ws, find(frame), reference));
}
Robot::Vector6 Robot::frame_acceleration(const FrameArgument& frame, ConstVector q, ConstVector qd,
                                         ConstVector qdd, Reference reference) {
  check("qd", qd);
  check("qdd", qdd);
  auto& ws = work<VelocityWorkspace<double>>();
  forward_acceleration(model(), ws, checked(q), qd, qdd);
  return to_eigen(torsor::frame_acceleration(ws, find(frame), reference));
}

Robot::Matrix Robot::jacobian(const FrameArgument& frame, ConstVector q, Reference reference) {
  Matrix J(6, n_v());
  jacobian(frame, q, J, reference);
  return J;
}
void Robot::jacobian(const FrameArgument& frame, ConstVector q, MatrixRef J, Reference reference) {
  check_size("J", J, 6, n_v());
  torsor::jacobian(model(), work<KinematicsWorkspace<double>>(), checked(q), find(frame), reference,
                   J);
}
Robot::Matrix Robot::jacobian_dot(const FrameArgument& frame, ConstVector q, ConstVector qd,
                                  Reference reference) {
  Matrix J_dot(6, n_v());
  jacobian_dot(frame, q, qd, J_dot, reference);
  return J_dot;
}
void Robot::jacobian_dot(const FrameArgument& frame, ConstVector q, ConstVector qd, MatrixRef J_dot,
                         Reference reference) {
  check_size("J_dot", J_dot, 6, n_v());
  check("qd", qd);
  torsor::jacobian_dot(model(), work<VelocityWorkspace<double>>(), checked(q), qd, find(frame),
                       reference, J_dot);
}
Robot::Matrix Robot::point_jacobian(const FrameArgument& frame, ConstVector q,
                                    const Vector3& point_in_frame) {
  Matrix J(3, n_v());
  torsor::point_jacobian(model(), work<KinematicsWorkspace<double>>(), checked(q), find(frame),
                         vec3("point_in_frame", point_in_frame), J);
  return J;
}
Robot::Analytic Robot::analytic_jacobian(const FrameArgument& frame, ConstVector q,
                                         EulerSequence sequence) {
  Analytic out{Matrix(6, n_v()), {}, false};
  const auto result = torsor::analytic_jacobian(model(), work<KinematicsWorkspace<double>>(),
                                                checked(q), find(frame), sequence, out.J);
  out.angles = {result.angles.phi, result.angles.theta, result.angles.psi};
  out.singular = result.singular;
  return out;
}

Robot::Rates Robot::inverse_velocity(const FrameArgument& frame, ConstVector q, const Vector6& V,
                                     Reference reference, const InverseVelocityOptions& options) {
  Rates out{Vector(n_v()), {}};
  out.info = torsor::inverse_velocity(model(), work<InverseVelocityWorkspace>(), checked(q),
                                      find(frame), reference, twist("V", V), options, out.rates);
  return out;
}
Robot::Rates Robot::inverse_acceleration(const FrameArgument& frame, ConstVector q, ConstVector qd,
                                         const Vector6& Vdot, Reference reference,
                                         const InverseVelocityOptions& options) {
  check("qd", qd);
  Rates out{Vector(n_v()), {}};
  out.info =
      torsor::inverse_acceleration(model(), work<InverseVelocityWorkspace>(), checked(q), qd,
                                   find(frame), reference, twist("Vdot", Vdot), options, out.rates);
  return out;
}

Manipulability Robot::manipulability(const FrameArgument& frame, ConstVector q) {
  return torsor::manipulability(model(), work<SingularityWorkspace>(), checked(q), find(frame));
}
SingularityReport Robot::singularities(const FrameArgument& frame, ConstVector q,
                                       double tolerance) {
  return torsor::singularities(model(), work<SingularityWorkspace>(), checked(q), find(frame),
                               tolerance);
}
NearestSingularity Robot::nearest_singularity(const FrameArgument& frame, ConstVector q,
                                              const NearestSingularityOptions& options,
                                              const std::function<bool(double)>& progress) {
  return torsor::nearest_singularity(model(), work<SingularityWorkspace>(), checked(q), find(frame),
                                     options, progress);
}
Robot::Vector Robot::statics(const FrameArgument& frame, ConstVector q, const Vector6& F,
                             Reference reference) {
  Vector tau(n_v());
  torsor::statics(model(), work<KinematicsWorkspace<double>>(), checked(q), find(frame), reference,
                  wrench("F", F), tau);
  return tau;
}
StaticWrench Robot::wrench_from_torques(const FrameArgument& frame, ConstVector q, ConstVector tau,
                                        Reference reference) {
  check("tau", tau);
  return torsor::wrench_from_torques(model(), work<SingularityWorkspace>(), checked(q), find(frame),
                                     reference, tau);
}

Robot::VelocityDerivatives Robot::frame_velocity_derivatives(const FrameArgument& frame,
                                                             ConstVector q, ConstVector qd,
                                                             Reference reference) {
  check("qd", qd);
  VelocityDerivatives out{Matrix(6, n_v()), Matrix(6, n_v())};
  torsor::frame_velocity_derivatives(model(), work<VelocityWorkspace<double>>(), checked(q), qd,
                                     find(frame), reference, out.dV_dq, out.dV_dqd);
  return out;
}
Robot::AccelerationDerivatives Robot::frame_acceleration_derivatives(const FrameArgument& frame,
                                                                     ConstVector q, ConstVector qd,
                                                                     ConstVector qdd,
                                                                     Reference reference) {
  check("qd", qd);
  check("qdd", qdd);
  AccelerationDerivatives out{Matrix(6, n_v()), Matrix(6, n_v()), Matrix(6, n_v())};
  torsor::frame_acceleration_derivatives(model(), work<VelocityWorkspace<double>>(), checked(q), qd,
                                         qdd, find(frame), reference, out.dVdot_dq, out.dVdot_dqd,
                                         out.dVdot_dqdd);
  return out;
}
std::vector<Robot::Matrix> Robot::jacobian_derivatives(const FrameArgument& frame, ConstVector q,
                                                       Reference reference) {
  const int n = n_v();
  Matrix all(6, n * n);
  torsor::jacobian_derivatives(model(), work<JacobianDerivativesWorkspace<double>>(), checked(q),
                               find(frame), reference, all);
  std::vector<Matrix> out;
  for (int k = 0; k < n; ++k) out.push_back(all.middleCols(k * n, n));
  return out;
}

}  // namespace torsor
