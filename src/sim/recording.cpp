#include "torsor/sim/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"

namespace torsor {

const char* name_of(StopReason reason) {
  switch (reason) {
    case StopReason::finished:
      return "finished";
    case StopReason::not_finite:
      return "not_finite";
    case StopReason::blow_up:
      return "blow_up";
    case StopReason::step_size:
      return "step_size";
    case StopReason::chatter:
      return "chatter";
    case StopReason::singular:
      return "singular";
    case StopReason::evaluations:
      return "evaluations";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "";
}

std::vector<Series*> Recording::series() {
  return {&q,      &qd, &qdd, &tau,      &q_d,      &qd_d,   &e,       &edot,
          &task_e, &s,  &x_c, &estimate, &lyapunov, &energy, &contact, &loop};
}
std::vector<const Series*> Recording::series() const {
  return {&q,      &qd, &qdd, &tau,      &q_d,      &qd_d,   &e,       &edot,
          &task_e, &s,  &x_c, &estimate, &lyapunov, &energy, &contact, &loop};
}

int Recording::at(double time) const {
  const auto found = std::lower_bound(t.begin(), t.end(), time - 1e-9);
  return static_cast<int>(std::min<std::ptrdiff_t>(found - t.begin(), size() - 1));
}

double Recording::lyapunov_increase() const {
  if (figures.given()) return figures.lyapunov_increase;
  double worst = 0, least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < lyapunov.rows(); ++k) {
    worst = std::max(worst, lyapunov(k, 0) - least);
    least = std::min(least, lyapunov(k, 0));
  }
  return worst;
}
double Recording::lyapunov_balance() const {
  if (figures.given()) return figures.lyapunov_balance;
  double worst = 0;
  for (int k = 0; k < lyapunov.rows(); ++k)
    worst = std::max(worst, rate_is_bound ? lyapunov(k, 2) : std::abs(lyapunov(k, 2)));
  return worst;
}
double Recording::energy_balance() const {
  if (figures.given()) return figures.energy_balance;
  double worst = 0;
  for (int k = 0; k < energy.rows(); ++k) worst = std::max(worst, std::abs(energy(k, 5)));
  return worst;
}

namespace {

using sim_detail::nan;

/// Visits rows from `first` on with the trapezoid's weight of each: half the time to its neighbours.
template <class Visit>
void each_row(const Recording& r, int first, Visit visit) {
  const In<double> t(r.t);
  for (int k = first; k < r.size(); ++k)
    visit(k, 0.5 * (t[std::min(k + 1, r.size() - 1)] - t[std::max(k - 1, first)]));
}

void measure_errors(const Recording& r, const Series& errors, int column, int first, double band,
                    Metrics& m) {
  if (errors.rows() == 0) {
    m.rms_error = m.max_error = m.final_error = m.settling_time = m.overshoot = nan;
    return;
  }
  const In<double> t(r.t);
  const double start = errors(first, column), duration = t[r.size() - 1] - t[first];
  m.overshoot = std::abs(start) > band ? 0 : nan;
  double squares = 0;
  each_row(r, first, [&](int k, double weight) {
    const double e = errors(k, column), size = std::abs(e);
    squares += weight * e * e;
    m.max_error = std::max(m.max_error, size);
    m.final_error = size;
    if (size > band)
      m.settling_time =
          k + 1 < r.size() ? t[k + 1] - t[first] : std::numeric_limits<double>::infinity();
    if (m.overshoot >= 0) m.overshoot = std::max(m.overshoot, -e / start);
  });
  m.rms_error = duration > 0 ? std::sqrt(squares / duration) : std::abs(start);
}

/// Whether the figures of the run are those that are asked for.
bool from_figures(const Recording& r, double from, double band) {
  return r.figures.given() && band == r.figures.band && (r.t.empty() || from <= r.t.front());
}

}  // namespace

double RunFigures::most_explained() const {
  double motion = std::max(reach, reference_excursion);
  for (const double size : task_scale) motion = std::max(motion, size);
  return std::max(1e-3, 0.01 * std::min(1.0, motion));
}

const std::vector<MetricFigure>& metric_figures() {
  static const std::vector<MetricFigure> all{
      {"rms_error", "rms e", &Metrics::rms_error, true},
      {"max_error", "max |e|", &Metrics::max_error, true},
      {"final_error", "final |e|", &Metrics::final_error, true},
      {"settling_time", "settled s", &Metrics::settling_time, true},
      {"overshoot", "overshoot", &Metrics::overshoot, true},
      {"rms_torque", "", &Metrics::rms_torque, false},
      {"max_torque", "max |tau|", &Metrics::max_torque, false},
      {"energy", "energy J", &Metrics::energy, false},
      {"chatter", "chatter /s", &Metrics::chatter, false},
  };
  return all;
}

Metrics task_metrics(const Recording& r, int component, double from, double band) {
  if (from_figures(r, from, band)) return r.figures.task[component];
  Metrics m;
  m.from_rows = true;
  measure_errors(r, r.task_e, component, r.size() == 0 ? 0 : r.at(from), band, m);
  return m;
}

Metrics metrics(const Recording& r, int dof, double from, double band) {
  if (from_figures(r, from, band)) return r.figures.joints[dof];
  Metrics m;
  m.from_rows = true;
  const int first = r.size() == 0 ? 0 : r.at(from);
  measure_errors(r, r.e, dof, first, band, m);
  if (r.tau.rows() == 0) {
    m.rms_torque = m.max_torque = m.energy = m.chatter = nan;
    return m;
  }
  const In<double> t(r.t);
  const double duration = t[r.size() - 1] - t[first];
  double squares = 0;
  if (r.qd.rows() == 0) m.energy = nan;
  each_row(r, first, [&](int k, double weight) {
    const double tau = r.tau(k, dof);
    squares += weight * tau * tau;
    m.max_torque = std::max(m.max_torque, std::abs(tau));
    if (r.qd.rows() > 0) m.energy += weight * std::abs(tau * r.qd(k, dof));
    if (k > first) m.chatter += std::abs(tau - r.tau(k - 1, dof));
  });
  m.rms_torque = duration > 0 ? std::sqrt(squares / duration) : m.max_torque;
  m.chatter /= duration > 0 ? duration : 1;
  return m;
}

}  // namespace torsor
