#include "torsor/sim/plant.hpp"

#include <cmath>

#include "torsor/model/friction.hpp"

namespace torsor {

namespace {

/// Friction of a joint that slips in a direction, whatever the sign of v is inside a step.
double slip_torque(const DofConstants<double>& dof, double v, double direction) {
  double dry = dof.coulomb;
  if (dof.stribeck > 0)
    dry += (dof.stiction - dof.coulomb) * std::exp(-(v / dof.stribeck) * (v / dof.stribeck));
  return dof.viscous * v + direction * dry;
}

}  // namespace

PlantDynamics::PlantDynamics(const Plant& plant)
    : plant_(plant),
      aba_(*plant.model),
      motion_(*plant.model),
      stuck_(static_cast<std::size_t>(plant.model->n_bodies())),
      left_(static_cast<std::size_t>(plant.model->n_v())),
      extra_(left_.size()),
      contact_force_(plant.surfaces.size()) {
  const Model<double>& m = model();
  for (int i = 1; plant_.friction && i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int dof = m.body(i).v.first + k;
      const double limit = static_friction_limit(m.dof(dof));
      if (limit <= 0) continue;
      if (m.body(i).v.count > 1)
        throw Error("joint " + m.joint_name(i) +
                    ": dry friction of a joint with several degrees of freedom needs a width");
      dry_.push_back({dof, i, 1, 0, limit});
    }
  for (const CompliantSurface& surface : plant_.surfaces) {
    SurfacePoint point{surface, m.frame(surface.frame)};
    const double size = norm(surface.normal);
    if (!(surface.stiffness > 0) || !(surface.damping >= 0) || !(size > 0))
      throw Error("surface " + surface.name +
                  ": stiffness must be positive, damping not negative " +
                  "and the normal not zero");
    point.surface.normal = surface.normal * (1 / size);
    surfaces_.push_back(std::move(point));
  }
  if (plant_.wrench || !surfaces_.empty()) F_ext_.resize(static_cast<std::size_t>(m.n_bodies()));
  has_wrenches_ = !F_ext_.empty();
}

bool PlantDynamics::sticks(int dof) const {
  for (const DryJoint& joint : dry_)
    if (joint.dof == dof) return joint.direction == 0;
  return false;
}

void PlantDynamics::add_friction(View<const double> qd) {
  friction_power_ = 0;
  if (!plant_.friction) return;
  std::size_t next = 0;
  for (int k = 0; k < qd.size; ++k) {
    const bool dry = next < dry_.size() && dry_[next].dof == k;
    const double direction = dry ? dry_[next++].direction : 0;
    if (dry && direction == 0) continue;  // sticks
    const double f = dry ? slip_torque(model().dof(k), qd[k], direction)
                         : friction_torque(model().dof(k), qd[k]);
    left_[static_cast<std::size_t>(k)] -= f;
    friction_power_ += f * qd[k];
  }
}

void PlantDynamics::add_stops(View<const double> q, View<const double> qd) {
  const Model<double>& m = model();
  for (int i = 1; i < m.n_bodies(); ++i)
    for (int k = 0; k < m.body(i).v.count; ++k) {
      const int dof = m.body(i).v.first + k, at = coordinate_of_dof(m.joint(i), k);
      if (at < 0) continue;
      const double x = q[m.body(i).q.first + at];
      const Limits& limits = m.limits(dof);
      const double above = x - limits.upper, below = limits.lower - x;
      const double depth = std::fmax(above, below), side = above > below ? 1 : -1;
      if (!(depth > 0)) continue;
      const double push =
          plant_.stops.stiffness * depth * (1 + plant_.stops.damping * side * qd[dof]);
      extra_[static_cast<std::size_t>(dof)] -= side * std::fmax(push, 0);
    }
}

/// After body_velocities.
void PlantDynamics::add_surfaces() {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    SurfacePoint& p = surfaces_[s];
    const auto body = static_cast<std::size_t>(p.frame.body);
    const SE3<double>& T = motion_.kinematics.T_world_body[body];
    const Vec3<double> arm = p.frame.placement * p.surface.point;  // in the body
    const Vec3<double> x = T * arm;
    Vec3<double> n = p.surface.normal;
    const Vec3<double> from = x - p.surface.origin;
    p.distance = dot(n, from);
    if (p.surface.radius > 0) {
      const double r = norm(from);
      n = from * (1 / r);
      p.distance = r - p.surface.radius;
    }
    contact_force_[s] = 0;
    if (!p.touching) continue;
    const Vec3<double> v = T.R * (motion_.V[body].v + cross(motion_.V[body].w, arm));
    const double force =
        std::fmax(0, -p.surface.stiffness * p.distance - p.surface.damping * dot(n, v));
    contact_force_[s] = force;
    const Vec3<double> f = transpose_times(T.R, n * force);
    F_ext_[body] += Wrench<double>{cross(arm, f), f};
  }
}

