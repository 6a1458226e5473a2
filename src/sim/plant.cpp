#include "torsor/sim/plant.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "numbers.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

namespace {

void check(const Surface& s) {
  const bool rigid = s.stiffness == infinity;
  if (!(s.stiffness > 0) || !(s.damping >= 0) || !(norm(s.normal) > 0) || !(s.radius >= 0))
    throw Error(
        "surface " + s.name +
        ": stiffness must be positive, damping and radius not negative, the normal not zero");
  if (!(s.restitution >= 0) || s.restitution > 1)
    throw Error("surface " + s.name + ": restitution must be between 0 and 1");
  if (s.restitution > 0 && (!rigid || s.bilateral))
    throw Error("surface " + s.name +
                ": restitution belongs to a rigid surface that may be left; damping to a compliant "
                "one");
  if (!(s.friction >= 0) || !(s.slip > 0) || !std::isfinite(s.friction))
    throw Error("surface " + s.name + ": friction must not be negative, slip must be positive");
  if (s.damping > 0 && rigid)
    throw Error("surface " + s.name + ": one with damping must be compliant, with a stiffness");
  if (s.inside && !(s.radius > 0))
    throw Error("surface " + s.name + ": one that is touched from inside needs a radius");
  if (s.friction > 0 && rigid)
    throw Error("surface " + s.name + ": one with friction must be compliant, with a stiffness");
  if (s.bilateral && !rigid) throw Error("surface " + s.name + ": a bilateral one must be rigid");
}

}  // namespace

PlantDynamics::PlantDynamics(const Plant& plant)
    : plant_(plant),
      aba_(*plant.model),
      motion_(*plant.model),
      springs_(internal::spring_ends(plant.model->description(), plant.model->frames())),
      stuck_(plant.model->n_bodies()),
      left_(plant.model->n_v()),
      extra_(left_.size()),
      contact_force_(static_cast<int>(plant.surfaces.size())) {
  const Model<double>& m = model();
  loaded_ = internal::has_load_friction(m);
  rubs_ = plant_.friction && internal::has_joint_torques(m);
  for (int k = 0; k < m.n_v(); ++k)
    joints_add_ = joints_add_ || m.dof(k).stiffness != 0 || m.dof(k).disturbance != 0;
  if (const ConstraintSet set(m); set.n_rows() > 0) {
    loops_ = std::make_unique<ConstrainedWorkspace>(m, set);
    loop_force_.resize(set.n_rows());
  }
  for (int i = 1; plant_.friction && i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int dof = m.body(i).v.first + k;
      if (!is_dry(m.dof(dof))) continue;
      if (m.body(i).v.count > 1)
        throw Error("joint " + m.joint_name(i) +
                    ": dry friction of a joint with several degrees of freedom needs a width");
      dry_.push_back({dof, i, 1, 0, 0, static_friction_middle(m.dof(dof))});
    }
  for (int j = 0; plant_.friction && j < m.motors().size(); ++j)
    if (static_friction_limit(m.motors()[j].constants) > 0)
      throw Error("motor " + View<const Motor>(m.description().motors)[j].name +
                  ": dry friction of a motor of several joints needs a width");
  for (const Surface& surface : plant_.surfaces) {
    check(surface);
    SurfacePoint point;
    point.surface = surface;
    point.frame = m.frame(surface.frame);
    point.surface.normal = normalised(surface.normal);
    point.arm = point.frame.placement * surface.point;
    surfaces_.push_back(std::move(point));
  }
  const int most = surfaces_.size();
  rigid_.reserve(most);
  column_.resize(most * left_.size());
  omega_.resize(most * most);
  factors_ = Lu(static_cast<int>(most));
  lambda_.resize(most);
  has_wrenches_ = plant_.wrench || !surfaces_.empty() || !springs_.empty();
  if (has_wrenches_) F_ext_.resize(m.n_bodies());
  F_contact_ = F_ext_;
  bare_ = !rubs_ && !joints_add_ && !loops_ && surfaces_.empty() && !plant_.disturbance &&
          !(plant_.stops.stiffness > 0);
}

bool PlantDynamics::sticks(int dof) const {
  for (const DryJoint& joint : dry_)
    if (joint.dof == dof) return joint.direction == 0;
  return false;
}

void PlantDynamics::add_friction(View<const double> qd) {
  friction_power_ = 0;
  if (!rubs_) return;
  int next = 0;
  for (int k = 0; k < qd.size; ++k) {
    const bool dry = next < dry_.size() && dry_[next].dof == k;
    const double direction = dry ? dry_[next++].direction : 0;
    if (dry && direction == 0) continue;  // sticks
    // Within a step a joint slips in its direction, whatever the sign of its velocity is.
    const double f = dry ? friction_torque(model().dof(k), qd[k], direction)
                         : friction_torque(model().dof(k), qd[k]);
    left_[k] -= f;
    friction_power_ += f * qd[k];
  }
  for (const CoupledMotor<double>& motor : model().motors()) {
    const double speed = motor.along(qd), f = friction_torque(motor.constants, speed);
    motor.add(-f, View<double>(left_));
    friction_power_ += f * speed;
  }
  if (loaded_) subtract_load(qd);
}

/// What of the torques left is transmitted.
void PlantDynamics::subtract_load(View<const double> qd) {
  int next = 0;
  for (int k = 0; k < qd.size; ++k) {
    const DofConstants<double>& dof = model().dof(k);
    const bool dry = next < dry_.size() && dry_[next].dof == k;
    const double direction = dry ? dry_[next++].direction : slip_direction(dof, qd[k]);
    const double t = transmitted_torque(dof, direction, left_[k]);
    friction_power_ += (left_[k] - t) * qd[k];
    left_[k] = t;
  }
}

