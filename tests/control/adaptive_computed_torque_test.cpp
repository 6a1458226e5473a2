/// Adaptive computed torque: the golden run of Huo 2005, sec. 3.9, its balance, and an H_hat that
/// cannot be inverted.
#include "torsor/control/uncertain/adaptive_computed_torque.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/trajectory/periodic.hpp"

namespace torsor {
namespace {

using Numbers = std::vector<double>;

AdaptiveComputedTorqueGains gains() {
  return {Gain({25, 25}), Gain({10, 10}), Gain::uniform(4, 1)};
}
AdaptationOptions adapts() {
  AdaptationOptions o;
  o.parameters = testing::r2_names();
  o.rate = Gain({20, 10, 10, 20, 10});
  o.p0 = {5.0 / 3 * 1.3, 0.5 * 0.8, 1.0 / 3 * 1.3, 1.5 * 0.7, 0.5 * 0.7};
  return o;
}

/// All ten of each link of the arm itself.
AdaptationOptions own() {
  AdaptationOptions o;
  o.rate = Gain::uniform(20, 1);
  return o;
}

class AdaptiveTorque : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  const Model<double> nothing = testing::with_inertia_times(arm, 0);
};

TEST_F(AdaptiveTorque, G_3_9a_tracks_as_the_proof_says) {
  AdaptiveComputedTorque law(nothing, gains(), adapts());
  const double R[16] = {1.5, 0, 0.02, 0, 0, 1.5, 0, 0.02, 0.02, 0, 0.052, 0, 0, 0.02, 0, 0.052};
  for (int k = 0; k < 16; ++k) EXPECT_NEAR(law.lyapunov_matrix()[k], R[k], 1e-13);
  SimulateOptions o = testing::start_a(20);
  o.record_every = 0.01;
  o.measure_acceleration = true;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 0.265875, 1e-12);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 0.0998939487, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(5), 0), 0.0446519201, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(20), 0), 0.0174781302, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.lyapunov_increase(), 1e-12);
  const double e[3][2] = {
      {-0.08036714, 0.15387343}, {-0.04047176, 0.02647137}, {0.00614761, 0.00332435}};
  const double times[3] = {1, 5, 20};
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 2; ++c) EXPECT_NEAR(r.e(r.at(times[k]), c), e[k][c], 1e-8) << k;
  const std::vector<Comparison> list = compare_predictions(r);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_TRUE(list[0].kept);
  EXPECT_NEAR(list[0].prediction.value, std::sqrt(0.265875 / 0.0517237), 1e-4);  // l_m(R)
  double smallest = infinity;  // of H_hat along the run
  ParameterSet set(nothing, testing::r2_names());
  Numbers H(4);
  for (int k = 0; k < r.size(); ++k) {
    set.inertia_matrix(r.q.row(k), r.x_c.row(k), column_major(H.data(), 2, 2));
    smallest = std::fmin(smallest, Gain::full(2, H).smallest_eigenvalue());
  }
  EXPECT_NEAR(smallest, 0.1343, 1e-4);  // at the rows of the recording
}

TEST_F(AdaptiveTorque, scenario_of_G_3_9a_gives_the_golden_numbers) {
  const Recording r = run_scenario(load_scenario(
      TORSOR_SOURCE_DIR "/examples/scenarios/planar_arm_adaptive_computed_torque.yaml"));
  EXPECT_NEAR(r.lyapunov(0, 0), 0.265875, 1e-9);
  EXPECT_NEAR(r.e(r.at(5), 0), -0.04047176, 1e-6);
}

