#pragma once
/// The parts of one run of simulate(): rates of everything integrated, sampling, recording.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "torsor/control/kinetic_form.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::sim_detail {

/// Gaussian numbers, the same on every machine.
class Noise {
 public:
  explicit Noise(unsigned long seed) : engine_(seed) {}
  double operator()(double deviation);
  /// Of which it makes one: two numbers in (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// Throws Error for options that contradict the robot or each other.
void check(const Model<double>& model, const SimulateOptions& options);

/// States integrated behind x_c: integrals of the predicted Lyapunov rate and of three powers.
enum Integral { lyapunov_rate, motor_work, friction_loss, external_work, n_integrals };

/// Quadratures behind those, by their places: integrals of e_k^2, tau_k^2 and tau_k qd_k per degree
/// of freedom, of squared errors of the task, and of |s|^2.
struct Quadratures {
  int error, torque, power, task, filtered, count;

  Quadratures(int n_v, int n_task)
      : error(0),
        torque(n_v),
        power(2 * n_v),
        task(3 * n_v),
        filtered(task + n_task),
        count(filtered + 1) {}
};

/// What figures of a run follow from instant to instant, by its places in a row of numbers.
struct Signals {
  Array<int> q_dofs, v_dofs;  ///< degrees of freedom with limits of position and of velocity
  int e = 0, tau = 0, power = 0, q = 0, v = 0, task = 0, s = 0, norm = 0, value = 0, count = 0;
  int n_e = 0, n_tau = 0, n_task = 0, n_s = 0, n_value = 0;
};

/// What acts at one state. Views of numbers that stay until the next evaluation.
struct Instant {
  ControlInput input;   ///< with the measured acceleration where the law may see it
  In<double> tau, qdd;  ///< torque that acts, acceleration
  LyapunovValue lyapunov{};
  bool regular = true;  ///< false: the mass matrix could not be inverted
};

class Simulation {
 public:
  Simulation(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
             const SimulateOptions& options);

  const SimulateOptions& options() const { return options_; }
  const RobotSpace<double>& space() const { return space_; }
  double& t() { return t_; }
  Array<double>& y() { return y_; }
  Recording& recording() { return recording_; }
  bool sampled() const { return options_.period > 0; }
  /// The law's rate of V is exact near a point alone: its balance shows how near.
  bool rate_is_local() const { return rate_is_local_; }
  double end() const { return options_.start + options_.duration; }

  /// dy of a state: what integrators call.
  void operator()(double time, In<double> state, Out<double> dy) { rates(time, state, dy, true); }
  /// The same; signals of the evaluation are kept where they are asked for.
  void rates(double time, In<double> state, Out<double> dy, bool with_signals);
  /// The same without rates and V: signals and modes of a state.
  void visit(double time, In<double> state);

  const Signals& signals() const { return signals_; }
  const Quadratures& quadratures() const { return quadratures_; }
  /// Signals of one of the last evaluations of dy; 0: the last one.
  In<double> evaluated(int back) const {
    return {rows_.data() + (n_rows_ - 1 - back) % rows_kept * signals_.count, signals_.count};
  }
  /// Signals at any state; V where it is asked for.
  void look(double time, In<double> state, bool with_value, Out<double> row);
  /// The law's states within a state.
  In<double> x_c(In<double> state) const {
    return {sampled() ? x_c_.data() : space_.x(state).data, x_c_.size()};
  }
  /// Torque limits of the actuators, infinity where there are none.
  const Array<double>& torque_limit() const { return limit_; }
  /// Of the reference, at any time.
  void reference(double time, ReferencePoint& point) const { reference_(time, point); }
  /// Where the integrals begin among the states behind q and v; quadratures follow them.
  int first_integral() const { return sampled() ? 0 : x_c_.size(); }
  In<double> quadrature(In<double> state) const {
    return {space_.x(state).data + first_integral() + n_integrals, quadratures_.count};
  }
  double lyapunov_integral(In<double> state) const {
    return space_.x(state)[first_integral() + lyapunov_rate];
  }
  bool certified() const { return certified_; }
  bool follows() const { return !point_.q.empty(); }
  bool filtered() const { return filtered_; }
  bool switches() const { return law_.switches(); }
  const Model<double>& robot() const { return plant_.model(); }
  const ReferencePoint& point() const { return point_; }
  /// Kinetic and potential energy less what motors, friction and environment gave, and their size.
  struct EnergyBalance {
    double balance = 0, size = 0;
  };
  EnergyBalance energy_balance(In<double> state);

  // For runs that go on in lanes (batch/rollout.hpp), which integrate what steps of many share.
  ControlLaw& law() { return law_; }
  Noise& noise() { return noise_; }
  const Array<double>& held_torque() const { return tau_; }
  void hold(In<double> tau) {
    fresh_ = false;
    std::copy(tau.begin(), tau.end(), tau_.begin());
  }
  /// The torque of the law at measured numbers, before it meets limits; its states take their step.
  void ask_law(double time, In<double> q_seen, In<double> v_seen, Out<double> tau);
  /// What figures follow of the law at a state: V and its rate, and |s|^2.
  LyapunovValue lyapunov(double time, In<double> q, In<double> v, double& filtered_square);
  /// The next of the rows that `evaluated` gives back.
  Out<double> next_row() {
    return {rows_.data() + n_rows_++ % rows_kept * signals_.count, signals_.count};
  }

  /// What stops the run at once: a mass matrix that is singular, the bound on evaluations.
  bool halted() const { return halt_ != StopReason::finished; }

