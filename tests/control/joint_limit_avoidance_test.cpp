/// Limits are kept as far as the energy of the start reaches, and no farther.
#include "torsor/control/beside/joint_limit_avoidance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/beside/gravity_float.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/pd_gravity.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

/// The textbook's arm R2 with limits of +-1.2 rad at the elbow.
Model<double> arm() {
  RobotDescription robot = load_robot("planar2r").description();
  robot.joints[1].limits.assign(1, Limits{});
  robot.joints[1].limits[0].lower = -1.2;
  robot.joints[1].limits[0].upper = 1.2;
  return Model<double>(std::move(robot));
}
JointLimitOptions options() { return {{50, 50}, {0.3, 0.3}}; }
std::unique_ptr<ControlLaw> pd(const Model<double>& model, double kp = 60,
                               double kd = 15) {  // of the elbow
  return std::make_unique<PdGravity>(model, PdiGains{Gain({100, kp}), Gain({30, kd})});
}

TEST(JointLimitAvoidance, the_torque_is_the_slope_of_the_barrier) {
  const Model<double> model = arm();
  JointLimitAvoidance law(
      model, std::make_unique<GravityFloat>(model, GravityFloatOptions{Gain({0, 0})}), options());
  GravityFloat bare(model, {Gain({0, 0})});
  std::vector<double> v{0, 0}, tau(2), weight(2);
  for (const double x : {-1.3, -1.1995, -1.1, -0.95, 0.0, 0.91, 1.0, 1.15, 1.1999, 1.4}) {
    std::vector<double> q{0.3, x};
    law.torque({0, {.q = q, .qd = v}, {}, {}}, tau);
    bare.torque({0, {.q = q, .qd = v}, {}, {}}, weight);
    const double h = 1e-6;
    const std::vector<double> up{0.3, x + h}, down{0.3, x - h};
    const double slope = (law.barrier(up) - law.barrier(down)) / (2 * h);
    EXPECT_NEAR(tau[1] - weight[1], -slope, 1e-6 * (1 + std::abs(slope))) << x;
    EXPECT_EQ(tau[0], weight[0]);
  }
}

TEST(JointLimitAvoidance, outside_the_margins_the_law_inside_is_alone) {
  const Model<double> model = arm();
  JointLimitAvoidance law(model, pd(model), options());
  PdGravity bare(model, {Gain({100, 60}), Gain({30, 15})});
  const std::vector<double> q{2, 0.89}, v{1, -1}, goal{0.1, 0.2};
  std::vector<double> a(2), b(2);
  law.torque({0, {.q = q, .qd = v}, {}, {.q = goal}}, a);
  bare.torque({0, {.q = q, .qd = v}, {}, {.q = goal}}, b);
  EXPECT_EQ(a, b);
}

