#pragma once
/// Simulations that share their clock, one in each lane: what the lanes are told of the runs, and what
/// they ask of them.
///
/// Everything that happens in every step is in lanes: stages, torques, quadratures, the ranges of what
/// figures follow. What is rare, or needs the law's own class, is asked of the host, lane by lane, in
/// the numbers of the run itself. No lane sees another: a run has the same bits whatever its neighbours.
#include "torsor/control/gain.hpp"
#include "torsor/math/fixed_array.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/model.hpp"

namespace torsor::internal {

inline constexpr int most_lanes = 16;

/// Where the running numbers of a FigureKeeper lie (each_running), each of `width` lanes.
struct RunningPlaces {
  int start = 0, end = 0, low = 0, high = 0, late_low = 0, late_high = 0, early = 0, least = 0,
      most = 0, power = 0, energy = 0, variation = 0, settled = 0;
  int balance = 0, increase = 0, value_low = 0, value_size = 0, slowest = 0, count = 0;
};

class RolloutHost {
 public:
  /// Fills the arrays of the job; takes them back.
  virtual void begin() = 0;
  virtual void end(double t, long steps) = 0;

  /// To job.reference: q_d, qd_d, qdd_d.
  virtual void refer(double t) = 0;
  /// To job.uniform: `count` numbers of the lane's noise, in (0, 1).
  virtual void draw(int lane, int count) = 0;
  /// To job.command, of what the lane's law sees in job.seen: q, then qd.
  virtual void ask_law(int lane, double t) = 0;
  /// To job.value: V, its rate, |s|^2, at `state`: q, then qd.
  virtual void ask_value(int lane, double t, const double* state) = 0;

  /// A row of the recording at a state between steps, or at a step's end.
  virtual void record(double t, const double* state) = 0;
  virtual double next_record() const = 0;
  /// A step from t0 to t1 has ended: checks that are due, of lanes that were not closed.
  virtual void pass(double t0, double t1, const FixedArray<bool, most_lanes>& closed) = 0;
  virtual double next_due() const = 0;
  /// Something in this lane may have turned inside the step: job.middle, and dense(u) gives its inside.
  virtual void close(int lane, double t0, double t1) = 0;
  virtual void note_beyond(int lane, double t0, double t1) = 0;

 protected:
  ~RolloutHost() = default;
};

struct RolloutJob {
  RolloutHost* host = nullptr;
  int lanes = 0;  ///< those that count; the others repeat the last
  FixedArray<const Model<double>*, most_lanes> plant{}, believed{};
  bool rubs = false;  ///< the plant has friction

  // The clock, in s.
  double start = 0, end = 0, step = 0, period = 0, slack = 0;
  // Sensors and actuators.
  double position_noise = 0, velocity_noise = 0;
  Array<double> encoder_step, rate_limit;
  FixedArray<const double*, most_lanes> torque_limit{};
  double blow_up = 0, least_pivot = 0;

  // The law: computed torque is in lanes, others are asked for their torques.
  bool computed_torque = false;
  FixedArray<const Gain*, most_lanes> Kp{}, Kd{};
  Effects effects{};
  bool has_value = false;      ///< V is followed
  bool asks_value = false;     ///< V or |s|^2 is asked of the law itself
  bool follows_decay = false;  ///< something is predicted of the rate at which V decays

  // What figures follow (sim/internal/simulation.hpp, Signals), and the places of states behind q and qd.
  int n = 0, n_signals = 0, n_states = 0;
  int e = 0, tau = 0, power = 0, q = 0, v = 0, norm = 0, value = 0;
  Array<int> q_dofs, v_dofs;
  RunningPlaces running{};
  double band = 0, floor = 0, late_start = 0, half = 0;
  double slope_at_start[3] = {}, slope_at_end[3] = {};  ///< weights of start, middle and end

  // Arrays of the lanes: number k of lane l at [k * width + l]. Made before host->begin().
  int width = 0;
  double *state = nullptr, *held = nullptr, *running_numbers = nullptr, *reference = nullptr,
         *seen = nullptr, *command = nullptr, *values = nullptr, *middle = nullptr,
         *uniform = nullptr, *inside = nullptr, *first_value = nullptr, *least_decaying = nullptr,
         *rate_is_bound = nullptr;
  FixedArray<bool, most_lanes> lost{};  ///< left alone: the run has to be made by itself

  /// Of the step at hand, to `inside`: all states at fraction u.
  void (*dense)(void* lanes, double u) = nullptr;
  void* lanes_data = nullptr;
};

/// Lanes of the instruction set in use; 1: none.
int rollout_width();
void roll_out(RolloutJob& job);

}  // namespace torsor::internal
