#pragma once
/// A robot asked about many states at once: Eigen matrices in, Eigen matrices out.
///
///   torsor::RobotBatch many(robot);                       // of torsor::Robot
///   Eigen::MatrixXd tau = many.inverse_dynamics(q, qd, qdd);
///
/// Every column is a state: q is n_q x N, velocities, accelerations and torques are n_v x N. Matrices of
/// states stand side by side, n_v x n_v N: M.middleCols(s n_v, n_v) is that of state s. It adds nothing
/// to Batch (batch/batch.hpp), which says what is refused; states without an answer are nan.
///
/// Threads  One for each thread that calls; each call uses several.
#include <Eigen/Core>

#include "torsor/batch/batch.hpp"
#include "torsor/robot.hpp"

namespace torsor {

class RobotBatch {
 public:
  using Matrix = Eigen::MatrixXd;
  using States = const Eigen::Ref<const Matrix>&;

  explicit RobotBatch(const Robot& robot, BatchOptions options = {});

  /// 4 x 4 N.
  Matrix frame_pose(const std::string& frame, States q);
  /// 6 x n_v N.
  Matrix jacobian(const std::string& frame, States q, Reference reference = Reference::body);
  Matrix inverse_dynamics(States q, States qd, States qdd, const Effects& effects = {});
  Matrix forward_dynamics(States q, States qd, States tau, const Effects& effects = {});
  Matrix mass_matrix(States q);
  Matrix mass_matrix_inverse(States q);
  Matrix coriolis_matrix(States q, States qd);
  Matrix gravity_torque(States q);
  Matrix bias_torque(States q, States qd);

  struct Derivatives {
    Matrix by_q, by_qd, by_tau;  ///< along tau: of forward dynamics alone
  };
  Derivatives inverse_dynamics_derivatives(States q, States qd, States qdd);
  Derivatives forward_dynamics_derivatives(States q, States qd, States tau);

  /// For everything else: views of any memory, float, wrenches, robots that differ by state.
  Batch<double>& batch() { return batch_; }

 private:
  Batch<double> batch_;
};

}  // namespace torsor
