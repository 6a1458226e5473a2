#include "sampled_loop.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "frozen_loop.hpp"
#include "torsor/control/internal/patience.hpp"
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

/// A posture whose loop is looked at.
struct Looked {
  const RunInstant* instant;
  bool off = false;  // no posture of the reference: the loop is that of a reference which is there
};

/// The instant's state as a reference: no error there.
Run standing_at(const Run& run, const RunInstant& instant) {
  Run there = run;
  there.reference = [&instant](double, ReferencePoint& point) {
    point.q = instant.q, point.qd = instant.qd, point.qdd = instant.qdd;
  };
  return there;
}
/// The reference says where every joint belongs, so that it may be moved to a posture.
bool follows_joints(const ControlLaw& law, const Run& run) {
  if (!run.reference || law.n_task_errors() > 0) return false;
  ReferencePoint point;
  run.reference(run.start, point);
  return point.q.size() == run.plant->n_q() && point.x.empty() && !point.has_pose;
}
bool starts_off(const Run& run) {
  ReferencePoint point;
  run.reference(run.start, point);
  Array<double> e(run.plant->n_v());
  difference(*run.plant, In<double>(run.q0), In<double>(point.q), Out<double>(e));
  return std::any_of(e.begin(), e.end(), [](double x) { return std::abs(x) > 1e-6; });
}

/// Postures without error: those of the reference, or the start where there are none; `most` of
/// them. A robot that starts at a wall and is drawn behind it stays where it starts.
Array<const RunInstant*> along_reference(const Run& run, const RunRange& range, bool keeps_contact,
                                         int most) {
  const RunInstant* const start = &range.instants[0];
  const bool starts_at_wall = rigid_distance(run, start->q) <= at_surface;
  Array<const RunInstant*> all, some;
  for (int k = 1; k < range.instants.size(); ++k) {
    const RunInstant& instant = range.instants[k];
    if (!instant.reached) continue;
    const bool behind = starts_at_wall && rigid_distance(run, instant.q) < -at_surface;
    if (!behind || keeps_contact) all.push_back(&instant);
  }
  if (all.empty()) all.push_back(start);
  const int count = range.constant() ? 1 : std::min(most, all.size());
  for (int k = 0; k < count; ++k)
    some.push_back(all[count == 1 ? 0 : k * (all.size() - 1) / (count - 1)]);
  return some;
}

/// The same and the start, where it is elsewhere; after a run the states that it passed.
Array<Looked> looked_at(const ControlLaw& law, const Run& run, const RunRange& range,
                        bool keeps_contact, int most) {
  Array<Looked> all;
  if (range.passed) {
    const int count = follows_joints(law, run) ? std::min(most, range.instants.size()) : 0;
    for (int k = 0; k < count; ++k)
      all.push_back(
          {&range.instants[k * (range.instants.size() - 1) / std::max(1, count - 1)], true});
    return all;
  }
  for (const RunInstant* posture : along_reference(run, range, keeps_contact, most))
    all.push_back({posture});
  if (follows_joints(law, run) && starts_off(run)) all.push_back({&range.instants[0], true});
  return all;
}

std::string at(double t) { return "at t = " + short_number(t) + " s"; }

std::string looked(int count) {
  return "sampled, " + internal::count_of(count, "frozen posture") + ", ";
}

