#pragma once
/// Largest value of a function of the configuration: draws, then climbs from the best ones.
#include <algorithm>

#include "torsor/math/array.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::control_detail {

/// Climbs along single velocities with steps that shrink; keeps within finite limits, and sliding
/// joints without limits within the metre either way that configurations are drawn from.
template <class Function>
double climb(const Model<double>& model, Function& f, Array<double> q) {
  double best = f(q);
  Array<double> step(model.n_v()), next(q.size());
  Array<Limits> range;
  for (int k = 0; k < model.n_v(); ++k) range.push_back(model.limits(k));
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.body(i).kind == JointKind::prismatic) {
      Limits& r = range[model.body(i).v.first];
      if (!(r.lower > -infinity)) r.lower = -1;
      if (!(r.upper < infinity)) r.upper = 1;
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
double largest_over_configurations(const Model<double>& model, int samples, Function f) {
  struct Draw {
    double value;
    Array<double> q;
  };
  Array<Draw> draws;
  Array<double> q(model.n_q());
  for (int k = 0; k < samples; ++k) {
    random_configuration(model, static_cast<std::uint64_t>(k + 1), q);
    draws.push_back({f(q), q});
  }
  std::sort(draws.begin(), draws.end(),
            [](const Draw& a, const Draw& b) { return a.value > b.value; });
  double value = -infinity;
  for (int k = 0; k < std::min(4, draws.size()); ++k)
    value = std::max(value, climb(model, f, draws[k].q));
  return value;
}

}  // namespace torsor::control_detail
