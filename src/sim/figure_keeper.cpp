#include "figure_keeper.hpp"

#include <algorithm>
#include <cmath>

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

FigureKeeper::FigureKeeper(Simulation& run, const StageNodes& nodes)
    : run_(run),
      x_(run.signals()),
      nodes_(nodes),
      start_(x_.count),
      end_(x_.count),
      values_(x_.count * StepPolynomial::nodes),
      inside_(x_.count),
      varies_(!run.sampled() && !run.switches()),
      top_(x_.count),
      bottom_(x_.count),
      s0_(x_.count),
      s1_(x_.count),
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
      beyond_tau_(x_.n_tau) {
  Array<double> at{0};
  for (int i = 0; i < nodes_.count; ++i) at.push_back(nodes_.at[i]);
  at.push_back(1);
  slope0_ = slope_weights(at, 0);
  slope1_ = slope_weights(at, 1);
  extrema_.reserve(32);

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
  figures_.band = 0.01;
  figures_.start_error = x_.n_e > 0 ? start_[x_.norm] : 0;
  value_first_ = x_.n_value > 0 ? start_[x_.value] : 0;
  take_ends();
  if (x_.n_value > 0) check_value(t, value_first_, 0);
  checkpoint(t);
  check_energy(t);
}

void FigureKeeper::accepted(double t0, double t1) {
  t0_ = t0, t1_ = t1;
  cut_ = needs_nodes_ = with_value_ = false;
  std::fill(inside_.begin(), inside_.end(), char(0));
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

/// Marks the signals that have to be looked at inside the step.
void FigureKeeper::see_slopes() {
  const int n = x_.count, last = slope0_.size() - 1;
  const double *const a = start_.data(), *const b = end_.data();
  double *const top = top_.data(), *const bottom = bottom_.data();
  double *const s0 = s0_.data(), *const s1 = s1_.data();
  for (int j = 0; j < n; ++j) {
    top[j] = a[j] > b[j] ? a[j] : b[j];
    bottom[j] = a[j] > b[j] ? b[j] : a[j];
    s0[j] = slope0_[0] * a[j] + slope0_[last] * b[j];
    s1[j] = slope1_[0] * a[j] + slope1_[last] * b[j];
  }
  for (int i = 0; i < nodes_.count; ++i) {
    const double* const x = run_.evaluated(nodes_.back[i]).data;
    const double w0 = slope0_[i + 1], w1 = slope1_[i + 1];
    for (int j = 0; j < n; ++j) {
      s0[j] += w0 * x[j];
      s1[j] += w1 * x[j];
      top[j] = x[j] > top[j] ? x[j] : top[j];
      bottom[j] = x[j] < bottom[j] ? x[j] : bottom[j];
    }
  }
  for (int k = 0; k < x_.n_tau; ++k) {
    torque_ = std::fmax(torque_, std::fmax(top[x_.tau + k], -bottom[x_.tau + k]));
    power_ = std::fmax(power_, std::fmax(top[x_.power + k], -bottom[x_.power + k]));
  }
  const int held = run_.sampled() ? x_.value : n;  // V of sampled control is known at samples
  for (int j = 0; j < held; ++j) {
    // The vertex of a parabola with these slopes.
    if (nodes_.count > 0 && s0[j] * s1[j] < 0) {
      const double bump = s0[j] * s0[j] / (2 * (s0[j] - s1[j]));
      top[j] = std::fmax(top[j], a[j] + bump);
      bottom[j] = std::fmin(bottom[j], a[j] + bump);
    }
    if (!matters(j, top[j], bottom[j])) continue;
    inside_[j] = 1;
    needs_nodes_ = true;
    if (x_.n_value > 0 && j == x_.value) with_value_ = true;
  }
  if (limited_ && !run_.sampled() && (at_limit(a) >= 0) != (at_limit(b) >= 0)) needs_nodes_ = true;
}

/// Whether values that a signal may take inside the step, beyond those at its ends, change a figure.
bool FigureKeeper::matters(int j, double top, double bottom) const {
  const double a = start_[j], b = end_[j], most = a > b ? a : b, least = a > b ? b : a;
  const double own = std::fmax(std::fmax(high_[j], -low_[j]), std::fmax(most, -least));
  // A torque that is small beside the others is rounding, and so are errors far within the band:
  // stages are less accurate than the ends of steps.
  const double floor =
      j < x_.tau || j >= x_.q ? 1e-4 * figures_.band : 1e-9 * (j < x_.power ? torque_ : power_);
  const double eps = 1e-9 * own + floor;
  const bool up = top > most + eps, down = bottom < least - eps;
  if (j < x_.tau || (j >= x_.task && j < x_.task + x_.n_task)) {  // an error
    const double band = figures_.band;
    if ((std::abs(a) > band) != (std::abs(b) > band)) return true;
    if ((up && 2 * top - most > band) || (down && 2 * bottom - least < -band)) return true;
  } else if (j < x_.power) {  // a torque
    return (up || down) && varies_;
  } else if (j < x_.q) {  // a power
    return top > eps && bottom < -eps;
  } else if (j >= x_.s && j < x_.s + x_.n_s) {
    return std::isnan(zero_[j - x_.s]) && a * b <= 0;
  }
  if (t0_ < late_start_ && late_start_ <= t1_) return true;
  if (!up && !down) return false;
  // Estimates are off: by less than the excursion itself.
  const double high = 2 * top - most, low = 2 * bottom - least;
  if (x_.n_value > 0 && j == x_.value)
    return (up && high - value_low_ > figures_.lyapunov_increase + eps) ||
           (down && b - low > figures_.lyapunov_increase + eps);
  const bool late = t1_ > late_start_;
  return (up && (high > std::fmax(high_[j], most) || (late && high > late_high_[j]))) ||
         (down && (low < std::fmin(low_[j], least) || (late && low < late_low_[j])));
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
void FigureKeeper::take_ends() {
  const int n = x_.count;
  const double* const x = end_.data();
  const auto widen = [&](double* low, double* high) {
    for (int j = 0; j < n; ++j) {
      high[j] = x[j] > high[j] ? x[j] : high[j];
      low[j] = x[j] < low[j] ? x[j] : low[j];
    }
  };
  widen(low_.data(), high_.data());
  double* const early = early_.data();
  for (int j = 0; t1_ <= half_ && j < n; ++j)
    early[j] = std::abs(x[j]) > early[j] ? std::abs(x[j]) : early[j];
  if (t1_ >= late_start_) widen(late_low_.data(), late_high_.data());
}

/// The extrema of a signal inside the step, in order, to its range and to extrema_.
void FigureKeeper::follow_extrema(int j) {
  extrema_.clear();
  if (!inside_[j]) return;
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
  if (!run_.sampled())
    for (const double x : extrema_) {
      variation_[k] += std::abs(x - before);
      before = x;
    }
  variation_[k] += std::abs(end_[j] - before);
}

/// int |tau qd|: the work of the step, in pieces where the power changes its sign.
void FigureKeeper::add_energy(int k) {
  const int j = x_.power + k, place = run_.quadratures().power + k;
  const double now = run_.quadrature(run_.y())[place], work = now - power_before_[k];
  power_before_[k] = now;
  if (!inside_[j]) {
    energy_[k] += std::abs(work);
    return;
  }
  const StepPolynomial p = polynomial(j);
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
  energy_[k] += changes ? sum * (t1_ - t0_) : std::abs(work);
}

/// Time since which an error stays within the band.
void FigureKeeper::settle(int k) {
  const int j = k < x_.n_e ? x_.e + k : x_.task + k - x_.n_e;
  const double band = figures_.band;
  const auto outside = [&](double x) { return std::abs(x) > band; };
  if (outside(end_[j])) {
    settled_[k] = infinity;
    return;
  }
  if (!inside_[j]) return;
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

void FigureKeeper::see_limits() {
  const Model<double>& m = run_.robot();
  // Values inside the step count through the ranges; the time is that of the step's end or start.
  const auto see = [&](Excess& x, int j, double low, double high) {
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
  };
  for (int k = 0; k < x_.q_dofs.size(); ++k) {
    const Limits& l = m.limits(x_.q_dofs[k]);
    see(beyond_q_[k], x_.q + k, l.lower, l.upper);
  }
  for (int k = 0; k < x_.v_dofs.size(); ++k) {
    const double most = m.limits(x_.v_dofs[k]).velocity;
    see(beyond_v_[k], x_.v + k, -most, most);
  }
  for (int k = 0; k < x_.n_tau; ++k) {
    const double most = m.limits(k).effort;
    if (most < infinity) see(beyond_tau_[k], x_.tau + k, -most, most);
  }
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
  if (since > 0 && value > 1e-12 * value_first_)
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
  take_ends();
  for (int k = 0; k < x_.n_tau; ++k) {
    follow_extrema(x_.tau + k);
    add_torque_variation(k);
    add_energy(k);
  }
  for (int k = 0; k < x_.n_e + x_.n_task; ++k) settle(k);
  for (int k = 0; k < x_.n_s; ++k) reach_zero(k);
  see_limits();
  see_saturation();
  if (t1_ >= next_check_ || t1_ >= run_.end()) checkpoint(t1_);
  if (t1_ >= next_energy_ || t1_ >= run_.end()) check_energy(t1_);
  state_ = run_.y();
  t_end_ = t1_;
  start_ = end_;
}

void FigureKeeper::jumped() {
  const In<double> row = run_.evaluated(0);
  std::copy(row.begin(), row.end(), end_.begin());
  for (int k = 0; k < x_.n_tau; ++k)
    variation_[k] += std::abs(end_[x_.tau + k] - start_[x_.tau + k]);
  t1_ = run_.t();
  take_ends();
  see_limits();
  if (x_.n_value > 0) check_value(t1_, end_[x_.value], run_.lyapunov_integral(run_.y()));
  start_ = end_;
}

}  // namespace torsor::sim_detail
