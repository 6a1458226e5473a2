#pragma once
/// The result of a simulation: time series of everything, why it ended, and figures of merit.
///
/// Every series has one row for each time. Empty series (width 0) were not there to record: a law
/// without states, without a Lyapunov function, a plant without surfaces.
#include <cassert>
#include <string>
#include <vector>

#include "torsor/control/certificate.hpp"
#include "torsor/math/view.hpp"

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
  finished,    ///< the whole duration
  not_finite,  ///< NaN or infinity
  blow_up,     ///< a velocity beyond the limit
  step_size,   ///< the accuracy asked for cannot be had
  chatter,     ///< modes change without end at one time
  singular     ///< the mass matrix, or that of touched surfaces, could not be inverted
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
  long saturated = 0;  ///< evaluations or samples with a torque at its limit

  int size() const { return static_cast<int>(t.size()); }
  /// All series, empty ones too.
  std::vector<const Series*> series() const;
  std::vector<Series*> series();
  /// The row at or after a time; the last one beyond the end.
  int at(double time) const;

  /// Largest increase of V from one row to the next; 0 where it never grows.
  double lyapunov_increase() const;
  /// Largest |V - V(0) - int rate| (where the rate is a bound: largest excess over it), and largest
  /// energy balance.
  double lyapunov_balance() const;
  double energy_balance() const;
};

/// Of one degree of freedom, over rows from `from` seconds on.
struct Metrics {
  double rms_error = 0, max_error = 0, final_error = 0;
  double settling_time = 0;  ///< s until |e| stays within the band; infinity: it does not
  double overshoot = 0;      ///< largest error of the other sign than at first, over the first
  double rms_torque = 0, max_torque = 0;
  double energy = 0;   ///< J, integral of |tau qd| by trapezoids
  double chatter = 0;  ///< mean |tau(k + 1) - tau(k)|: per sample where every sample is recorded
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
/// Figures of one component of the task's error; those of torques stay 0.
Metrics task_metrics(const Recording& recording, int component, double from = 0,
                     double band = 0.01);
/// `band`: of settling, in the unit of the joint.
Metrics metrics(const Recording& recording, int dof, double from = 0, double band = 0.01);

/// A prediction beside what happened.
struct Comparison {
  Prediction prediction;  ///< with the value that V(0) gives, where it is relative to that
  double observed = 0;
  bool kept = false;
};
/// `tolerance` relative to the prediction or to 1, whichever is more; 0: 1e-6, and 2e-3 for sampled
/// control, which theories of continuous control do not describe more closely at 1 kHz.
std::vector<Comparison> compare_predictions(const Recording& recording, double tolerance = 0);

}  // namespace torsor
