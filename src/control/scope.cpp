#include "torsor/control/scope.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sampled_loop.hpp"
#include "scope_rows.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace control_detail {

namespace {

/// Largest entry of K on its three rows of a rotation that k I does not have.
double unlikeness(const Gain& K, int first) {
  const double k = (K(first, first) + K(first + 1, first + 1) + K(first + 2, first + 2)) / 3;
  double most = 0;
  for (int r = first; r < first + 3; ++r)
    for (int c = 0; c < K.size(); ++c) {
      most = std::fmax(most, std::abs(K(r, c) - (r == c ? k : 0)));
      most = std::fmax(most, std::abs(K(c, r) - (r == c ? k : 0)));
    }
  return most;
}

}  // namespace

Scope::Scope(ControlLaw& law, const Run& run, const RunRange& range, std::string seen)
    : law_(law),
      run_(run),
      theorem_(law.hypotheses()),
      range_(range),
      seen_(seen.empty() ? "sampled, " + internal::count_of(range.instants.size(), "posture")
                         : std::move(seen)) {}

std::vector<Condition> Scope::rows() {
  reference();
  knowledge();
  springs();
  friction();
  limits();
  stops();
  outside();
  surfaces();
  loops();
  rotations();
  return std::move(rows_);
}

std::vector<Condition> Scope::rows_of_states() {
  knowledge();
  springs();
  friction();
  return std::move(rows_);
}

void Scope::add_none(std::string name, std::string quantity, double value, std::string note) {
  add(std::move(name), std::move(quantity), value, Relation::equal, 0, std::move(note));
  if (value > 0) rows_.back().verdict = Verdict::not_covered;
}

std::string Scope::at(const Worst& w) const {
  return (w.dof < 0 ? "" : run_.plant->dof_name(w.dof) + " ") + "at t = " + short_number(w.t) +
         " s";
}

void Scope::reference() {
  if (theorem_.reference == H::Reference::none) return;
  const std::string seen = "sampled, " + std::to_string(range_.samples) + " instants";
  if (theorem_.reference == H::Reference::constant) {
    add("constant q_d", "largest speed of the reference", range_.reference_speed, Relation::equal,
        0, seen + (range_.constant() ? "" : ", at t = " + short_number(range_.fastest_at) + " s"));
  } else if (range_.samples > 0) {
    add("smooth reference", "largest step of it beside its own rates, over what they explain",
        range_.jump, Relation::at_most, 1,
        seen + (range_.jump > 1
                    ? ", " + range_.jump_of + " at t = " + short_number(range_.jump_at) + " s"
                    : ""));
  }
  if (law_.n_task_errors() == 0) return;
  int missed = 0;
  double first = 0;
  for (const RunInstant& i : range_.instants)
    if (!i.reached && missed++ == 0) first = i.t;
  add("targets within reach", "instants without a posture", missed, Relation::equal, 0,
      seen_ + (missed > 0 ? ", first at t = " + short_number(first) + " s" : ""));
}

void Scope::limits() {
  const int n = run_.plant->n_v();
  if (std::any_of(run_.torque_limit.begin(), run_.torque_limit.end(),
                  [](double x) { return x < infinity; })) {
    Worst needed, first;
    bool still = false;
    Effects effects = Effects::tree();
    effects.friction = run_.friction;
    DynamicsWorkspace<double> ws(*run_.plant, effects);
    Array<double> tau(n);
    const auto see = [&](Worst& w, double t) {
      for (int k = 0; k < n; ++k)
        if (run_.torque_limit[k] < infinity) w.see(std::abs(tau[k]) / run_.torque_limit[k], k, t);
    };
    for (int k = range_.instants.size() > 1 ? 1 : 0; k < range_.instants.size(); ++k) {
      const RunInstant& i = range_.instants[k];
      const bool follows = !i.task_qd.empty();
      still = still || (law_.n_task_errors() > 0 && !follows);
      tree_inverse_dynamics<double, double>(*run_.plant, ws, i.q, follows ? i.task_qd : i.qd,
                                            follows ? i.task_qdd : i.qdd, {}, tau, effects);
      see(needed, i.t);
    }
    if (!has_loops(*run_.plant))  // where joints share a load, none has to carry it alone
      add("torques of the reference within their limits", "largest share of a limit", needed.value,
          Relation::less, 1, seen_ + (still ? ", some at rest" : "") + ", " + at(needed));
    if (torque_at_start(tau)) {
      see(first, run_.start);
      add("torques of the start within their limits", "largest share of a limit", first.value,
          Relation::at_most, 1, first.dof < 0 ? "" : run_.plant->dof_name(first.dof));
    }
  }
  double rate = infinity;
  for (const double x : run_.rate_limit) rate = std::min(rate, x);
  if (rate < infinity)
    add("torques may jump", "smallest rate limit, N m / s", rate, Relation::equal, infinity);
}
bool Scope::torque_at_start(Out<double> tau) {
  ReferencePoint point;
  if (run_.reference) run_.reference(run_.start, point);
  const RunInstant& start = range_.instants[0];
  const Array<double> zero(tau.size);
  ControlInput input{run_.start, {.q = start.q, .qd = start.qd}, start.x_c, point.view()};
  if (run_.measures_acceleration) input.state.qdd = zero;
  law_.torque(input, tau);
  return std::all_of(tau.begin(), tau.end(), [](double x) { return std::isfinite(x); });
}

