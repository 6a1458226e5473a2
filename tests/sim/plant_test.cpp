/// Dry friction that sticks, stops, surfaces: closed forms of a block, and laws of every run.
#include "torsor/sim/plant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

struct Nothing {
  static constexpr const char* name = "nothing";
  int n_states() const { return 0; }
  void reset(View<double>) {}
  void torque(double, const ControlState&, View<const double>, const ControlReference&,
              View<double> tau) {
    for (double& x : tau) x = 0;
  }
  std::vector<Condition> conditions() { return {}; }
};
const ReferenceFunction nothing = [](double, ReferencePoint&) {};

Model<double> block(const Friction& friction, double limit = infinity) {
  ModelBuilder b("block");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).friction(friction).limits(-limit, limit);
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

const Integrator integrators[] = {Integrator::rk4, Integrator::dormand_prince5,
                                  Integrator::dormand_prince8};

TEST(DryFriction, a_sliding_block_stops_where_and_when_its_closed_form_says_and_stays) {
  const Model<double> model = block({.coulomb = 3});
  for (const Integrator integrator : integrators) {
    Nothing law;
    SimulateOptions o;
    o.integrator = integrator;
    o.duration = 2;
    o.v0 = {1.2};
    const Recording r = simulate(Plant(model), law, nothing, o);
    // deceleration 1.5 m/s^2: at rest after 0.8 s and 0.48 m
    EXPECT_NEAR(r.q(r.at(0.4), 0), 1.2 * 0.4 - 0.75 * 0.16, 1e-9);
    EXPECT_NEAR(r.q(r.size() - 1, 0), 0.48, 1e-9) << name_of(integrator);
    EXPECT_EQ(r.qd(r.size() - 1, 0), 0);
    EXPECT_EQ(r.qd(r.at(0.81), 0), 0);
    EXPECT_NEAR(r.energy(r.size() - 1, 3), 0.5 * 2 * 1.44, 1e-9);  // all lost
    EXPECT_EQ(r.events, 1);
    EXPECT_LT(r.energy_balance(), 1e-9);
  }
}

TEST(DryFriction, a_block_at_rest_holds_until_the_static_limit_and_then_slips) {
  // force 2 t: leaves at stiction 4 N, t = 2 s; then m a = 2 t - 3
  const Model<double> model = block({.coulomb = 3, .stiction = 4});
  Plant plant(model);
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    tau[0] += 2 * t;
  };
  for (const Integrator integrator : integrators) {
    Nothing law;
    SimulateOptions o;
    o.integrator = integrator;
    o.duration = 3;
    const Recording r = simulate(plant, law, nothing, o);
    EXPECT_EQ(r.q(r.at(1.99), 0), 0);
    const auto speed = [](double t) { return ((t * t - 4) - 3 * (t - 2)) / 2; };
    EXPECT_NEAR(r.qd(r.at(2.5), 0), speed(2.5), 1e-9) << name_of(integrator);
    EXPECT_NEAR(r.qd(r.at(3), 0), speed(3), 1e-9);
    EXPECT_LT(r.energy_balance(), 1e-9);
  }
}

TEST(DryFriction, a_block_on_a_spring_comes_to_rest_in_half_swings_that_shrink_by_2_F_over_k) {
  // k = 50 N/m, m = 2 kg, F = 3 N from 1 m: turning points 1, -0.88, 0.76, ... each less by 0.12
  ModelBuilder b("block");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).friction({.coulomb = 3}).spring(50);
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Nothing law;
  SimulateOptions o;
  o.q0 = {1};
  o.record_every = std::numbers::pi / 5;  // half swings of sqrt(k / m) = 5 rad/s
  o.duration = 8;
  const Recording r = simulate(Plant(model), law, nothing, o);
  double turning = 1;
  for (int k = 0; k < r.size(); ++k) {
    EXPECT_NEAR(r.q(k, 0), turning, 1e-8) << k;
    const double size = std::abs(turning);
    if (size > 0.06) turning = -std::copysign(size - 0.12, turning);  // else F / k holds it
  }
  EXPECT_NEAR(turning, 0.04, 1e-12);
  EXPECT_LT(r.energy_balance(), 1e-9);
}

