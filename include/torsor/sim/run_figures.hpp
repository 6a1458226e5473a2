#pragma once
/// Figures of merit of a run.
///
/// simulate() computes them along the integration, so that they do not depend on how often rows are
/// recorded. Means, integrals and energies are quadratures beside the state, of the integrator's
/// order. Extrema, settling times and zeros are those of the dense output: a step inside which one
/// may lie is interpolated through seven of its points. Balances of V are taken at the ends of
/// steps, those of the energy at the ends of about 32 steps spread over the run. Torques of sampled
/// control are constant between samples.
///
/// Figures of a recording that was not simulated, or of a part of a run, are estimated from its rows
/// by the same definitions (recording.hpp): Metrics::from_rows says so.
#include <vector>

#include "torsor/math/array.hpp"

namespace torsor {

/// Of one degree of freedom, or of one component of the task; NaN: there is nothing to measure.
struct Metrics {
  double rms_error = 0;  ///< root mean square over time
  double max_error = 0, final_error = 0;
  double settling_time = 0;  ///< s until |e| stays within the band; infinity: it does not
  /// Largest error of the other sign than at first, over the first; NaN where the run starts within
  /// the band: there is nothing to overshoot.
  double overshoot = 0;
  double rms_torque = 0, max_torque = 0;
  double energy = 0;       ///< J, integral of |tau qd|
  double chatter = 0;      ///< N m / s, total variation of the torque per second
  bool from_rows = false;  ///< estimated from recorded rows
};
/// One of them by name: "rms_error", ...
struct MetricFigure {
  const char* name;
  const char* title;  ///< of a column of a table; "" where tables leave it out
  double Metrics::*value;
  bool of_error;  ///< there where errors are; those of torques are there for joints alone
};
/// All of them, in the order above.
const std::vector<MetricFigure>& metric_figures();

/// Limits of the robot's file beside what the run did, stops or not.
struct LimitFigure {
  int limited = 0;   ///< degrees of freedom that have such a limit
  int beyond = 0;    ///< those of them that left it
  int dof = -1;      ///< the one that left it farthest, in units of its limit; -1: none did
  double value = 0;  ///< the farthest value of that one
  double bound = 0;  ///< its limit
  double first = 0;  ///< s, when it first left it
};

/// Of a whole run. All numbers are plain: a file of recordings writes them one after the other.
struct RunFigures {
  double duration = 0;    ///< s of motion that they describe; 0: there are no figures
  double band = 0.01;     ///< of settling, in the unit of the joint
  Array<Metrics> joints;  ///< per degree of freedom
  Array<Metrics> task;    ///< per component of the error of the law's task

  double reach = 0;            ///< largest norm of the joint errors
  double filtered_square = 0;  ///< integral of |s|^2
  double saturated = 0;        ///< s with a torque at its limit

  double start_error = 0;          ///< norm of the joint errors at the start
  double early_error = 0;          ///< its largest value in the first half of the run
  double late_error = 0;           ///< its largest value in the last quarter
  double reference_excursion = 0;  ///< largest distance of the reference from where it starts

  Array<double> task_early;  ///< the same per component of the task: in the first half,
  Array<double> task_late;   ///< in the last quarter,
  Array<double> task_scale;  ///< and the larger of start and size of the reference

  double lyapunov_increase = 0;   ///< largest V(t_2) - V(t_1), t_1 < t_2
  double lyapunov_balance = 0;    ///< largest |V - V(0) - int rate|, or excess where it is a bound
  double lyapunov_tolerance = 0;  ///< what the integrator explains of it; NaN: it is not compared
  double energy_balance = 0;      ///< J
  double energy_tolerance = 0;    ///< J, what the integrator explains of it

  double explained = 0;  ///< what the integrator explains of a figure of size 1

  LimitFigure position, velocity, torque;

  Array<double> observed;  ///< beside each prediction of the recording

  bool given() const { return duration > 0; }
  /// Explained by more than this, a run shows nothing of what is predicted: a hundredth of its motion, and
  /// not less than what fixed steps are held to.
  double most_explained() const;
};

}  // namespace torsor
