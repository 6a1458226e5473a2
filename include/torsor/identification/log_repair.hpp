#pragma once
/// A log as it was written, and what can be used of it: evenly spaced stretches, with every change told.
///
/// | found | what is done |
/// |---|---|
/// | stamp repeated, missing, going back | the row is left out; a clock that starts again begins a stretch |
/// | stamps too coarse for the rate | rows are taken as evenly spaced |
/// | stamps that jitter | samples are interpolated to the even grid, or taken as evenly spaced where that makes the positions smoother |
/// | rows missing | up to `fill` samples are interpolated; a longer gap ends the stretch |
/// | no number, infinite; exact zeros between other values; frozen values; repeated rows, rows that hold an earlier sample; spikes | interpolated up to `fill` samples, else rows are left out |
/// | angles that wrap | unwrapped |
/// | positions that jump | a stretch begins |
/// | torques at their extreme, again and again; velocities that are no rates of the positions | told |
///
/// Interpolation is cubic through two samples on either side: error O(period^4) of a smooth signal.
/// A spike is farther from the median of seven samples than ten times what 95 % of the samples are, than
/// eight times the steps around it and, of velocities and torques, than the range of 98 % of them; or a
/// position farther from the cubic through its neighbours than 45 times what half of the samples are and
/// three times the steps around it. A row holds an earlier sample where three in four joints that move, and two at
/// least, are off that cubic by the same time. References may stand, step and be zero: of those, only what is
/// no number is damage.
///
/// Cost     linear in the samples; two copies of the numbers.
#include "torsor/identification/motion_log.hpp"

namespace torsor {

/// Columns of a file in SI units. NaN: no number.
struct RawLog {
  std::string name;
  double period = 0;  ///< s, where there are no stamps; else 0
  Array<double> t{};  ///< s, stamps; empty: rows are `period` apart
  Matrix values{};    ///< rows x (positions, velocities, torques, references)
  int n_q = 0, n_qd = 0, n_tau = 0, n_ref = 0;
  std::vector<std::string> columns{};  ///< their names, for messages
  Array<bool> angle{};                 ///< of positions: radians that may wrap; empty: none
  Array<int> rows{};                   ///< rows of the file, ascending from 1; empty: all in order
  std::vector<LogRepair> repairs{};    ///< what the reader said already
};

struct RepairOptions {
  int fill = 5;            ///< samples that may be interpolated in a row
  int least_samples = 16;  ///< of a stretch; shorter ones are left out
  int told = 100;          ///< entries of one kind; the rest is summed up in one
};

/// q, qd and tau of the result are the columns as they were given: of motors where motors were logged.
/// Throws Error where nothing is left.
MotionLog repaired(RawLog log, const RepairOptions& options = {});

}  // namespace torsor