TEST(JointLimitAvoidance, energy_falls_by_what_kd_takes_and_the_limit_is_kept_as_far_as_it_says) {
  const Model<double> model = arm();
  JointLimitAvoidance law(model, pd(model, 4, 0.4), options());
  SimulateOptions o;
  o.q0 = {-0.5, 0};
  o.v0 = {0, 14};  // flies at the upper limit
  o.duration = 20;
  o.record_every = 1e-3;
  const Recording r = simulate(Plant(model), law, hold({1, 0.5}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_LT(r.lyapunov_increase(), 1e-12);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  double nearest = 1;
  for (int k = 0; k < r.size(); ++k) nearest = std::min(nearest, 1.2 - std::abs(r.q(k, 1)));
  EXPECT_LT(nearest, 0.2);  // well inside the margin
  EXPECT_GT(nearest, law.nearest_distance(1, r.lyapunov(0, 0)));
  EXPECT_LT(std::abs(r.e(r.size() - 1, 1)), 1e-3);
  // Without the barrier it does not stop.
  const Recording wild = simulate(Plant(model), *pd(model, 4, 0.4), hold({1, 0.5}, 2), o);
  double farthest = 0;
  for (int k = 0; k < wild.size(); ++k) farthest = std::max(farthest, wild.q(k, 1));
  EXPECT_GT(farthest, 1.2);
}

/// A block of 2 kg thrown at its limit without damping: it turns where u(d) is all its energy.
TEST(JointLimitAvoidance, a_thrown_block_turns_where_the_barrier_has_its_energy) {
  ModelBuilder b("block");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).limits(-1, 1);
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> block = b.build();
  JointLimitAvoidance law(
      block, std::make_unique<GravityFloat>(block, GravityFloatOptions{Gain({0})}), {{40}, {0.25}});
  SimulateOptions o;
  o.v0 = {1.5};
  o.duration = 1.4;
  o.record_every = 1e-4;
  const Recording r = simulate(
      Plant(block), law, [](double, ReferencePoint&) {}, o);
  double farthest = 0;
  for (int k = 0; k < r.size(); ++k) farthest = std::max(farthest, r.q(k, 0));
  // 1/2 k m^2 (m/d - 1)^2 = 1/2 2 1.5^2  =>  d = m / (1 + sqrt(2 1.5^2 / k) / m)
  const double d = 0.25 / (1 + std::sqrt(2 * 2.25 / 40) / 0.25);
  EXPECT_NEAR(1 - farthest, d, 1e-6);
  EXPECT_NEAR(law.nearest_distance(0, 2.25), d, 1e-15);
  EXPECT_NEAR(r.qd(r.size() - 1, 0), -1.5, 1e-7);  // elastic
}

TEST(JointLimitAvoidance, beyond_a_limit_the_push_is_finite_and_back) {
  const Model<double> model = arm();
  JointLimitAvoidance law(model, pd(model), options());
  SimulateOptions o;
  o.q0 = {0, 1.3};
  o.duration = 3;
  const Recording r = simulate(Plant(model), law, hold({0, 0}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_LT(std::abs(r.e(r.size() - 1, 1)), 1e-3);
  EXPECT_LT(r.lyapunov_balance() / r.lyapunov(0, 0), 1e-8);
}

TEST(JointLimitAvoidance, a_goal_within_the_margin_is_not_reached) {
  const Model<double> model = arm();
  JointLimitAvoidance law(model, pd(model), options());
  SimulateOptions o;
  o.duration = 6;
  const Recording r = simulate(Plant(model), law, hold({0, 1.15}, 2), o);
  const double q = r.q(r.size() - 1, 1), d = 1.2 - q;
  // 60 (1.15 - q) = k m^3 / d^2 (m / d - 1)
  EXPECT_NEAR(60 * (1.15 - q), 50 * 0.027 / (d * d) * (0.3 / d - 1), 1e-5);
  EXPECT_LT(q, 1.1);
}

TEST(JointLimitAvoidance, conditions_catch_what_the_proof_does_not_cover) {
  const Model<double> model = arm(), free = load_robot("planar2r");
  EXPECT_TRUE(
      all_satisfied(testing::conditions_of(JointLimitAvoidance(model, pd(model), options()))));
  EXPECT_FALSE(all_satisfied(
      testing::conditions_of(JointLimitAvoidance(model, pd(model), {{50, 50}, {0.3, 1.3}}))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(JointLimitAvoidance(free, pd(free), options()))));
  auto tracking =
      std::make_unique<ComputedTorque>(model, PdiGains{Gain({100, 100}), Gain({20, 20})});
  JointLimitAvoidance around(model, std::move(tracking), options());
  EXPECT_FALSE(all_satisfied(testing::conditions_of(around)));
  EXPECT_THROW(JointLimitAvoidance(model, pd(model), {{50}, {0.3, 0.3}}), Error);
  EXPECT_THROW(JointLimitAvoidance(model, pd(model), {{50, 50}, {0.3, 0}}), Error);
  EXPECT_THROW(JointLimitAvoidance(model, pd(model), {{50, 50}, {0.3, 0.3}, 2}), Error);
}

/// The claim needs an energy of the start below the barrier, and a goal that stays.
TEST(JointLimitAvoidance, runs_that_pass_the_limit_are_told_before) {
  RobotDescription robot = load_robot("planar2r").description();
  for (std::size_t k = 0; k < 2; ++k) {
    robot.joints[k].limits.assign(1, Limits{});
    robot.joints[k].limits[0].lower = k == 0 ? -1 : -2,
    robot.joints[k].limits[0].upper = k == 0 ? 1 : 2;
  }
  const Model<double> model(std::move(robot));
  const JointLimitOptions weak{{0.5, 0.5}, {0.1, 0.1}, 0.5};
  const auto inside = [&](double kd) {
    return std::make_unique<PdGravity>(model, PdiGains{Gain({30, 30}), Gain({kd, kd})});
  };
  // u(m / 2) = k m^2 / 2
  const double hill = 0.5 * 0.01 / 2;
  JointLimitAvoidance thrown(model, inside(1), weak);
  SimulateOptions o;
  o.v0 = {6, 0};
  o.duration = 3;
  o.record_every = 0.01;
  Recording r = simulate(Plant(model), thrown, hold({0, 0}, 2), o);
  const Condition c = testing::row(r.conditions, "V(0) below every barrier");
  EXPECT_EQ(c.verdict, Verdict::violated);
  EXPECT_NEAR(c.value, 0.5 * 36 * 8. / 3, 1e-9);
  EXPECT_NEAR(c.bound, hill, 1e-12);
  double farthest = 0;
  for (int k = 0; k < r.size(); ++k) farthest = std::max(farthest, std::abs(r.q(k, 0)));
  EXPECT_GT(farthest, 1.2);

  JointLimitAvoidance led(model, inside(10), weak);
  o.v0 = {};
  r = simulate(Plant(model), led, follow(Sinusoid{{0, 0}, {1.5, 0.1}, {2, 2}, {0, 0}}), o);
  EXPECT_EQ(testing::row(r.conditions, "constant q_d").verdict, Verdict::not_covered);
  farthest = 0;
  for (int k = 0; k < r.size(); ++k) farthest = std::max(farthest, std::abs(r.q(k, 0)));
  EXPECT_GT(farthest, 1.2);

  // an integral inside feeds energy in
  JointLimitAvoidance fed(
      model,
      std::make_unique<PdGravity>(model, PdiGains{Gain({30, 30}), Gain({10, 10}), Gain({1, 1})}),
      weak);
  EXPECT_EQ(testing::not_covered(testing::conditions_of(fed)),
            (std::vector<std::string>{"the law inside shapes energy"}));
}

/// A block of 1 kg on a slide, thrown at a barrier. Where u = V(0) = 2 J its slope is
/// k m^3 (3 m / d^4 - 2 / d^3): the sampled loop e'' = -slope e - Kd e' is stable where
/// slope T / 2 < Kd < 2 / T, nearly (its determinant is 1 - Kd T + slope T^2 / 2).
TEST(JointLimitAvoidance, a_barrier_too_steep_for_the_period_is_not_covered) {
  ModelBuilder b("slide");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).limits(-1, 1);
  b.inertia("block", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  const double k = 100, m = 0.1, Kd = 4, V = 2, d = m / (1 + std::sqrt(2 * V / k) / m);
  const double slope = k * m * m * m * (3 * m / std::pow(d, 4) - 2 / std::pow(d, 3));
  const double border = 2 * Kd / slope;
  const auto of_barrier = [&](double period) {
    JointLimitAvoidance law(
        model, std::make_unique<PdGravity>(model, PdiGains{Gain({1e-9}), Gain({Kd})}), {{k}, {m}});
    auto run = ideal_run(model);
    run.v0 = {2};
    run.reference = hold({0.0}, 1);
    run.period = period;
    return testing::row(law.conditions(run), "the barrier is stable as near as V(0) comes");
  };
  EXPECT_EQ(of_barrier(0.98 * border).verdict, Verdict::holds);
  const Condition c = of_barrier(1.02 * border);
  EXPECT_EQ(c.verdict, Verdict::not_covered);
  EXPECT_NE(c.note.find("slide 0.0333"), std::string::npos) << c.note;
}

TEST(JointLimitAvoidance, is_made_by_name_around_a_law_by_name) {
  const Model<double> model = arm();
  LawParameters p;
  p.set("limit_stiffness", {50});
  p.set("limit_margin", {0.3});
  p.set("Kp", {100, 60});
  p.set("Kd", {30, 15});
  EXPECT_STREQ(make_law("joint_limit_avoidance", model, p)->name(), "joint_limit_avoidance");
  p.set("inside", "computed_torque");
  EXPECT_FALSE(all_satisfied(testing::conditions_of(*make_law("joint_limit_avoidance", model, p))));
  LawParameters wrong = p;
  wrong.set("Kq", {1});
  EXPECT_THROW(make_law("joint_limit_avoidance", model, wrong), Error);
}

TEST(JointLimitAvoidance, calls_allocate_nothing) {
  const Model<double> model = load_robot("puma560");
  JointLimitAvoidance law(
      model,
      std::make_unique<PdGravity>(model, PdiGains{Gain::uniform(6, 10), Gain::uniform(6, 1)}),
      {std::vector<double>(6, 10), std::vector<double>(6, 0.2)});
  const std::vector<double> q(6, 2.6), v(6, 0.2);
  std::vector<double> tau(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v}}, tau);
  (void)law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v}}, model);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
