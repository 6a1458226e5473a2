// Along a falling gamma: with the dual, and where that goes astray on the sum alone.
#include <algorithm>
#include <cmath>
#include <limits>

#include "consistency_newton.hpp"

namespace torsor::internal {

/// The least of the sum along the step: a + b t - gamma sum_i u_i / (1 + t u_i) = 0, rising in t.
double ConsistencyNewton::line_search(double gamma) const {
  double a = 0, b = 0;
  for (int k = 0; k < problem_.N; ++k) a += data_[k] * y_[k];
  for (int r = 0; r < problem_.N; ++r) {
    double sum = 0;
    for (int c = r; c < problem_.N; ++c) sum += problem_.R(r, c) * dx_[c];
    b += 2 * sum * sum;
  }
  Array<double> ratios;
  int at = 0;
  for (const Body& body : bodies_) {
    for (std::size_t e = 0; e < 10; ++e, ++at) a += gamma * body.pull[e] * y_[at];
    for (const double u : border_eigenvalues(body.lambda, body.S)) ratios.push_back(u);
  }
  for (int k = 0; k < positive_.size(); ++k) {
    ratios.push_back(positive_[k].d_value / positive_[k].value);
    a += gamma * positive_[k].d_value / problem_.x0[problem_.positive[k]];
  }
  for (const Bound& bound : bounds_) ratios.push_back(bound.slack.d_value / bound.slack.value);
  for (const int c : problem_.free_columns) {
    const double w2 = problem_.width[c] * problem_.width[c];
    a += 2 * gamma_ * (x[c] - problem_.x0[c]) * dx_[c] / w2;
    b += 2 * gamma_ * dx_[c] * dx_[c] / w2;
  }
  double least = 0;
  for (const double u : ratios) least = std::min(least, u);
  double low = 0, high = least < 0 ? -1 / least : 1e3, t = std::min(1.0, 0.9 * high);
  for (int round = 0; round < 50; ++round) {
    double slope = a + b * t, curvature = b;
    for (const double u : ratios) {
      const double part = u / (1 + t * u);
      slope -= gamma * part, curvature += gamma * part * part;
    }
    (slope > 0 ? high : low) = t;
    double next = t - slope / curvature;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool near = std::abs(next - t) < 1e-3 * t;
    t = next;
    if (near) break;
  }
  return t;
}

/// Step towards the optimum of gamma.
void ConsistencyNewton::newton(double gamma, bool corrected) {
  aim(gamma, corrected);
  direction(gamma);
  double along = 0;
  for (int k = 0; k < problem_.N; ++k) along -= g_[k] * y_[k];
  decrement = std::max(0.0, along) / gamma;
}

/// With the dual: fast, but without a promise. Bold: gamma falls as far as the first step says,
/// whether the last step came near to the path or not.
void ConsistencyNewton::follow_with_dual(double gamma, bool bold) {
  double before = std::numeric_limits<double>::infinity(), last = before;
  double target = std::max(gamma, complementarity());
  for (int round = 0; round < 60; ++round) {
    const double now = complementarity();
    derivatives();
    bool ahead = target > gamma;
    if (bold) {
      const bool far = now > 1.5 * gamma, stuck = now > 0.8 * last;
      ahead = far && !stuck;
      target = far && stuck ? std::max(gamma, 0.3 * now) : gamma;
    } else {
      newton(target, false);
      ahead = ahead && decrement < 10 * problem_.n_bounds && now < 3 * target;
    }
    last = now;
    if (ahead) {
      aim(0, false);
      direction(0);
      const auto [primal, dual] = steps_to_border();
      const double left = 1 - std::min({1.0, primal, dual}), part = left * left * left;
      target = std::max(gamma, bold ? part * now : std::max(0.005, part) * std::min(now, target));
    }
    if (bold || ahead) newton(target, ahead && target > gamma);
    bool done = false;
    if (std::abs(now - gamma) < 0.1 * gamma && target == gamma) {
      done = decrement < 1e-9 || (decrement < 1e-6 && decrement > 0.25 * before);  // rounding
      before = decrement;
    }
    const auto [primal, dual] = steps_to_border();
    const double t = std::min(1.0, 0.95 * primal), t_z = std::min(1.0, 0.95 * dual);
    move(bold ? t : std::min(t, t_z), bold ? t_z : std::min(t, t_z));
    ++steps;
    if (done) break;
  }
}

/// On the sum alone, whose steps cannot fail: it is self-concordant, and gamma falls slowly.
void ConsistencyNewton::follow_alone(double gamma) {
  double before = std::numeric_limits<double>::infinity();
  double target = std::max(gamma, complementarity());
  for (int round = 0; round < 200; ++round) {
    recentre(target);
    derivatives();
    newton(target, false);
    if (target > gamma) {
      if (decrement < 0.3) target = std::max(gamma, 0.2 * target);
    } else {
      if (decrement < 1e-9 || (decrement < 1e-6 && decrement > 0.25 * before)) break;
      before = decrement;
    }
    if (decrement < 0.3 && target > gamma) continue;
    const double t = decrement < 1e-3 ? 1 : line_search(target);
    move(t, t);
    ++steps;
  }
  recentre(target);
}

void ConsistencyNewton::solve(double gamma) {
  gamma_ = gamma;
  const auto settled = [&] {
    relative_complementarity_ = std::abs(complementarity() - gamma) / gamma;
    return converged();
  };
  follow_with_dual(gamma, true);
  if (settled()) return;
  start();
  follow_with_dual(gamma, false);
  if (settled()) return;
  start();
  follow_alone(gamma);
  (void)settled();
}

}  // namespace torsor::internal
