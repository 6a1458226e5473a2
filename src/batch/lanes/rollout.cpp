#include "rollout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lane_law.hpp"
#include "lane_loop.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/sim/runge_kutta.hpp"

#ifdef TORSOR_PLAINEST_LEVEL  // no lanes

namespace torsor::internal {

int rollout_width() { return 1; }
void roll_out(RolloutJob&) {}

}  // namespace torsor::internal

#else

namespace torsor::internal {
namespace {

using P = Lanes<double>;
using Mask = MaskOf<P>;
constexpr int W = lane_count<double>;

Array<const Model<double>*> robots(const FixedArray<const Model<double>*, most_lanes>& of) {
  return {of.begin(), of.begin() + W};
}

/// States add, and the last of them are quadratures.
struct LaneSpace {
  int n, coupled;

  int n_quadratures() const { return n - coupled; }
  int n_state() const { return n; }
  int n_tangent() const { return n; }
  void retract(const P* y0, const P* z, P* y) const {
    for (int k = 0; k < n; ++k) y[k] = y0[k] + z[k];
  }
  void retract_coupled(const P* y0, const P* z, P* y) const {
    for (int k = 0; k < coupled; ++k) y[k] = y0[k] + z[k];
  }
  void chart_rates(const P*, const P*, P*) const {}
};

/// As simulate() makes its steps (sim/simulate.cpp), for a register of runs.
class Rollout {
 public:
  explicit Rollout(RolloutJob& job);
  void run();

 private:
  /// How far beyond its ends a signal may go before a figure sees it.
  enum class Room : unsigned char { none, to_zero, to_limits };

  P* running(int place) { return running_.data() + place; }
  void refer(double t);
  void rates(double t, In<P> y, Out<P> dy, P* signals);
  void value(double t, In<P> y);
  void write_signals(In<P> y, P* row);
  void step(double until);
  void dense(double u);
  void close(double t0, double t1);
  Mask may_turn(double t0, double t1);
  Mask turning(int first, int last, Room room);
  void take_ends(int first, int last, double t1);
  void note_beyond(double t0, double t1, const FixedArray<bool, most_lanes>& closed);
  void jump(double t);
  void check_value(double t, const P& value, const P& integral);
  void sample(double t);
  void record_until(double t0, double time);
  void lose(const Mask& good);
  void repeat(LaneArray<double>& x);