Condition of_loop(ControlLaw& law, const Run& run, const RunRange& range, const Hypotheses& theorem,
                  const std::string& beat) {
  const bool keeps_contact = theorem.surface == Hypotheses::Surface::rigid;
  double worst = 0, worst_at = run.start, drift = 0, drift_at = run.start;
  bool worst_off = false;
  const Array<Looked> postures = looked_at(law, run, range, keeps_contact, 9);
  for (const auto& [posture, off] : postures) {
    ask_whether_wanted();
    const RunInstant& instant = *posture;
    const Run there = off ? standing_at(run, instant) : Run();
    const FrozenLoop loop(law, off ? there : run, theorem, instant, keeps_contact);
    const double radius = loop.spectral_radius();
    // Growth that the continuous loop has as well is no matter of the period; away from the
    // reference it is no matter of the theorem either.
    if (radius >= 1 && std::log(radius) <= 2 * run.period * loop.growth()) {
      if (radius > drift && !off) drift = radius, drift_at = instant.t;
      continue;
    }
    if (off && std::isnan(radius)) continue;
    if (radius > worst || std::isnan(radius)) worst = radius, worst_at = instant.t, worst_off = off;
    if (!std::isfinite(radius)) break;
  }
  const char* const name = "the sampled loop is stable";
  const char* const quantity = "largest |eigenvalue| from sample to sample";
  if (worst == infinity)
    return hypothesis(name, quantity, NAN, Relation::less, 1,
                      "the delay is too long to be looked at: " + beat);
  if (std::isnan(worst))
    return hypothesis(name, quantity, NAN, Relation::less, 1,
                      "the loop has no linear form " + at(worst_at));
  const std::string how = std::string("; linearised, not proven; ") + beat +
                          (theorem.held_states > 0 ? "; estimates held" : "");
  if (worst < 1 && drift > 0)
    return hypothesis(
        name, quantity, drift, Relation::less, 1,
        looked(postures.size()) + "errors near zero grow " + at(drift_at) + " at any period" + how);
  return condition(name, quantity, worst, Relation::less, 1,
                   looked(postures.size()) + "worst " + at(worst_at) +
                       (range.passed ? " of the run"
                        : worst_off  ? ", the start"
                                     : "") +
                       how);
}

/// Error and estimates together, with the regressor of the reference. Growth below `slow`, or that
/// the continuous loop of a frozen posture has as well, is no matter of the period.
Condition of_estimates(ControlLaw& law, const Run& run, const RunRange& range, Hypotheses theorem,
                       const std::string& beat) {
  constexpr double slow = 0.1;  // 1/s
  const char* const name = "the sampled estimates are stable";
  const char* const quantity = "largest |eigenvalue| of errors and estimates, sample to sample";
  theorem.held_states = 0;
  const bool keeps_contact = theorem.surface == Hypotheses::Surface::rigid;
  const Array<const RunInstant*> postures = along_reference(run, range, keeps_contact, 3);
  double worst = 0, worst_at = run.start;
  for (const RunInstant* posture : postures) {
    ask_whether_wanted();
    const FrozenLoop loop(law, run, theorem, *posture, keeps_contact);
    double radius = loop.spectral_radius();
    if (radius == infinity)
      return hypothesis(name, quantity, NAN, Relation::less, 1, "too many states to be looked at");
    if (radius >= 1 && std::log(radius) <= run.period * (slow + 2 * std::fmax(0, loop.growth())))
      radius = std::nextafter(1.0, 0.0);
    if (radius > worst || std::isnan(radius)) worst = radius, worst_at = posture->t;
    if (std::isnan(radius)) break;
  }
  if (std::isnan(worst))
    return hypothesis(name, quantity, NAN, Relation::less, 1,
                      "the loop has no linear form " + at(worst_at));
  return condition(name, quantity, worst, Relation::less, 1,
                   looked(postures.size()) + "worst " + at(worst_at) +
                       "; linearised at zero error, not proven; " + beat);
}

}  // namespace

std::vector<Condition> sampled_control(ControlLaw& law, const Run& run, const RunRange& range) {
  const std::string beat = "every " + short_number(run.period) + " s" +
                           (run.delay > 0 ? ", " + short_number(run.delay) + " s later" : "");
  if (law.switches())
    return {hypothesis("continuous control", "period, s", run.period, Relation::equal, 0,
                       "ideal switching chatters at any period; a layer would make it a slope")};
  const Hypotheses theorem = law.hypotheses();
  std::vector<Condition> rows{of_loop(law, run, range, theorem, beat)};
  if (theorem.held_states > 0 && !range.passed)
    rows.push_back(of_estimates(law, run, range, theorem, beat));
  return rows;
}

}  // namespace torsor::control_detail