void Scope::stops() {
  if (!run_.stops) return;
  const Model<double>& m = *run_.plant;
  double least = infinity;
  Worst where;
  for (const RunInstant& instant : range_.instants)
    for (int i = 1; i < m.n_bodies(); ++i)
      for (int k = 0; k < m.body(i).v.count; ++k) {
        const int dof = m.body(i).v.first + k, at = internal::coordinate_of_dof(m.joint(i), k);
        if (at < 0) continue;
        const double x = instant.q[m.body(i).q.first + at];
        const double left = std::min(m.limits(dof).upper - x, x - m.limits(dof).lower);
        if (left < least) least = left, where = {left, dof, instant.t};
      }
  if (least < infinity)
    add("no stop is touched", "smallest distance from a stop, rad or m", least, Relation::greater,
        0, seen_ + ", " + at(where));
}

void Scope::outside() {
  if (!run_.exact_measurement)
    add("exact measurement", "sensors with steps, noise or differences (1: yes)", 1,
        Relation::equal, 0);
  if (run_.disturbance && !theorem_.disturbance)
    add("nothing disturbs", "torques or wrenches that the law does not know of (1: yes)", 1,
        Relation::equal, 0);
}

void Scope::surfaces() {
  const int count = run_.surfaces.size();
  if (theorem_.surface == H::Surface::none && count > 0) {
    KinematicsWorkspace<double> ws(*run_.plant);
    double least = infinity;
    std::string name;
    for (const RunInstant& i : range_.instants) {
      forward_kinematics(*run_.plant, ws, In<double>(i.q));
      for (const RunSurface& s : run_.surfaces) {
        const double d = s.distance(frame_pose(ws, run_.plant->frame(s.frame)) * s.point);
        if (d < least) least = d, name = s.name;
      }
    }
    add("nothing is touched", "smallest distance from a surface, m", least, Relation::greater, 0,
        seen_ + ", " + name);
  }
  if (theorem_.surface != H::Surface::rigid) return;
  add("a surface to press on", "surfaces", count, Relation::at_least, 1);
  if (count == 0) return;
  double stiffness = infinity, rough = 0;
  for (const RunSurface& s : run_.surfaces) {
    stiffness = std::min(stiffness, s.stiffness);
    rough = std::max(rough, s.friction);
  }
  add("the surface is rigid", "smallest stiffness of a surface, N / m", stiffness, Relation::equal,
      infinity);
  add("the surface is smooth", "largest friction coefficient of a surface", rough, Relation::equal,
      0);
}

void Scope::loops() {
  if (!has_loops(*run_.plant)) return;
  if (const int lost = lost_rank(*run_.plant, ConstraintSet(*run_.plant), range_.instants[0].q);
      lost > 0)
    add("the loops are regular at the start", "rank that they lack beside postures next to it",
        lost, Relation::equal, 0, "a singular closure: this motion is one of infinitely many");
  if (theorem_.loops) return;
  add("no loops", "loops and couplings of the robot",
      static_cast<double>(run_.plant->description().loops.size() +
                          run_.plant->description().couplings.size()),
      Relation::equal, 0, "the proof is of a tree of links");
}

void Scope::rotations() {
  const Model<double>& m = *run_.plant;
  int turning = 0;       // velocities that are no coordinate's rate
  int beyond = 0;        // of them, not of spherical joints
  Array<int> spherical;  // first velocities
  for (int i = 1; i < m.n_bodies(); ++i) {
    const bool ball = m.body(i).kind == JointKind::spherical;
    if (ball) spherical.push_back(m.body(i).v.first);
    for (int k = 0; k < m.body(i).v.count; ++k)
      if (internal::coordinate_of_dof(m.joint(i), k) < 0) ++turning, beyond += ball ? 0 : 1;
  }
  if (theorem_.coordinate_rates && turning > 0)
    add("velocities are rates of coordinates", "velocities that are not", turning, Relation::equal,
        0, "spherical, planar or free joints");
  if (theorem_.rotation_gains.empty()) return;
  bool of_joints = false;
  for (const RotationGain& g : theorem_.rotation_gains) {
    of_joints = of_joints || g.first < 0;
    double most = 0;
    bool turns = g.first >= 0;
    if (turns) most = unlikeness(g.gain, g.first);
    for (int k = 0; g.first < 0 && g.gain.size() > 0 && k < spherical.size(); ++k) {
      turns = true;
      most = std::fmax(most, unlikeness(g.gain, spherical[k]));
    }
    if (turns)
      add(std::string(g.name) + " of rotations is k I", "largest entry that differs", most,
          Relation::equal, 0, "unlike gains of a rotation are no spring: they give energy");
  }
  if (of_joints && beyond > 0)
    add("no planar or free joints", "their velocities", beyond, Relation::equal, 0);
}

}  // namespace control_detail

std::vector<Condition> certificate(ControlLaw& law, const Run& run) {
  Run known = run;
  if (!known.range) known.range = std::make_shared<const RunRange>(run_range(law, run));
  const RunRange range = run_range(law, known);
  std::vector<Condition> all = control_detail::Scope(law, known, range).rows();
  if (run.period > 0 && law.hypotheses().closes_loop)
    for (Condition& c : control_detail::sampled_control(law, known, range))
      all.push_back(std::move(c));
  for (Condition& c : law.conditions(known)) all.push_back(std::move(c));
  return all;
}

}  // namespace torsor