TEST_F(AdaptiveTorque, with_the_true_parameters_is_computed_torque) {
  AdaptationOptions o = adapts();
  o.p0.clear();
  AdaptiveComputedTorque law(arm, gains(), o);
  ComputedTorque known(arm, {Gain({25, 25}), Gain({10, 10})});
  const Numbers q{0.3, -0.7}, v{0.5, -1.2}, q_d{0.5, -0.4}, v_d{0.2, 0.4}, a_d{1, -2};
  Numbers tau(2), expected(2), p(5);
  law.reset(p);
  law.torque({0, {.q = q, .qd = v}, p, {.q = q_d, .qd = v_d, .qdd = a_d}}, tau);
  known.torque({0, {.q = q, .qd = v}, {}, {.q = q_d, .qd = v_d, .qdd = a_d}}, expected);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-12);
}

TEST_F(AdaptiveTorque, a_singular_start_and_an_unmeasured_acceleration_are_refused) {
  const auto message = [&](const AdaptiveComputedTorqueGains& g, const AdaptationOptions& o) {
    try {
      AdaptiveComputedTorque law(nothing, g, o);
      return std::string("taken");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(message(gains(), adapts()), "taken");
  AdaptationOptions o = adapts();
  o.p0 = Numbers(5);
  EXPECT_NE(message(gains(), o).find("adaptive_computed_torque: H of the estimates p0 is singular"),
            std::string::npos);
  o.p0 = {0.5, 1, 0.3, 0, 0};  // possible at q2 = 0 only
  EXPECT_NE(message(gains(), o).find("singular"), std::string::npos);
  AdaptiveComputedTorqueGains unstable = gains();
  unstable.Kd = Gain({10, -1});
  EXPECT_NE(message(unstable, adapts()).find("not stable"), std::string::npos);
  AdaptiveComputedTorque law(nothing, gains(), adapts());
  SimulateOptions run = testing::start_a(1);
  EXPECT_THROW((void)simulate(Plant(arm), law, testing::trajectory_a(), run), Error);
}

TEST_F(AdaptiveTorque, certificates_name_what_fails) {
  AdaptiveComputedTorqueGains g = gains();
  g.Q = Gain({1, 1, 1, -0.1});
  EXPECT_FALSE(all_satisfied(testing::conditions_of(AdaptiveComputedTorque(nothing, g, adapts()))));
  AdaptationOptions o = adapts();
  o.rate = Gain({20, 10, 10, 20, -1});
  EXPECT_FALSE(all_satisfied(testing::conditions_of(AdaptiveComputedTorque(nothing, gains(), o))));
  // det H = a1 a3 - a3^2 - (a2 c2)^2: a2 = 1.5 is too much, a1 a3 - a3^2 >= 0.1875, a2 = 0.4 is not
  o = adapts();
  o.lower = {1, -0.4, 0.25, -5, -5};
  o.upper = {3, 1.5, 0.6, 5, 5};
  std::vector<Condition> list = testing::conditions_of(AdaptiveComputedTorque(nothing, gains(), o));
  EXPECT_EQ(list.back().name, "H_hat invertible within the bounds");
  EXPECT_FALSE(list.back().satisfied());
  o.upper[1] = 0.42;
  list = testing::conditions_of(AdaptiveComputedTorque(nothing, gains(), o));
  EXPECT_TRUE(list.back().satisfied());
}

TEST_F(AdaptiveTorque, natural_rates_keep_the_balance) {
  const Model<double> light = testing::with_inertia_times(arm, 0.7);
  AdaptationOptions o;
  o.rate = Gain::uniform(20, 0);
  o.natural = 20;
  AdaptiveComputedTorque law(light, gains(), o);
  SimulateOptions run = testing::start_a(5);
  run.measure_acceleration = true;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), run);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_LT(r.lyapunov_balance(), 1e-9 * r.lyapunov(0, 0));
  EXPECT_LT(r.lyapunov(r.size() - 1, 0), 0.9 * r.lyapunov(0, 0));
}