  void start();
  /// After the run: conditions that it contradicted.
  void hold_certificate(RunTrace trace);
  /// Measures and commands at this instant; true when the torque that acts changed.
  bool sample();
  /// Torques whose delay is over; true when the torque changed.
  bool act();
  double next_sample() const {
    return options_.start + static_cast<double>(samples_) * options_.period;
  }
  /// The next of the breaks, where steps end; passed once it is reached.
  double next_break() const { return break_ < breaks_.size() ? breaks_[break_] : infinity; }
  bool pass_break() {
    const int before = break_;
    while (t_ >= next_break()) ++break_;
    return break_ > before;
  }
  double next_action() const { return waiting_ == 0 ? infinity : pending_[first_].time; }
  double next_record() const { return options_.start + recording_.size() * options_.record_every; }
  double next_curve_point() const {
    if (recording_.curve.empty()) return infinity;
    return options_.start +
           recording_.curve.front().size() * options_.duration / options_.curve_points;
  }
  /// A time is due from here on.
  double slack() const { return 1e-12 * std::max(1.0, std::abs(end())); }
  /// A row of the recording, or of its curve.
  void record(double time, In<double> state, bool of_curve = false);

  bool has_modes() const { return !g_.empty(); }
  /// Whether a mode has ended at this state, and at that of the last evaluation.
  bool mode_ended(double time, In<double> state);
  bool mode_ended_here(In<double> state);
  /// Margins of the modes at the state of the last evaluation.
  void mode_margins(In<double> state, Out<ModeMargin> margins) const {
    plant_.mode_margins(space_.v(state), qdd_, margins);
  }
  int n_modes() const { return g_.size(); }
  void forget_speeds() { plant_.forget_speeds(); }
  void change_modes();
  bool sound(In<double> state) const;
  /// Where steps are too short for the run to end within its evaluations, and the mass matrix has
  /// become nearly singular on the way: stops it.
  void watch_pace();
  /// Before the next step: joints that slip from rest have a direction.
  void leave_rest() { plant_.leave_rest(space_.v(Out<double>(y_))); }
  /// Why the state cannot go on, if so; fills the recording's stop and message.
  bool broken(StopReason reason = StopReason::finished);
  /// The same for a fixed step that turns a joint too far.
  void turned_too_far(double angle, double h);

 private:
  /// When forces are asked for at a time: up to a break they are those before it.
  double force_time(double time) const {
    return time < next_break() ? time : std::nextafter(next_break(), -infinity);
  }

  Array<double> breaks_;  // ascending
  int break_ = 0;
  /// Torque, acceleration and, where it is asked for, V at a state: last_.
  const Instant& evaluate(double time, In<double> state, bool with_value);
  /// The reference and the torque at a state, in last_.
  void meet(double time, In<double> state);
  /// The reference of a time: once, however often stages and samples ask for it.
  void refer(double time);
  void measure();
  /// The law's torque of what it sees, and a step of its states.
  void command(const ControlInput& seen, Out<double> tau);
  void lay_out_signals();
  void halt(StopReason reason);
  /// Where the least mass has fallen to less than a thousandth of the start's: the joint that moves it.
  std::string nearly_singular() const;
  /// After the errors of this instant are known.
  void write_signals(In<double> state, In<double> tau, double value, Out<double> row) const;
  void measure_errors(const Instant& now);
  void saturate(Out<double> tau) const;
  Run described() const;
  /// Tries the law at postures of the run: before it is reset.
  void ask_certificate();
  void note_contact();
  void describe_recording();

  const SimulateOptions& options_;
  ControlLaw& law_;
  const ReferenceFunction& reference_;
  std::unique_ptr<const Model<double>>
      frictionless_;  // of a plant without the friction of its model
  Plant plant_as_given_;
  PlantDynamics plant_;
  Quadratures quadratures_;
  RobotSpace<double> space_;
  double t_;
  Array<double> y_;
  Recording recording_;
  MomentumWorkspace<double> energy_;
  Noise noise_;
  bool certified_ = false, filtered_ = false, rate_is_local_ = false;
  bool plain_ = true;     // e is q_d - q
  ReferencePoint point_;  // at the time referred_
  double referred_ = std::numeric_limits<double>::quiet_NaN();
  Array<double> tau_, qdd_, dy_, limit_, g_, e_, edot_, s_, task_e_, estimate_;
  Instant last_{};  // what was evaluated last; its torque and acceleration are tau_ and qdd_
  Run run_;         // as it was described to the law
  double touched_at_ = RunTrace::never;
  std::string touched_;  // the surface
  StopReason halt_ = StopReason::finished;
  double halted_at_ = 0;
  std::string singular_;  // the joint of a singular mass matrix
  long most_evaluations_;
  double mass_at_start_ = 1;  // least over largest pivot
  long paced_ = 0;            // evaluations at the last look at the pace, and the time then
  double paced_at_ = 0;
  int standstill_ = 0;  // looks one after the other that found the run several times too slow
  bool fresh_ = false;  // last_ is what acts now, with V

  static constexpr long rows_kept = 16;
  Signals signals_;
  Array<int> q_places_;  // of limited coordinates in q
  Array<double> rows_;
  long n_rows_ = 0;
  double lyapunov_start_ = 0, energy_start_ = 0;

  // sampled control
  struct Action {
    double time;
    Array<double> tau;
  };
  Array<Action> pending_;  // a ring: `waiting_` of them from `first_` on
  int first_ = 0, waiting_ = 0;
  Array<double> x_c_, xdot_c_, q_seen_, q_before_, v_seen_, step_;  // tau_ is held
  long samples_ = 0;
};

}  // namespace torsor::sim_detail
