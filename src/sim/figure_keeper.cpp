#include "torsor/sim/internal/figure_keeper.hpp"

#include <algorithm>
#include <cmath>

#include "linear_response.hpp"

namespace torsor::sim_detail {

namespace {

constexpr int most_checkpoints = 256, energy_checks = 32, trace_every = 10;

/// Weights that give the derivative at `at` of the polynomial through values at `nodes`.
Array<double> slope_weights(const Array<double>& nodes, double at) {
  Array<double> w(nodes.size());
  for (int i = 0; i < nodes.size(); ++i)
    for (int j = 0; j < nodes.size(); ++j) {
      if (j == i) continue;
      double term = 1 / (nodes[i] - nodes[j]);
      for (int k = 0; k < nodes.size(); ++k)
        if (k != i && k != j) term *= (at - nodes[k]) / (nodes[i] - nodes[k]);
      w[i] += term;
    }
  return w;
}

}  // namespace

template <class Visit>
void FigureKeeper::each_limit(Visit visit) {
  const Model<double>& m = run_.robot();
  for (int k = 0; k < x_.q_dofs.size(); ++k) {
    const Limits& l = m.limits(x_.q_dofs[k]);
    visit(beyond_q_[k], x_.q + k, l.lower, l.upper);
  }
  for (int k = 0; k < x_.v_dofs.size(); ++k) {
    const double most = m.limits(x_.v_dofs[k]).velocity;
    visit(beyond_v_[k], x_.v + k, -most, most);
  }
  for (int k = 0; k < x_.n_tau; ++k) {
    const double most = m.limits(k).effort;
    if (most < infinity) visit(beyond_tau_[k], x_.tau + k, -most, most);
  }
}

FigureKeeper::FigureKeeper(Simulation& run, const StageNodes& nodes)
    : run_(run),
      x_(run.signals()),
      nodes_(nodes),
      start_(x_.count),
      end_(x_.count),
      values_(x_.count * StepPolynomial::nodes),
      inside_(x_.count),
      varies_(!run.sampled() && !run.switches()),
      low_(x_.count, infinity),
      high_(x_.count, -infinity),
      late_low_(low_),
      late_high_(high_),
      early_(x_.count),
      task_reference_(x_.n_task),
      power_before_(x_.n_tau),
      energy_(x_.n_tau),
      variation_(x_.n_tau),
      settled_(x_.n_e + x_.n_task),
      zero_(x_.n_s, std::numeric_limits<double>::quiet_NaN()),
      beyond_q_(x_.q_dofs.size()),
      beyond_v_(x_.v_dofs.size()),
      beyond_tau_(x_.n_tau),
      least_(x_.count, -infinity),
      most_(x_.count, infinity) {
  Array<double> at{0};
  for (int i = 0; i < nodes_.count; ++i) at.push_back(nodes_.at[i]);
  at.push_back(1);
  slope0_ = slope_weights(at, 0);
  slope1_ = slope_weights(at, 1);
  extrema_.reserve(32);
  figures_.band = 0.01;
  floor_ = 1e-4 * figures_.band;

  const double t = run_.t();
  t0_ = t1_ = t_end_ = t;
  run_.look(t, run_.y(), true, start_);
  first_ = end_ = start_;
  state_ = run_.y();
  const SimulateOptions& o = run_.options();
  late_start_ = o.start + 0.75 * o.duration;
  half_ = o.start + 0.5 * o.duration;
  checkpoints_.resize((most_checkpoints + 3) * checkpoint_width());
  if (x_.n_e > 0) {
    for (int k = 0; k < x_.n_e; ++k)
      edot_start_.push_back((run_.point().qd.empty() ? 0.0 : run_.point().qd[k]) -
                            run_.space().v(In<double>(run_.y()))[k]);
  }
  const In<double> x_c = run_.x_c(run_.y());
  x_c_start_.assign(x_c.begin(), x_c.end());
  const int n = run_.robot().n_v();
  trace_.speed.assign(n, 0);
  trace_.instants.assign(
      (most_checkpoints + 3) / trace_every + 1,
      {0, Array<double>(run_.robot().n_q()), Array<double>(n), Array<double>(n), x_c_start_});
  for (const double limit : run_.torque_limit()) limited_ = limited_ || limit < infinity;
  figures_.start_error = x_.n_e > 0 ? start_[x_.norm] : 0;
  value_first_ = x_.n_value > 0 ? start_[x_.value] : 0;
  take_ends(0, x_.count);
  each_limit([&](Excess&, int j, double low, double high) { least_[j] = low, most_[j] = high; });
  if (x_.n_value > 0) {
    least_decaying_ =
        sim_detail::least_decaying(run_.sampled(), value_first_, value_standing_still());
    check_value(t, value_first_, 0);
  }
  checkpoint(t);
  check_energy(t);
}

void FigureKeeper::accepted(double t0, double t1) {
  t0_ = t0, t1_ = t1;
  if (needs_nodes_) std::fill(inside_.begin(), inside_.end(), char(0));
  cut_ = needs_nodes_ = with_value_ = false;
  if (nodes_.has_end) {
    const In<double> row = run_.evaluated(0);
    std::copy(row.begin(), row.end(), end_.begin());
  } else {
    run_.look(t1, run_.y(), false, end_);
  }
  see_slopes();
}

void FigureKeeper::cut() {
  t1_ = run_.t();
  run_.look(t1_, run_.y(), true, end_);
  cut_ = needs_nodes_ = with_value_ = true;
  std::fill(inside_.begin(), inside_.end(), char(1));
}

void FigureKeeper::node(int i, double time, In<double> state) {
  run_.look(time, state, with_value_, {values_.data() + i * x_.count, x_.count});
}

StepPolynomial FigureKeeper::polynomial(int j) const {
  Values v;
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = values_[static_cast<int>(i) * x_.count + j];
  return StepPolynomial(v);
}

void FigureKeeper::take(int j, double time, double x) {
  high_[j] = x > high_[j] ? x : high_[j];
  low_[j] = x < low_[j] ? x : low_[j];
  if (time <= half_) early_[j] = std::fmax(early_[j], std::abs(x));
  if (time < late_start_) return;
  late_high_[j] = x > late_high_[j] ? x : late_high_[j];
  late_low_[j] = x < late_low_[j] ? x : late_low_[j];
}

/// Values at the end of the step; ranges of its start were taken before.
void FigureKeeper::take_ends(int first, int last) {
  const double* const x = end_.data();
  const auto widen = [&](double* low, double* high) {
    for (int j = first; j < last; ++j) {
      high[j] = x[j] > high[j] ? x[j] : high[j];
      low[j] = x[j] < low[j] ? x[j] : low[j];
    }
  };
  widen(low_.data(), high_.data());
  if (t1_ <= half_)  // of the task's errors and of the norm
    for (int j = std::max(first, x_.task); j < std::min(last, x_.value); ++j)
      early_[j] = larger(std::abs(x[j]), early_[j]);
  if (t1_ >= late_start_) widen(late_low_.data(), late_high_.data());
}

/// The extrema of a signal inside the step, in order, to its range and to extrema_.
void FigureKeeper::follow_extrema(int j) {
  extrema_.clear();
  const StepPolynomial p = polynomial(j);
  each_zero([&](double u) { return p.slope(u); },
            [&](double u) {
              const double x = p.value(u);
              extrema_.push_back(x);
              take(j, time_at(u), x);
            });
  if (t0_ < late_start_ && late_start_ <= t1_)
    take(j, late_start_, p.value((late_start_ - t0_) / (t1_ - t0_)));
}

void FigureKeeper::add_torque_variation(int k) {
  const int j = x_.tau + k;
  double before = start_[j];
  if (inside_[j])
    for (const double x : extrema_) {
      variation_[k] += std::abs(x - before);
      before = x;
    }
  variation_[k] += std::abs(end_[j] - before);
}

/// int |tau qd|: the work of the step, in pieces where the power changes its sign.
void FigureKeeper::add_energies() {
  const double* const now = run_.quadrature(run_.y()).data + run_.quadratures().power;
  double *const before = power_before_.data(), *const energy = energy_.data();
  for (int k = 0; needs_nodes_ && k < x_.n_tau; ++k)
    if (inside_[x_.power + k]) {
      energy[k] += energy_inside(k, now[k] - before[k]);
      before[k] = now[k];
    }
  for (int k = 0; k < x_.n_tau; ++k) {
    energy[k] += std::abs(now[k] - before[k]);
    before[k] = now[k];
  }
}

double FigureKeeper::energy_inside(int k, double work) const {
  const StepPolynomial p = polynomial(x_.power + k);
  double sum = 0, before = 0;
  bool changes = false;
  const auto piece = [&](double u) {
    const double until = p.integral(u);
    sum += std::abs(until - before);
    before = until;
  };
  each_zero([&](double u) { return p.value(u); },
            [&](double u) {
              changes = true;
              piece(u);
            });
  piece(1);
  return changes ? sum * (t1_ - t0_) : std::abs(work);
}

/// Times since which errors stay within the band.
void FigureKeeper::settle() {
  const double band = figures_.band;
  double* const settled = settled_.data();
  const auto leave = [&](const double* e, int count, double* since) {
    for (int k = 0; k < count; ++k) since[k] = std::abs(e[k]) > band ? infinity : since[k];
  };
  leave(end_.data() + x_.e, x_.n_e, settled);
  leave(end_.data() + x_.task, x_.n_task, settled + x_.n_e);
  for (int k = 0; needs_nodes_ && k < settled_.size(); ++k)
    settle_inside(k, k < x_.n_e ? x_.e + k : x_.task + k - x_.n_e);
}

void FigureKeeper::settle_inside(int k, int j) {
  const double band = figures_.band;
  if (!inside_[j] || std::abs(end_[j]) > band) return;
  const StepPolynomial p = polynomial(j);
  double last = -1;
  each_zero([&](double u) { return std::abs(p.value(u)) - band; }, [&](double u) { last = u; });
  if (last >= 0) settled_[k] = time_at(last) - run_.options().start;
}

void FigureKeeper::reach_zero(int k) {
  const int j = x_.s + k;
  if (!std::isnan(zero_[k]) || start_[j] * end_[j] > 0) return;
  double at = start_[j] == 0 ? 0 : 1;
  if (inside_[j] && start_[j] != 0) {
    const StepPolynomial p = polynomial(j);
    bool found = false;
    each_zero([&](double u) { return p.value(u); },
              [&](double u) {
                if (!found) at = u;
                found = true;
              });
  }
  zero_[k] = time_at(at) - run_.options().start;
}

void FigureKeeper::see_limits(int first, int last) {
  const double *const low = low_.data(), *const high = high_.data();
  const double *const least = least_.data(), *const most = most_.data();
  long beyond = 0;
  for (int j = first; j < last; ++j) {
    beyond |= high[j] > most[j] ? 1L : 0L;
    beyond |= low[j] < least[j] ? 1L : 0L;
  }
  if (beyond != 0) note_beyond();
}

/// How far and since when signals are beyond their limits. Values inside the step count through the
/// ranges; the time is that of the step's end or start.
void FigureKeeper::note_beyond() {
  each_limit([&](Excess& x, int j, double low, double high) {
    const double above = high_[j] - high, below = low - low_[j];
    const double size = std::fmax(above, below);
    if (!(size > x.size)) return;
    if (x.size == 0) {  // by a straight line where the end of the step is beyond
      const double bound = end_[j] > high ? high : low, change = end_[j] - start_[j];
      const bool crosses = (start_[j] - bound) * (end_[j] - bound) < 0;
      x.first = crosses ? time_at((bound - start_[j]) / change) : t1_;
    }
    x.size = size;
    x.value = above > below ? high_[j] : low_[j];
    x.bound = above > below ? high : low;
    least_[j] = low - size, most_[j] = high + size;
  });
}

/// The largest V of a robot that stays at the run's start while the reference goes on: how much V is
/// in this motion.
double FigureKeeper::value_standing_still() const {
  constexpr int instants = 17;
  const SimulateOptions& o = run_.options();
  const In<double> state(run_.y());
  double most = value_first_, s = 0;
  if (!run_.sampled()) return most;
  for (int i = 1; i < instants; ++i) {
    const double t = o.start + o.duration * i / (instants - 1);
    const double V = run_.lyapunov(t, run_.space().q(state), run_.space().v(state), s).value;
    if (std::isfinite(V)) most = std::max(most, V);
  }
  (void)run_.lyapunov(o.start, run_.space().q(state), run_.space().v(state), s);
  return most;
}

void FigureKeeper::note_beyond(double t0, double t1) {
  t0_ = t0, t1_ = t1;
  note_beyond();
}

void FigureKeeper::check_value(double t, double value, double integral) {
  RunFigures& f = figures_;
  const double balance = value - value_first_ - integral;
  f.lyapunov_balance =
      std::max(f.lyapunov_balance, run_.recording().rate_is_bound ? balance : std::abs(balance));
  f.lyapunov_increase = std::max(f.lyapunov_increase, value - value_low_);
  value_low_ = std::min(value_low_, value);
  value_size_ = std::max({value_size_, std::abs(value), std::abs(integral)});
  const double since = t - run_.options().start;
  if (since > 0 && value > least_decaying_)
    slowest_ = std::min(slowest_, -std::log(value / value_first_) / since);
}

void FigureKeeper::check_energy(double t) {
  const Simulation::EnergyBalance b = run_.energy_balance(run_.y());
  figures_.energy_balance = std::max(figures_.energy_balance, std::abs(b.balance));
  energy_size_ = std::max(energy_size_, b.size);
  next_energy_ = t + run_.options().duration / energy_checks;
}

void FigureKeeper::checkpoint(double t) {
  next_check_ = t + run_.options().duration / most_checkpoints;
  if (n_checkpoints_ == most_checkpoints + 3) return;
  double* const row = checkpoints_.data() + n_checkpoints_++ * checkpoint_width();
  row[0] = t;
  for (int k = 0; k < x_.n_e; ++k) row[1 + k] = end_[x_.e + k];
  for (int k = 0; k < x_.n_task; ++k) row[1 + x_.n_e + k] = end_[x_.task + k];
  const In<double> state(run_.y()), q = run_.space().q(state), v = run_.space().v(state);
  for (int k = 0; k < v.size; ++k) trace_.speed[k] = std::fmax(trace_.speed[k], std::abs(v[k]));
  if (n_checkpoints_ % trace_every != 1) return;
  RunInstant& instant = trace_.instants[n_traced_++];
  const In<double> x_c = run_.x_c(state);
  instant.t = t;
  std::copy(q.begin(), q.end(), instant.q.begin());
  std::copy(v.begin(), v.end(), instant.qd.begin());
  std::copy(x_c.begin(), x_c.end(), instant.x_c.begin());
}

int FigureKeeper::at_limit(const double* row) const {
  const Array<double>& limit = run_.torque_limit();
  for (int k = 0; k < x_.n_tau; ++k)
    if (std::abs(row[x_.tau + k]) >= limit[k]) return k;
  return -1;
}

/// Share of the step with a torque at its limit: by trapezoids over the points that are known.
void FigureKeeper::see_saturation() {
  if (!limited_) return;
  const int known = needs_nodes_ ? StepPolynomial::nodes : 2;
  double share = 0, u_before = 0;
  int before = at_limit(start_.data());
  for (int i = 0; i < known; ++i) {
    const double u = i == 0 ? 0 : i + 1 == known ? 1 : StepPolynomial::node(i);
    const int dof = i == 0           ? before
                    : i + 1 == known ? at_limit(end_.data())
                                     : at_limit(values_.data() + i * x_.count);
    share += 0.5 * (u - u_before) * ((before >= 0 ? 1 : 0) + (dof >= 0 ? 1 : 0));
    if (dof >= 0 && std::isnan(trace_.saturated_at))
      trace_.saturated_at = time_at(u), trace_.saturated_dof = dof;
    before = dof, u_before = u;
  }
  figures_.saturated += share * (t1_ - t0_);
}

void FigureKeeper::close() {
  if (needs_nodes_) {
    std::copy(start_.begin(), start_.end(), values_.begin());
    std::copy(end_.begin(), end_.end(), values_.begin() + (StepPolynomial::nodes - 1) * x_.count);
  }
  for (int j = 0; needs_nodes_ && j < x_.count; ++j) {
    if (!inside_[j] || (j >= x_.tau && j < x_.tau + x_.n_tau)) continue;
    follow_extrema(j);
    if (x_.n_value == 0 || j != x_.value || run_.sampled()) continue;
    for (const double value : extrema_) {
      figures_.lyapunov_increase = std::max(figures_.lyapunov_increase, value - value_low_);
      value_low_ = std::min(value_low_, value);
    }
  }
  if (x_.n_value > 0 && nodes_.has_value)
    check_value(t1_, end_[x_.value], run_.lyapunov_integral(run_.y()));
  take_ends(0, x_.count);
  for (int k = 0; !run_.sampled() && k < x_.n_tau; ++k) {  // of sampled control: jumped()
    if (inside_[x_.tau + k]) follow_extrema(x_.tau + k);
    add_torque_variation(k);
  }
  add_energies();
  settle();
  for (int k = 0; k < x_.n_s; ++k) reach_zero(k);
  see_limits(x_.tau, x_.task);
  see_saturation();
  see_what_is_due();
  std::swap(start_, end_);
}

void FigureKeeper::see_what_is_due() {
  if (t1_ >= next_check_ || t1_ >= run_.end()) checkpoint(t1_);
  if (t1_ >= next_energy_ || t1_ >= run_.end()) check_energy(t1_);
  state_ = run_.y();
  t_end_ = t1_;
}

void FigureKeeper::passed(double t0, double t1) {
  t0_ = t0, t1_ = t1;
  see_what_is_due();
}

void FigureKeeper::jumped(bool with_state) {
  const In<double> row = run_.evaluated(0);
  std::copy(row.begin(), row.end(), end_.begin());
  for (int k = 0; k < x_.n_tau; ++k)
    variation_[k] += std::abs(end_[x_.tau + k] - start_[x_.tau + k]);
  t0_ = t1_ = run_.t();
  const bool torques_alone = !with_state && x_.n_task + x_.n_s + x_.n_value == 0;
  take_ends(torques_alone ? x_.tau : 0, torques_alone ? x_.q : x_.count);
  see_limits(x_.tau, torques_alone ? x_.power : x_.task);
  if (x_.n_value > 0) check_value(t1_, end_[x_.value], run_.lyapunov_integral(run_.y()));
  std::swap(start_, end_);
}

}  // namespace torsor::sim_detail
