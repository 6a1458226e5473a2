#include "torsor/sim/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  double worst = 0;
  for (int k = 0; k + 1 < lyapunov.rows(); ++k)
    worst = std::max(worst, lyapunov(k + 1, 0) - lyapunov(k, 0));
  return worst;
}
double Recording::lyapunov_balance() const {
  double worst = 0;
  for (int k = 0; k < lyapunov.rows(); ++k)
    worst = std::max(worst, rate_is_bound ? lyapunov(k, 2) : std::abs(lyapunov(k, 2)));
  return worst;
}
double Recording::energy_balance() const {
  double worst = 0;
  for (int k = 0; k < energy.rows(); ++k) worst = std::max(worst, std::abs(energy(k, 5)));
  return worst;
}

namespace {

void measure_errors(const Recording& r, const Series& errors, int column, int first, double band,
                    Metrics& m) {
  if (errors.rows() == 0) {
    m.settling_time = std::numeric_limits<double>::infinity();
    return;
  }
  const double start = errors(first, column);
  double squares = 0;
  for (int k = first; k < errors.rows(); ++k) {
    const double e = errors(k, column), size = std::abs(e);
    squares += e * e;
    m.max_error = std::max(m.max_error, size);
    m.final_error = size;
    if (size > band)
      m.settling_time = k + 1 < r.size() ? r.t[static_cast<std::size_t>(k + 1)] -
                                               r.t[static_cast<std::size_t>(first)]
                                         : std::numeric_limits<double>::infinity();
    if (start != 0) m.overshoot = std::max(m.overshoot, -e / start);
  }
  m.rms_error = std::sqrt(squares / (r.size() - first));
}

}  // namespace

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
      {"chatter", "chatter", &Metrics::chatter, false},
  };
  return all;
}

Metrics task_metrics(const Recording& r, int component, double from, double band) {
  Metrics m;
  measure_errors(r, r.task_e, component, r.size() == 0 ? 0 : r.at(from), band, m);
  return m;
}

Metrics metrics(const Recording& r, int dof, double from, double band) {
  Metrics m;
  const int first = r.size() == 0 ? 0 : r.at(from);
  measure_errors(r, r.e, dof, first, band, m);
  double torque_squares = 0;
  for (int k = first; k < r.size(); ++k) {
    const double tau = r.tau(k, dof);
    torque_squares += tau * tau;
    m.max_torque = std::max(m.max_torque, std::abs(tau));
    if (k + 1 == r.size()) break;
    const double dt = r.t[static_cast<std::size_t>(k + 1)] - r.t[static_cast<std::size_t>(k)];
    m.energy +=
        0.5 * dt * (std::abs(tau * r.qd(k, dof)) + std::abs(r.tau(k + 1, dof) * r.qd(k + 1, dof)));
    m.chatter += std::abs(r.tau(k + 1, dof) - tau);
  }
  const int rows = r.size() - first;
  m.rms_torque = std::sqrt(torque_squares / std::max(rows, 1));
  m.chatter /= std::max(rows - 1, 1);
  return m;
}

}  // namespace torsor
