#pragma once
/// Limits of a motion as barriers at its samples.
///
///   mean over samples of sum -log(1 - u^2),   u = (x - middle) / (share half range)   for both bounds
///                        sum -log(x - lower)                                           for one
///
/// x: positions, velocities, accelerations, jerks, torques, and coordinates of the origins of frames.
/// `share` < 1 leaves room for what happens between the samples.
#include <optional>

#include "excitation/loop_motion.hpp"
#include "excitation/torques.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor::internal {

/// Bounds of one coordinate of the origin of a frame.
struct FrameBound {
  Frame frame;
  int axis;
  double lower, upper;
  std::string name;  ///< for reports
};

struct MotionLimits {
  std::vector<Limits> joints;
  std::vector<FrameBound> frames{};
  bool torques = false;  ///< some effort is bounded

  MotionLimits(const Model<double>& model, const ExcitationOptions& options);
};

class MotionBarrier {
 public:
  /// `driven` joints have the torques, of a robot with loops.
  MotionBarrier(const Model<double>& model, const MotionLimits& limits,
                const Array<int>& driven = {});

  static constexpr double share = 0.98;

  /// Infinite where some sample is beyond a limit; then bar has no meaning. bar += factor d/d motion.
  /// With loops: G of each sample, and bar_G.
  double add(const MotionSamples& motion, double factor, MotionSamples& bar,
             const LoopMotion::Ratios* G = nullptr, LoopMotion::Ratios* bar_G = nullptr);

 private:
  double add_frames(const MotionSamples& motion, double factor, MotionSamples& bar);
  double add_torques(const MotionSamples& motion, double factor, MotionSamples& bar,
                     const LoopMotion::Ratios* G, LoopMotion::Ratios* bar_G);

  const Model<double>* model_;
  const MotionLimits* limits_;
  Array<int> driven_;
  std::optional<MotionTorques> torques_;
  Matrix tau_{}, b_{};
  KinematicsWorkspace<double> kinematics_;
  Array<double> J_;
};

}  // namespace torsor::internal
