#pragma once
/// Torques of a motion with everything the robot has, and the derivative of <b, tau> by the motion.
///
/// Dual numbers through tree_inverse_dynamics, samples in the lanes of registers: friction, springs and
/// whatever else the model knows count without a text of their own here.
#include "excitation/columns.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {

class MotionTorques {
 public:
  explicit MotionTorques(const Model<double>& model);

  /// samples x n_v.
  void fill(const MotionSamples& motion, Matrix& tau);
  /// bar += d <b, tau> / d (q, qd, qdd).
  void add_gradient(const MotionSamples& motion, const Matrix& b, MotionSamples& bar);

 private:
  const Model<double>* model_;
  DynamicsWorkspace<double> values_;
  DynamicsWorkspace<DualLanes> duals_;
  Array<double> tau_;
  Array<Lanes> q_, qd_, qdd_;
  Array<DualLanes> q_dual_, qd_dual_, qdd_dual_, tau_dual_;
};

}  // namespace torsor::internal
