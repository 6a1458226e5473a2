#pragma once
/// Largest value of a function of the configuration: draws, then climbs from the best ones.
///
/// A limit of a file keeps no joint: unless a run has stops, angles are searched through a whole
/// turn. Sliding joints stay within their limits, or within a metre either way.
#include <algorithm>
#include <numbers>

#include "torsor/math/array.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::control_detail {

/// As random_configuration; without limits the angles of revolute joints are stretched to a turn.
inline void draw_configuration(const Model<double>& model, std::uint64_t seed, bool within_limits,
                               Out<double> q) {
  random_configuration(model, seed, q);
  for (int i = 1; i < model.n_bodies() && !within_limits; ++i) {
    if (model.body(i).kind != JointKind::revolute) continue;
    const Limits& limits = model.limits(model.body(i).v.first);
    const double range = limits.upper - limits.lower;
    double& angle = q[model.body(i).q.first];
    if (range > 0 && range < 2e4)  // beyond that a limit says "none"
      angle = std::numbers::pi * (2 * (angle - limits.lower) / range - 1);
  }
}

/// Climbs along single velocities with steps that shrink.
template <class Function>
double climb(const Model<double>& model, Function& f, Array<double> q, bool within_limits) {
  double best = f(q);
  Array<double> step(model.n_v()), next(q.size());
  Array<Limits> range;
  for (int k = 0; k < model.n_v(); ++k) range.push_back(model.limits(k));
  for (int i = 1; i < model.n_bodies(); ++i) {
    Limits& r = range[model.body(i).v.first];
    if (model.body(i).kind == JointKind::prismatic) {
      if (!(r.lower > -infinity)) r.lower = -1;
      if (!(r.upper < infinity)) r.upper = 1;
    } else if (!within_limits && model.body(i).kind == JointKind::revolute) {
      r.lower = -infinity, r.upper = infinity;
    }
  }
  for (double h = 0.3; h > 1e-5; h /= 2)
    for (bool moved = true; moved;) {
      moved = false;
      for (int k = 0; k < step.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          std::fill(step.begin(), step.end(), 0.0);
          step[k] = sign * h;
          integrate(model, q, step, next);
          if (model.n_q() == model.n_v() && (next[k] < range[k].lower || next[k] > range[k].upper))
            continue;
          const double value = f(next);
          if (!(value > best)) continue;
          best = value, q = next, moved = true;
        }
    }
  return best;
}

/// f(q) -> double.
template <class Function>
double largest_over_configurations(const Model<double>& model, int samples, bool within_limits,
                                   Function f) {
  struct Draw {
    double value;
    Array<double> q;
  };
  Array<Draw> draws;
  Array<double> q(model.n_q());
  for (int k = 0; k < samples; ++k) {
    draw_configuration(model, static_cast<std::uint64_t>(k + 1), within_limits, q);
    draws.push_back({f(q), q});
  }
  std::sort(draws.begin(), draws.end(),
            [](const Draw& a, const Draw& b) { return a.value > b.value; });
  double value = -infinity;
  for (int k = 0; k < std::min(4, draws.size()); ++k)
    value = std::max(value, climb(model, f, draws[k].q, within_limits));
  return value;
}

}  // namespace torsor::control_detail
