/// The observer is a first-order filter of whatever acts from outside, and of nothing else.
#include "torsor/control/beside/momentum_observer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/pd_gravity.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

MomentumObserver observer(const Model<double>& believed, std::vector<double> K,
                          std::vector<double> threshold = {}, bool integral = false) {
  const int n = believed.n_v();
  std::vector<double> kp = testing::damping(believed, 100), kd = testing::damping(believed, 20);
  auto pd = std::make_unique<PdGravity>(
      believed, PdiGains{Gain(kp), Gain(kd), integral ? Gain::uniform(n, 0.1) : Gain()});
  return MomentumObserver(believed, std::move(pd), {std::move(K), std::move(threshold)});
}

SimulateOptions run_of(const Model<double>& model, double duration) {
  SimulateOptions o;
  o.q0.assign(static_cast<std::size_t>(model.n_q()), 0.3);
  o.duration = duration;
  o.record_every = 0.05;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  return o;
}

TEST(MomentumObserver, follows_a_constant_torque_as_a_first_order_filter_while_the_arm_moves) {
  for (const char* name : {"puma560", "ur5"}) {
    const Model<double> arm = testing::frictionless(load_robot(name));
    const std::vector<double> K{5, 10, 20, 25, 30, 40}, push{4, -3, 2, 0.1, -0.2, 0.05};
    for (const bool integral : {false, true}) {
      MomentumObserver law = observer(arm, K, {}, integral);
      EXPECT_EQ(law.n_states(), integral ? 12 : 6);
      Plant plant(arm);
      plant.disturbance = [&](double, View<const double>, View<const double>, View<double> tau) {
        for (int k = 0; k < 6; ++k) tau[k] += push[static_cast<std::size_t>(k)];
      };
      const Recording r =
          simulate(plant, law, hold(std::vector<double>(6, -0.4), 6), run_of(arm, 0.5));
      ASSERT_EQ(r.stop, StopReason::finished) << r.message;
      ASSERT_EQ(r.estimate.width(), 6);
      for (int row = 0; row < r.size(); ++row)
        for (int k = 0; k < 6; ++k) {
          const auto i = static_cast<std::size_t>(k);
          const double t = r.t[static_cast<std::size_t>(row)];
          EXPECT_NEAR(r.estimate(row, k), push[i] * (1 - std::exp(-K[i] * t)), 1e-7)
              << name << row << k;
        }
    }
  }
}

TEST(MomentumObserver, of_a_sinusoid_gives_its_filtered_one) {
  const Model<double> arm = load_robot("planar2r");
  MomentumObserver law = observer(arm, {8, 8});
  Plant plant(arm);
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    tau[1] += 3 * std::sin(5 * t);
  };
  const Recording r = simulate(plant, law, hold({1, -0.5}, 2), run_of(arm, 2));
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];  // r' = 8 (3 sin 5t - r), r(0) = 0
    const double f =
        3 * 8 * (8 * std::sin(5 * t) - 5 * std::cos(5 * t) + 5 * std::exp(-8 * t)) / 89;
    EXPECT_NEAR(r.estimate(row, 1), f, 1e-8);
    EXPECT_NEAR(r.estimate(row, 0), 0, 1e-8);
  }
}

TEST(MomentumObserver, sees_a_force_at_the_tip_through_the_transposed_jacobian) {
  const Model<double> arm = load_robot("planar2r");
  MomentumObserver law = observer(arm, {40, 40});
  Plant plant(arm);
  const Frame tip = arm.frame("tip");
  plant.wrench = [&](double, View<const double> q, View<const double>, View<Wrench<double>> F) {
    const double a = q[0] + q[1];  // 5 N along the world's y, at the end of link 2 of 1 m
    const Vec3<double> f{5 * std::sin(a), 5 * std::cos(a), 0};
    F[tip.body] += Wrench<double>{cross(Vec3<double>{1, 0, 0}, f), f};
  };
  const Recording r = simulate(plant, law, hold({1, -0.5}, 2), run_of(arm, 3));
  const int last = r.size() - 1;
  const double q1 = r.q(last, 0), q12 = q1 + r.q(last, 1);
  EXPECT_NEAR(r.estimate(last, 0), 5 * (std::cos(q1) + std::cos(q12)), 1e-4);
  EXPECT_NEAR(r.estimate(last, 1), 5 * std::cos(q12), 1e-4);
}

TEST(MomentumObserver, untouched_its_balance_holds_and_a_wrong_model_shows) {
  const Model<double> arm = load_robot("planar2r"), heavier = testing::with_inertia_times(arm, 1.2);
  MomentumObserver law = observer(arm, {10, 10});
  const Recording r = simulate(Plant(arm), law, hold({1, -0.5}, 2), run_of(arm, 2));
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  const Recording wrong = simulate(Plant(heavier), law, hold({1, -0.5}, 2), run_of(arm, 6));
  EXPECT_GT(wrong.lyapunov_balance(), 0.1);
  // At rest r is the weight that the model lacks: 0.2 G of its own parameters.
  const int last = wrong.size() - 1;
  const double q1 = wrong.q(last, 0), q12 = q1 + wrong.q(last, 1);
  EXPECT_NEAR(wrong.estimate(last, 1), -0.2 * 9.81 * 0.5 * std::cos(q12), 1e-6);
}

