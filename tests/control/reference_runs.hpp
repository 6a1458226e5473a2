#pragma once
/// The runs that the textbook's tracking laws are held to.
#include <numbers>

#include "torsor/dynamics/crba.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/periodic.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor::testing {

/// SET-A of the arm R2: from (-0.5, 1) at rest to (1, -0.5).
inline SimulateOptions set_a(double duration) {
  SimulateOptions o;
  o.q0 = {-0.5, 1.0};
  o.duration = duration;
  o.record_every = 0.25;
  return o;
}

/// TRJ-A of the arm R2: q_d = (0.5 sin 2t, 1 + 0.5 cos 2t).
inline ReferenceFunction trajectory_a() {
  return follow(Sinusoid{{0, 1}, {0.5, 0.5}, {2, 2}, {0, std::numbers::pi / 2}});
}
/// IC-A: e(0) = (-0.2, 0.3), edot(0) = (1, 0).
inline SimulateOptions start_a(double duration) {
  SimulateOptions o;
  o.q0 = {0.2, 1.2};
  o.duration = duration;
  o.record_every = 0.05;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}

/// TRJ-D of the direct-drive arm: rest to rest from 0 in 1.5 s, then it holds.
inline ReferenceFunction trajectory_d() {
  Boundary<double> from, to;
  from.q = {0, 0, 0}, to.q = {0.6, 1, -0.5};
  return follow(quintic(from, to, 1.5), 3, 3);
}
/// The arm starts beside it: e(0) = (0.1, -1.5, -1).
inline SimulateOptions start_d(double duration) {
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.duration = duration;
  o.record_every = 0.25;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}

/// All inertial parameters times a factor.
inline Model<double> with_inertia_times(const Model<double>& model, double factor) {
  std::vector<double> p = parameters(model);
  for (double& x : p) x *= factor;
  return with_parameters(model, p);
}

/// The same robot without friction; rotors stay.
inline Model<double> frictionless(const Model<double>& model) {
  RobotDescription robot = model.description();
  for (Joint& joint : robot.joints) {
    joint.friction.clear();
    for (Actuator& motor : joint.actuator) motor.motor_viscous = 0;
  }
  return Model<double>(std::move(robot));
}

/// rate (1/s) times the diagonal of H at the neutral configuration: what a sampled loop bears.
inline std::vector<double> damping(const Model<double>& model, double rate) {
  const int n = model.n_v();
  std::vector<double> q(static_cast<std::size_t>(model.n_q())), H(static_cast<std::size_t>(n * n));
  CrbaWorkspace<double> ws(model);
  neutral(model, View<double>(q));
  mass_matrix(model, ws, q, column_major(H.data(), n, n));
  std::vector<double> d;
  for (int k = 0; k < n; ++k) d.push_back(rate * H[static_cast<std::size_t>(k * (n + 1))]);
  return d;
}

}  // namespace torsor::testing