/// Estimates of a tenth of the second link: H_hat comes near to a singular one at once. The floor
/// holds it, and V still falls.
TEST_F(AdaptiveTorque, small_estimates_end_and_keep_the_proof) {
  AdaptationOptions o;
  o.parameters = {"link_2.m", "link_2.mx", "link_2.zz"};
  o.p0 = {0.1, 0.05, 0.05};
  o.rate = Gain::uniform(3, 2);
  AdaptiveComputedTorque law(arm, {Gain({25, 25}), Gain({10, 10}), Gain::uniform(4, 1)}, o);
  SimulateOptions run;
  run.q0 = {0.7, -1.1};
  run.v0 = {0.4, -0.6};
  run.duration = 6;
  run.record_every = 0.01;
  run.measure_acceleration = true;
  run.control = {.relative = 1e-8, .absolute = 1e-10};
  const Recording r = simulate(
      Plant(arm), law, follow(Sinusoid{{0.3, -0.4}, {0.6, 0.8}, {1.7, 2.3}, {0.4, -0.9}}), run);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_TRUE(r.rate_is_bound);  // the floor has acted
  EXPECT_LT(r.lyapunov_balance(), 1e-6 * r.lyapunov(0, 0));
  EXPECT_LT(r.lyapunov(r.size() - 1, 0), r.lyapunov(0, 0));
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
}

TEST_F(AdaptiveTorque, a_floor_above_the_plants_own_inertia_violates_a_condition) {
  AdaptiveComputedTorqueGains g = gains();
  g.inertia_floor = 0.03;  // l_m(H) = 0.0662791 over all q
  EXPECT_TRUE(all_satisfied(testing::conditions_of(AdaptiveComputedTorque(arm, g, own()))));
  g.inertia_floor = 0.034;
  EXPECT_EQ(testing::violated(testing::conditions_of(AdaptiveComputedTorque(arm, g, own()))),
            (std::vector<std::string>{"inertia_floor below the plant"}));
}

TEST_F(AdaptiveTorque, estimates_that_near_a_singular_inertia_are_held) {
  // so fast that the estimates overshoot
  AdaptationOptions o = adapts();
  o.rate = Gain({20000, 10000, 10000, 2000, 1000});
  AdaptiveComputedTorqueGains g = gains();
  g.inertia_floor = 0.02;
  AdaptiveComputedTorque law(nothing, g, o);
  SimulateOptions run = testing::start_a(3);
  run.measure_acceleration = true;
  run.control = {.relative = 1e-8, .absolute = 1e-10};
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), run);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  for (const double x : r.x_c.data) EXPECT_TRUE(std::isfinite(x));
  // directly at a singular one without an error: l' = k (2 d - l), along g = v^T (dH/dp) v
  Numbers p_hat{0.5, 1, 0.3, 0, 0}, rate(5), q{0, 3.1}, v(2), a{1, 1};
  law.state_derivative({0, {.q = q, .qd = v, .qdd = a}, p_hat, {.q = q, .qd = v, .qdd = v}}, rate);
  const auto least = [&](const Numbers& p) {  // of [a1 + 2 a2 c2, a3 + a2 c2; ., a3]
    const double c = std::cos(q[1]), h = p[0] + 2 * p[1] * c, k = p[2] + p[1] * c;
    return (h + p[2]) / 2 - std::hypot((h - p[2]) / 2, k);
  };
  Numbers next = p_hat, back = p_hat;
  for (std::size_t c = 0; c < 5; ++c) next[c] += 1e-6 * rate[c], back[c] -= 1e-6 * rate[c];
  EXPECT_NEAR((least(next) - least(back)) / 2e-6, 10 * (0.04 - least(p_hat)), 1e-4);
}

