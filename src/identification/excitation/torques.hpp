#pragma once
/// Torques of a motion with everything the robot has, and the derivative of <b, tau> by the motion.
///
/// By tree_inverse_dynamics and its derivatives: friction, springs and whatever else the model knows
/// count without a text of their own here.
#include "excitation/motion_basis.hpp"
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {

class MotionTorques {
 public:
  /// The model outlives this.
  explicit MotionTorques(const Model<double>& model);

  /// samples x n_v.
  void fill(const MotionSamples& motion, Matrix& tau);
  /// bar += d <b, tau> / d (q, qd, qdd).
  void add_gradient(const MotionSamples& motion, const Matrix& b, MotionSamples& bar);

 private:
  const Model<double>* model_;
  DynamicsWorkspace<double> values_;
  ParameterWorkspace<double> slopes_;
  std::vector<Parameter> state_{};  // q, then qd, then qdd
  Array<double> tau_, dtau_;
};

}  // namespace torsor::internal
