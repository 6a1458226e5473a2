/// Surfaces and springs of a plant: forces on points of its bodies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "numbers.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/sim/internal/surface_force.hpp"
#include "torsor/sim/plant.hpp"

namespace torsor {

namespace {

/// phi decays with this double pole (1/s) where integration left a rigid surface's point off it.
constexpr double stabilisation = 20;
/// A rigid surface that was left is touched again below this distance (m).
constexpr double grain = 1e-10;
/// Strikes below this speed (m/s) are plastic: bounces come to an end.
constexpr double slow = 1e-3;

}  // namespace

void PlantDynamics::add_force(int body, const Vec3<double>& arm, const Vec3<double>& force) {
  const Vec3<double> f = transpose_times(motion_.T_world_body[body].R, force);
  F_ext_[body] += Wrench<double>{cross(arm, f), f};
}

bool PlantDynamics::touches_rigid() const {
  return std::any_of(surfaces_.begin(), surfaces_.end(),
                     [](const SurfacePoint& p) { return p.touching && p.rigid(); });
}

/// Distances, normals and what their second derivatives have without acceleration of the point.
void PlantDynamics::look_at_surfaces() {
  for (SurfacePoint& p : surfaces_) {
    const SE3<double>& T = motion_.T_world_body[p.frame.body];
    const Twist<double>& V = motion_.V[p.frame.body];
    const Vec3<double> from = T * p.arm - p.surface.origin;
    const Vec3<double> v = T.R * (V.v + cross(V.w, p.arm));
    p.velocity = v;
    p.fastest = std::fmax(p.fastest, squared_norm(v));
    if (p.surface.radius > 0) {
      const double r = norm(from), side = p.surface.inside ? -1 : 1;
      p.normal = from * (side / r);
      p.distance = side * (r - p.surface.radius);
      p.speed = dot(p.normal, v);
      p.bend = side * (squared_norm(v) - p.speed * p.speed) / r;
    } else {
      p.normal = p.surface.normal;
      p.distance = dot(p.normal, from);
      p.speed = dot(p.normal, v);
      p.bend = 0;
    }
  }
}

void PlantDynamics::add_compliant_forces() {
  for (int s = 0; s < surfaces_.size(); ++s) {
    const SurfacePoint& p = surfaces_[s];
    contact_force_[s] = 0;
    if (!p.touching || p.rigid()) continue;
    const double force =
        std::fmax(0, -p.surface.stiffness * p.distance - p.surface.damping * p.speed);
    contact_force_[s] = force;
    add_force(p.frame.body, p.arm, internal::surface_force(p.surface, p.normal, p.velocity, force));
  }
}

/// Second derivative of the distance, after forward_acceleration.
double PlantDynamics::normal_acceleration(const SurfacePoint& p) const {
  const Twist<double>&V = motion_.V[p.frame.body], &A = motion_.Vdot[p.frame.body];
  const Vec3<double> a = A.v + cross(V.w, V.v) + cross(A.w, p.arm) + cross(V.w, cross(V.w, p.arm));
  return dot(p.normal, motion_.T_world_body[p.frame.body].R * a) + p.bend;
}

bool PlantDynamics::solve_omega(View<double> b) {
  if (!factors_.factorise(row_major<const double>(omega_.data(), b.size, b.size), 1e-12))
    return false;
  factors_.solve(b);
  return true;
}

/// From the acceleration without them: forces that keep the touched points on rigid surfaces.
bool PlantDynamics::solve_contacts(View<const double> q, View<const double> qd, View<double> qdd) {
  const int m = static_cast<int>(rigid_.size()), n = qdd.size;
  const auto accelerations = [&](View<const double> acceleration, auto store) {
    forward_acceleration(model(), motion_, q, qd, acceleration);
    for (int r = 0; r < m; ++r) store(r, normal_acceleration(surfaces_[rigid_[r]]));
  };
  accelerations(qdd, [&](int r, double a) {
    const SurfacePoint& p = surfaces_[rigid_[r]];
    for (int c = 0; c < m; ++c) omega_[r * m + c] = -a;
    lambda_[r] = -(a + stabilisation * (2 * p.speed + stabilisation * p.distance));
  });
  bool regular = true;
  for (int c = 0; c < m; ++c) {
    const SurfacePoint& p = surfaces_[rigid_[c]];
    const View<double> column(column_.data() + c * n, n);
    add_force(p.frame.body, p.arm, p.normal);
    regular = solve(q, qd, column) && regular;
    add_force(p.frame.body, p.arm, -p.normal);
    accelerations(column, [&](int r, double a) { omega_[r * m + c] += a; });
    for (int k = 0; k < n; ++k) column[k] -= qdd[k];
  }
  regular = solve_omega(View<double>(lambda_.data(), m)) && regular;
  for (int r = 0; r < m; ++r) {
    const SurfacePoint& p = surfaces_[rigid_[r]];
    const double force = lambda_[r];
    contact_force_[rigid_[r]] = force;
    const Wrench<double> before = F_ext_[p.frame.body];
    add_force(p.frame.body, p.arm, p.normal * force);
    F_contact_[p.frame.body] += F_ext_[p.frame.body] - before;
    external_power_ += force * p.speed;
  }
  return solve(q, qd, qdd) && regular;
}

/// Impulses that stop the normal velocities at rigid surfaces, or turn them back where they are
/// struck; after `accelerate` with them.
void PlantDynamics::strike(View<double> qd) {
  const int m = static_cast<int>(rigid_.size()), n = qd.size;
  const auto back = [](const SurfacePoint& p) {
    return p.struck && p.speed < -slow ? p.surface.restitution : 0;
  };
  for (int r = 0; r < m; ++r) {
    const SurfacePoint& p = surfaces_[rigid_[r]];
    lambda_[r] = -(1 + back(p)) * p.speed;
  }
  if (!solve_omega(View<double>(lambda_.data(), m))) return;
  for (int r = 0; r < m; ++r) {
    SurfacePoint& p = surfaces_[rigid_[r]];
    for (int k = 0; k < n; ++k) qd[k] += lambda_[r] * column_[r * n + k];
    p.touching = back(p) == 0;
    p.floor = p.touching ? -grain : p.distance - grain;
  }
}

void PlantDynamics::mode_ends(View<const double> qd, View<double> g) const {
  int k = 0;
  for (const DryJoint& joint : dry_)
    g[k++] = joint.direction == 0 ? -joint.excess() : joint.direction * qd[joint.dof];
  for (int s = 0; s < surfaces_.size(); ++s) {
    const SurfacePoint& p = surfaces_[s];
    if (p.rigid())
      g[k++] = p.surface.bilateral ? 1 : p.touching ? contact_force_[s] : p.distance - p.floor;
    else
      g[k++] = p.touching ? -p.distance : p.distance;
  }
}

void PlantDynamics::mode_margins(View<const double> qd, View<const double> qdd,
                                 View<ModeMargin> margins) const {
  int k = 0;
  for (const DryJoint& joint : dry_) {
    const double way = joint.direction;
    margins[k++] = way == 0 ? ModeMargin{} : ModeMargin{way * qd[joint.dof], way * qdd[joint.dof]};
  }
  for (const SurfacePoint& p : surfaces_) {
    ModeMargin& m = margins[k++] = {};
    if (p.touching) continue;
    const double floor = p.rigid() ? p.floor : 0;
    m.distance = p.distance - floor;
    m.fastest = std::sqrt(p.fastest);
    if (p.surface.radius > 0) {
      const double side = p.surface.inside ? -1 : 1, border = p.surface.radius + side * floor;
      const double r = p.surface.radius + side * p.distance;
      m.value = side * (r - border) * (r + border);
      m.rate = 2 * r * p.speed;
    } else {
      m.value = m.distance;
      m.rate = p.speed;
    }
  }
}

void PlantDynamics::forget_speeds() {
  for (SurfacePoint& p : surfaces_) p.fastest = 0;
}

/// Refuses a state that the loops do not allow.
void PlantDynamics::check_closed(View<const double> q, View<const double> qd) const {
  AssemblyWorkspace ws(model(), loops_->set);
  const ConstraintErrors errors = constraint_errors(model(), loops_->set, ws, q, qd);
  const auto refuse = [&](int row, const char* what, double by) {
    throw Error("loop row " + loops_->set.row_name(row) + what + std::to_string(by) +
                " at the start; assemble the robot first");
  };
  if (errors.position > 1e-6) refuse(errors.position_row, " is open by ", errors.position);
  if (errors.velocity > 1e-6) refuse(errors.velocity_row, " opens at ", errors.velocity);
}

void PlantDynamics::start(double t, View<const double> q, View<const double> qd,
                          View<const double> tau, View<double> qdd) {
  for (DryJoint& joint : dry_)
    joint.direction = qd[joint.dof] == 0 ? 0 : std::copysign(1.0, qd[joint.dof]);
  if (loops_) check_closed(q, qd);
  meet_environment(t, q, qd);  // for the distances
  for (SurfacePoint& p : surfaces_) {
    p.floor = -grain;
    p.touching = p.distance < (p.rigid() ? 1e-9 : 0);
    if (p.rigid() && (p.surface.bilateral ? std::abs(p.distance) : -p.distance) > 1e-6)
      throw Error("surface " + p.surface.name + ": the robot starts " + std::to_string(p.distance) +
                  " m off it");
    if (p.rigid() && p.surface.bilateral) p.touching = true;
  }
  settle(t, q, qd, tau, qdd);
}

void PlantDynamics::change_modes(double t, View<const double> q, View<double> qd,
                                 View<const double> tau, View<double> qdd) {
  for (DryJoint& joint : dry_)
    if (joint.direction * qd[joint.dof] < 0) {
      joint.direction = 0;
      qd[joint.dof] = 0;
    }
  bool struck = false;
  for (int s = 0; s < surfaces_.size(); ++s) {
    SurfacePoint& p = surfaces_[s];
    p.struck = false;
    if (!p.rigid()) {
      if ((p.touching ? -p.distance : p.distance) < 0) p.touching = !p.touching;
    } else if (p.touching && !p.surface.bilateral && contact_force_[s] < 0) {
      p.touching = false;
    } else if (!p.touching && p.distance < p.floor) {
      p.touching = p.struck = struck = true;
    }
  }
  if (struck) {
    meet_environment(t, q, qd);
    (void)accelerate(t, q, qd, tau, qdd);
    strike(qd);
  }
  settle(t, q, qd, tau, qdd);
}

void PlantDynamics::leave_rest(View<double> qd) const {
  for (const DryJoint& joint : dry_)
    if (qd[joint.dof] == 0) qd[joint.dof] = joint.direction * std::numeric_limits<double>::min();
}

/// Releases joints that friction cannot hold and surfaces that would pull, the worst first.
void PlantDynamics::settle(double t, View<const double> q, View<const double> qd,
                           View<const double> tau, View<double> qdd) {
  for (int round = 0; round <= dry_.size() + surfaces_.size(); ++round) {
    meet_environment(t, q, qd);
    (void)accelerate(t, q, qd, tau, qdd);
    DryJoint* slipping = nullptr;
    for (DryJoint& joint : dry_)
      if (joint.direction == 0 && joint.excess() > 0 &&
          (!slipping || joint.excess() > slipping->excess()))
        slipping = &joint;
    if (slipping) {
      slipping->direction = std::copysign(1.0, slipping->hold - slipping->middle);
      continue;
    }
    int pulling = -1;
    for (const int s : rigid_)
      if (!surfaces_[s].surface.bilateral && contact_force_[s] < 0 &&
          (pulling < 0 || contact_force_[s] < contact_force_[pulling]))
        pulling = s;
    if (pulling < 0) return;
    surfaces_[pulling].touching = false;
  }
}

}  // namespace torsor
