#pragma once
/// One run in a dozen figures: what tables, sweeps and reports compare.
///
/// Figures of errors and torques are of the whole robot: the worst degree of freedom, or the sum
/// over all of them where that is named. NaN: there was nothing to measure (a law that follows no
/// joint motion has no joint errors, a law without a Lyapunov function no balance).
#include <string>
#include <vector>

#include "torsor/sim/recording.hpp"

namespace torsor {

struct RunSummary {
  StopReason stop = StopReason::finished;
  double stopped_at = 0;  ///< s, the last row

  double rms_error = 0;      ///< root mean square of |e|, the norm over the joints
  double max_error = 0;      ///< largest |e_k| of any joint at any time
  double final_error = 0;    ///< largest |e_k| in the last row
  double settling_time = 0;  ///< s, of the slowest joint; infinity: some joint does not settle
  double overshoot = 0;      ///< of the worst joint; NaN: all start within the band
  double task_rms = 0;       ///< the same three of the error of the law's own task
  double task_max = 0;
  double task_final = 0;
  double rms_torque = 0;         ///< root mean square of |tau|
  double max_torque = 0;         ///< largest |tau_k|
  double energy = 0;             ///< J, integral of |tau_k qd_k|, summed
  double chatter = 0;            ///< N m / s, total variation of tau_k per second, summed
  double lyapunov_increase = 0;  ///< largest rise of V
  double lyapunov_balance = 0;   ///< largest |V - V(0) - int rate|
  double energy_balance = 0;     ///< J, what the integration does not explain; 0: it holds
  double diverged = 0;           ///< 1: it did (outcome.hpp)
  double violated = 0;           ///< conditions of the proof that are violated
  double not_covered = 0;        ///< conditions of the proof that do not cover the run
  double broken = 0;             ///< predictions that were not kept
};

/// `band`: of settling.
RunSummary summarise(const Recording& recording, double band = 0.01);

/// A figure by name: "rms_error", ...
struct RunFigure {
  const char* name;
  const char* unit;  ///< for robots with revolute joints; "" for a count or a ratio
  double RunSummary::*value;
};
/// All of them, in the order above.
const std::vector<RunFigure>& run_figures();

/// The series of that name; null where the recording has none or it is empty.
const Series* find_series(const Recording& recording, const std::string& name);

}  // namespace torsor
