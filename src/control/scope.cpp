#include "torsor/control/scope.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "sampled_loop.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

namespace {

/// The largest value seen, with where it was.
struct Worst {
  double value = 0;
  int dof = -1;
  double t = 0;
  void see(double x, int k, double time) {
    if (x > value || std::isnan(x)) value = x, dof = k, t = time;
  }
};

class Scope {
 public:
  Scope(ControlLaw& law, const Run& run)
      : law_(law), run_(run), theorem_(law.hypotheses()), range_(run_range(law, run)) {}

  std::vector<Condition> rows() {
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
  const RunRange& range() const { return range_; }

 private:
  using H = Hypotheses;

  void add(std::string name, std::string quantity, double value, Relation relation, double bound,
           std::string note = {}) {
    rows_.push_back(
        hypothesis(std::move(name), std::move(quantity), value, relation, bound, std::move(note)));
  }
  std::string postures() const {
    return "sampled, " + std::to_string(range_.instants.size()) + " postures";
  }
  std::string at(const Worst& w) const {
    return (w.dof < 0 ? "" : run_.plant->dof_name(w.dof) + " ") + "at t = " + short_number(w.t) +
           " s";
  }

  void reference() {
    if (theorem_.reference == H::Reference::none) return;
    const std::string seen = "sampled, " + std::to_string(range_.samples) + " instants";
    if (theorem_.reference == H::Reference::constant) {
      add("constant q_d", "largest speed of the reference", range_.reference_speed, Relation::equal,
          0,
          seen + (range_.constant() ? "" : ", at t = " + short_number(range_.fastest_at) + " s"));
    } else if (range_.samples > 0) {
      add("smooth reference", "largest step of it beside its own rates, over what they explain",
          range_.jump, Relation::at_most, 1,
          seen + (range_.jump > 1 ? ", at t = " + short_number(range_.jump_at) + " s" : ""));
    }
    if (law_.n_task_errors() == 0) return;
    int missed = 0;
    double first = 0;
    for (const RunInstant& i : range_.instants)
      if (!i.reached && missed++ == 0) first = i.t;
    add("targets within reach", "instants without a posture", missed, Relation::equal, 0,
        postures() + (missed > 0 ? ", first at t = " + short_number(first) + " s" : ""));
  }

  /// Torques that the two robots need for the same motions: those of the run, and faster ones, so
  /// that masses at rest count.
  void knowledge() {
    const Model<double>&plant = *run_.plant, &believed = law_.model();
    if (theorem_.knowledge == H::Knowledge::nothing || theorem_.knowledge == H::Knowledge::stated)
      return;
    Worst off;
    const int n = plant.n_v();
    Array<double> tau(n), other(n), qd(n), qdd(n);
    const auto compare = [&](double t) {
      for (int k = 0; k < n; ++k) off.see(std::abs(tau[k] - other[k]), k, t);
    };
    if (theorem_.knowledge == H::Knowledge::gravity) {
      RneaWorkspace<double> of_plant(plant), of_law(believed);
      for (const RunInstant& i : range_.instants) {
        gravity_torque(plant, of_plant, In<double>(i.q), Out<double>(tau));
        gravity_torque(believed, of_law, In<double>(i.q), Out<double>(other));
        compare(i.t);
      }
      add("the weight is known", "largest |G - G that the law believes|, N m", off.value,
          Relation::equal, 0, postures() + (off.value > 0 ? ", " + at(off) : ""));
      return;
    }
    Effects effects = Effects::tree();
    effects.friction = false;
    DynamicsWorkspace<double> of_plant(plant, effects), of_law(believed, effects);
    for (const RunInstant& i : range_.instants) {
      for (int k = 0; k < n; ++k) {
        const double sign = k % 2 == 0 ? 1 : -1;
        qd[k] = i.qd[k] + sign, qdd[k] = i.qdd[k] + sign;
      }
      tree_inverse_dynamics<double, double>(plant, of_plant, i.q, qd, qdd, {}, tau, effects);
      tree_inverse_dynamics<double, double>(believed, of_law, i.q, qd, qdd, {}, other, effects);
      compare(i.t);
    }
    add("exact model", "largest |torque of the robot - torque that the law believes|, N m",
        off.value, Relation::equal, 0,
        postures() + ", without friction" + (off.value > 0 ? ", " + at(off) : ""));
  }

  void springs() {
    if (const int n = static_cast<int>(run_.plant->description().springs.size());
        n > 0 && !theorem_.link_springs)
      add("no springs between links", "spring-dampers of the plant", n, Relation::equal, 0,
          "the law compensates those of joints alone");
    if (theorem_.springs) return;
    Effects with = Effects::tree(), without = with;
    with.friction = without.friction = without.springs = without.disturbance = false;
    const int n = run_.plant->n_v();
    DynamicsWorkspace<double> ws(*run_.plant, with);
    Array<double> tau(n), bare(n);
    const Array<double> zero(n);
    Worst most;
    for (const RunInstant& i : range_.instants) {
      tree_inverse_dynamics<double, double>(*run_.plant, ws, i.q, zero, zero, {}, tau, with);
      tree_inverse_dynamics<double, double>(*run_.plant, ws, i.q, zero, zero, {}, bare, without);
      for (int k = 0; k < n; ++k) most.see(std::abs(tau[k] - bare[k]), k, i.t);
    }
    if (most.value > 0)
      add("no springs", "largest torque of springs and of constant disturbances, N m", most.value,
          Relation::equal, 0, postures() + ", " + at(most));
  }

  void friction() {
    if (theorem_.friction == H::Friction::any) return;
    const Model<double>&plant = *run_.plant, &believed = law_.model();
    Worst any, dry, off, drives;
    const int n = plant.n_v();
    Array<double> qd(n), real(n), said(n);
    for (int k = 0; k < n; ++k) {
      const double speed = std::fmax(1, range_.speed[k]);
      for (const double v : {-speed, -0.3 * speed, -1e-3, 1e-3, 0.3 * speed, speed}) {
        qd[k] = v;
        std::fill(real.begin(), real.end(), 0.0);
        if (run_.friction) friction_torque(plant, {}, qd, real);
        friction_torque(believed, {}, qd, said);
        for (int j = 0; j < n; ++j) {  // motors of several joints: others, too
          any.see(std::abs(real[j]), j, 0);
          off.see(std::abs(real[j] - said[j]), j, 0);
        }
        drives.see(-real[k] * (v < 0 ? -1 : 1), k, 0);
      }
      qd[k] = 0;
      if (run_.friction) dry.see(static_friction_limit(plant.dof(k)), k, 0);
    }
    for (const CoupledMotor<double>& motor : plant.motors())
      if (run_.friction)
        for (const auto& term : motor.terms)
          dry.see(std::abs(term.ratio) * static_friction_limit(motor.constants), term.v, 0);
    const auto joint = [&](const Worst& w) {
      return w.value > 0 ? plant.dof_name(w.dof) : std::string();
    };
    if (theorem_.friction == H::Friction::absent && any.value > 0)
      add("no friction", "largest friction, N m", any.value, Relation::equal, 0, joint(any));
    if (theorem_.friction == H::Friction::compensated && (any.value > 0 || off.value > 0))
      add("friction is known", "largest |friction - friction that the law believes|, N m",
          off.value, Relation::equal, 0, joint(off));
    if (theorem_.friction == H::Friction::dissipative && drives.value > 0)
      add("friction dissipates", "largest torque with which friction drives a joint, N m",
          drives.value, Relation::equal, 0, joint(drives) + ": its offset is larger than the rest");
    if (theorem_.friction != H::Friction::absent && dry.value > 0)
      add("no dry friction", "largest torque that friction holds at rest, N m", dry.value,
          Relation::equal, 0, joint(dry) + ": a joint may stick short of its goal");
  }

  void limits() {
    const int n = run_.plant->n_v();
    if (std::any_of(run_.torque_limit.begin(), run_.torque_limit.end(),
                    [](double x) { return x < infinity; })) {
      Worst needed, first;
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
        tree_inverse_dynamics<double, double>(*run_.plant, ws, i.q, i.qd, i.qdd, {}, tau, effects);
        see(needed, i.t);
      }
      if (!has_loops(*run_.plant))  // where joints share a load, none has to carry it alone
        add("torques of the reference within their limits", "largest share of a limit",
            needed.value, Relation::less, 1,
            postures() + (law_.n_task_errors() > 0 ? ", at rest" : "") + ", " + at(needed));
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
  bool torque_at_start(Out<double> tau) {
    ReferencePoint point;
    if (run_.reference) run_.reference(run_.start, point);
    const RunInstant& start = range_.instants[0];
    const Array<double> zero(tau.size);
    ControlInput input{run_.start, {.q = start.q, .qd = start.qd}, start.x_c, point.view()};
    if (run_.measures_acceleration) input.state.qdd = zero;
    law_.torque(input, tau);
    return std::all_of(tau.begin(), tau.end(), [](double x) { return std::isfinite(x); });
  }

  void stops() {
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
          0, postures() + ", " + at(where));
  }

  void outside() {
    if (!run_.exact_measurement)
      add("exact measurement", "sensors with steps, noise or differences (1: yes)", 1,
          Relation::equal, 0);
    if (run_.disturbance && !theorem_.disturbance)
      add("nothing disturbs", "torques or wrenches that the law does not know of (1: yes)", 1,
          Relation::equal, 0);
  }

  void surfaces() {
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
          postures() + ", " + name);
    }
    if (theorem_.surface != H::Surface::rigid) return;
    add("a surface to press on", "surfaces", count, Relation::at_least, 1);
    if (count == 0) return;
    double stiffness = infinity, rough = 0;
    for (const RunSurface& s : run_.surfaces) {
      stiffness = std::min(stiffness, s.stiffness);
      rough = std::max(rough, s.friction);
    }
    add("the surface is rigid", "smallest stiffness of a surface, N / m", stiffness,
        Relation::equal, infinity);
    add("the surface is smooth", "largest friction coefficient of a surface", rough,
        Relation::equal, 0);
  }

