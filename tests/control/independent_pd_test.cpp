/// Independent PD by its proof and by the golden simulations of Huo 2005, sec. 3.2.
#include "torsor/control/joint/independent_pd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

const std::vector<double> goal{1.0, -0.5};
PdGains gains(double factor = 1) { return {Gain({100 * factor, 60 * factor}), Gain({30, 15})}; }

TEST(IndependentPd, G_3_2_without_gravity_reaches_the_goal_as_the_proof_says) {
  const Model<double> arm = with_gravity(load_robot("planar2r"), {});
  IndependentPd law(arm, gains());
  const Recording r = simulate(Plant(arm), law, hold(goal, 2), testing::set_a(4));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  ASSERT_EQ(r.size(), 17);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_DOUBLE_EQ(r.lyapunov(0, 0), 180);
  EXPECT_NEAR(r.lyapunov(r.at(0.5), 0), 6.22363196, 1e-8);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 0.08022762, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 0), 0.74699457, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 1), -0.50105215, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.01728564, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), -0.04537483, 1e-8);
  EXPECT_NEAR(r.e(r.at(4), 0), 1.8e-7, 1e-8);
  EXPECT_NEAR(r.e(r.at(4), 1), -3.3e-7, 1e-8);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.energy_balance(), 1e-9);
}

TEST(IndependentPd, G_3_2_under_gravity_stops_where_the_springs_carry_the_weight) {
  const Model<double> arm = load_robot("planar2r");
  const double expected[5] = {0.143573378, 0.066401, 0.031897, 0.015631, 0.007737};
  RneaWorkspace<double> ws(arm);
  for (int k = 0; k < 5; ++k) {
    const double factor = std::pow(2.0, k);
    IndependentPd law(arm, gains(factor));
    const Recording r = simulate(Plant(arm), law, hold(goal, 2), testing::set_a(20 + 20 * k));
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    const int last = r.size() - 1;
    EXPECT_NEAR(r.e(last, 0), expected[k], k == 0 ? 1e-9 : 5e-7) << factor;
    if (k == 0) {
      EXPECT_NEAR(r.e(last, 1), 0.078615546, 1e-9);
    }
    std::vector<double> G(2);
    gravity_torque(arm, ws, r.q.row(last), G);
    EXPECT_NEAR(100 * factor * r.e(last, 0), G[0], 1e-6);
    EXPECT_NEAR(60 * factor * r.e(last, 1), G[1], 1e-6);
    EXPECT_FALSE(all_satisfied(r.conditions));  // gravity is there
  }
}

TEST(IndependentPd, runge_kutta_at_1_ms_reproduces_the_golden_run) {
  const Model<double> arm = with_gravity(load_robot("planar2r"), {});
  IndependentPd law(arm, gains());
  SimulateOptions o = testing::set_a(1);
  o.integrator = Integrator::rk4;
  Recording r = simulate(Plant(arm), law, hold(goal, 2), o);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.01728564, 1e-8);
  EXPECT_LT(r.lyapunov_balance(), 1e-6 * r.lyapunov(0, 0));
  o.period = 1e-3;  // sample and hold
  r = simulate(Plant(arm), law, hold(goal, 2), o);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.01728564, 2e-3);
  EXPECT_GT(std::abs(r.e(r.at(1), 0) - 0.01728564), 1e-7);
}

TEST(IndependentPd, S_3_2_tuning_rule_3_5_gives_the_gains_of_example_3_1) {
  const double h[3] = {15, 1.5, 0.5}, w[3] = {5, 7.5, 10}, z[3] = {0.7, 1, 1};
  const PdGains g = IndependentPd::tuned(h, w, z);
  const double kp[3] = {375, 84.375, 50}, kd[3] = {105, 22.5, 10};
  for (int k = 0; k < 3; ++k) {
    EXPECT_DOUBLE_EQ(g.Kp(k, k), kp[k]);
    EXPECT_DOUBLE_EQ(g.Kd(k, k), kd[k]);
  }
}

TEST(IndependentPd, Example_3_1_direct_drive_arm_keeps_the_error_of_its_weight) {
  const Model<double> arm = load_robot("ddarm");
  IndependentPd law(arm, {Gain({400, 80, 50}), Gain({100, 20, 10})});
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.duration = 10;
  o.record_every = 0.5;
  const Recording r = simulate(Plant(arm), law, hold({0.6, 1, -0.5}, 3), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double early[3] = {0.0455637, -0.3518796, -0.0748459}, end[3] = {0, -0.3629246, 0.0301721};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.e(r.at(0.5), k), early[k], 1e-6) << k;
    EXPECT_NEAR(r.e(r.size() - 1, k), end[k], 1e-6) << k;
  }
}

TEST(IndependentPd, conditions_catch_gains_that_the_proof_does_not_cover) {
  const Model<double> arm = with_gravity(load_robot("planar2r"), {});
  EXPECT_TRUE(all_satisfied(testing::conditions_of(IndependentPd(arm, gains()))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(IndependentPd(arm, {Gain({100, -1}), Gain({30, 15})}))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(IndependentPd(arm, {Gain({100, 60}), Gain({0, 15})}))));
  const Gain skewed = Gain::full(2, {100, 1, 0, 60});
  EXPECT_FALSE(all_satisfied(testing::conditions_of(IndependentPd(arm, {skewed, Gain({30, 15})}))));
  EXPECT_THROW(IndependentPd(arm, {Gain({1}), Gain({1, 1})}), Error);
}

/// A ball whose error is a rotation vector: the gains must be alike, and the start below half a turn.
TEST(IndependentPd, a_spherical_joint_needs_like_gains_and_less_than_half_a_turn) {
  ModelBuilder b("ball");
  b.gravity({});
  b.spherical("joint", "base", "ball");
  b.inertia("ball", 1, {}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> ball = b.build();
  const Vec3<double> turn{0.5, 1.8, 0.7};
  Array<double> q0(4);
  const double step[3] = {turn.x, turn.y, turn.z}, neutral[4] = {0, 0, 0, 1};
  integrate(ball, In<double>(neutral), In<double>(step), Out<double>(q0));
  const Array<double> straight{0, 0, 0, 1};
  IndependentPd unlike(ball, {Gain({10, 4, 1}), Gain::uniform(3, 1e-3)});
  auto run = testing::run_from(ball, hold(straight, 3), q0);
  EXPECT_EQ(testing::not_covered(certificate(unlike, run)),
            (std::vector<std::string>{"Kp of rotations is k I"}));
  IndependentPd alike(ball, {Gain::uniform(3, 4), Gain::uniform(3, 1e-3)});
  EXPECT_TRUE(all_satisfied(certificate(alike, run)));
  const Condition c = testing::row(alike.conditions(run), "half a turn");
  EXPECT_NEAR(c.value, 2 * squared_norm(turn), 1e-12);
  EXPECT_NEAR(c.bound, 2 * std::numbers::pi * std::numbers::pi, 1e-12);
  run.v0 = {0, 40, 0};
  EXPECT_EQ(testing::violated(certificate(alike, run)),
            (std::vector<std::string>{"spherical joints start below half a turn"}));
}

TEST(IndependentPd, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  IndependentPd law(arm, {Gain::uniform(6, 10), Gain::uniform(6, 1)});
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v}}, tau);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v}}, arm);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(tau[0], 10 * 0.1 - 0.2, 1e-15);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
