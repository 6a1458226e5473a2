/// What laws predict beside what their runs did.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "torsor/sim/recording.hpp"

namespace torsor {

namespace {

/// Rows of a 3 x 3 matrix that moves (int e, e, e').
using Transition = std::array<double, 9>;

Transition product(const Transition& a, const Transition& b) {
  Transition c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

/// exp(A h) of e'' + kd e' + kp e + ki int e = 0, by Taylor's series of h / 2^k and k squarings.
Transition transition(const std::vector<double>& coefficients, double h) {
  const double kp = coefficients[0], kd = coefficients[1];
  const double ki = coefficients.size() > 2 ? coefficients[2] : 0;
  const double size = 1 + std::abs(kp) + std::abs(kd) + std::abs(ki);
  const int squarings = std::clamp(std::ilogb(size * h), -4, 1020) + 4;
  const double x = std::ldexp(h, -squarings);
  const Transition A{0, x, 0, 0, 0, x, -ki * x, -kp * x, -kd * x};
  Transition sum{1, 0, 0, 0, 1, 0, 0, 0, 1}, term = sum;
  for (int k = 1; k <= 12; ++k) {
    term = product(term, A);
    for (std::size_t i = 0; i < 9; ++i) sum[i] += (term[i] /= k);
  }
  for (int k = 0; k < squarings; ++k) sum = product(sum, sum);
  return sum;
}

/// Calls visit(row, e from (int e)(0) = 1, from e(0) = 1, from e'(0) = 1) for each row.
template <class Visit>
void each_response(const Recording& r, const std::vector<double>& coefficients, Visit visit) {
  Transition whole{1, 0, 0, 0, 1, 0, 0, 0, 1}, step = whole;
  double of = 0;
  for (int k = 0; k < r.size(); ++k) {
    const double h = k == 0 ? 0 : In<double>(r.t)[k] - In<double>(r.t)[k - 1];
    if (k > 0 && h != of) step = transition(coefficients, of = h);
    if (k > 0) whole = product(step, whole);
    visit(k, whole[3], whole[4], whole[5]);
  }
}

double linear_deviation(const Recording& r, const Prediction& p) {
  if (r.e.rows() == 0) return NAN;
  const bool has_integral = p.coefficients.size() > 2 && r.x_c.width() > p.dof;
  const double x = has_integral ? r.x_c(0, p.dof) : 0, e = r.e(0, p.dof), v = r.edot(0, p.dof);
  double worst = 0;
  each_response(r, p.coefficients, [&](int k, double by_x, double by_e, double by_v) {
    const double off = r.e(k, p.dof) - (by_x * x + by_e * e + by_v * v);
    worst =
        std::max(worst, std::isfinite(off) ? std::abs(off) : std::numeric_limits<double>::max());
  });
  return worst;
}

/// The rate at the start is not recorded: the one that fits best.
double linear_task_deviation(const Recording& r, const Prediction& p) {
  if (r.task_e.rows() == 0) return NAN;
  const double e = r.task_e(0, p.dof);
  double along = 0, square = 0, worst = 0;
  each_response(r, p.coefficients, [&](int k, double, double by_e, double by_v) {
    along += by_v * (r.task_e(k, p.dof) - by_e * e);
    square += by_v * by_v;
  });
  const double v = square > 0 ? along / square : 0;
  each_response(r, p.coefficients, [&](int k, double, double by_e, double by_v) {
    worst = std::max(worst, std::abs(r.task_e(k, p.dof) - by_e * e - by_v * v));
  });
  return worst;
}

double slowest_decay(const Recording& r) {
  if (r.lyapunov.rows() > 0 && r.lyapunov(0, 0) == 0 && r.lyapunov_increase() < 1e-12)
    return std::numeric_limits<double>::infinity();  // it was zero and stays so
  double slowest = std::numeric_limits<double>::infinity();
  for (int k = 1; k < r.lyapunov.rows(); ++k)
    if (r.lyapunov(k, 0) > 1e-12 * r.lyapunov(0, 0))
      slowest = std::min(
          slowest, -std::log(r.lyapunov(k, 0) / r.lyapunov(0, 0)) / (In<double>(r.t)[k] - r.t[0]));
  return slowest;
}

/// Integral of |s|^2 from below: of the smaller of two rows, so that coarse rows raise no false alarm.
double filtered_square(const Recording& r) {
  if (r.s.rows() == 0) return NAN;
  const In<double> t(r.t);
  double sum = 0, before = 0;
  for (int k = 0; k < r.s.rows(); ++k) {
    double square = 0;
    for (const double s : r.s.row(k)) square += s * s;
    if (k > 0) sum += std::min(square, before) * (t[k] - t[k - 1]);
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

/// The mean speed of s to its first zero, by straight lines between rows. A row's worth of time is
/// allowed: a sampled law switches at samples.
Comparison reaching(const Recording& r, const Prediction& p) {
  Comparison c{p, 0, false};
  if (r.s.rows() == 0) return c;
  const double first = r.s(0, p.dof), size = std::abs(first);
  int k = 0;
  while (k < r.s.rows() && r.s(k, p.dof) * first > 0) ++k;
  const auto time = [&](int row) { return In<double>(r.t)[row] - r.t[0]; };
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
  if (tolerance == 0) tolerance = r.period > 0 ? 2e-3 : 1e-6;
  std::vector<Comparison> result;
  const int last = r.size() - 1;
  const bool has_V = last >= 0 && r.lyapunov.rows() > 0;
  const double start = has_V ? r.lyapunov(0, 0) : NAN;
  // int rate = V - V(0) - balance
  const double spent = has_V ? start - r.lyapunov(last, 0) + r.lyapunov(last, 2) : NAN;
  for (const Prediction& p : r.predictions) {
    Comparison c{p, 0, false};
    double& value = c.prediction.value;
    if (p.quantity == PredictedQuantity::reach) value = std::sqrt(2 * start / p.coefficients[0]);
    if (p.quantity == PredictedQuantity::filtered_square) value = start / p.coefficients[0];
    const double allowed = std::max(p.tolerance, tolerance * std::max(1.0, std::abs(value)));
    const auto at_most = [&](double observed) {
      c.observed = observed;
      c.kept = observed <= value + allowed;
    };
    switch (p.quantity) {
      case PredictedQuantity::final_error:
        c.observed = r.e.rows() > 0 ? std::abs(r.e(last, p.dof)) : NAN;
        c.kept = std::abs(c.observed - std::abs(value)) <= allowed;
        break;
      case PredictedQuantity::error_bound:
        for (int k = 3 * last / 4; k <= last && r.e.rows() > 0; ++k)
          c.observed = std::max(c.observed, std::abs(r.e(k, p.dof)));
        c.kept = r.e.rows() > 0 && c.observed <= value + allowed;
        break;
      case PredictedQuantity::decay_rate:
        c.observed = slowest_decay(r);
        c.kept = c.observed >= value - allowed;
        break;
      case PredictedQuantity::integral_bound:
        at_most(spent);
        break;
      case PredictedQuantity::reaching_speed:
        c = reaching(r, p);
        break;
      case PredictedQuantity::linear_error:
        at_most(linear_deviation(r, p));
        break;
      case PredictedQuantity::linear_task_error:
        at_most(linear_task_deviation(r, p));
        break;
      case PredictedQuantity::cost:
        c.observed = spent + (has_V ? r.lyapunov(last, 0) : NAN);
        if (start == 0)
          value = 0;  // nothing to spend
        else
          c.observed /= start;
        c.kept = std::abs(c.observed - value) <= allowed;
        break;
      case PredictedQuantity::filtered_square:
        at_most(filtered_square(r));
        break;
      case PredictedQuantity::reach:
        at_most(r.e.rows() > 0 ? farthest(r) : NAN);
        break;
    }
    result.push_back(std::move(c));
  }
  return result;
}

}  // namespace torsor
