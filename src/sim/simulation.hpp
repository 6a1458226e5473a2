#pragma once
/// The parts of one run of simulate(): rates of everything integrated, sampling, recording.
#include <random>

#include "torsor/control/kinetic_form.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::sim_detail {

/// Gaussian numbers, the same on every machine.
class Noise {
 public:
  explicit Noise(unsigned long seed) : engine_(seed) {}
  double operator()(double deviation);

 private:
  std::mt19937_64 engine_;
};

/// States integrated behind x_c: integrals of the predicted Lyapunov rate and of three powers.
enum Integral { lyapunov_rate, motor_work, friction_loss, external_work, n_integrals };

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
  double end() const { return options_.start + options_.duration; }

  /// dy of a state: what integrators call.
  void operator()(double time, In<double> state, Out<double> dy);

  void start();
  /// Measures and commands at this instant; true when the torque that acts changed.
  bool sample();
  /// Torques whose delay is over; true when the torque changed.
  bool act();
  double next_sample() const {
    return options_.start + static_cast<double>(samples_) * options_.period;
  }
  double next_action() const { return waiting_ == 0 ? infinity : pending_[first_].time; }
  double next_record() const { return options_.start + recording_.size() * options_.record_every; }
  void record(double time, In<double> state);

  bool has_modes() const { return !g_.empty(); }
  /// Whether a mode has ended at this state.
  bool mode_ended(double time, In<double> state);
  void change_modes();
  /// Why the state cannot go on, if so; fills the recording's stop and message.
  bool broken(StopReason reason = StopReason::finished);

 private:
  /// Torque, acceleration and V at a state.
  Instant evaluate(double time, In<double> state);
  void measure();
  void saturate(Out<double> tau);
  Run described() const;
  void describe_recording();
  /// The law's states within a state.
  In<double> x_c(In<double> state) const {
    return sampled() ? In<double>(x_c_) : In<double>(space_.x(state).data, x_c_.size());
  }
  /// Where the integrals begin among the states behind q and v.
  int first_integral() const { return sampled() ? 0 : x_c_.size(); }

  const SimulateOptions& options_;
  ControlLaw& law_;
  const ReferenceFunction& reference_;
  Plant plant_as_given_;
  PlantDynamics plant_;
  RobotSpace<double> space_;
  double t_;
  Array<double> y_;
  Recording recording_;
  MomentumWorkspace<double> energy_;
  Noise noise_;
  bool certified_ = false, filtered_ = false;
  ReferencePoint point_;
  Array<double> tau_, qdd_, dy_, limit_, g_, e_, edot_, s_, task_e_, estimate_;
  Instant last_{};  // for messages about why a run cannot go on
  double lyapunov_start_ = 0, energy_start_ = 0;

  // sampled control
  struct Action {
    double time;
    Array<double> tau;
  };
  Array<Action> pending_;  // a ring: `waiting_` of them from `first_` on
  int first_ = 0, waiting_ = 0;
  Array<double> x_c_, xdot_c_, applied_, q_seen_, q_before_, v_seen_, step_;
  long samples_ = 0;
};

}  // namespace torsor::sim_detail
