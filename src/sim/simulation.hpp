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

class Simulation {
 public:
  Simulation(const Plant& plant, AnyController& controller, const ReferenceFunction& reference,
             const SimulateOptions& options);

  const SimulateOptions& options;
  RobotSpace<double> space;
  double t;
  std::vector<double> y;
  Recording recording;

  bool sampled() const { return options.period > 0; }
  double end() const { return options.start + options.duration; }

  /// dy of the state y: what integrators call. Leaves torque, acceleration and V of it behind.
  void operator()(double time, View<const double> state, View<double> dy);

  void start();
  /// Measures and commands at this instant; true when the torque that acts changed.
  bool sample();
  /// Torques whose delay is over; true when the torque changed.
  bool act();
  double next_sample() const {
    return options.start + static_cast<double>(samples_) * options.period;
  }
  double next_action() const { return waiting_ == 0 ? infinity : pending_[first_].time; }
  double next_record() const {
    return options.start + static_cast<double>(recording.size()) * options.record_every;
  }
  void record(double time, View<const double> state);

  bool has_modes() const { return n_modes_ > 0; }
  /// Whether a mode has ended at this state.
  bool mode_ended(double time, View<const double> state);
  void change_modes();
  /// Why the state cannot go on, if so; fills the recording's stop and message.
  bool broken(StopReason reason = StopReason::finished);

 private:
  void measure();
  void saturate(View<double> tau);
  void describe_recording();

  AnyController& controller_;
  const ReferenceFunction& reference_;
  PlantDynamics plant_;
  MomentumWorkspace<double> energy_;
  Noise noise_;
  int n_c_, n_modes_;
  bool certified_, regular_ = true;
  ReferencePoint point_;
  std::vector<double> tau_, qdd_, dy_, limit_, g_, e_, edot_, s_, task_e_, estimate_;
  LyapunovValue lyapunov_{};
  double lyapunov_start_ = 0, energy_start_ = 0;

  // sampled control
  struct Action {
    double time;
    std::vector<double> tau;
  };
  std::vector<Action> pending_;  // a ring: `waiting_` of them from `first_` on
  std::size_t first_ = 0, waiting_ = 0;
  std::vector<double> x_c_, xdot_c_, applied_, command_, q_seen_, q_before_, v_seen_, step_;
  long samples_ = 0;
};

}  // namespace torsor::sim_detail
