#pragma once
/// Power spectra of logs, and the cut-off frequency that they propose.
///
///   S(f) = mean over segments of |DFT(window (x - line))|^2            half-overlapping Hann windows
///   f_dyn = the smallest f with sum_{g <= f} (S_qd(g) - floor) >= share of the whole, over all joints the largest
///   cut-off = factor f_dyn, at most 0.2 / period
///
/// S_qd = (2 pi f)^2 S_q where velocities were not logged; the floor is that of the upper half of the frequencies
/// of S_q (or S_qd): noise of the sensor, which does not count as motion. Nor does what is above the frequency
/// beyond which there is no more than noise: that of the floor, or step^2 / 12 of a sensor that counts steps.
///
/// Source   Welch 1967; Gautier 1997 (several times the bandwidth of the motion).
#include <string>

#include "torsor/identification/motion_log.hpp"

namespace torsor {

struct Spectrum {
  double step = 0;  ///< Hz, between frequencies
  Matrix power{};   ///< frequencies 0, step, 2 step, ... x columns
};

/// Of columns with the samples of a log; segments of up to `longest` samples, within its stretches.
Spectrum power_spectrum(const MotionLog& log, const Matrix& columns, int longest = 32768);

struct CutoffProposal {
  double motion = 0;  ///< Hz, f_dyn
  double cutoff = 0;  ///< Hz
  std::string words;  ///< how it came about
};
CutoffProposal propose_cutoff(const MotionLog& log, double share = 0.999, double factor = 10);

}  // namespace torsor
