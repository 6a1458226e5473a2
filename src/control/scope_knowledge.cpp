/// What the law believes of the robot beside what the robot is.
#include <algorithm>

#include "scope_rows.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor::control_detail {

Worst Difference::worst() const {
  constexpr double own = 1e-9, of_all = 1e-13;  // of the joint's torque, of the largest one
  double all = 0;
  for (const double x : size_) all = std::fmax(all, x);
  Worst most;
  for (int k = 0; k < off_.size(); ++k)
    if (!(off_[k].value <= own * size_[k] + of_all * all)) most.see(off_[k].value, k, off_[k].t);
  return most;
}

/// Torques that the two robots need for the same motions: those of the run, and faster ones, so
/// that masses at rest count.
void Scope::knowledge() {
  const Model<double>&plant = *run_.plant, &believed = law_.model();
  if (theorem_.knowledge == H::Knowledge::nothing || theorem_.knowledge == H::Knowledge::stated)
    return;
  const int n = plant.n_v();
  Array<double> tau(n), other(n), qd(n), qdd(n);
  Difference torques(n);
  const auto compare = [&](double t) {
    for (int k = 0; k < n; ++k) torques.see(k, tau[k], other[k], t);
  };
  if (theorem_.knowledge == H::Knowledge::gravity) {
    RneaWorkspace<double> of_plant(plant), of_law(believed);
    for (const RunInstant& i : range_.instants) {
      gravity_torque(plant, of_plant, In<double>(i.q), Out<double>(tau));
      gravity_torque(believed, of_law, In<double>(i.q), Out<double>(other));
      compare(i.t);
    }
    const Worst off = torques.worst();
    add_none("the weight is known", "largest |G - G that the law believes|, N m", off.value,
             seen_ + (off.value > 0 ? ", " + at(off) : ""));
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
  const Worst off = torques.worst();
  add_none("exact model", "largest |torque of the robot - torque that the law believes|, N m",
           off.value, seen_ + ", without friction" + (off.value > 0 ? ", " + at(off) : ""));
}

void Scope::springs() {
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
    add_none("no springs", "largest torque of springs and of constant disturbances, N m",
             most.value, seen_ + ", " + at(most));
}

/// The largest torque of bodies and rotors that each joint transmits, where friction asks for it.
Array<double> Scope::largest_load() const {
  const Model<double>& plant = *run_.plant;
  Array<double> most(plant.n_v(), 0.0), tau(plant.n_v());
  if (!internal::has_load_friction(plant) && !internal::has_load_friction(law_.model()))
    return most;
  RneaWorkspace<double> ws(plant);
  for (const RunInstant& i : range_.instants) {
    rigid_inverse_dynamics(plant, ws, i.q, i.qd, i.qdd, {}, tau);
    for (int k = 0; k < most.size(); ++k) most[k] = std::fmax(most[k], std::abs(tau[k]));
  }
  return most;
}

void Scope::friction() {
  if (theorem_.friction == H::Friction::any) return;
  const Model<double>&plant = *run_.plant, &believed = law_.model();
  Worst any, dry, drives;
  const int n = plant.n_v();
  Difference torques(n);
  Array<double> qd(n), real(n), said(n);
  const Array<double> load = largest_load();
  const auto of_load = [&](const DofConstants<double>& dof, int k, double v) {
    return load_friction(dof, slip_direction(dof, v), load[k]);
  };
  for (int k = 0; k < n; ++k) {
    const double speed = std::fmax(1, range_.speed[k]);
    for (const double v : {-speed, -0.3 * speed, -1e-3, 1e-3, 0.3 * speed, speed}) {
      qd[k] = v;
      std::fill(real.begin(), real.end(), 0.0);
      if (run_.friction) friction_torque(plant, {}, qd, real);
      friction_torque(believed, {}, qd, said);
      if (run_.friction) real[k] += of_load(plant.dof(k), k, v);
      said[k] += of_load(believed.dof(k), k, v);
      for (int j = 0; j < n; ++j) {  // motors of several joints: others, too
        any.see(std::abs(real[j]), j, 0);
        torques.see(j, real[j], said[j], 0);
      }
      drives.see(-real[k] * (v < 0 ? -1 : 1), k, 0);
    }
    qd[k] = 0;
    if (run_.friction) dry.see(static_friction_limit(plant.dof(k), load[k]), k, 0);
  }
  for (const CoupledMotor<double>& motor : plant.motors())
    if (run_.friction)
      for (const auto& term : motor.terms)
        dry.see(std::abs(term.ratio) * static_friction_limit(motor.constants), term.v, 0);
  const Worst off = torques.worst();
  const auto joint = [&](const Worst& w) {
    return w.value > 0 ? plant.dof_name(w.dof) : std::string();
  };
  if (theorem_.friction == H::Friction::absent && any.value > 0)
    add_none("no friction", "largest friction, N m", any.value, joint(any));
  if (theorem_.friction == H::Friction::compensated && (any.value > 0 || off.value > 0))
    add_none("friction is known", "largest |friction - friction that the law believes|, N m",
             off.value, joint(off));
  if (theorem_.friction == H::Friction::dissipative && drives.value > 0)
    add_none("friction dissipates", "largest torque with which friction drives a joint, N m",
             drives.value, joint(drives) + ": its offset is larger than the rest");
  if (theorem_.friction != H::Friction::absent && dry.value > 0)
    add_none("no dry friction", "largest torque that friction holds at rest, N m", dry.value,
             joint(dry) + ": a joint may stick short of its goal");
}

}  // namespace torsor::control_detail