TEST(MomentumObserver, a_robot_that_moves_at_the_start_is_seen_right_after_a_while) {
  const Model<double> arm = load_robot("planar2r");
  MomentumObserver law = observer(arm, {10, 10});
  SimulateOptions o = run_of(arm, 2);
  o.v0 = {1, 0};
  const Recording r = simulate(Plant(arm), law, hold({1, -0.5}, 2), o);
  EXPECT_GT(r.estimate(0, 0), 10);  // K p: H_11 is above 1
  const double p = r.estimate(0, 0);
  EXPECT_NEAR(r.estimate(r.at(0.5), 0), p * std::exp(-5.0), 1e-8);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);  // with 1/2 r^T K^-1 r in it
  EXPECT_GT(r.lyapunov(0, 0), 0.5 * p * p / 10);
}

TEST(MomentumObserver, friction_that_the_model_has_is_not_taken_for_a_touch) {
  RobotDescription robot = load_robot("planar2r").description();
  for (Joint& joint : robot.joints)
    joint.friction.assign(joint.friction.empty() ? 1 : joint.friction.size(),
                          Friction{.viscous = 2, .coulomb = 1, .width = 0.05});
  const Model<double> arm(std::move(robot));
  MomentumObserver law = observer(arm, {10, 10});
  const Recording r = simulate(Plant(arm), law, hold({1, -0.5}, 2), run_of(arm, 1));
  for (int row = 0; row < r.size(); ++row) EXPECT_NEAR(r.estimate(row, 0), 0, 1e-8);
}

TEST(MomentumObserver, a_collision_is_reported_when_the_residual_passes_its_threshold) {
  const Model<double> arm = load_robot("planar2r");
  MomentumObserver law = observer(arm, {20, 20}, {1, INFINITY});
  Plant plant(arm);
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    if (t >= 0.5) tau[0] += 4;
    tau[1] += 100;  // not watched
  };
  SimulateOptions o = run_of(arm, 1);
  o.integrator = Integrator::rk4;
  o.record_every = 1e-3;
  const Recording r = simulate(plant, law, hold({1, -0.5}, 2), o);
  ASSERT_EQ(r.estimate.width(), 3);
  // 4 (1 - exp(-20 (t - 0.5))) = 1
  const double when = 0.5 + std::log(4.0 / 3) / 20;
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    if (std::abs(t - when) > 2e-3) {
      EXPECT_EQ(r.estimate(row, 2), t > when ? 1 : 0) << t;
    }
  }
}

TEST(MomentumObserver, conditions_and_doors) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_TRUE(all_satisfied(testing::conditions_of(observer(arm, {1, 1}, {1, 1}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(observer(arm, {1, 0}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(observer(arm, {1, 1}, {1, 0}))));
  // r <- (1 - K T) r
  for (const double K : {1900.0, 2100.0}) {
    MomentumObserver law = observer(arm, {K, K});
    auto run = testing::run_from(arm, hold({0.5, 0.5}, 2), {0, 0}, {}, 0.2);
    run.period = 1e-3;
    EXPECT_EQ(testing::row(law.conditions(run), "sampled observer").satisfied(), K < 2000);
    SimulateOptions o;
    o.duration = 1;
    o.period = 1e-3;
    const Recording r = simulate(Plant(arm), law, hold({0.5, 0.5}, 2), o);
    double most = 0;
    for (const double x : r.estimate.data) most = std::max(most, std::abs(x));
    EXPECT_EQ(most > 1e3, K > 2000) << most;
  }
  EXPECT_THROW(observer(arm, {1}), Error);
  EXPECT_THROW(observer(arm, {1, NAN}), Error);
  EXPECT_THROW(observer(arm, {1, 1}, {1}), Error);
  LawParameters p;
  p.set("observer", {20});
  p.set("threshold", {5, 5});
  p.set("watched", "computed_torque");
  p.set("Kp", {100});
  p.set("Kd", {20});
  EXPECT_EQ(make_law("momentum_observer", arm, p)->n_estimates(), 3);
}

TEST(MomentumObserver, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  MomentumObserver law = observer(arm, std::vector<double>(6, 10), std::vector<double>(6, 1));
  const std::vector<double> q(6, 0.3), v(6, 0.2), x(6, 0.1);
  std::vector<double> tau(6), rate(6), r(7);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, x, {.q = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, x, {.q = v}}, rate);
  law.estimate({.state = {.q = q, .qd = v}, .x_c = x}, r);
  (void)law.lyapunov({0, {.q = q, .qd = v}, x, {.q = v}}, arm);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
