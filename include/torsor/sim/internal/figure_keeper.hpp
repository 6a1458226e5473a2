#pragma once
/// Computes the figures of a run while it is integrated (run_figures.hpp).
///
/// After each step: accepted(), cut() where an event shortened it, the nodes that it asks for, and
/// close(). After each jump of what acts: jumped().
///
///   quadratures    differences of states
///   extrema        Values of the stages give slopes at both ends of the step. Where they, or the
///                  values, let a signal have an extremum inside that matters, it is interpolated
///                  through seven points of the dense output.
#include "torsor/sim/internal/simulation.hpp"
#include "torsor/sim/internal/step_polynomial.hpp"

namespace torsor::sim_detail {

/// std::fmax and std::fmin are calls; where `a` is a NaN these are `b`, too.
inline double larger(double a, double b) { return a > b ? a : b; }
inline double smaller(double a, double b) { return a < b ? a : b; }

/// Evaluations of a step that lie inside it and are accurate enough to give slopes.
struct StageNodes {
  int count = 0;
  int back[3] = {};       ///< evaluations before the last one of the step
  double at[3] = {};      ///< fraction of the step
  bool has_end = true;    ///< the last evaluation is that of the step's end,
  bool has_value = true;  ///< with V
};

class FigureKeeper {
 public:
  FigureKeeper(Simulation& run, const StageNodes& nodes);

  /// A step from t0 to t1 was made; the run's state is its end.
  void accepted(double t0, double t1);
  /// It ends here instead.
  void cut();
  bool needs_nodes() const { return needs_nodes_; }
  /// The state at fraction StepPolynomial::node(i) of what is left of the step, 0 < i < nodes - 1.
  void node(int i, double time, In<double> state);
  void close();
  /// Torque, forces or, with a mode, the state changed, and the rates of this instant were evaluated.
  void jumped(bool with_state);
  void finish();

  // For runs that go on in lanes (batch/rollout.hpp).
  /// visit(first, count) for the numbers that may change in every step, in a fixed order; what else there
  /// is changes seldom.
  template <class Visit>
  void each_running(Visit visit) {
    for (Array<double>* x : {&start_, &end_, &low_, &high_, &late_low_, &late_high_, &early_,
                             &least_, &most_, &power_before_, &energy_, &variation_, &settled_})
      visit(x->data(), x->size());
    for (double* x : {&figures_.lyapunov_balance, &figures_.lyapunov_increase, &value_low_,
                      &value_size_, &slowest_})
      visit(x, 1);
  }
  /// V at the start, weights of the slopes at both ends of a step, and the size below which
  /// excursions count as none.
  double first_value() const { return value_first_; }
  const Array<double>& slope_weights_at(bool end) const { return end ? slope1_ : slope0_; }
  /// V below which its decay is not looked at.
  double least_decaying() const { return least_decaying_; }
  double floor() const { return floor_; }
  double band() const { return figures_.band; }
  double late_start() const { return late_start_; }
  double half() const { return half_; }
  bool limited() const { return limited_; }
  /// The next time of a checkpoint or of the energy's.
  double next_due() const { return next_check_ < next_energy_ ? next_check_ : next_energy_; }
  /// A step was made and its running numbers are known: what is due at its end.
  void passed(double t0, double t1);
  /// Some signal is beyond a limit, or farther beyond than before.
  void note_beyond(double t0, double t1);

  /// States that the run passed, and when a torque was at its limit.
  RunTrace take_trace() { return std::move(trace_); }

 private:
  using Values = StepPolynomial::Values;
  StepPolynomial polynomial(int j) const;
  double time_at(double u) const { return t0_ + u * (t1_ - t0_); }
  struct Excess {
    double size = 0, value = 0, bound = 0, first = 0;
  };
  void see_slopes();
  template <int count>
  bool may_matter(int signals) const;
  struct Reach {
    double top, bottom;
  };
  Reach reach(int j) const;
  double size_of(int first) const;
  bool matters(int j, double top, double bottom) const;
  void take_ends(int first, int last);
  void follow_extrema(int j);
  void take(int j, double time, double x);
  void add_torque_variation(int k);
  void add_energies();
  double energy_inside(int k, double work) const;
  void settle();
  void settle_inside(int k, int j);
  void reach_zero(int k);
  void see_limits(int first, int last);
  void note_beyond();
  /// visit(excess, signal, lower, upper) for every limit of the robot.
  template <class Visit>
  void each_limit(Visit visit);
  void check_value(double t, double value, double integral);
  void check_energy(double t);
  void checkpoint(double t);
  void see_what_is_due();
  /// The first joint whose torque is at its limit in a row of signals; -1: none is.
  int at_limit(const double* row) const;
  void see_saturation();
  void see_reference();
  double value_standing_still() const;
  double largest(int j) const { return std::fmax(high_[j], -low_[j]); }
  double latest(int j) const { return std::fmax(0, std::fmax(late_high_[j], -late_low_[j])); }
  Metrics error_figures(int j, int quadrature, int settled) const;
  LimitFigure limit_figure(const Array<Excess>& excess, const Array<int>& dofs) const;
  void set_tolerances();
  double observed(const Prediction& p) const;
  int checkpoint_width() const { return 1 + x_.n_e + x_.n_task; }
  double linear_deviation(const Prediction& p, bool of_task) const;

  Simulation& run_;
  const Signals& x_;
  StageNodes nodes_;
  Array<double> slope0_, slope1_;  // weights of start, nodes and end
  double t0_ = 0, t1_ = 0;
  double t_end_ = 0;                   // of the last step that was closed
  Array<double> start_, end_, first_;  // signals at both ends of the step, and at the start
  Array<double> values_;               // nodes x signals
  Array<char> inside_;                 // signals that are interpolated
  bool needs_nodes_ = false, with_value_ = false, cut_ = false;
  bool varies_;       // torques are smooth: extrema inside steps are looked for
  double floor_ = 0;  // excursions below count as none
  Array<double> low_, high_, late_low_, late_high_;  // of the run and of its last quarter
  Array<double> early_;                              // largest size in its first half
  Array<double> task_reference_;  // largest size of each component that is asked for
  Array<double> extrema_;         // of the signal at hand, in order
  Array<double> power_before_, energy_, variation_, settled_, zero_;
  double late_start_ = 0, half_ = 0;  // s, of the windows of late and early errors
  Array<Excess> beyond_q_, beyond_v_, beyond_tau_;
  Array<double> least_, most_;  // limits of the signals, or what they have reached beyond them
  double value_low_ = infinity, value_first_ = 0, value_size_ = 0, slowest_ = infinity;
  double least_decaying_ = 0;
  double energy_size_ = 0;
  double next_check_ = 0, next_energy_ = 0;
  Array<double> checkpoints_;  // rows of t, e and the task's error, for predictions about curves
  int n_checkpoints_ = 0;
  Array<double> edot_start_, x_c_start_;
  Array<double> state_;  // at the end of the last step that was closed
  RunTrace trace_;
  int n_traced_ = 0;
  bool limited_ = false;  // some torque has a limit
  RunFigures figures_;
};

}  // namespace torsor::sim_detail
