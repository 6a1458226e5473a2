#pragma once
/// Estimates that a simulator helps: instrumental variables and direct and inverse dynamic
/// identification.
///
///   IDIM-IV   simulate the robot with x_k  ->  Z = regressor along the simulated motion
///             x_(k+1) = (Z^T W)^-1 Z^T tau                 Z follows the motion, not its noise
///   DIDIM     simulate the robot with x_k  ->  W_s = regressor along the simulated motion
///             x_(k+1) = argmin |W_s x - tau|               positions need not be measured
///
/// Least squares are biased where noise of the measured motion is in W; both are not. Rows are
/// weighted by joint, 1 / s_j. The covariance of the instruments is (Z^T W)^-1 Z^T Z (W^T Z)^-1.
///
/// Where the robot of a new x cannot be simulated, x goes half the way back, six times at most.
///
/// Cost     A simulation and a regressor for each iteration, about 5.
/// Source   Janot, Vandanjon & Gautier 2014 (IDIM-IV); Gautier, Janot & Vandanjon 2013 (DIDIM).
#include <functional>

#include "torsor/identification/estimate.hpp"

namespace torsor {

/// Rows of the regressor that belong together with a torque: sample by sample, all joints of each.
struct RegressorRows {
  Matrix W{};           ///< samples n_joints x N
  Array<double> tau{};  ///< samples n_joints
  Array<int> joint{};   ///< of each row; empty: sample by sample, all joints of each

  int joint_of(int row, int n_joints) const { return joint.empty() ? row % n_joints : joint[row]; }
};

/// The motion of the robot with parameters x along the same reference; false where it went astray.
using MotionSimulator = std::function<bool(In<double> x, Matrix& q, Matrix& qd, Matrix& qdd)>;
/// W along a motion, filtered and thinned out as the measured rows were.
using MotionRegressor =
    std::function<void(const Matrix& q, const Matrix& qd, const Matrix& qdd, Matrix& W)>;

struct SimulatedOptions {
  int iterations = 20;
  double tolerance = 1e-4;  ///< relative change of the residual or of x at which it ends
};

struct SimulatedEstimate {
  Estimate estimate{};
  bool converged = false;
  int iterations = 0;
};

/// From x, usually of least squares. All columns of W must be independent: give those that are
/// kept. Throws Error where the simulator fails, or instruments do not determine the unknowns.
SimulatedEstimate instrumental_variables(const std::vector<std::string>& names,
                                         const std::vector<std::string>& joints,
                                         const RegressorRows& measured, In<double> x,
                                         const MotionSimulator& simulate,
                                         const MotionRegressor& regressor,
                                         const SimulatedOptions& options = {});

/// `measured.W` is not used.
SimulatedEstimate direct_inverse_identification(const std::vector<std::string>& names,
                                                const std::vector<std::string>& joints,
                                                const RegressorRows& measured, In<double> x,
                                                const MotionSimulator& simulate,
                                                const MotionRegressor& regressor,
                                                const SimulatedOptions& options = {});

}  // namespace torsor
