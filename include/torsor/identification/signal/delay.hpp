#pragma once
/// Delays between positions and torques of a log.
///
///   tau_i(t + d) = sum_k x_k phi_k(q, qd, qdd)(t)        phi: accelerations, velocities, sign(qd_i), 1,
///                  sines and cosines of q_j, q_j + q_{j+1}, q_j - q_{j+1}
///   d minimises sum_i |residual_i|^2 / |tau_i - mean|^2
///
/// A rough model that needs no robot, fitted for every joint and lag; both sides filtered alike. The residual
/// near its least value is a parabola. What the rough model lacks (inertia that depends on the configuration,
/// Coriolis forces) moves the minimum, whatever the delay is, by up to some milliseconds, and so does dry
/// friction: filtered positions do not tell to a millisecond when a joint turned. With the robot's own columns,
/// phi = W of the model and x common to all joints, and without rows whose filter reaches a turn of their
/// joint (2 / cut-off to either side, less where joints turn often), little is left: without noise the delay is
/// found to a hundredth of a sample, with dry friction to a quarter. Torques that are held from one sample to
/// the next are half a sample early.
///
/// Cost     one triangular factor a joint for all lags, of at most 4,000 samples; with a model one for all
///          joints, of at most 3,000 samples.
#include "torsor/identification/signal/prepare.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct DelayEstimate {
  double delay = 0;     ///< s; positive: torques are late
  double residual = 0;  ///< per cent, at the delay
  double residual_at_zero = 0;
  bool clear = false;  ///< a minimum inside of the range that is lower than at 0 by a tenth
  std::string words;
};
/// Delays up to `most` s either way.
DelayEstimate estimate_delay(const MotionLog& log, const Signals& signals, double most = 0.05);

/// By the columns of the robot: bodies, rotors, friction. Not clear where there are fewer than two rows for
/// each. Throws Error for robots with loops and signals that are not filtered.
DelayEstimate estimate_delay(const Model<double>& model, const MotionLog& log,
                             const Signals& signals, double most = 0.05);

/// Torques (and drives) moved back by `delay`, s: tau(t + delay) becomes tau(t), cubic between samples. Ends
/// of stretches that lose their torque are left out.
MotionLog without_delay(const MotionLog& log, double delay);

}  // namespace torsor
