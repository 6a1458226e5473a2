#include "torsor/control/scope.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

/// Instants of the reference that are looked at.
constexpr int dense = 512;

void enlarge(Array<double>& bounds, In<double> values) {
  for (int k = 0; k < std::min(bounds.size(), values.size); ++k)
    bounds[k] = std::fmax(bounds[k], std::abs(values[k]));
}

}  // namespace

RunRange run_range(ControlLaw& law, const Run& run, int postures) {
  const Model<double>& model = law.model();
  const int n = model.n_v();
  RunRange range;
  range.speed.assign(n, 0);
  range.acceleration.assign(n, 0);
  const Array<double> zero(n);
  range.instants.push_back({run.start, run.q0, run.v0, zero});
  enlarge(range.speed, run.v0);
  if (!run.reference) return range;

  ReferencePoint point, before;
  const double dt = run.duration / (dense - 1);
  Array<double> step(n);
  const auto faster = [&](double speed, double t) {
    if (!(speed > range.reference_speed)) return;
    range.reference_speed = speed;
    range.fastest_at = t;
  };
  for (int k = 0; k < dense; ++k) {
    const double t = run.start + dt * k;
    run.reference(t, point);
    ++range.samples;
    for (const double x : point.qd) faster(std::abs(x), t);
    for (const double x : point.xd) faster(std::abs(x), t);
    enlarge(range.speed, point.qd);
    enlarge(range.acceleration, point.qdd);
    if (k > 0 && point.q.size() == model.n_q()) {  // what the positions show, rounding left out
      difference(model, before.q, point.q, step);
      for (const double x : step)
        if (std::abs(x) > 1e-12) faster(std::abs(x) / dt, t);
    }
    for (int i = 0; k > 0 && i < point.x.size(); ++i)
      if (const double x = std::abs(point.x[i] - before.x[i]); x > 1e-12) faster(x / dt, t);
    const bool kept = k * (postures - 1) % (dense - 1) < postures - 1;
    if (kept && point.q.size() == model.n_q())
      range.instants.push_back(
          {t, point.q, point.qd.empty() ? zero : point.qd, point.qdd.empty() ? zero : point.qdd});
    before = point;
  }
  return range;
}

std::vector<Condition> certificate(ControlLaw& law, const Run& run) { return law.conditions(run); }

}  // namespace torsor
