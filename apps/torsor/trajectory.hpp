#pragma once
/// What `torsor trajectory` is asked for, and the motion that it prints.
#include <functional>
#include <string>
#include <vector>

#include "robot_argument.hpp"
#include "torsor/math/view.hpp"

namespace torsor::command {

struct TrajectoryOptions {
  RobotArgument robot;
  std::string from, to, profile = "quintic", ends = "clamped", times, duration, step = "0.01";
  std::string velocity, acceleration, jerk;  ///< limits in place of the robot's
  std::vector<std::string> via;
  std::vector<std::string> sine, cosine;  ///< a_l and b_l of a Fourier series, one list a harmonic
  std::string frequency;
  std::string frame, path = "screw", xyz, rpy;
  std::string output;
  bool at_rest = false, degrees = false, json = false, force = false;
};

/// q, qd and qdd at a time between 0 and the duration.
struct PlannedMotion {
  double duration = 0;  ///< s
  std::function<void(double t, Out<double> q, Out<double> qd, Out<double> qdd)> sample;
};

/// Throws Error for what the options leave out or contradict, Failure where a frame cannot follow
/// its path. The motion refers to the model.
PlannedMotion plan_motion(const TrajectoryOptions& options, const Model<double>& model);

}  // namespace torsor::command
