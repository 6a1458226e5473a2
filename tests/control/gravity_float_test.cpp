/// Gravity float: the robot stays where it is left, and a wrong weight moves it as its energy says.
#include "torsor/control/beside/gravity_float.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "support/nothing.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::nothing;

TEST(GravityFloat, a_pushed_robot_comes_to_rest_as_its_proof_says) {
  for (const char* name : {"planar2r", "puma560", "ur5"}) {
    const Model<double> arm = testing::frictionless(load_robot(name));
    GravityFloat law(arm, {Gain(testing::damping(arm, 5))});
    SimulateOptions o;
    o.q0.assign(static_cast<std::size_t>(arm.n_q()), 0.4);
    o.v0.assign(o.q0.size(), 0.6);
    o.duration = 2;
    o.record_every = 0.1;
    const Recording r = simulate(Plant(arm), law, nothing, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions)) << name;
    EXPECT_NEAR(r.lyapunov(0, 0), r.energy(0, 0), 1e-12) << name;
    EXPECT_EQ(r.lyapunov_increase(), 0) << name;
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << name;
    EXPECT_FALSE(r.rate_is_bound);
    for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.prediction.name;
  }
}

TEST(GravityFloat, at_rest_it_stays_for_ever) {
  const Model<double> arm = load_robot("planar2r");
  GravityFloat law(arm, {Gain::uniform(2, 1)});
  SimulateOptions o;
  o.q0 = {0.7, -1.1};
  o.duration = 5;
  const Recording r = simulate(Plant(arm), law, nothing, o);
  EXPECT_NEAR(r.q(r.size() - 1, 0), 0.7, 1e-12);
  EXPECT_NEAR(r.q(r.size() - 1, 1), -1.1, 1e-12);
}

/// What the law does not know of the weight is all the weight there is: V is that energy.
TEST(GravityFloat, a_wrong_weight_is_in_the_function_and_the_balance_holds) {
  const Model<double> arm = load_robot("planar2r"),
                      believed = testing::with_inertia_times(arm, 0.8);
  GravityFloat law(believed, {Gain::uniform(2, 2)});
  SimulateOptions o;
  o.q0 = {0.3, 0.2};
  o.duration = 3;
  const Recording r = simulate(Plant(arm), law, nothing, o);
  const int last = r.size() - 1;
  EXPECT_NEAR(r.lyapunov(last, 0), r.energy(last, 0) + 0.2 * r.energy(last, 1), 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  EXPECT_LT(r.q(last, 0), 0);  // it sank
}

/// A turntable of 2 kg m^2, no weight: w' = -(1 - c) viscous w / I as long as tanh is saturated.
TEST(GravityFloat, compensated_friction_leaves_its_share_and_never_drives) {
  ModelBuilder b("table");
  b.gravity({});
  b.revolute("turn", "base", "table").friction({.viscous = 0.5, .coulomb = 2});
  b.inertia("table", 1, {}, {1, 0, 1, 0, 0, 2});
  const Model<double> table = b.build();
  SimulateOptions o;
  o.v0 = {3};
  o.duration = 1;
  const auto speed = [&](double share) {
    GravityFloat law(table, {Gain({0.1}), share, 0.01});
    const Recording r = simulate(Plant(table), law, nothing, o);
    EXPECT_TRUE(all_satisfied(r.conditions));
    EXPECT_TRUE(r.rate_is_bound);
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << share;
    EXPECT_EQ(r.lyapunov_increase(), 0) << share;
    return r.qd(r.size() - 1, 0);
  };
  // 2 w' = -(0.5 (1 - c) + 0.1) w - 2 (1 - c)
  const auto closed = [](double c) {
    const double a = (0.5 * (1 - c) + 0.1) / 2, d = 1 - c;
    return (3 + d / a) * std::exp(-a) - d / a;
  };
  for (const double share : {0.0, 0.5, 1.0})
    EXPECT_NEAR(speed(share), closed(share), 1e-9) << share;
}

TEST(GravityFloat, led_by_a_hand_it_follows_the_force_through_kd) {
  const Model<double> rod = load_robot("pendulum");
  GravityFloat law(rod, {Gain({4})});
  Plant plant(rod);
  plant.disturbance = [](double, View<const double>, View<const double> qd, View<double> tau) {
    tau[0] += 20 * (0.3 - qd[0]);  // a hand that would turn the rod at 0.3 rad/s
  };
  SimulateOptions o;
  o.duration = 1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  const Recording r = simulate(plant, law, nothing, o);
  for (int k = 0; k < r.size(); ++k) {  // of 1/3 kg m^2, wherever its weight is
    const double t = r.t[static_cast<std::size_t>(k)];
    EXPECT_NEAR(r.qd(k, 0), 20 * 0.3 / 24 * (1 - std::exp(-3 * 24 * t)), 1e-8);
  }
}

TEST(GravityFloat, conditions_catch_what_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_TRUE(all_satisfied(testing::conditions_of(GravityFloat(arm, {Gain({1, 1}), 0.9}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(GravityFloat(arm, {Gain({1, 0})}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(GravityFloat(arm, {Gain({1, 1}), 1.1}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(GravityFloat(arm, {Gain({1, 1}), -0.1}))));
  // a plant with less friction than the law gives back
  RobotDescription rough = arm.description();
  double viscous = 5;
  for (Joint& joint : rough.joints)
    if (joint.kind == JointKind::revolute) {
      joint.friction.assign(1, {});
      joint.friction[0].viscous = viscous;
      viscous = 3;
    }
  const Model<double> believed(std::move(rough));
  GravityFloat law(believed, {Gain({1, 1}), 0.9});
  auto run = testing::run_from(believed, hold({0, 0.5}, 2), {0, 0.5}, {0.1, 0});
  EXPECT_NEAR(testing::row(law.conditions(run), "friction of the plant").value, 0.9, 1e-12);
  EXPECT_TRUE(all_satisfied(law.conditions(run)));
  run.friction = false;
  EXPECT_EQ(testing::row(law.conditions(run), "friction of the plant").verdict, Verdict::violated);
  run.friction = true;
  run.plant = &arm;
  EXPECT_EQ(testing::row(law.conditions(run), "friction of the plant").verdict, Verdict::violated);
  EXPECT_THROW(GravityFloat(arm, {Gain({1})}), Error);
  EXPECT_THROW(GravityFloat(arm, {Gain({1, 1}), NAN}), Error);
  EXPECT_THROW(GravityFloat(arm, {Gain({1, 1}), 0, 0}), Error);
  LawParameters p;
  p.set("Kd", {1, 1});
  p.set("friction", {0.5});
  EXPECT_STREQ(make_law("gravity_float", arm, p)->name(), "gravity_float");
}

TEST(GravityFloat, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  GravityFloat law(arm, {Gain::uniform(6, 1), 0.5});
  const std::vector<double> q(6, 0.3), v(6, 0.2);
  std::vector<double> tau(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {}}, tau);
  (void)law.lyapunov({0, {.q = q, .qd = v}, {}, {}}, arm);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
