#pragma once
/// From a measured motion to the signals that a regressor needs.
///
///   q  <- F_q(q),   qd = differences of q,   qdd = second differences of q       where qd was not logged
///   qd <- F_q(qd),  qdd = differences of qd                                      where it was
///
/// F_q is zero-phase with 2.5 times the cut-off: rows of regressor and torque are then filtered together by
/// the cut-off (parallel filtering), which F_q hardly touches (7e-4 at order 4). Logged velocities are used
/// where they are rates of the positions: within 10 % of their size, else they are differentiated, and the
/// words say so. Filters never cross a gap.
///
/// Source   Gautier 1997.
#include "torsor/identification/signal/low_pass.hpp"
#include "torsor/identification/signal/spectrum.hpp"

namespace torsor {

struct FilterOptions {
  enum class Derivatives { differences, savitzky_golay };

  bool low_pass = true;  ///< false: signals and rows as they are, without noise
  double cutoff = 0;     ///< Hz, of rows; 0: proposed from the data; at most 0.4 of their rate
  int order = 4;         ///< of the Butterworth filters
  int decimation = 0;    ///< 0: leaves a rate of four cut-offs
  double position_factor = 2.5;  ///< cut-off of positions over that of rows
  bool use_velocities = true;    ///< where they were logged
  Derivatives derivatives = Derivatives::differences;
  int window = 0;      ///< samples, of savitzky_golay; 0: from the cut-off
  int polynomial = 4;  ///< its degree
};

struct Signals {
  Matrix q{}, qd{}, qdd{};  ///< as many samples as the log
  LowPass filter{};         ///< for rows of regressor and torque; cut-off 0: none
  int decimation = 1;
  int margin = 0;  ///< samples at each end of a stretch that the ends of the filters touch
  bool velocities_used = false;
  std::string words;  ///< what was chosen
};

Signals prepare(const MotionLog& log, const FilterOptions& options = {});

}  // namespace torsor
