#pragma once
/// The robot of a log once more, in simulation: asked for the same motion, in a loop like the one that
/// drove it.
///
///   tau = kp (q_ref - q) + kd (qd_ref - qd) + ki int (q_ref - q) dt
///   kp = w^2 m,  kd = 2 w m,  w = 2 pi min(frequency, 0.1 / period)       where a gain is not known
///
/// m is the largest M_jj of the robot along the reference: a stiff loop without feed-forward, critically
/// damped, in which the robot follows to within its load over kp. Between samples the reference is the
/// cubic with the slopes of central differences of five points. Every stretch of the log is a run of its own that
/// starts on the reference; filters leave the first moments out anyway.
///
/// What it is for: IDIM-IV and DIDIM (identification/instrumental.hpp). Instruments are good in any loop
/// that keeps the robot near its reference; DIDIM wants the gains that the arm had.
///
/// Cost     one adaptive simulation to 1e-7 of the state; about 0.3 s for 20 s of a six-axis arm.
/// Source   Janot, Vandanjon & Gautier 2014.
#include "torsor/identification/identify.hpp"

namespace torsor {

struct ReferenceRunOptions {
  LoopGains gains{};              ///< empty lists and zeros: not known
  double frequency = 20;          ///< Hz, of loops that are not known
  std::function<bool()> go_on{};  ///< false: the run ends, astray
};

/// For IdentifyOptions::simulate. Throws Error, when it is called, for gains of another size and a log
/// without references.
ReferenceSimulator reference_simulator(ReferenceRunOptions options = {});

/// The gains that it takes for a robot and a log.
LoopGains loop_gains(const Model<double>& robot, const MotionLog& log,
                     const ReferenceRunOptions& options = {});

}  // namespace torsor
