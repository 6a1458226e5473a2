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

namespace {

/// The mean speed of s to its first zero, by straight lines between rows. A row's worth of time is
/// allowed: a sampled law switches at samples.
Comparison reaching(const Recording& r, const Prediction& p) {
  Comparison c{p, 0, false};
  if (r.s.rows() == 0) return c;
  const double first = r.s(0, p.dof), size = std::abs(first);
  int k = 0;
  while (k < r.s.rows() && r.s(k, p.dof) * first > 0) ++k;
  const auto time = [&](int row) { return r.t[static_cast<std::size_t>(row)] - r.t[0]; };
  if (k == 0 || k == r.s.rows()) {
    c.observed = k == 0 ? std::numeric_limits<double>::infinity() : 0;
    c.kept = k == 0 || time(k - 1) * p.value < size;  // or the run was too short to tell
    return c;
  }
  const double before = std::abs(r.s(k - 1, p.dof)), after = std::abs(r.s(k, p.dof));
  const double row = time(k) - time(k - 1), reached = time(k - 1) + row * before / (before + after);
  c.observed = size / reached;
  c.kept = (reached - row) * p.value <= size;
  return c;
}

}  // namespace

std::vector<Comparison> compare_predictions(const Recording& r, double tolerance) {
  std::vector<Comparison> result;
  const int last = r.size() - 1;
  for (const Prediction& p : r.predictions) {
    Comparison c{p, 0, false};
    const double allowed = tolerance * std::max(1.0, std::abs(p.value));
    switch (p.quantity) {
      case Quantity::final_error:
        c.observed = r.e.rows() > 0 ? std::abs(r.e(last, p.dof)) : NAN;
        c.kept = std::abs(c.observed - std::abs(p.value)) <= allowed;
        break;
      case Quantity::error_bound:
        for (int k = 3 * last / 4; k <= last && r.e.rows() > 0; ++k)
          c.observed = std::max(c.observed, std::abs(r.e(k, p.dof)));
        c.kept = r.e.rows() > 0 && c.observed <= p.value + allowed;
        break;
      case Quantity::decay_rate:
        c.observed = std::numeric_limits<double>::infinity();
        for (int k = 1; k < r.lyapunov.rows(); ++k)
          if (r.lyapunov(k, 0) > 1e-12 * r.lyapunov(0, 0))
            c.observed = std::min(c.observed, -std::log(r.lyapunov(k, 0) / r.lyapunov(0, 0)) /
                                                  (r.t[static_cast<std::size_t>(k)] - r.t[0]));
        c.kept = c.observed >= p.value - allowed;
        break;
      case Quantity::integral_bound:
        if (last >= 0 && r.lyapunov.rows() > 0)  // int rate = V - V(0) - balance
          c.observed = -(r.lyapunov(last, 0) - r.lyapunov(0, 0) - r.lyapunov(last, 2));
        c.kept = c.observed <= p.value + allowed;
        break;
      case Quantity::reaching_speed:
        c = reaching(r, p);
        break;
    }
    result.push_back(std::move(c));
  }
  return result;
}

}  // namespace torsor