TEST_F(AdaptiveTorque, bounds_keep_the_balance_on_the_right_side) {
  AdaptationOptions o = adapts();
  o.lower = {1.4, 0.3, 0.3, 0.5, 0.2};
  o.upper = {2.5, 0.55, 0.6, 2, 1};
  o.margin = Numbers(5, 0.01);
  AdaptiveComputedTorque law(nothing, gains(), o);
  SimulateOptions run = testing::start_a(20);
  run.measure_acceleration = true;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), run);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_TRUE(r.rate_is_bound);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  for (int k = 0; k < r.size(); ++k)
    for (int c = 0; c < 5; ++c) {
      EXPECT_GE(r.x_c(k, c), o.lower[c]);
      EXPECT_LE(r.x_c(k, c), o.upper[c]);
    }
}

/// 1 kHz, upper arm and forearm 20 % too light: they are learnt, the rest is known.
TEST(AdaptiveTorqueRobots, hold_puma560_and_ur5_at_1_khz) {
  for (const char* name : {"puma560", "ur5"}) {
    const Model<double> robot = testing::frictionless(load_robot(name));
    Numbers ten = parameters(robot);
    for (std::size_t k = 10; k < 30; ++k) ten[k] *= 0.8;
    const Model<double> believed = with_parameters(robot, ten);
    const auto run = [&](double rate) {
      AdaptationOptions o;
      o.parameters = {robot.body_name(2), robot.body_name(3)};
      Numbers rates;  // squares of what each parameter may be wrong by
      for (int i = 2; i < 4; ++i)
        for (int k = 0; k < 10; ++k) {
          const double m = 0.2 * robot.body(i).inertia.m, l = 0.4;
          rates.push_back(rate * std::pow(k == 0 ? m : k < 4 ? m * l : m * l * l, 2));
        }
      o.rate = Gain(rates);
      AdaptiveComputedTorque law(believed,
                                 {Gain::uniform(6, 100), Gain::uniform(6, 20),
                                  Gain(Numbers{100, 100, 100, 100, 100, 100, 1, 1, 1, 1, 1, 1})},
                                 o);
      SimulateOptions s;
      s.q0 = {0.1, 0.6, -0.4, 0.1, 0.5, -0.2};
      s.duration = 16;
      s.period = 1e-3;
      s.integrator = Integrator::rk4;
      s.record_every = 0.01;
      s.measure_acceleration = true;
      const Sinusoid wave{{0, 0.6, -0.6, 0, 0.6, 0},
                          {0.4, 0.3, 0.4, 0.3, 0.4, 0.5},
                          {2, 3, 2.5, 3.5, 4, 5},
                          {0, 0.5, 1, 1.5, 2, 2.5}};
      return simulate(Plant(robot), law, follow(wave), s);
    };
    const Recording adapted = run(10), fixed = run(0);
    ASSERT_EQ(adapted.stop, StopReason::finished) << name << adapted.message;
    double worst = 0, without = 0;
    for (int c = 0; c < 6; ++c) {
      worst = std::fmax(worst, metrics(adapted, c, 14).max_error);
      without = std::fmax(without, metrics(fixed, c, 14).max_error);
    }
    EXPECT_LT(worst, 0.25 * without) << name;
    // the proof is about continuous control: what sampling changes is small
    EXPECT_LT(adapted.lyapunov_balance(), 0.01 * adapted.lyapunov(0, 0)) << name;
    EXPECT_LT(adapted.lyapunov(adapted.size() - 1, 0), 0.1 * adapted.lyapunov(0, 0)) << name;
  }
}

TEST(AdaptiveTorqueRobots, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Kp", {100});
  p.set("Kd", {20});
  p.set("adaptation", {1});
  const std::unique_ptr<ControlLaw> law_made = make_law("adaptive_computed_torque", arm, p);
  ControlLaw& law = *law_made;
  Numbers q(6, 0.1), v(6, 0.2), tau(6), p_hat(60), rate(60);
  law.reset(p_hat);
  (void)law.lyapunov({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q}}, arm);  // looks for p once
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q, .qdd = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v, .qdd = q}, p_hat, {.q = v, .qd = q, .qdd = v}}, rate);
  (void)law.lyapunov({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q}}, arm);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
