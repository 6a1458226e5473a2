/// What comes and goes within one step: balls smaller than the step, and runs that pass beside them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/nothing.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

using testing::Nothing;
using testing::nothing;

/// A particle of 2 kg in the plane, without gravity: free steps are as long as the run.
Model<double> particle() {
  ModelBuilder b("particle");
  b.gravity({});
  b.prismatic("x", "base", "slide", {}, {1, 0, 0});
  b.prismatic("y", "slide", "body", {}, {0, 1, 0});
  b.inertia("body", 2, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

struct Case {
  Integrator integrator;
  double step;
};
const Case cases[] = {{Integrator::dormand_prince5, 0},
                      {Integrator::dormand_prince8, 0},
                      {Integrator::rk4, 0.05},
                      {Integrator::semi_implicit_euler, 0.03}};

Recording thrown(const Model<double>& model, const Surface& ball, const Case& c) {
  Plant plant(model);
  plant.surfaces = {ball};
  Nothing law;
  SimulateOptions o;
  o.v0 = {10, 0};
  o.duration = 0.5;
  o.integrator = c.integrator;
  if (c.step > 0) o.step = c.step;
  return simulate(plant, law, nothing, o);
}

TEST(HiddenEvent, a_rigid_ball_of_a_millimetre_is_struck_however_long_the_steps_are) {
  const Model<double> model = particle();
  const double radius = 1e-3;
  const Surface ball{
      .name = "ball", .frame = "body", .origin = {1, 0, 0}, .radius = radius, .restitution = 1};
  for (const Case& c : cases) {
    const Recording r = thrown(model, ball, c);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_EQ(r.events, 1) << name_of(c.integrator);
    const double met = (1 - radius) / 10;
    EXPECT_NEAR(r.qd(r.size() - 1, 0), -10, 1e-9) << name_of(c.integrator);
    EXPECT_NEAR(r.q(r.size() - 1, 0), 10 * met - 10 * (0.5 - met), 1e-8) << name_of(c.integrator);
    EXPECT_LT(r.energy_balance(), 1e-9);
  }
}

TEST(HiddenEvent, a_soft_ball_turns_back_what_has_less_energy_than_it_stores) {
  // 1/2 k r^2 = 2500 J, 1/2 m v^2 = 100 J: turned back after half a period of sqrt(k / m)
  const Model<double> model = particle();
  const double radius = 0.05, stiffness = 2e6;
  const Surface ball{.name = "ball",
                     .frame = "body",
                     .origin = {1, 0, 0},
                     .radius = radius,
                     .stiffness = stiffness};
  for (const Case& c : {cases[0], cases[1]}) {
    const Recording r = thrown(model, ball, c);
    EXPECT_EQ(r.events, 2);
    const double met = (1 - radius) / 10, inside = std::acos(-1.0) / std::sqrt(stiffness / 2);
    EXPECT_NEAR(r.qd(r.size() - 1, 0), -10, 1e-6);
    EXPECT_NEAR(r.q(r.size() - 1, 0), 10 * met - 10 * (0.5 - met - inside), 1e-6);
  }
}

TEST(HiddenEvent, a_ball_that_is_passed_by_a_hair_is_not_met) {
  const Model<double> model = particle();
  for (const double off : {1.0001e-3, 2e-3, 0.5}) {
    const Surface ball{.name = "ball", .frame = "body", .origin = {1, off, 0}, .radius = 1e-3};
    for (const Case& c : cases) {
      const Recording r = thrown(model, ball, c);
      EXPECT_EQ(r.events, 0) << name_of(c.integrator) << off;
      EXPECT_NEAR(r.q(r.size() - 1, 0), 5, 1e-9);
    }
  }
}

TEST(HiddenEvent, a_turning_arm_meets_a_ball_on_its_circle) {
  ModelBuilder b("arm");
  b.gravity({});
  b.revolute("joint", "base", "link");
  b.frame("tip", "link", {.p = {1, 0, 0}});
  b.inertia("link", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  const double angle = 1.3, radius = 1e-3;
  Plant plant(model);
  plant.surfaces = {{.name = "ball",
                     .frame = "tip",
                     .origin = {std::cos(angle), std::sin(angle), 0},
                     .radius = radius,
                     .restitution = 1}};
  for (const Integrator integrator : {Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    Nothing law;
    SimulateOptions o;
    o.v0 = {2};
    o.duration = 1;
    o.integrator = integrator;
    const Recording r = simulate(plant, law, nothing, o);
    EXPECT_EQ(r.events, 1);
    // The chord to the centre is the radius: 2 sin(gap / 2).
    const double met = angle - 2 * std::asin(radius / 2);
    EXPECT_NEAR(r.qd(r.size() - 1, 0), -2, 1e-9);
    EXPECT_NEAR(r.q(r.size() - 1, 0), met - (2 * 1.0 - met), 1e-8) << name_of(integrator);
  }
}

/// A push that lets the velocity of a sliding block dip below zero: friction holds it there.
TEST(HiddenEvent, a_joint_whose_velocity_dips_below_zero_within_a_step_sticks) {
  ModelBuilder b("block");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).friction({.coulomb = 0.5, .stiction = 50});
  b.inertia("block", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  // Sliding on, v = 1 - 4.08 t + 4.08 t^2 would be -0.02 at t = 1/2 and 1 again at the end.
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    tau[0] += 0.5 - 4.08 + 8.16 * t;
  };
  Nothing law;
  SimulateOptions o;
  o.v0 = {1};
  o.duration = 1;
  o.integrator = Integrator::dormand_prince8;
  o.control = {.relative = 1e-3, .absolute = 1e-3};  // steps as long as the dip
  const Recording r = simulate(plant, law, nothing, o);
  EXPECT_GE(r.events, 1);
  EXPECT_EQ(r.qd(r.size() - 1, 0), 0) << "it slid on";
}

}  // namespace
}  // namespace torsor
