#pragma once
/// Runs a law on a plant.
///
///   continuous   (q, v, x_c) integrated together, the law inside every stage of the integrator
///   sampled      every `period` the law sees the measured state; its torque acts `delay` later and
///                is held; x_c makes one Euler step; the plant is integrated in between
///
/// The predicted rate of the law's Lyapunov function and the powers of motors, friction and
/// environment are integrated along, so that every run checks V(t) - V(0) = int rate and the energy
/// balance. Modes of the plant (sticking joints, surfaces) end at events, located to `event_time`
/// of a second.
///
/// Measured contact forces (ControlState::F_contact) are those of this instant. Forces of rigid
/// surfaces follow from the torque: under continuous control state_derivative, lyapunov and
/// task_error see them and torque does not; under sampled control all see those of the torque that
/// acts until the sample. Laws whose torque feels forces therefore need a period there.
///
/// A run that cannot go on stops with time, joint and value in Recording::message and keeps what it
/// has: at NaN, at velocities beyond `blow_up`, where a pivot of the mass matrix is less than 1e-13
/// of the largest, or has fallen to a thousandth of its share at the start while steps became too
/// short for the run to end within `most_evaluations`, where a fixed step turns a quaternion by more
/// than 3 rad, and after `most_evaluations`, or where two million evaluations one after the other
/// went at a pace that would need four times of what is left of them. outcome.hpp says what it came
/// to. Throws Error for what could be known before: sizes, numbers, options that contradict each
/// other.
///
/// Rows and curves are taken from the dense output: how often a run is recorded changes neither its
/// steps nor its figures (run_figures.hpp).
///
/// Source   Huo 2005, sec. 2.4 and figure 2-7, chapter 3.
#include <optional>

#include "torsor/control/run.hpp"
#include "torsor/sim/adaptive.hpp"
#include "torsor/sim/plant.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor {

enum class Integrator : unsigned char {
  taylor,
  semi_implicit_euler,
  rk4,
  dormand_prince5,
  dormand_prince8
};
/// "taylor", "rk4", ...
const char* name_of(Integrator integrator);

struct SensorOptions {
  Array<double> encoder_step;  ///< resolution of q per degree of freedom; empty or 0: exact
  bool velocity_by_difference = false;  ///< qd from the last two measured q
  double position_noise = 0;            ///< standard deviation, rad or m
  double velocity_noise = 0;            ///< standard deviation, rad/s or m/s
  unsigned long seed = 1;
};

struct ActuatorOptions {
  Array<double> torque_limit;  ///< per degree of freedom; empty: none
  bool model_limits = false;   ///< the effort limits of the plant's model, too
  Array<double> rate_limit;    ///< N m / s, sampled control only; empty: none
};

struct SimulateOptions {
  Array<double> q0, v0;  ///< empty: neutral, at rest
  double start = 0, duration = 1;
  /// s: instants at which forces of the plant jump. Steps end there, so that none passes over a push.
  Array<double> breaks{};
  double record_every = 0.01;  ///< s
  int curve_points = 0;        ///< of Recording::curve, where rows are fewer; 0: no curve
  std::optional<Integrator> integrator{};  ///< not given: integrator_of says which
  double step = 1e-3;                      ///< s, of integrators with a fixed step
  StepControl control{};                   ///< of the others
  double period = 0;                       ///< s; 0: continuous control
  double delay = 0;                        ///< s, from measuring to acting; sampled control only
  SensorOptions sensors{};                 ///< sampled control only
  ActuatorOptions actuators{};
  bool measure_acceleration = false;  ///< the law sees qdd (in state_derivative: of this instant)
  /// False: no conditions, no predictions, and the Lyapunov function is left out.
  bool certificate = true;
  double blow_up = 1e4;       ///< rad/s or m/s
  double event_time = 1e-12;  ///< s
  /// After so many evaluations of the plant a run that has not ended is stopped; 0: two million and
  /// ten million for each second of it.
  long most_evaluations = 0;
  /// Told now and then how far the run is; false stops it and keeps what was done.
  std::function<bool(double t)> progress{};
};

/// The one that is named. Else dormand_prince8; with a period of 5 ms or less, where steps seldom are
/// shorter than the period, dormand_prince5 to the same tolerance, with the period as its first step:
/// 7 evaluations in each period instead of 13.
Integrator integrator_of(const SimulateOptions& options);

/// `law` is reset first.
Recording simulate(const Plant& plant, ControlLaw& law, const ReferenceFunction& reference,
                   const SimulateOptions& options);

}  // namespace torsor
