#pragma once
/// Largest value of a function of the configuration: draws, then climbs from the best ones.
///
/// A limit of a file keeps no joint: unless a run has stops, angles are searched through a whole
/// turn. Sliding joints stay within their limits, or within a metre either way.
#include <algorithm>
#include <numbers>

#include "torsor/control/internal/patience.hpp"
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

/// Climbs along single velocities with steps that shrink, and on along what a round of them gained:
/// a ridge that is no axis would else be climbed in ever smaller zigzags (Hooke & Jeeves 1961).
/// One of `climbs` that share what is spent on a robot of more than seven velocities.
template <class Function>
double climb(const Model<double>& model, Function& f, Array<double> q, bool within_limits,
             int climbs = 1) {
  double best = f(q);
  constexpr int most_rounds = 30;  // of one size of step
  // What is evaluated takes time like n^2 and more: large robots are climbed less far.
  const double larger = std::max(1.0, model.n_v() * model.n_v() / 49.0);
  int left = static_cast<int>(20000 / larger / std::max(1.0, climbs / 100.0));
  if (left < 2 * model.n_v()) return best;  // not one round
  Array<double> step(model.n_v()), next(q.size()), before;
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
  const auto inside = [&](int k) {
    return model.n_q() != model.n_v() || (next[k] >= range[k].lower && next[k] <= range[k].upper);
  };
  const auto all_inside = [&] {
    for (int k = 0; k < step.size(); ++k)
      if (!inside(k)) return false;
    return true;
  };
  for (double h = 0.3; h > 1e-5; h /= 2) {
    bool moved = true;
    for (int round = 0; round < most_rounds && moved && left > 0; ++round) {
      moved = false;
      left -= 2 * step.size();
      before = q;
      for (int k = 0; k < step.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          std::fill(step.begin(), step.end(), 0.0);
          step[k] = sign * h;
          integrate(model, q, step, next);
          if (!inside(k)) continue;
          const double value = f(next);
          if (!(value > best)) continue;
          best = value, q = next, moved = true;
        }
      if (!moved) break;
      difference(model, In<double>(before), In<double>(q), Out<double>(step));
      for (bool on = true; on;) {
        integrate(model, q, step, next);
        const double value = all_inside() ? f(next) : -infinity;
        on = value > best;
        if (!on) break;
        best = value, q = next;
        for (double& x : step) x *= 2;
      }
    }
  }
  return best;
}

/// f(q) -> double. Asks whether it is still wanted (patience.hpp).
template <class Function>
double largest_over_configurations(const Model<double>& model, int samples, bool within_limits,
                                   Function f) {
  struct Draw {
    double value;
    Array<double> q;
  };
  const auto value_at = [&](const Array<double>& q) {
    ask_whether_wanted();
    return f(q);
  };
  Array<Draw> draws;
  Array<double> q(model.n_q());
  for (int k = 0; k < samples; ++k) {
    draw_configuration(model, static_cast<std::uint64_t>(k + 1), within_limits, q);
    draws.push_back({value_at(q), q});
  }
  std::sort(draws.begin(), draws.end(),
            [](const Draw& a, const Draw& b) { return a.value > b.value; });
  double value = -infinity;
  for (int k = 0; k < std::min(4, draws.size()); ++k)
    value = std::max(value, climb(model, value_at, draws[k].q, within_limits));
  return value;
}

}  // namespace torsor::control_detail
