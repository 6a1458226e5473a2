/// What laws predict beside what their runs did.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linear_response.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor {

namespace {

using sim_detail::each_response;

double linear_deviation(const Recording& r, const Prediction& p) {
  if (r.e.rows() == 0) return NAN;
  const bool has_integral = p.coefficients.size() > 2 && r.x_c.width() > p.dof;
  const double x = has_integral ? r.x_c(0, p.dof) : 0, e = r.e(0, p.dof), v = r.edot(0, p.dof);
  double worst = 0;
  each_response(
      r.size(), [&](int k) { return In<double>(r.t)[k]; }, p.coefficients,
      [&](int k, double by_x, double by_e, double by_v) {
        const double off = r.e(k, p.dof) - (by_x * x + by_e * e + by_v * v);
        worst = std::max(worst,
                         std::isfinite(off) ? std::abs(off) : std::numeric_limits<double>::max());
      });
  return worst;
}

/// The rate at the start is not recorded: the one that fits best.
double linear_task_deviation(const Recording& r, const Prediction& p) {
  if (r.task_e.rows() == 0) return NAN;
  const double e = r.task_e(0, p.dof);
  double along = 0, square = 0, worst = 0;
  each_response(
      r.size(), [&](int k) { return In<double>(r.t)[k]; }, p.coefficients,
      [&](int k, double, double by_e, double by_v) {
        along += by_v * (r.task_e(k, p.dof) - by_e * e);
        square += by_v * by_v;
      });
  const double v = square > 0 ? along / square : 0;
  each_response(
      r.size(), [&](int k) { return In<double>(r.t)[k]; }, p.coefficients,
      [&](int k, double, double by_e, double by_v) {
        worst = std::max(worst, std::abs(r.task_e(k, p.dof) - by_e * e - by_v * v));
      });
  return worst;
}

double slowest_decay(const Recording& r) {
  if (r.lyapunov.rows() > 0 && r.lyapunov(0, 0) == 0 && r.lyapunov_increase() < 1e-12)
    return std::numeric_limits<double>::infinity();  // it was zero and stays so
  const double first = r.lyapunov.rows() > 0 ? r.lyapunov(0, 0) : 0;
  const double least = sim_detail::least_decaying(r.period > 0, first, first);
  double slowest = std::numeric_limits<double>::infinity();
  for (int k = 1; k < r.lyapunov.rows(); ++k)
    if (r.lyapunov(k, 0) > least)
      slowest =
          std::min(slowest, -std::log(r.lyapunov(k, 0) / first) / (In<double>(r.t)[k] - r.t[0]));
  return slowest;
}

/// Integral of |s|^2 by trapezoids.
double filtered_square(const Recording& r) {
  if (r.s.rows() == 0) return NAN;
  const In<double> t(r.t);
  double sum = 0, before = 0;
  for (int k = 0; k < r.s.rows(); ++k) {
    double square = 0;
    for (const double s : r.s.row(k)) square += s * s;
    if (k > 0) sum += 0.5 * (square + before) * (t[k] - t[k - 1]);
    before = square;
  }
  return sum;
}

double farthest(const Recording& r) {
  double most = 0;
  for (int k = 0; k < r.e.rows(); ++k) {
    double sum = 0;
    for (const double e : r.e.row(k)) sum += e * e;
    most = std::max(most, sum);
  }
  return std::sqrt(most);
}

/// The mean speed of s to its first zero, by straight lines between rows; 0: it is not reached.
double reaching_speed(const Recording& r, int dof) {
  if (r.s.rows() == 0) return NAN;
  const double first = r.s(0, dof);
  int k = 0;
  while (k < r.s.rows() && r.s(k, dof) * first > 0) ++k;
  if (k == 0) return std::numeric_limits<double>::infinity();
  if (k == r.s.rows()) return 0;
  const auto time = [&](int row) { return In<double>(r.t)[row] - r.t[0]; };
  const double before = std::abs(r.s(k - 1, dof)), after = std::abs(r.s(k, dof));
  return std::abs(first) / (time(k - 1) + (time(k) - time(k - 1)) * before / (before + after));
}

double observed_in_rows(const Recording& r, const Prediction& p) {
  const int last = r.size() - 1;
  const bool has_V = last >= 0 && r.lyapunov.rows() > 0;
  // int rate = V - V(0) - balance
  const double spent = has_V ? r.lyapunov(0, 0) - r.lyapunov(last, 0) + r.lyapunov(last, 2) : NAN;
  switch (p.quantity) {
    case PredictedQuantity::final_error:
      return r.e.rows() > 0 ? std::abs(r.e(last, p.dof)) : NAN;
    case PredictedQuantity::error_bound: {
      double most = r.e.rows() > 0 ? 0 : NAN;
      for (int k = 3 * last / 4; k <= last && r.e.rows() > 0; ++k)
        most = std::max(most, std::abs(r.e(k, p.dof)));
      return most;
    }
    case PredictedQuantity::decay_rate:
      return slowest_decay(r);
    case PredictedQuantity::integral_bound:
      return spent;
    case PredictedQuantity::reaching_speed:
      return reaching_speed(r, p.dof);
    case PredictedQuantity::linear_error:
      return linear_deviation(r, p);
    case PredictedQuantity::linear_task_error:
      return linear_task_deviation(r, p);
    case PredictedQuantity::cost:
      return spent + (has_V ? r.lyapunov(last, 0) : NAN);
    case PredictedQuantity::filtered_square:
      return filtered_square(r);
    case PredictedQuantity::reach:
      return r.e.rows() > 0 ? farthest(r) : NAN;
  }
  return NAN;
}

/// Why a run shows nothing of what is claimed; empty: it does.
std::string why_open(const Recording& r) {
  const RunFigures& f = r.figures;
  if (r.stop != StopReason::finished) return "the run stopped early";
  if (!f.given()) return "";
  if (f.energy_balance > f.energy_tolerance) return "the energy balance is off";
  if (f.explained > f.most_explained()) return "the integration is too coarse";
  return "";
}

}  // namespace

