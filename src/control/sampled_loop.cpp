#include "sampled_loop.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "frozen_loop.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/text.hpp"

namespace torsor::control_detail {

namespace {

/// How far a configuration is from touching a rigid surface; negative: it is inside.
double rigid_distance(const Run& run, In<double> q) {
  double least = infinity;
  if (run.surfaces.empty()) return least;
  KinematicsWorkspace<double> ws(*run.plant);
  forward_kinematics(*run.plant, ws, q);
  for (const RunSurface& s : run.surfaces)
    if (s.stiffness == infinity)
      least = std::min(least, s.distance(frame_pose(ws, run.plant->frame(s.frame)) * s.point));
  return least;
}

}  // namespace

Condition sampled_control(ControlLaw& law, const Run& run, const RunRange& range) {
  const std::string beat = "every " + short_number(run.period) + " s" +
                           (run.delay > 0 ? ", " + short_number(run.delay) + " s later" : "");
  if (law.switches())
    return hypothesis("continuous control", "period, s", run.period, Relation::equal, 0,
                      "ideal switching chatters at any period; a layer would make it a slope");
  const Hypotheses theorem = law.hypotheses();
  const bool keeps_contact = theorem.surface == Hypotheses::Surface::rigid;
  // Postures without error: those of the reference, or the start where there are none. A robot that
  // starts at a wall and is drawn behind it stays where it starts.
  const RunInstant* const start = &range.instants[0];
  const bool starts_at_wall = rigid_distance(run, start->q) <= at_surface;
  Array<const RunInstant*> postures;
  for (int k = 1; k < range.instants.size(); ++k) {
    const RunInstant& instant = range.instants[k];
    if (!instant.reached) continue;
    const bool behind = starts_at_wall && rigid_distance(run, instant.q) < -at_surface;
    if (!behind || keeps_contact) postures.push_back(&instant);
  }
  if (postures.empty()) postures.push_back(start);
  const int most = range.constant() ? 1 : 9, count = std::min(most, postures.size());
  double worst = 0, worst_at = run.start, drift = 0, drift_at = run.start;
  for (int k = 0; k < count; ++k) {
    const RunInstant& instant = *postures[count == 1 ? 0 : k * (postures.size() - 1) / (count - 1)];
    const FrozenLoop loop(law, run, theorem, instant, keeps_contact);
    const double radius = loop.spectral_radius();
    // Growth that the continuous loop has as well is no matter of the period.
    if (radius >= 1 && std::log(radius) <= 2 * run.period * loop.growth()) {
      if (radius > drift) drift = radius, drift_at = instant.t;
      continue;
    }
    if (radius > worst || std::isnan(radius)) worst = radius, worst_at = instant.t;
    if (!std::isfinite(radius)) break;
  }
  const char* const name = "the sampled loop is stable";
  const char* const quantity = "largest |eigenvalue| from sample to sample";
  const auto at = [](double t) { return "at t = " + short_number(t) + " s"; };
  if (worst == infinity)
    return hypothesis(name, quantity, NAN, Relation::less, 1,
                      "the delay is too long to be looked at: " + beat);
  if (std::isnan(worst))
    return hypothesis(name, quantity, NAN, Relation::less, 1,
                      "the loop has no linear form " + at(worst_at));
  const std::string looked = "sampled, " + std::to_string(count) +
                             (count == 1 ? " frozen posture, " : " frozen postures, ");
  const std::string how = std::string("; linearised, not proven; ") + beat +
                          (theorem.held_states > 0 ? "; estimates held" : "");
  if (worst < 1 && drift > 0)
    return hypothesis(name, quantity, drift, Relation::less, 1,
                      looked + "errors near zero grow " + at(drift_at) + " at any period" + how);
  return condition(name, quantity, worst, Relation::less, 1,
                   looked + "worst " + at(worst_at) + how);
}

}  // namespace torsor::control_detail