  void loops() {
    if (theorem_.loops || !has_loops(*run_.plant)) return;
    add("no loops", "loops and couplings of the robot",
        static_cast<double>(run_.plant->description().loops.size() +
                            run_.plant->description().couplings.size()),
        Relation::equal, 0, "the proof is of a tree of links");
  }

  /// Largest entry of K on its three rows of a rotation that k I does not have.
  static double unlikeness(const Gain& K, int first) {
    const double k = (K(first, first) + K(first + 1, first + 1) + K(first + 2, first + 2)) / 3;
    double most = 0;
    for (int r = first; r < first + 3; ++r)
      for (int c = 0; c < K.size(); ++c) {
        most = std::fmax(most, std::abs(K(r, c) - (r == c ? k : 0)));
        most = std::fmax(most, std::abs(K(c, r) - (r == c ? k : 0)));
      }
    return most;
  }
  void rotations() {
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
      add("velocities are rates of coordinates", "velocities that are not", turning,
          Relation::equal, 0, "spherical, planar or free joints");
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

  ControlLaw& law_;
  const Run& run_;
  Hypotheses theorem_;
  RunRange range_;
  std::vector<Condition> rows_;
};

}  // namespace

std::vector<Condition> certificate(ControlLaw& law, const Run& run) {
  Scope scope(law, run);
  std::vector<Condition> all = scope.rows();
  if (run.period > 0) all.push_back(control_detail::sampled_control(law, run, scope.range()));
  for (Condition& c : law.conditions(run)) all.push_back(std::move(c));
  return all;
}

}  // namespace torsor
