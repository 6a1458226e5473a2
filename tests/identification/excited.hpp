#pragma once
/// Robots and checks of the tests of excitation.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "torsor/identification/internal/excitation_objective.hpp"
#include "torsor/trajectory/configuration_path.hpp"

namespace torsor::testing {

/// What a robot file leaves open is bounded.
inline std::vector<Limits> bounded(const Model<double>& model, double velocity = 2,
                                   double acceleration = 10) {
  std::vector<Limits> limits = coordinate_limits(model);
  for (Limits& l : limits) {
    if (std::isinf(l.lower)) l.lower = -3, l.upper = 3;
    if (std::isinf(l.velocity)) l.velocity = velocity;
    if (std::isinf(l.acceleration)) l.acceleration = acceleration;
  }
  return limits;
}
/// Quick: a few steps of few starts.
inline ExcitationOptions quick(const Model<double>& model) {
  ExcitationOptions o;
  o.limits = bounded(model);
  o.starts = 2;
  o.iterations = 8;
  o.harmonics = 4;
  o.threads = 1;
  return o;
}

/// Every kind of joint that a series can move, friction of every sort, a rotor, a branch.
inline Model<double> odd_robot() {
  RobotDescription robot;
  robot.name = "odd";
  Link base;
  base.name = "base";
  robot.links.push_back(base);
  const auto add = [&](const char* parent, const char* child, JointKind kind, Vec3<double> axis) {
    Link link;
    link.name = child;
    link.inertial = {1.5, {0.1, -0.05, 0.2}, {0.2, 0.01, 0.25, -0.02, 0.03, 0.3}};
    link.has_inertial = true;
    robot.links.push_back(link);
    Joint joint;
    joint.name = std::string("to_") + child;
    joint.kind = kind;
    joint.parent = parent, joint.child = child;
    joint.placement.p = {0.1, 0.2, 0.3};
    joint.axis = axis;
    joint.limits = {{-1.5, 1.5, 2, 9, 60, 80}};
    joint.friction = {{.viscous = 0.3, .coulomb = 0.5, .stiction = 0.8, .stribeck = 0.2}};
    joint.actuator = {{.rotor_inertia = 1e-4, .gear_ratio = 50}};
    if (kind == JointKind::helical) joint.pitch = 0.05;
    robot.joints.push_back(joint);
  };
  add("base", "a", JointKind::revolute, {0, 0.6, 0.8});
  add("a", "b", JointKind::prismatic, {1, 0, 0});
  add("b", "c", JointKind::helical, {0, 0, 1});
  add("a", "d", JointKind::revolute, {0, 1, 0});
  return Model<double>(robot);
}

/// Downhill for a while: rounding of G is felt as the square of the condition.
inline Array<double> improved(const internal::ExcitationObjective& objective) {
  Array<double> z = objective.start, g(z.size()), other(z.size());
  double f = objective.value(z, g), step = 0.1;
  for (int k = 0; k < 30; ++k) {
    double norm = 0;
    for (const double x : g) norm = std::hypot(norm, x);
    Array<double> trial = z;
    for (int i = 0; i < z.size(); ++i) trial[i] -= step / norm * g[i];
    const double next = objective.value(trial, other);
    step *= next < f ? 1.3 : 0.4;
    if (next < f) z = trial, g = other, f = next;
  }
  return z;
}

inline void expect_gradient(const Model<double>& model, const ExcitationOptions& options, int power,
                            double slack = 1e-7) {
  const auto objective = internal::excitation_objective(model, options, power, 0.1);
  ASSERT_FALSE(objective.start.empty());
  const Array<double> z = improved(objective);
  Array<double> g(z.size()), ignored(z.size());
  ASSERT_TRUE(std::isfinite(objective.value(z, g)));
  double scale = 0;
  for (const double x : g) scale = std::max(scale, std::abs(x));
  // Eigenvalues of G are rounded to epsilon times the largest: the smallest feels its square.
  const auto condition = internal::excitation_objective(model, options, 8, 1e-9);
  const double rounding = 2.2e-16 * std::exp(2 * condition.value(z, ignored));
  EXPECT_LT(rounding, slack * slack * 1e4);
  std::mt19937 random(3);
  for (int trial = 0; trial < 8; ++trial) {
    const int k = static_cast<int>(random() % static_cast<unsigned>(z.size()));
    const double h = 2e-5;
    const auto at = [&](double step) {
      Array<double> moved = z;
      moved[k] += step;
      return objective.value(moved, ignored);
    };
    // Five points: the error is h^4 of the fifth derivative.
    const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    EXPECT_NEAR(g[k], slope, slack * scale + 2 * rounding / h)
        << "coefficient " << k << ", power " << power;
  }
}

}  // namespace torsor::testing
