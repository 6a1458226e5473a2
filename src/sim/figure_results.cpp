/// What is left of a run when it has ended.
#include <algorithm>
#include <cmath>

#include "linear_response.hpp"
#include "numbers.hpp"
#include "torsor/sim/internal/figure_keeper.hpp"

namespace torsor::sim_detail {

namespace {

/// Of an integral of squares. Step control keeps the integral to an absolute accuracy, whose root is
/// far more than a signal of rounding: no mean is larger than the largest value.
double root_mean(double integral, double duration, double largest) {
  return std::fmin(std::sqrt(std::fmax(integral, 0) / duration), largest);
}

}  // namespace

Metrics FigureKeeper::error_figures(int j, int quadrature, int settled) const {
  const In<double> integrals = run_.quadrature(state_);
  Metrics m;
  m.max_error = largest(j);
  m.rms_error = root_mean(integrals[quadrature], figures_.duration, m.max_error);
  m.final_error = std::abs(start_[j]);
  m.settling_time = settled_[settled];
  const double first = first_[j];
  const double other = first > 0 ? -low_[j] : high_[j];
  m.overshoot = std::abs(first) > figures_.band ? std::fmax(other, 0) / std::abs(first) : nan;
  return m;
}

LimitFigure FigureKeeper::limit_figure(const Array<Excess>& excess, const Array<int>& dofs) const {
  LimitFigure f;
  double worst = 0;
  for (int k = 0; k < dofs.size(); ++k) {
    const Excess& x = excess[dofs.size() == excess.size() ? k : dofs[k]];
    ++f.limited;
    if (x.size == 0) continue;
    ++f.beyond;
    const double relative = x.size / std::fmax(std::abs(x.bound), 1e-9);
    if (relative <= worst) continue;
    worst = relative;
    f.dof = dofs[k], f.value = x.value, f.bound = x.bound, f.first = x.first;
  }
  return f;
}

/// Step control allows each step an error of absolute + relative |y|, which the balances, made of
/// squares and integrals, see about four times; fixed steps are held to a thousandth.
void FigureKeeper::set_tolerances() {
  const SimulateOptions& o = run_.options();
  const bool adaptive = o.integrator >= Integrator::dormand_prince5;
  const auto steps = static_cast<double>(run_.recording().steps + run_.recording().events);
  const double n = std::sqrt(run_.space().n_tangent());
  const auto allowed = [&](double size) {
    return adaptive ? 4 * steps * n * (o.control.absolute + o.control.relative * std::fmax(size, 1))
                    : 1e-3 * std::fmax(size, 1e-6);
  };
  figures_.explained = allowed(1);
  figures_.energy_tolerance = allowed(energy_size_);
  figures_.lyapunov_tolerance =
      x_.n_value == 0 || run_.sampled() || run_.rate_is_local() ? nan : allowed(value_size_);
}

double FigureKeeper::linear_deviation(const Prediction& p, bool of_task) const {
  const int width = checkpoint_width(), column = 1 + p.dof + (of_task ? x_.n_e : 0);
  const auto time = [&](int k) { return checkpoints_[k * width]; };
  const auto value = [&](int k) { return checkpoints_[k * width + column]; };
  const bool has_integral = !of_task && p.coefficients.size() > 2 && x_c_start_.size() > p.dof;
  const double x = has_integral ? x_c_start_[p.dof] : 0, e = value(0);
  double v = of_task ? 0 : edot_start_[p.dof];
  if (of_task) {  // the rate at the start is not known: the one that fits best
    double along = 0, square = 0;
    each_response(n_checkpoints_, time, p.coefficients,
                  [&](int k, double, double by_e, double by_v) {
                    along += by_v * (value(k) - by_e * e);
                    square += by_v * by_v;
                  });
    v = square > 0 ? along / square : 0;
  }
  double worst = 0;
  each_response(
      n_checkpoints_, time, p.coefficients, [&](int k, double by_x, double by_e, double by_v) {
        const double off = value(k) - (by_x * x + by_e * e + by_v * v);
        worst = std::max(worst,
                         std::isfinite(off) ? std::abs(off) : std::numeric_limits<double>::max());
      });
  return worst;
}

double FigureKeeper::observed(const Prediction& p) const {
  const double spent = -run_.lyapunov_integral(state_);
  const bool has_V = x_.n_value > 0;
  switch (p.quantity) {
    case PredictedQuantity::final_error:
      return x_.n_e > 0 ? std::abs(start_[x_.e + p.dof]) : nan;
    case PredictedQuantity::error_bound:
      return x_.n_e > 0 ? latest(x_.e + p.dof) : nan;
    case PredictedQuantity::decay_rate:
      if (!has_V) return nan;
      if (value_first_ == 0 && figures_.lyapunov_increase < 1e-12) return infinity;
      return run_.sampled() && slowest_ == infinity ? nan : slowest_;  // V was never looked at
    case PredictedQuantity::integral_bound:
      return has_V ? spent : nan;
    case PredictedQuantity::cost:
      return has_V ? spent + start_[x_.value] : nan;
    case PredictedQuantity::filtered_square:
      return run_.filtered() ? figures_.filtered_square : nan;
    case PredictedQuantity::reach:
      return x_.n_e > 0 ? figures_.reach : nan;
    case PredictedQuantity::reaching_speed:
      if (x_.n_s == 0) return nan;
      if (std::isnan(zero_[p.dof])) return 0;
      return zero_[p.dof] > 0 ? std::abs(first_[x_.s + p.dof]) / zero_[p.dof] : infinity;
    case PredictedQuantity::linear_error:
      return x_.n_e > 0 ? linear_deviation(p, false) : nan;
    case PredictedQuantity::linear_task_error:
      return x_.n_task > 0 ? linear_deviation(p, true) : nan;
  }
  return nan;
}

/// How far the reference goes from where it starts, and how large the task's is: of itself, not of
/// the steps. A peak between instants is that of the parabola through three.
void FigureKeeper::see_reference() {
  constexpr int instants = 257;
  const double start = run_.options().start, dt = figures_.duration / (instants - 1);
  ReferencePoint point;
  Array<double> first, distance(x_.n_e);
  double before = 0, now = 0;  // of the two instants before this one
  for (int i = 0; i < instants; ++i) {
    run_.reference(start + i * dt, point);
    // Positions stand first among the errors of a task, forces last.
    const int n_x = std::min(x_.n_task, point.x.size());
    const int n_f = std::min(x_.n_task, point.f_on_environment.size());
    for (int k = 0; k < n_x; ++k)
      task_reference_[k] = std::max(task_reference_[k], std::abs(point.x[k]));
    for (int k = 0; k < n_f; ++k) {
      double& size = task_reference_[x_.n_task - n_f + k];
      size = std::max(size, std::abs(point.f_on_environment[k]));
    }
    if (x_.n_e == 0) continue;
    if (i == 0) first = point.q;
    difference(run_.robot(), In<double>(first), In<double>(point.q), Out<double>(distance));
    double sum = 0;
    for (const double x : distance) sum += x * x;
    const double next = std::sqrt(sum);
    double& most = figures_.reference_excursion;
    most = std::max(most, next);
    if (i > 1 && now > before && now > next) {
      const double slope = 0.5 * (next - before), bend = before - 2 * now + next;
      most = std::max(most, now - 0.5 * slope * slope / bend);
    }
    before = now, now = next;
  }
}

void FigureKeeper::finish() {
  RunFigures& f = figures_;
  f.duration = t_end_ - run_.options().start;
  trace_.instants.resize(n_traced_);
  if (!f.given()) return;
  see_reference();
  if (x_.n_value > 0 && !run_.halted()) {
    run_.look(t_end_, state_, true, start_);
    check_value(t_end_, start_[x_.value], run_.lyapunov_integral(state_));
  }
  const Quadratures& places = run_.quadratures();
  const In<double> integrals = run_.quadrature(state_);
  for (int k = 0; k < x_.n_tau; ++k) {
    Metrics m;
    if (x_.n_e > 0)
      m = error_figures(x_.e + k, places.error + k, k);
    else
      m.rms_error = m.max_error = m.final_error = m.settling_time = m.overshoot = nan;
    // Between the nodes of a step a curve passes over the corner where a torque meets its limit.
    m.max_torque = std::fmin(largest(x_.tau + k), run_.torque_limit()[k]);
    m.rms_torque = root_mean(integrals[places.torque + k], f.duration, m.max_torque);
    m.energy = energy_[k];
    m.chatter = variation_[k] / f.duration;
    f.joints.push_back(m);
  }
  for (int k = 0; k < x_.n_task; ++k)
    f.task.push_back(error_figures(x_.task + k, places.task + k, x_.n_e + k));
  if (x_.n_e > 0) {
    f.reach = high_[x_.norm];
    f.early_error = early_[x_.norm];
    f.late_error = latest(x_.norm);
  }
  for (int k = 0; k < x_.n_task; ++k) {
    f.task_early.push_back(early_[x_.task + k]);
    f.task_late.push_back(latest(x_.task + k));
    f.task_scale.push_back(std::max(std::abs(first_[x_.task + k]), task_reference_[k]));
  }
  f.filtered_square = integrals[places.filtered];
  Array<int> efforts;
  for (int k = 0; k < x_.n_tau; ++k)
    if (run_.robot().limits(k).effort < infinity) efforts.push_back(k);
  f.position = limit_figure(beyond_q_, x_.q_dofs);
  f.velocity = limit_figure(beyond_v_, x_.v_dofs);
  f.torque = limit_figure(beyond_tau_, efforts);
  set_tolerances();
  for (const Prediction& p : run_.recording().predictions) f.observed.push_back(observed(p));
  run_.recording().figures = f;
}

}  // namespace torsor::sim_detail