std::vector<Comparison> compare_predictions(const Recording& r, double tolerance) {
  if (tolerance == 0)
    tolerance = std::max(r.period > 0 ? sim_detail::sampled_tolerance : 1e-6, r.figures.explained);
  std::vector<Comparison> result;
  const double start = r.lyapunov.rows() > 0 ? r.lyapunov(0, 0) : NAN;
  const bool along =
      r.figures.given() && std::cmp_equal(r.figures.observed.size(), r.predictions.size());
  for (std::size_t n = 0; n < r.predictions.size(); ++n) {
    const Prediction& p = r.predictions[n];
    Comparison c{p, along ? r.figures.observed[n] : observed_in_rows(r, p), false};
    double& value = c.prediction.value;
    if (p.quantity == PredictedQuantity::reach) value = std::sqrt(2 * start / p.coefficients[0]);
    if (p.quantity == PredictedQuantity::filtered_square) value = start / p.coefficients[0];
    if (p.quantity == PredictedQuantity::cost) {
      if (!(start > tolerance * tolerance))
        value = 0;  // nothing to spend: beside the integration's own error
      else
        c.observed /= start;
    }
    const double allowed = std::max(p.tolerance, tolerance * std::max(1.0, std::abs(value)));
    c.allowed = allowed;
    switch (p.quantity) {
      case PredictedQuantity::final_error:
      case PredictedQuantity::cost:
        c.kept = std::abs(c.observed - std::abs(value)) <= allowed;
        break;
      case PredictedQuantity::decay_rate:
        c.kept = c.observed >= value - allowed;
        break;
      case PredictedQuantity::reaching_speed: {
        // A sample's time is allowed, and a row's where rows are all there is: laws switch there.
        if (r.s.rows() == 0) break;
        const In<double> t(r.t);
        const double size = std::abs(r.s(0, p.dof)),
                     grain = along || r.size() < 2 ? r.period : t[1] - t[0];
        const double reached = c.observed > 0 ? size / c.observed : t[r.size() - 1] - t[0];
        c.kept = (reached - grain) * value <= size * (1 + tolerance);
        break;
      }
      default:
        c.kept = c.observed <= value + allowed;
    }
    c.why_open = why_open(r);
    if (r.stop != StopReason::finished) c.observed = NAN;
    if (c.why_open.empty() && along && p.quantity == PredictedQuantity::decay_rate &&
        std::isnan(c.observed))
      c.why_open = "V starts below what samples leave";
    c.covered = c.why_open.empty();
    c.kept = c.kept && c.covered;
    result.push_back(std::move(c));
  }
  return result;
}

}  // namespace torsor
