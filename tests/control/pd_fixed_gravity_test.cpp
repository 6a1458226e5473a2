/// PD with the weight of the goal, by its proof and by Huo 2005, sec. 3.3.
#include "torsor/control/joint/pd_fixed_gravity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numbers>

#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/periodic.hpp"

namespace torsor {
namespace {

PdiGains gains() { return {Gain({100, 60}), Gain({30, 15})}; }

TEST(GravityStiffness, R_2_slopes_of_the_weight_are_those_of_the_textbook) {
  const GravityStiffness k = gravity_stiffness(load_robot("planar2r"));
  const double worst = 9.81 * (2.5 + std::sqrt(3.25)) / 2;  // 21.1051145
  EXPECT_NEAR(k.smallest, -worst, 1e-7);
  EXPECT_NEAR(k.largest, worst, 1e-7);
  EXPECT_NEAR(gravity_stiffness(load_robot("planar2r"), Gain::uniform(2, 25)).smallest, 25 - worst,
              1e-7);
}

TEST(PdFixedGravity, G_3_3b_reaches_the_goal_down_the_shaped_energy) {
  const Model<double> arm = load_robot("planar2r");
  PdFixedGravity law(arm, gains());
  SimulateOptions o;
  o.q0 = {-0.5, 1.0};
  o.duration = 4;
  o.record_every = 0.25;
  const Recording r = simulate(Plant(arm), law, hold({1.0, -0.5}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 172.48883030, 1e-8);
  EXPECT_NEAR(r.lyapunov(r.at(0.5), 0), 6.97214997, 1e-8);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 0.13620014, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 0), 0.77753482, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 1), -0.50132817, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.03759181, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), -0.04354707, 1e-8);
  EXPECT_NEAR(r.e(r.at(4), 0), 5.9e-7, 1e-8);
  EXPECT_NEAR(r.e(r.at(4), 1), -6.9e-7, 1e-8);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(PdFixedGravity, G_3_3b_too_small_a_gain_is_named_and_settles_elsewhere) {
  const Model<double> arm = load_robot("planar2r");
  const double up = std::numbers::pi / 2;
  struct Case {
    double kp, e1, e2;
  };
  for (const auto& [kp, e1, e2] :
       {Case{25, 0, 0}, Case{15, -1.26135664, -0.32694987}, Case{5, -2.38642303, -0.36925496}}) {
    PdFixedGravity law(arm, {Gain::uniform(2, kp), Gain::uniform(2, 5)});
    SimulateOptions o;
    o.q0 = {up + 0.01, 0};
    o.duration = 60;
    o.record_every = 1;
    const Recording r = simulate(Plant(arm), law, hold({up, 0}, 2), o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_EQ(all_satisfied(r.conditions), kp == 25) << kp;
    for (const Condition& c : r.conditions)
      if (c.name.find("(3-25)") != std::string::npos) {
        EXPECT_NEAR(c.value, kp - 21.1051145, 1e-6);
        EXPECT_EQ(c.satisfied(), kp == 25);
        EXPECT_NE(c.text().find("-21.1051"), std::string::npos) << c.text();
      }
    EXPECT_NEAR(r.e(r.size() - 1, 0), e1, 1e-6) << kp;
    EXPECT_NEAR(r.e(r.size() - 1, 1), e2, 1e-6) << kp;
  }
}

TEST(PdFixedGravity, Example_3_1_direct_drive_arm) {
  const Model<double> arm = load_robot("ddarm");
  PdFixedGravity law(arm, {Gain({400, 80, 50}), Gain({100, 20, 10})});
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.duration = 3;
  o.record_every = 0.5;
  const Recording r = simulate(Plant(arm), law, hold({0.6, 1, -0.5}, 3), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  const double half[3] = {0.0463333, -0.04873, -0.1044454},
               one[3] = {-0.0236759, 0.0104979, -0.0006528}, end[3] = {2e-6, 1.3e-6, -1.2e-6};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.e(r.at(0.5), k), half[k], 1e-6) << k;
    EXPECT_NEAR(r.e(r.at(1), k), one[k], 1e-6) << k;
    EXPECT_NEAR(r.e(r.at(3), k), end[k], 5e-7) << k;
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(PdFixedGravity, X_3_4_does_not_track_with_an_integral) {
  const Model<double> arm = load_robot("planar2r");
  PdFixedGravity law(arm, {Gain({100, 60}), Gain({30, 15}), Gain({80, 40})});
  SimulateOptions o;
  o.q0 = {0, 1.5};
  o.v0 = {1, 0};
  o.duration = 10 * std::numbers::pi;
  o.record_every = std::numbers::pi / 2000;
  o.certificate = false;
  const Sinusoid wave{{0, 1}, {0.5, 0.5}, {2, 2}, {0, std::numbers::pi / 2}};
  const Recording r = simulate(Plant(arm), law, follow(wave), o);
  const double from = 9 * std::numbers::pi;
  EXPECT_NEAR(metrics(r, 0, from).max_error, 0.0576, 5e-5);
  EXPECT_NEAR(metrics(r, 1, from).max_error, 0.0315, 5e-5);
}

TEST(PdFixedGravity, conditions_catch_gains_and_robots_that_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_FALSE(all_satisfied(
      testing::conditions_of(PdFixedGravity(arm, {Gain({100, 60}), Gain({-1, 15})}))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(PdFixedGravity(arm, {Gain({100, 4}), Gain({30, 15})}))));
  EXPECT_THROW(PdFixedGravity(arm, {Gain({1}), Gain({1, 1})}), Error);
  ModelBuilder b("telescope");
  b.revolute("turn", "base", "tube", {}, {0, 1, 0});
  b.prismatic("slide", "tube", "rod", {}, {1, 0, 0});
  b.inertia("tube", 1, {}, {1, 0, 1, 0, 0, 1}).inertia("rod", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> telescope = b.build();
  // dG/dq grows along the slide: V(0) must keep it where it was searched
  PdFixedGravity law(telescope, gains());
  const ReferenceFunction rest = hold({0, 0}, 2);
  EXPECT_TRUE(all_satisfied(law.conditions(testing::run_from(telescope, rest, {0, 0.1}))));
  const std::vector<Condition> fast =
      law.conditions(testing::run_from(telescope, rest, {0, 0}, {0, 50}));
  EXPECT_EQ(testing::violated(fast),
            (std::vector<std::string>{"sliding joints stay where dG/dq was searched"}));
}

TEST(PdFixedGravity, an_integral_gain_that_is_too_large_is_found) {
  const Model<double> arm = load_robot("planar2r");
  PdFixedGravity law(arm, {Gain({100, 60}), Gain({5, 5}), Gain({400, 400})});
  SimulateOptions o;
  o.q0 = {1.1, -0.4};
  o.duration = 5;
  o.control = {.relative = 1e-6, .absolute = 1e-6};
  const Recording r = simulate(Plant(arm), law, hold({1, -0.5}, 2), o);
  EXPECT_EQ(testing::violated(r.conditions),
            (std::vector<std::string>{"integral gain small enough near q_d (Routh)"}));
  EXPECT_GT(std::abs(r.e(r.size() - 1, 0)) + std::abs(r.e(r.size() - 1, 1)), 1);
}

/// Ridges of the eigenvalue of seven joints are no axes: climbed by single joints alone they take
/// many millions of steps.
TEST(PdFixedGravity, conditions_of_seven_joints_take_no_seconds) {
  const Model<double> arm = load_robot("panda");
  const Gain K({185, 530, 215, 180, 26, 14, 3.7});
  const std::clock_t start = std::clock();
  const double smallest = gravity_stiffness(arm, K).smallest;
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.0);
  // The last joint carries next to no weight: less than its own gain no posture gives.
  EXPECT_LT(smallest, 3.7);
  EXPECT_GT(smallest, 3.6);
}

/// The arm R2 with limits of +-0.5 rad, which nothing keeps.
TEST(PdFixedGravity, limits_that_nothing_keeps_do_not_narrow_the_search) {
  const Model<double> free = load_robot("planar2r");
  RobotDescription robot = free.description();
  for (Joint& joint : robot.joints)
    if (joint.kind == JointKind::revolute) {
      joint.limits.assign(1, Limits{});
      joint.limits[0].lower = -0.5, joint.limits[0].upper = 0.5;
    }
  const Model<double> limited(std::move(robot));
  // the closed form of the whole turn
  const double least = -9.81 * (2.5 + std::sqrt(3.25)) / 2;
  EXPECT_NEAR(gravity_stiffness(limited).smallest, least, 1e-6);
  EXPECT_GT(gravity_stiffness(limited, {}, 512, true).smallest, -14);
  PdFixedGravity law(limited, {Gain({13.5, 13.5}), Gain({3, 3})});
  auto run = testing::run_from(limited, hold({0.4, 0.4}, 2), {0.3, 0.3}, {15, 0}, 30);
  EXPECT_EQ(testing::row(law.conditions(run), "(3-25)").verdict, Verdict::violated);
  run.stops = true;
  EXPECT_EQ(testing::row(law.conditions(run), "(3-25)").verdict, Verdict::holds);
}

TEST(PdFixedGravity, the_condition_is_the_plants_and_a_wrong_weight_predicts_no_reach) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> heavy = attach_payload(arm, "link_2", {2, {1, 0, 0}, {}});
  PdFixedGravity law(arm, {Gain({22, 22}), Gain({5, 5})});
  auto run = testing::run_from(arm, hold({1.57, 0}, 2), {1.58, 0});
  EXPECT_TRUE(testing::row(law.conditions(run), "(3-25)").satisfied());
  EXPECT_EQ(law.predictions(run).size(), 1u);
  run.plant = &heavy;
  EXPECT_FALSE(testing::row(law.conditions(run), "(3-25)").satisfied());
  EXPECT_TRUE(law.predictions(run).empty());
}

TEST(PdFixedGravity, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  PdFixedGravity law(arm, {Gain::uniform(6, 10), Gain::uniform(6, 1), Gain::uniform(6, 2)});
  std::vector<double> q(6, 0.1), v(6, 0.2), x(6, 0.5), tau(6), G(6), rate(6);
  RneaWorkspace<double> ws(arm);
  gravity_torque(arm, ws, v, G);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, x, {.q = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, x, {.q = v}}, rate);
  (void)law.lyapunov({0, {.q = q, .qd = v}, x, {.q = v}}, arm);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(tau[1], G[1] + 10 * 0.1 - 0.2 + 1, 1e-13);
}

}  // namespace
}  // namespace torsor