void PlantDynamics::add_stops(View<const double> q, View<const double> qd) {
  const Model<double>& m = model();
  for (int i = 1; i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int dof = m.body(i).v.first + k,
                coordinate = internal::coordinate_of_dof(m.joint(i), k);
      if (coordinate < 0) continue;
      const double x = q[m.body(i).q.first + coordinate];
      const Limits& limits = m.limits(dof);
      const double above = x - limits.upper, below = limits.lower - x;
      const double depth = std::fmax(above, below), side = above > below ? 1 : -1;
      if (!(depth > 0)) continue;
      const double push =
          plant_.stops.stiffness * depth * (1 + plant_.stops.damping * side * qd[dof]);
      extra_[dof] -= side * std::fmax(push, 0);
    }
}

void PlantDynamics::meet_environment(double t, View<const double> q, View<const double> qd) {
  external_power_ = 0;
  if (!has_wrenches_) return;
  for (Wrench<double>& F : F_ext_) F = {};
  forward_velocity(model(), motion_, q, qd);
  if (plant_.wrench) plant_.wrench(t, q, qd, F_ext_);
  look_at_surfaces();
  add_compliant_forces();
  F_contact_ = F_ext_;
  add_spring_damper_wrenches<double, double>(model(), springs_, motion_, F_ext_);
  for (int i = 1; i < F_ext_.size(); ++i) external_power_ += dot(motion_.V[i], F_ext_[i]);
}

/// qdd of the torques left and the wrenches; required torques of joints that stick go to left_.
bool PlantDynamics::solve(View<const double> q, View<const double> qd, View<double> qdd) {
  if (loops_) return solve_loops(q, qd, qdd);
  if (!any_stuck_)
    return rigid_forward_dynamics(model(), aba_, q, qd, left_, wrenches(), qdd).pivot_ratio >
           least_pivot;
  for (const DryJoint& joint : dry_)
    if (joint.direction == 0) qdd[joint.dof] = 0;
  return rigid_hybrid_dynamics(model(), aba_, stuck_, q, qd, qdd, left_, wrenches()).pivot_ratio >
         least_pivot;
}

PlantDynamics::LeastMass PlantDynamics::least_mass() const {
  const double* const D = loops_ ? loops_->D.data() : aba_.D.data();
  int least = -1;
  double most = 0;
  for (int i = 1; i < model().n_bodies(); ++i)
    for (int k = model().body(i).v.first; k < model().body(i).v.first + model().body(i).v.count;
         ++k) {
      if (any_stuck_ && stuck_[i]) continue;
      if (least < 0 || D[k] < D[least]) least = k;
      most = std::fmax(most, D[k]);
    }
  if (least < 0) return {};
  return {least, most > 0 ? std::fmax(D[least] / most, 0) : 0};
}

std::string PlantDynamics::singular() const {
  const auto [dof, ratio] = least_mass();
  if (!(ratio > least_pivot)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", ratio);
    return "the mass matrix is singular: " + model().dof_name(dof) +
           " moves no mass (its pivot is " + text + " of the largest; 1e-13 is needed)";
  }
  return "the forces of the touched surfaces are not determined";
}

bool PlantDynamics::solve_loops(View<const double> q, View<const double> qd, View<double> qdd) {
  const ConstrainedOptions options{{20, 20}, 1e-8};
  if (!any_stuck_)
    return constrained_forward_dynamics(model(), *loops_, q, qd, left_, wrenches(), qdd,
                                        loop_force_, options)
        .mass_regular;
  for (const DryJoint& joint : dry_)
    if (joint.direction == 0) qdd[joint.dof] = 0;
  return constrained_hybrid_dynamics(model(), *loops_, stuck_, q, qd, qdd, left_, wrenches(),
                                     loop_force_, options)
      .mass_regular;
}

bool PlantDynamics::accelerate(double t, View<const double> q, View<const double> qd,
                               View<const double> tau, View<double> qdd) {
  const Model<double>& m = model();
  if (bare_)
    return rigid_forward_dynamics(m, aba_, q, qd, tau, wrenches(), qdd).pivot_ratio > least_pivot;
  std::copy(tau.begin(), tau.end(), left_.begin());
  if (joints_add_ || plant_.disturbance || plant_.stops.stiffness > 0) {
    std::fill(extra_.begin(), extra_.end(), 0.0);
    std::fill(left_.begin(), left_.end(), 0.0);
    if (plant_.disturbance) plant_.disturbance(t, q, qd, extra_);
    if (plant_.stops.stiffness > 0) add_stops(q, qd);
    if (joints_add_) add_joint_torques(m, q, qd, left_, {.friction = false});
    for (int k = 0; k < m.n_v(); ++k) {
      left_[k] = tau[k] - left_[k] + extra_[k];
      external_power_ += (extra_[k] + m.dof(k).disturbance) * qd[k];
    }
  }
  add_friction(qd);

  any_stuck_ = false;
  for (DryJoint& joint : dry_) {
    const bool sticks = joint.direction == 0;
    stuck_[joint.body] = sticks;
    any_stuck_ = any_stuck_ || sticks;
    if (sticks) joint.hold = left_[joint.dof];
  }
  rigid_.clear();
  for (int s = 0; s < surfaces_.size(); ++s)
    if (surfaces_[s].touching && surfaces_[s].rigid()) rigid_.push_back(static_cast<int>(s));

  bool regular = solve(q, qd, qdd);
  if (!rigid_.empty()) regular = solve_contacts(q, qd, qdd) && regular;
  for (DryJoint& joint : dry_) {
    if (joint.direction != 0) continue;
    const double load = left_[joint.dof];
    joint.hold -= load;
    joint.limit = static_friction_limit(m.dof(joint.dof), load);
  }
  return regular;
}

}  // namespace torsor
