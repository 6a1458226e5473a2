#include "torsor/sim/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {

namespace {

bool same_joints(const Model<double>& a, const Model<double>& b) {
  if (a.n_v() != b.n_v() || a.n_q() != b.n_q()) return false;
  for (int k = 0; k < a.n_v(); ++k)
    if (a.dof_name(k) != b.dof_name(k)) return false;
  return true;
}

bool near(In<double> a, In<double> b) {
  if (a.size != b.size) return false;
  double scale = 0, apart = 0;
  for (int k = 0; k < a.size; ++k) {
    scale = std::max({scale, std::abs(a[k]), std::abs(b[k])});
    apart = std::max(apart, std::abs(a[k] - b[k]));
  }
  return apart <= 1e-9 * scale;
}

/// By torques, which every mass, length and friction enters.
bool same_robot(const Model<double>& a, const Model<double>& b) {
  if (!same_joints(a, b)) return false;
  const int n = a.n_v();
  DynamicsWorkspace<double> of_a(a), of_b(b);
  Array<double> q(a.n_q()), qd(n), qdd(n), tau_a(n), tau_b(n);
  for (int draw = 1; draw <= 3; ++draw) {
    random_configuration(a, static_cast<std::uint64_t>(draw), q);
    for (int k = 0; k < n; ++k) {
      qd[k] = std::sin(draw + 3 * k);
      qdd[k] = std::cos(2 * draw + k);
    }
    tree_inverse_dynamics(a, of_a, q, qd, qdd, {}, tau_a);
    tree_inverse_dynamics(b, of_b, q, qd, qdd, {}, tau_b);
    if (!near(tau_a, tau_b)) return false;
  }
  return true;
}

bool same(const Vec3<double>& a, const Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
bool same(const Surface& a, const Surface& b) {
  return a.frame == b.frame && same(a.point, b.point) && same(a.origin, b.origin) &&
         same(a.normal, b.normal) && a.radius == b.radius && a.inside == b.inside &&
         a.stiffness == b.stiffness && a.damping == b.damping && a.bilateral == b.bilateral;
}

/// Times at which functions of time are compared.
std::vector<double> instants(const SimulateOptions& o) {
  std::vector<double> t;
  for (int k = 0; k <= 16; ++k) t.push_back(o.start + o.duration * (k + 0.37 * (k % 2)) / 17);
  return t;
}

bool same_disturbance(const Scenario& a, const Scenario& b) {
  if (!a.disturbance && !b.disturbance) return true;
  const int n = a.plant_model.n_v();
  Array<double> q(a.plant_model.n_q()), qd(n), of_a(n), of_b(n);
  neutral(a.plant_model, q);
  for (const double t : instants(a.options)) {
    std::fill(of_a.begin(), of_a.end(), 0.0);
    std::fill(of_b.begin(), of_b.end(), 0.0);
    if (a.disturbance) a.disturbance(t, q, qd, of_a);
    if (b.disturbance) b.disturbance(t, q, qd, of_b);
    if (of_a != of_b) return false;
  }
  return true;
}

bool same_plant(const Scenario& a, const Scenario& b) {
  return same_robot(a.plant_model, b.plant_model) && a.friction == b.friction &&
         a.stops.stiffness == b.stops.stiffness && a.stops.damping == b.stops.damping &&
         std::equal(a.surfaces.begin(), a.surfaces.end(), b.surfaces.begin(), b.surfaces.end(),
                    [](const Surface& x, const Surface& y) { return same(x, y); }) &&
         same_disturbance(a, b);
}

bool same_reference(const Scenario& a, const Scenario& b) {
  ReferencePoint of_a, of_b;
  for (const double t : instants(a.options)) {
    a.reference(t, of_a);
    b.reference(t, of_b);
    const PoseMotion<double>&pa = of_a.pose, &pb = of_b.pose;
    bool poses = of_a.has_pose == of_b.has_pose;
    if (of_a.has_pose && poses) {
      poses = same(pa.T.p, pb.T.p);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) poses = poses && pa.T.R(r, c) == pb.T.R(r, c);
    }
    if (!poses || !near(of_a.q, of_b.q) || !near(of_a.qd, of_b.qd) || !near(of_a.x, of_b.x) ||
        !near(of_a.f_on_environment, of_b.f_on_environment))
      return false;
  }
  return true;
}

/// A start that is not said is the neutral one, at rest.
bool same_start(const Scenario& a, const Scenario& b) {
  const auto start = [](const Scenario& s) {
    Array<double> q = s.options.q0, v = s.options.v0;
    if (q.empty()) {
      q.resize(s.plant_model.n_q());
      neutral(s.plant_model, q);
    }
    v.resize(s.plant_model.n_v());
    q.insert(q.end(), v.begin(), v.end());
    return q;
  };
  return start(a) == start(b);
}

bool same_run(const SimulateOptions& a, const SimulateOptions& b) {
  return a.start == b.start && a.duration == b.duration && a.record_every == b.record_every &&
         a.integrator == b.integrator && a.step == b.step &&
         a.control.relative == b.control.relative && a.control.absolute == b.control.absolute &&
         a.period == b.period && a.delay == b.delay;
}
bool same_sensors(const SensorOptions& a, const SensorOptions& b) {
  return a.encoder_step == b.encoder_step && a.velocity_by_difference == b.velocity_by_difference &&
         a.position_noise == b.position_noise && a.velocity_noise == b.velocity_noise &&
         a.seed == b.seed;
}
bool same_actuators(const ActuatorOptions& a, const ActuatorOptions& b) {
  return a.torque_limit == b.torque_limit && a.model_limits == b.model_limits &&
         a.rate_limit == b.rate_limit;
}

}  // namespace

std::vector<std::string> differences(const Scenario& a, const Scenario& b) {
  std::vector<std::string> parts;
  const auto look = [&](const char* part, bool equal) {
    if (!equal) parts.emplace_back(part);
  };
  look("plant", same_plant(a, b));
  look("start", same_start(a, b));
  look("reference", same_reference(a, b));
  look("run", same_run(a.options, b.options));
  look("sensors", same_sensors(a.options.sensors, b.options.sensors));
  look("actuators", same_actuators(a.options.actuators, b.options.actuators));
  return parts;
}

Scenario with_law_of(const Scenario& experiment, const Scenario& law) {
  if (!same_joints(experiment.plant_model, law.controller_model))
    throw Error("its robot \"" + law.controller_model.name() + "\" has other joints than \"" +
                experiment.plant_model.name() + "\"");
  Scenario s = experiment;
  s.name = law.name;
  s.title = law.title;
  s.law = law.law;
  s.parameters = law.parameters;
  s.controller_model = law.controller_model;
  s.options.measure_acceleration = law.options.measure_acceleration;  // a sensor that the law needs
  s.outputs.clear();
  return s;
}

}  // namespace torsor