  RolloutJob& job_;
  const int n_;
  LaneModel<double> plant_, believed_;
  AbaWorkspace<P> aba_;
  RneaWorkspace<P> rnea_;
  LaneGain<P> Kp_, Kd_;
  LaneSpace space_;
  RungeKuttaWorkspace<P> ws_;
  LaneArray<double> y_, inside_, at_end_, z1_, held_, left_, e_, edot_, seen_, command_, running_,
      before_, middle_, limit_, uniform_, values_, first_value_, least_decaying_, rate_is_bound_;
  Array<double> reference_;
  double referred_ = -infinity, t_, h_ = 0, next_due_ = 0;
  long steps_ = 0, count_ = 0, samples_ = 1;
  bool first_known_ = false, dense_ready_ = false;
};

double* plain(LaneArray<double>& x) { return reinterpret_cast<double*>(x.data()); }

Rollout::Rollout(RolloutJob& job)
    : job_(job),
      n_(job.n),
      plant_(robots(job.plant)),
      believed_(robots(job.believed)),
      aba_(*job.plant[0]),
      rnea_(*job.believed[0]),
      space_{job.n_states, 2 * job.n},
      ws_(space_),
      y_(job.n_states, P(0)),
      inside_(y_),
      at_end_(y_),
      z1_(y_),
      held_(n_, P(0)),
      left_(held_),
      e_(held_),
      edot_(held_),
      seen_(2 * n_, P(0)),
      command_(held_),
      running_(job.running.count, P(0)),
      middle_(job.n_signals, P(0)),
      limit_(held_),
      uniform_(4 * n_, P(0)),
      values_(3, P(0)),
      first_value_(1, P(0)),
      least_decaying_(1, P(0)),
      rate_is_bound_(1, P(0)),
      reference_(3 * n_),
      t_(job.start) {
  rnea_.rotors = job.effects.rotors;
  if (job.computed_torque) Kp_ = LaneGain<P>(job.Kp, n_), Kd_ = LaneGain<P>(job.Kd, n_);
  for (int k = 0; k < n_; ++k)
    for (int l = 0; l < W; ++l) put<double>(limit_[k], l, job.torque_limit[l][k]);
  job.width = W;
  job.state = plain(y_), job.held = plain(held_), job.running_numbers = plain(running_);
  job.reference = reference_.data(), job.seen = plain(seen_), job.command = plain(command_);
  job.values = plain(values_), job.middle = plain(middle_), job.uniform = plain(uniform_);
  job.inside = plain(inside_), job.first_value = plain(first_value_);
  job.least_decaying = plain(least_decaying_);
  job.rate_is_bound = plain(rate_is_bound_);
  job.lanes_data = this;
  job.dense = [](void* self, double u) { static_cast<Rollout*>(self)->dense(u); };
}

void Rollout::lose(const Mask& good) {
  if (all(good)) return;
  for (int l = 0; l < W; ++l)
    if (!good[l]) job_.lost[l] = true;
}

void Rollout::refer(double t) {
  if (t == referred_) return;
  job_.host->refer(t);
  referred_ = t;
}

/// V, its rate and |s|^2 at a state whose errors are known.
void Rollout::value(double t, In<P> y) {
  if (job_.asks_value) {
    for (int l = 0; l < job_.lanes; ++l)
      job_.host->ask_value(l, t, reinterpret_cast<const double*>(y.data));
    return;
  }
  if (!job_.has_value) return;
  P sum = Kp_.quadratic(e_);
  for (const P& x : edot_) sum = sum + x * x;
  values_[0] = sum * 0.5;
  values_[1] = -Kd_.quadratic(edot_);
}

/// Signals but V at a state whose errors are known.
void Rollout::write_signals(In<P> y, P* row) {
  P norm(0);
  for (int k = 0; k < n_; ++k) {
    row[job_.e + k] = e_[k];
    norm = norm + e_[k] * e_[k];
    row[job_.tau + k] = held_[k];
    row[job_.power + k] = held_[k] * y[n_ + k];
  }
  for (int k = 0; k < job_.q_dofs.size(); ++k) row[job_.q + k] = y[job_.q_dofs[k]];
  for (int k = 0; k < job_.v_dofs.size(); ++k) row[job_.v + k] = y[n_ + job_.v_dofs[k]];
  row[job_.norm] = sqrt(norm);
}

void Rollout::rates(double t, In<P> y, Out<P> dy, P* signals) {
  refer(t);
  const double* const d = reference_.data();
  const In<P> q(y.data, n_), v(y.data + n_, n_);
  P friction(0), external(0), motor(0);
  P *const error = dy.data + 2 * n_ + 4, *const torque = error + n_, *const work = torque + n_;
  for (int k = 0; k < n_; ++k) {
    const DofConstants<P>& dof = plant_.dof(k);
    e_[k] = d[k] - q[k];
    edot_[k] = d[n_ + k] - v[k];
    P left = held_[k] - (q[k] - dof.rest) * dof.stiffness + dof.disturbance;
    external = external + dof.disturbance * v[k];
    if (job_.rubs) {
      const P f = friction_torque(dof, v[k]);
      left = left - f;
      friction = friction + f * v[k];
    }
    left_[k] = left;
    const P power = held_[k] * v[k];
    dy[k] = v[k];
    error[k] = e_[k] * e_[k];
    torque[k] = held_[k] * held_[k];
    work[k] = power;
    motor = motor + power;
  }
  const auto found =
      rigid_forward_dynamics(plant_, aba_, q, v, In<P>(left_), {}, Out<P>(dy.data + n_, n_));
  lose(found.pivot_ratio > P(job_.least_pivot));
  value(t, y);
  P* const integrals = dy.data + 2 * n_;
  integrals[0] = values_[1];
  integrals[1] = motor;
  integrals[2] = friction;
  integrals[3] = external;
  work[n_] = values_[2];
  if (signals) write_signals(y, signals);
}

void Rollout::step(double until) {
  h_ = until - t_;
  int stage = first_known_ ? 1 : 0;
  const auto f = [&](double t, In<P> at, Out<P> dy) {
    rates(t, at, dy, stage++ == 2 ? middle_.data() : nullptr);
  };
  rk4_step(space_, ws_, f, t_, h_, Out<P>(y_), first_known_);
  std::copy(ws_.z.begin(), ws_.z.end(), z1_.begin());
  t_ = until;
  first_known_ = dense_ready_ = false;
  ++steps_, ++count_;
}

/// The cubic through both ends of the step that was made, with their rates.
void Rollout::dense(double u) {
  if (!dense_ready_) {
    space_.retract(ws_.y0.data(), z1_.data(), ws_.stage.data());
    rates(t_, In<P>(ws_.stage), Out<P>(at_end_), nullptr);
    dense_ready_ = true;
  }
  const P* const begin = ws_.row(0);
  for (int k = 0; k < space_.n; ++k) {
    const P z = z1_[k], a = begin[k] * h_ - z, b = z - at_end_[k] * h_ - a;
    inside_[k] = ws_.y0[k] + (z + (a + b * u) * (1 - u)) * u;
  }
}

Mask Rollout::turning(int first, int last, Room room) {
  const auto& [a0, x0, b0] = job_.slope_at_start;
  const auto& [a1, x1, b1] = job_.slope_at_end;
  const P *const from = running(job_.running.start), *const to = running(job_.running.end);
  const P *const least = running(job_.running.least), *const most = running(job_.running.most);
  Mask result = P(0) != P(0);
  for (int j = first; j < last; ++j) {
    const P a = from[j], b = to[j], x = middle_[j];
    P far(job_.floor);
    if (room == Room::to_zero) far = min(abs(a), abs(b));
    if (room == Room::to_limits)
      far = max(min(P(most[j] - max(a, b)), P(min(a, b) - least[j])), far);
    const P s0 = a * a0 + x * x0 + b * b0, s1 = a * a1 + x * x1 + b * b1;
    result = result | ((s0 * s1 < P(0)) & (min(abs(s0), abs(s1)) > far * 4));
  }
  return result;
}

/// Lanes in which some signal may turn inside the step, or cross what figures are counted from
/// (FigureKeeper::may_matter).
Mask Rollout::may_turn(double t0, double t1) {
  const P *const a = running(job_.running.start), *const b = running(job_.running.end);
  if (t0 < job_.late_start && job_.late_start <= t1) return P(0) == P(0);
  Mask any = turning(job_.e, job_.e + n_, Room::none) |
             turning(job_.power, job_.power + n_, Room::to_zero) |
             turning(job_.q, job_.norm, Room::to_limits) |
             turning(job_.norm, job_.norm + 1, Room::none);
  const P band(job_.band), zero(0);
  for (int k = 0; k < n_; ++k) {
    const P from = abs(a[job_.e + k]) - band, to = abs(b[job_.e + k]) - band;
    any = any | (from * to <= zero) | (a[job_.power + k] * b[job_.power + k] < zero);
  }
  return any;
}

void Rollout::take_ends(int first, int last, double t1) {
  const RunningPlaces& r = job_.running;
  const P* const x = running(r.end);
  const auto widen = [&](P* low, P* high) {
    for (int j = first; j < last; ++j) {
      high[j] = max(high[j], x[j]);
      low[j] = min(low[j], x[j]);
    }
  };
  widen(running(r.low), running(r.high));
  if (t1 <= job_.half && first <= job_.norm && job_.norm < last) {
    P& early = running(r.early)[job_.norm];
    early = max(early, abs(x[job_.norm]));
  }
  if (t1 >= job_.late_start) widen(running(r.late_low), running(r.late_high));
}

/// Figures of a step. Lanes in which something turns, or torques are at their limits, go through the
/// run's own, from the numbers before the step.
void Rollout::close(double t0, double t1) {
  const RunningPlaces& r = job_.running;
  refer(t1);
  for (int k = 0; k < n_; ++k) e_[k] = reference_[k] - y_[k];
  write_signals(In<P>(y_), running(r.end));
  P *const start = running(r.start), *const end = running(r.end);
  Mask look = may_turn(t0, t1);
  for (int k = job_.tau; k < job_.tau + n_; ++k)
    look = look | (abs(start[k]) >= limit_[k - job_.tau]) | (abs(end[k]) >= limit_[k - job_.tau]);
  FixedArray<bool, most_lanes> closed{};
  bool some = false;
  for (int l = 0; l < job_.lanes && any(look); ++l) some |= closed[l] = look[l] && !job_.lost[l];
  if (some) before_ = running_;

  take_ends(0, job_.norm + 1, t1);
  const P* const work = y_.data() + 2 * n_ + 4 + 2 * n_;
  P *const passed = running(r.power), *const energy = running(r.energy),
           *const settled = running(r.settled);
  for (int k = 0; k < n_; ++k) {
    energy[k] = energy[k] + abs(work[k] - passed[k]);
    passed[k] = work[k];
    settled[k] = select(abs(end[job_.e + k]) > P(job_.band), P(infinity), settled[k]);
  }
  note_beyond(t0, t1, closed);
  const bool due = t1 >= next_due_ || t1 >= job_.end;
  if (due) job_.host->pass(t0, t1, closed);
  for (int j = 0; j < job_.n_signals; ++j) start[j] = end[j];
  for (int l = 0; some && l < job_.lanes; ++l) {
    if (!closed[l]) continue;
    for (int k = 0; k < r.count; ++k) put<double>(running_[k], l, get<double>(before_[k], l));
    job_.host->close(l, t0, t1);
  }
  if (due) next_due_ = job_.host->next_due();
}

/// Signals that are beyond their limits, or farther beyond than before.
void Rollout::note_beyond(double t0, double t1, const FixedArray<bool, most_lanes>& closed) {
  const RunningPlaces& r = job_.running;
  Mask beyond = P(0) != P(0);
  for (int j = job_.tau; j < job_.norm; ++j)
    beyond = beyond | (running(r.high)[j] > running(r.most)[j]) |
             (running(r.low)[j] < running(r.least)[j]);
  if (!any(beyond)) return;
  for (int l = 0; l < job_.lanes; ++l)
    if (beyond[l] && !closed[l]) job_.host->note_beyond(l, t0, t1);
}

/// Torques have changed: figures of this instant, and the rates that the next step begins with.
void Rollout::jump(double t) {
  const RunningPlaces& r = job_.running;
  P *const start = running(r.start), *const end = running(r.end);
  rates(t, In<P>(y_), Out<P>(ws_.row(0), space_.n), end);
  first_known_ = true;
  P* const variation = running(r.variation);
  for (int k = 0; k < n_; ++k)
    variation[k] = variation[k] + abs(end[job_.tau + k] - start[job_.tau + k]);
  take_ends(job_.tau, job_.q, t);
  note_beyond(t, t, {});
  if (job_.has_value) check_value(t, values_[0], y_[2 * n_]);
  for (int j = 0; j < job_.n_signals; ++j) start[j] = end[j];
}

/// FigureKeeper::check_value.
void Rollout::check_value(double t, const P& value, const P& integral) {
  const RunningPlaces& r = job_.running;
  P &balance = *running(r.balance), &increase = *running(r.increase), &low = *running(r.value_low),
    &size = *running(r.value_size), &slowest = *running(r.slowest);
  const P off = value - first_value_[0] - integral;
  balance = max(balance, select(rate_is_bound_[0] > P(0), off, P(abs(off))));
  increase = max(increase, P(value - low));
  low = min(low, value);
  size = max(size, P(max(P(abs(value)), P(abs(integral)))));
  const double since = t - job_.start;
  if (!job_.follows_decay || !(since > 0)) return;
  const P rate = -log(value / first_value_[0]) * (1 / since);
  slowest = select(value > least_decaying_[0], P(min(slowest, rate)), slowest);
}

/// What was asked for the lanes that count, in the others too.
void Rollout::repeat(LaneArray<double>& x) {
  for (P& p : x)
    for (int l = job_.lanes; l < W; ++l) p.set(l, p[job_.lanes - 1]);
}

/// What the law sees, and its torque within the limits of the actuators.
void Rollout::sample(double t) {
  refer(t);
  const int noisy = (job_.position_noise > 0 ? n_ : 0) + (job_.velocity_noise > 0 ? n_ : 0);
  if (noisy > 0) {
    for (int l = 0; l < job_.lanes; ++l) job_.host->draw(l, 2 * noisy);
    repeat(uniform_);
  }
  const P* u = uniform_.data();
  const auto noise = [&](double deviation) {
    if (!(deviation > 0)) return P(0);
    const P x = sqrt(-2 * log(u[0])) * cos(u[1] * (2 * std::numbers::pi)) * deviation;
    u += 2;
    return x;
  };
  P *const q = seen_.data(), *const v = q + n_;
  for (int k = 0; k < n_; ++k) q[k] = y_[k] + noise(job_.position_noise);
  for (int k = 0; k < n_; ++k) v[k] = y_[n_ + k] + noise(job_.velocity_noise);
  for (int k = 0; k < job_.encoder_step.size(); ++k)
    if (const double line = job_.encoder_step[k]; line > 0)
      for (int l = 0; l < W; ++l) q[k].set(l, line * std::round(q[k][l] / line));
  if (job_.computed_torque) {
    const double* const d = reference_.data();
    P* const qdd = left_.data();
    for (int k = 0; k < n_; ++k) {
      e_[k] = d[k] - q[k];
      edot_[k] = d[n_ + k] - v[k];
      qdd[k] = P(d[2 * n_ + k]);
    }
    Kp_.add_product(In<P>(e_), Out<P>(left_));
    Kd_.add_product(In<P>(edot_), Out<P>(left_));
    rigid_inverse_dynamics(believed_, rnea_, In<P>(q, n_), In<P>(v, n_), In<P>(left_), {},
                           Out<P>(command_));
    add_lane_joints<P>(believed_, job_.effects, In<P>(q, n_), In<P>(v, n_), Out<P>(command_));
  } else {
    for (int l = 0; l < job_.lanes; ++l) job_.host->ask_law(l, t);
    repeat(command_);
  }
  for (int k = 0; k < n_; ++k) {
    P tau = max(P(-limit_[k]), P(min(limit_[k], command_[k])));
    tau = select(command_[k] == command_[k], tau, command_[k]);  // a NaN stays one
    if (job_.rate_limit.size() > 0) {
      const P most(job_.rate_limit[k] * job_.period);
      tau = held_[k] + max(P(-most), P(min(most, P(tau - held_[k]))));
    }
    held_[k] = tau;
  }
}

void Rollout::record_until(double t0, double time) {
  while (job_.host->next_record() < time - job_.slack) {
    const double due = job_.host->next_record();
    dense((due - t0) / h_);
    job_.host->record(due, reinterpret_cast<const double*>(inside_.data()));
  }
}

void Rollout::run() {
  job_.host->begin();
  repeat(y_), repeat(held_), repeat(running_), repeat(first_value_), repeat(least_decaying_),
      repeat(rate_is_bound_);
  next_due_ = job_.host->next_due();
  while (t_ < job_.end) {
    // simulate() cuts steps at samples and counts them from the start.
    const double next_sample = job_.start + static_cast<double>(samples_) * job_.period;
    const double limit = std::min(job_.end, next_sample);
    const double next = job_.start + static_cast<double>(count_ + 1) * job_.step;
    const double t0 = t_, until = next + 1e-9 * job_.step >= limit ? limit : next;
    step(until);
    Mask sound = P(0) == P(0);
    for (int k = 0; k < n_; ++k)
      sound = sound & is_finite(y_[k]) & (abs(y_[n_ + k]) <= P(job_.blow_up)) & is_finite(held_[k]);
    lose(sound);
    close(t0, t_);
    record_until(t0, t_);
    const bool last = t_ >= job_.end;
    if (t_ >= next_sample - job_.slack) {
      sample(t_);
      ++samples_;
      if (!last) jump(t_);
    }
    const bool due = job_.host->next_record() <= t_ + job_.slack;
    if (due || last) job_.host->record(t_, reinterpret_cast<const double*>(y_.data()));
  }
  job_.host->end(t_, steps_);
}

}  // namespace

int rollout_width() { return W; }
void roll_out(RolloutJob& job) { Rollout(job).run(); }

}  // namespace torsor::internal

#endif
