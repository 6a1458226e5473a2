/// Dry friction that sticks: closed forms of a block, and laws of every run.
#include "torsor/sim/plant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/nothing.hpp"
#include "support/sliding_block.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {
namespace {

using testing::block;
using testing::Nothing;
using testing::nothing;

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

/// A law that compensates friction by the sign of the velocity has none at rest: where the block
/// leaves, the torque jumps, and what acts in the first stage of a step is what acts in the others.
/// Without friction e would stay 0; while the block sticks e = q_d, and from then on e'' = -Kd e' - Kp e.
TEST(DryFriction, under_a_law_that_compensates_it_a_block_leaves_rest_once_in_runs_of_any_length) {
  const Model<double> model = block({.coulomb = 3});
  Boundary<double> from, to;
  from.q = {0}, to.q = {1};
  const ReferenceFunction reference = follow(quintic(from, to, 1), 1, 1);
  for (const Integrator integrator : integrators)
    for (const double duration : {2.0, 2e5}) {
      if (integrator == Integrator::rk4 && duration > 2) continue;  // so many steps
      ComputedTorque law(model, {Gain({100}), Gain({20})});
      SimulateOptions o;
      o.integrator = integrator;
      o.duration = duration;
      o.record_every = duration / 200;
      const Recording r = simulate(Plant(model), law, reference, o);
      ASSERT_EQ(r.stop, StopReason::finished) << name_of(integrator) << " " << r.message;
      EXPECT_LE(r.events, 3) << name_of(integrator) << " " << duration;
      EXPECT_GT(r.events, 0);
      EXPECT_NEAR(r.q(r.size() - 1, 0), 1, 1e-3);
    }
}

TEST(DryFriction, with_an_offset_and_an_asymmetry_leaves_later_in_one_direction) {
  // It holds 1.5 - 4 ... 1.5 + 4 N, slides with 4.5 N forwards and -1.5 N backwards.
  const Model<double> model =
      block({.coulomb = 3, .stiction = 4, .offset = 1, .coulomb_asymmetry = 0.5});
  for (const double way : {1.0, -1.0}) {
    Plant plant(model);
    plant.disturbance = [way](double t, View<const double>, View<const double>, View<double> tau) {
      tau[0] += way * 2 * t;
    };
    Nothing law;
    SimulateOptions o;
    o.duration = 3.5;
    const Recording r = simulate(plant, law, nothing, o);
    const double leaves = way > 0 ? 2.75 : 1.25, friction = way > 0 ? 4.5 : -1.5;
    EXPECT_EQ(r.q(r.at(leaves - 0.01), 0), 0);
    const auto speed = [&](double t) {
      return (way * (t * t - leaves * leaves) - friction * (t - leaves)) / 2;
    };
    EXPECT_NEAR(r.qd(r.at(3), 0), speed(3), 1e-9);
    EXPECT_NEAR(r.qd(r.at(3.5), 0), speed(3.5), 1e-9);
    EXPECT_LT(r.energy_balance(), 1e-9);
  }
}

TEST(DryFriction, of_the_load_holds_a_weight_until_its_share_is_exceeded) {
  // 2 kg on a vertical slide, held: 20 N are transmitted, friction takes up to 1 + 0.25 * 20 = 6 N. A force
  // of 20 + 2 t lifts it from t = 3 s on; then t' of u = 19 + 2 t is u / 1.25, and 2 a = t' - 20.
  ModelBuilder b("lift");
  b.gravity({0, 0, -10});
  b.prismatic("lift", "base", "cab", {}, {0, 0, 1}).friction({.coulomb = 1, .load = 0.25});
  b.inertia("cab", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    tau[0] += 20 + 2 * t;
  };
  for (const Integrator integrator : integrators) {
    Nothing law;
    SimulateOptions o;
    o.integrator = integrator;
    o.duration = 4;
    const Recording r = simulate(plant, law, nothing, o);
    EXPECT_EQ(r.qd(r.at(2.99), 0), 0);
    EXPECT_NEAR(r.qd(r.size() - 1, 0), 0.4, 1e-9) << name_of(integrator);  // 0.8 (t - 3)^2 / 2
    EXPECT_NEAR(r.q(r.size() - 1, 0), 0.8 / 6, 1e-9) << name_of(integrator);
    EXPECT_EQ(r.events, 1);
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

}  // namespace
}  // namespace torsor
