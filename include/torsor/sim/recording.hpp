#pragma once
/// The result of a simulation: time series of everything, why it ended, and figures of merit.
///
/// Every series has one row for each time. Empty series (width 0) were not there to record: a law
/// without states, without a Lyapunov function, a plant without surfaces.
#include <cassert>
#include <limits>
#include <string>
#include <vector>

#include "torsor/control/certificate.hpp"
#include "torsor/math/view.hpp"
#include "torsor/sim/run_figures.hpp"

namespace torsor {

/// Rows of `columns.size()` numbers.
struct Series {
  std::string name;                  ///< "q", "tau", ...
  std::vector<std::string> columns;  ///< "q.joint_1", ...
  std::vector<double> data;          ///< row by row

  int width() const { return static_cast<int>(columns.size()); }
  int rows() const { return width() == 0 ? 0 : static_cast<int>(data.size()) / width(); }
  double operator()(int row, int column) const {
    assert(row >= 0 && row < rows() && column >= 0 && column < width());
    return data[static_cast<std::size_t>(row * width() + column)];
  }
  /// What a column is of, without the name of the series: "joint_1" of "tau.joint_1".
  std::string label(int column) const {
    return columns[static_cast<std::size_t>(column)].substr(name.size() + 1);
  }
  View<const double> row(int k) const { return {data.data() + k * width(), width()}; }
};

enum class StopReason : unsigned char {
  finished,     ///< the whole duration
  not_finite,   ///< NaN or infinity
  blow_up,      ///< a velocity beyond the limit
  step_size,    ///< the accuracy asked for cannot be had
  chatter,      ///< modes change without end at one time
  singular,     ///< the mass matrix, or that of touched surfaces, could not be inverted
  evaluations,  ///< more of them than SimulateOptions::most_evaluations
  interrupted   ///< by SimulateOptions::progress
};
const char* name_of(StopReason reason);

struct Recording {
  std::string robot, controller;
  std::vector<double> t;
  Series q{"q", {}, {}}, qd{"qd", {}, {}}, qdd{"qdd", {}, {}}, tau{"tau", {}, {}};
  Series q_d{"q_d", {}, {}}, qd_d{"qd_d", {}, {}};  ///< reference in joint space
  Series e{"e", {}, {}}, edot{"edot", {}, {}};      ///< desired less actual
  Series task_e{"task_e", {}, {}};                  ///< of laws with a task: positions, then forces
  Series s{"s", {}, {}};                            ///< filtered error of laws that have one
  Series x_c{"x_c", {}, {}};                        ///< states of the law: estimates, integrals
  Series estimate{"estimate", {}, {}};              ///< what the law knows beside its states
  Series lyapunov{"lyapunov", {}, {}};  ///< V, predicted rate, balance V - V(0) - int rate
  Series energy{"energy", {}, {}};    ///< kinetic, potential, work.motor, .loss, .external, balance
  Series contact{"contact", {}, {}};  ///< normal force of each surface
  Series loop{"loop", {}, {}};  ///< multipliers of loops and couplings (model/loop.hpp): N m, N
  bool rate_is_bound = false;   ///< the law claims V' <= rate, not equality
  std::vector<Condition> conditions;
  std::vector<Prediction> predictions;

  double period = 0;  ///< s, of sampled control; 0: continuous
  StopReason stop = StopReason::finished;
  std::string message;  ///< one line where it did not finish: time, joint, value
  long evaluations = 0, steps = 0, events = 0;
  std::string integrator{};  ///< of a run; empty where it was read from a file
  /// Largest error of a step as the embedded pair estimates it, in units of what the tolerance allows
  /// (at most 1); NaN: fixed steps estimate none.
  double step_error = std::numeric_limits<double>::quiet_NaN();
  RunFigures figures{};  ///< of the run as it was integrated; none where it was not simulated
  /// At most one: the same series on SimulateOptions::curve_points instants of the dense output, for
  /// drawing, where rows are fewer.
  std::vector<Recording> curve{};

  int size() const { return static_cast<int>(t.size()); }
  /// All series, empty ones too.
  std::vector<const Series*> series() const;
  std::vector<Series*> series();
  /// Of the joints that figures are of: tau, or e where torques were not recorded.
  const Series& of_joints() const { return tau.width() > 0 ? tau : e; }
  /// The row at or after a time; the last one beyond the end.
  int at(double time) const;

  /// Largest V(t_2) - V(t_1), t_1 < t_2; 0 where it never grows. From the figures of the run, or from
  /// rows where there are none; so are the others.
  double lyapunov_increase() const;
  /// Largest |V - V(0) - int rate| (where the rate is a bound: largest excess over it), and largest
  /// energy balance.
  double lyapunov_balance() const;
  double energy_balance() const;
};

/// What to draw of a recording: its curve, or its rows.
inline const Recording& drawn(const Recording& recording) {
  return recording.curve.empty() ? recording : recording.curve.front();
}

/// Figures of one component of the task's error; those of torques stay 0.
Metrics task_metrics(const Recording& recording, int component, double from = 0,
                     double band = 0.01);
/// Of one degree of freedom, from `from` seconds on; `band`: of settling, in the unit of the joint.
/// Those of the whole run with the usual band are Recording::figures; others are estimated from
/// rows, integrals by trapezoids.
Metrics metrics(const Recording& recording, int dof, double from = 0, double band = 0.01);

/// A prediction beside what happened.
struct Comparison {
  Prediction prediction;  ///< with the value that V(0) gives, where it is relative to that
  double observed = 0;
  bool kept = false;
  /// False: the run shows nothing of what is claimed, for the reason told; then nothing is kept either.
  bool covered = true;
  std::string why_open{};  ///< "the run stopped early"
  double allowed = 0;      ///< by which what is observed may miss the prediction
};
/// `tolerance` relative to the prediction or to 1, whichever is more; 0: 1e-6, or what the integrator
/// explains where that is more (RunFigures::explained: 1e-3 of fixed steps), and 2e-3 for sampled
/// control, which theories of continuous control do not describe more closely at 1 kHz.
std::vector<Comparison> compare_predictions(const Recording& recording, double tolerance = 0);

}  // namespace torsor