void PlantDynamics::meet_environment(double t, View<const double> q, View<const double> qd) {
  external_power_ = 0;
  if (!has_wrenches_) return;
  for (Wrench<double>& F : F_ext_) F = {};
  body_velocities(model(), motion_, q, qd);
  if (plant_.wrench) plant_.wrench(t, q, qd, F_ext_);
  add_surfaces();
  for (std::size_t i = 1; i < F_ext_.size(); ++i) external_power_ += dot(motion_.V[i], F_ext_[i]);
}

bool PlantDynamics::accelerate(double t, View<const double> q, View<const double> qd,
                               View<const double> tau, View<double> qdd) {
  const Model<double>& m = model();
  for (double& x : extra_) x = 0;
  for (int k = 0; k < m.n_v(); ++k) extra_[static_cast<std::size_t>(k)] = m.dof(k).disturbance;
  if (plant_.disturbance) plant_.disturbance(t, q, qd, extra_);
  if (plant_.stops.stiffness > 0) add_stops(q, qd);
  joint_spring_torque(m, q, left_);
  for (int k = 0; k < m.n_v(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    left_[at] = tau[k] - left_[at] + extra_[at];
    external_power_ += extra_[at] * qd[k];
  }
  add_friction(qd);

  bool any_stuck = false;
  for (const DryJoint& joint : dry_) {
    stuck_[static_cast<std::size_t>(joint.body)] = joint.direction == 0;
    if (joint.direction != 0) continue;
    any_stuck = true;
    qdd[joint.dof] = 0;
  }
  if (!any_stuck)
    return static_cast<bool>(forward_dynamics(m, aba_, q, qd, left_, wrenches(), qdd));
  for (DryJoint& joint : dry_)
    if (joint.direction == 0) joint.hold = left_[static_cast<std::size_t>(joint.dof)];
  const auto result = hybrid_dynamics(m, aba_, stuck_, q, qd, qdd, left_, wrenches());
  for (DryJoint& joint : dry_)
    if (joint.direction == 0) joint.hold -= left_[static_cast<std::size_t>(joint.dof)];
  return static_cast<bool>(result);
}

void PlantDynamics::mode_ends(View<const double> qd, View<double> g) const {
  int k = 0;
  for (const DryJoint& joint : dry_)
    g[k++] =
        joint.direction == 0 ? joint.limit - std::abs(joint.hold) : joint.direction * qd[joint.dof];
  for (const SurfacePoint& p : surfaces_) g[k++] = p.touching ? -p.distance : p.distance;
}

void PlantDynamics::release_overloaded(double t, View<const double> q, View<const double> qd,
                                       View<const double> tau, View<double> qdd) {
  for (std::size_t round = 0; round <= dry_.size(); ++round) {
    meet_environment(t, q, qd);
    (void)accelerate(t, q, qd, tau, qdd);
    DryJoint* worst = nullptr;
    for (DryJoint& joint : dry_)
      if (joint.direction == 0 && std::abs(joint.hold) > joint.limit &&
          (!worst || std::abs(joint.hold) - joint.limit > std::abs(worst->hold) - worst->limit))
        worst = &joint;
    if (!worst) return;
    worst->direction = std::copysign(1.0, worst->hold);
  }
}

void PlantDynamics::start(double t, View<const double> q, View<const double> qd,
                          View<const double> tau, View<double> qdd) {
  for (DryJoint& joint : dry_)
    joint.direction = qd[joint.dof] == 0 ? 0 : std::copysign(1.0, qd[joint.dof]);
  meet_environment(t, q, qd);  // for the distances
  for (SurfacePoint& p : surfaces_) p.touching = p.distance < 0;
  release_overloaded(t, q, qd, tau, qdd);
}

void PlantDynamics::change_modes(double t, View<const double> q, View<double> qd,
                                 View<const double> tau, View<double> qdd) {
  for (DryJoint& joint : dry_)
    if (joint.direction * qd[joint.dof] < 0) {
      joint.direction = 0;
      qd[joint.dof] = 0;
    }
  for (SurfacePoint& p : surfaces_)
    if ((p.touching ? -p.distance : p.distance) < 0) p.touching = !p.touching;
  release_overloaded(t, q, qd, tau, qdd);
}

}  // namespace torsor