TEST(DryFriction, an_arm_with_friction_ends_at_rest_and_its_energy_balance_holds) {
  ModelBuilder b("arm");
  b.gravity({0, -9.81, 0});
  b.revolute("one", "base", "upper").friction({.viscous = 0.2, .coulomb = 2, .stiction = 2.5});
  b.revolute("two", "upper", "lower", {.p = {1, 0, 0}})
      .friction({.viscous = 0.1, .coulomb = 1, .stribeck = 0.1});
  b.inertia("upper", 1, {0.5, 0, 0}, {0.001, 0, 0.08, 0, 0, 0.08});
  b.inertia("lower", 1, {0.5, 0, 0}, {0.001, 0, 0.08, 0, 0, 0.08});
  const Model<double> model = b.build();
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.5, 1};
  o.duration = 20;
  const Recording r = simulate(Plant(model), law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_EQ(r.qd(r.size() - 1, 0), 0);
  EXPECT_EQ(r.qd(r.size() - 1, 1), 0);
  EXPECT_GT(r.events, 3);
  EXPECT_LT(r.energy_balance(), 1e-7);
}

TEST(DryFriction, of_a_joint_with_several_degrees_of_freedom_needs_a_width) {
  ModelBuilder b("ball");
  b.spherical("ball", "base", "body").friction({.coulomb = 1});
  b.inertia("body", 1, {0.1, 0, 0}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  EXPECT_THROW(PlantDynamics{Plant(model)}, Error);
}

TEST(JointStops, a_block_returns_from_an_elastic_stop_with_the_energy_it_had) {
  const Model<double> model = block({}, 0.5);
  Plant plant(model);
  plant.stops.stiffness = 800;  // half a swing in the stop: pi sqrt(m / k) = pi / 20
  Nothing law;
  SimulateOptions o;
  o.v0 = {1};
  o.duration = 1;
  o.record_every = 0.5 + std::numbers::pi / 20;
  const Recording r = simulate(plant, law, nothing, o);
  EXPECT_NEAR(r.q(1, 0), 0.5, 1e-8);
  EXPECT_NEAR(r.qd(1, 0), -1, 1e-8);
  EXPECT_LT(r.energy_balance(), 1e-8);
  plant.stops.damping = 1;
  const Recording damped = simulate(plant, law, nothing, o);
  EXPECT_LT(std::abs(damped.qd(1, 0)), 0.9);
}

/// A ball of 2 kg that falls on a plane with stiffness 2e4.
TEST(CompliantSurface, a_fall_touches_and_leaves_when_the_closed_form_says) {
  ModelBuilder b("ball");
  b.prismatic("drop", "base", "ball");
  b.inertia("ball", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "ball", .stiffness = 2e4}};
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.1};
  o.duration = 2;
  o.record_every = 1e-3;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double g = 9.81, fall = std::sqrt(2 * 0.1 / g);
  // in contact: z = -A sin + ..., w = 100 rad/s, about z_e = -m g / k
  const double w = 100, v = g * fall, z_e = g / (w * w);
  const double inside = 2 * (std::numbers::pi - std::atan2(v / w, z_e)) / w;
  EXPECT_NEAR(r.contact(r.at(fall), 0), 0, 2e4 * v * 1e-3);
  EXPECT_GT(r.contact(r.at(fall + inside / 2), 0), 2 * 9.81);
  EXPECT_EQ(r.contact(r.at(fall + inside + 1e-3), 0), 0);
  EXPECT_NEAR(r.q(r.at(2 * fall + inside), 0), 0.1, 1e-4);  // back where it was, at rest
  EXPECT_GE(r.events, 4);
  EXPECT_LT(r.energy_balance(), 1e-7);
}

TEST(CompliantSurface, a_damped_fall_ends_on_the_surface_with_its_weight) {
  ModelBuilder b("ball");
  b.free("drop", "base", "ball");
  b.inertia("ball", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "globe",
                     .frame = "ball",
                     .origin = {0, 0, -5},
                     .radius = 5,
                     .stiffness = 2e4,
                     .damping = 300}};
  Nothing law;
  SimulateOptions o;
  o.q0 = {0, 0, 0.05, 0, 0, 0, 1};
  o.duration = 2;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.contact(r.size() - 1, 0), 2 * 9.81, 1e-6);
  EXPECT_NEAR(r.q(r.size() - 1, 2), -2 * 9.81 / 2e4, 1e-9);
}

TEST(CompliantSurface, a_frame_that_is_not_there_or_no_stiffness_is_refused) {
  const Model<double> model = block({});
  Plant plant(model);
  plant.surfaces = {{.frame = "blok"}};
  EXPECT_THROW(PlantDynamics{plant}, Error);
  plant.surfaces = {{.frame = "block", .stiffness = 0}};
  EXPECT_THROW(PlantDynamics{plant}, Error);
}

}  // namespace
}  // namespace torsor
