/// Computed torque against the linear equation that it promises, and Huo 2005, sec. 3.4.
#include "torsor/control/joint/computed_torque.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {
namespace {

PdiGains double_pole() { return {Gain::uniform(2, 100), Gain::uniform(2, 20)}; }

TEST(ComputedTorque, G_3_4_error_is_the_closed_form_of_a_double_pole) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, double_pole());
  SimulateOptions o;
  o.q0 = {0.2, 1.2};
  o.record_every = 0.05;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.tau(0, 0), 29.661710, 1e-6);
  EXPECT_NEAR(r.tau(0, 1), 10.167022, 1e-6);
  const double e0[2] = {-0.2, 0.3}, v0[2] = {1, 0};
  for (int row = 0; row < r.size(); ++row)
    for (int k = 0; k < 2; ++k) {
      const double t = r.t[static_cast<std::size_t>(row)];
      EXPECT_NEAR(r.e(row, k), (e0[k] + (v0[k] + 10 * e0[k]) * t) * std::exp(-10 * t), 1e-9);
    }
  EXPECT_NEAR(r.e(r.at(0.1), 0), -0.11036383, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.1), 1), 0.22072767, 1e-8);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(ComputedTorque, G_3_4_an_unknown_load_leaves_the_error_of_the_formula) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  ComputedTorque law(arm, double_pole());
  SimulateOptions o;
  o.q0 = {0.5, 0.8};
  o.duration = 10;
  o.record_every = 1;
  const Recording r = simulate(Plant(loaded), law, hold({0.5, 0.8}, 2), o);
  EXPECT_NEAR(r.e(r.size() - 1, 0), 0.030313564, 1e-8);
  EXPECT_NEAR(r.e(r.size() - 1, 1), -0.020573773, 1e-8);
  EXPECT_GT(r.lyapunov_balance(), 1e-3);
  o.q0 = {0, 1.5};
  o.v0 = {1, 0};
  o.duration = 10 * std::numbers::pi;
  o.record_every = std::numbers::pi / 2000;
  o.certificate = false;
  const Recording moving = simulate(Plant(loaded), law, testing::trajectory_a(), o);
  EXPECT_NEAR(metrics(moving, 0, 9 * std::numbers::pi).max_error, 0.051123, 1e-5);
  EXPECT_NEAR(metrics(moving, 1, 9 * std::numbers::pi).max_error, 0.338791, 1e-5);
}

TEST(ComputedTorque, Example_3_2_direct_drive_arm_follows_the_quintic) {
  const Model<double> arm = load_robot("ddarm");
  ComputedTorque law(arm, {Gain::uniform(3, 50), Gain::uniform(3, 10)});
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.record_every = 0.25;
  Boundary<double> from, to;
  from.q = {0, 0, 0}, to.q = {0.6, 1, -0.5};
  const Recording r = simulate(Plant(arm), law, follow(quintic(from, to, 1.5), 3, 3), o);
  const double quarter[3] = {0.036223, -0.543345, -0.36223}, e0[3] = {0.1, -1.5, -1};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.e(r.at(0.25), k), quarter[k], 1e-6) << k;
    for (int row = 0; row < r.size(); ++row) {
      const double t = r.t[static_cast<std::size_t>(row)];
      EXPECT_NEAR(r.e(row, k), e0[k] * std::exp(-5 * t) * (std::cos(5 * t) + std::sin(5 * t)),
                  1e-9);
    }
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(ComputedTorque, an_integral_decays_by_its_own_function_and_carries_an_unknown_load) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::uniform(2, 75), Gain::uniform(2, 15), Gain::uniform(2, 125)});
  SimulateOptions o;
  o.q0 = {0.2, 1.2};
  o.duration = 2;
  o.record_every = 0.05;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  // triple pole -5: x = (a + b t + c t^2) exp(-5 t), x(0) = 0, e = x', e(0) = 0.3, e'(0) = 0
  const double b = 0.3, c = 5 * b, t = 0.4;
  const double e = (b + 2 * c * t - 5 * (b * t + c * t * t)) * std::exp(-5 * t);
  EXPECT_NEAR(r.e(r.at(t), 1), e, 1e-9);
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  o.duration = 20;
  const Recording held = simulate(Plant(loaded), law, hold({0.5, 0.8}, 2), o);
  EXPECT_NEAR(held.e(held.size() - 1, 0), 0, 1e-6);
  EXPECT_NEAR(held.e(held.size() - 1, 1), 0, 1e-6);
}

TEST(ComputedTorque, X_3_6_recursion_is_the_matrix_form) {
  const Model<double> arm = load_robot("ddarm");
  const std::vector<double> q{0.3, -0.7, 1.1}, v{0.5, -1.2, 0.8}, q_d{0.5, -0.4, 1},
      v_d{0.2, 0.4, -0.6}, a_d{1, -2, 3};
  ComputedTorque law(arm, {Gain({50, 60, 70}), Gain({10, 12, 14})});
  std::vector<double> tau(3), H(9), N(3);
  law.torque({0, {.q = q, .qd = v}, {}, {.q = q_d, .qd = v_d, .qdd = a_d}}, tau);
  CrbaWorkspace<double> crba(arm);
  RneaWorkspace<double> rnea(arm);
  mass_matrix(arm, crba, q, column_major(H.data(), 3, 3));
  bias_torque(arm, rnea, q, v, N);
  for (std::size_t r = 0; r < 3; ++r) {
    double sum = N[r];
    for (std::size_t c = 0; c < 3; ++c) {
      const double k = static_cast<double>(c);
      sum += H[3 * c + r] *
             (a_d[c] + (10 + 2 * k) * (v_d[c] - v[c]) + (50 + 10 * k) * (q_d[c] - q[c]));
    }
    EXPECT_NEAR(tau[r], sum, 1e-10);
  }
}

TEST(ComputedTorque, X_3_5_full_positive_definite_gains_keep_the_balance) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::full(2, {90, 20, 20, 60}), Gain::full(2, {15, -4, -4, 12})});
  SimulateOptions o;
  o.q0 = {0.2, 1.2};
  o.duration = 3;
  o.record_every = 0.1;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_NEAR(r.e(r.size() - 1, 0), 0, 1e-4);
}

TEST(ComputedTorque, conditions_catch_gains_that_are_not_stable) {
  const Model<double> arm = load_robot("planar2r");
  const Gain kp = Gain::uniform(2, 75), kd = Gain::uniform(2, 15);
  EXPECT_TRUE(all_satisfied(testing::conditions_of(ComputedTorque(arm, {kp, kd}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(ComputedTorque(arm, {kp, Gain({15, -0.1})}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(ComputedTorque(arm, {Gain({75, -1}), kd}))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(ComputedTorque(arm, {kp, kd, Gain::uniform(2, 1126)}))));
  EXPECT_TRUE(
      all_satisfied(testing::conditions_of(ComputedTorque(arm, {kp, kd, Gain::uniform(2, 1124)}))));
  EXPECT_NEAR(testing::conditions_of(ComputedTorque(arm, double_pole())).back().value, -10, 1e-12);
  EXPECT_THROW(ComputedTorque(arm, {Gain::full(2, {9, 1, 1, 9}), kd, kp}), Error);
}

TEST(Feedforward, is_exact_on_the_path_and_pd_with_fixed_gravity_at_rest) {
  const Model<double> arm = load_robot("planar2r");
  Feedforward law(arm, {Gain({100, 60}), Gain({30, 15})});
  EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
  EXPECT_FALSE(all_satisfied(
      testing::conditions_of(Feedforward(arm, {Gain::uniform(2, 15), Gain::uniform(2, 5)}))));
  SimulateOptions o;
  o.q0 = {0, 1.5};
  o.v0 = {1, 0};
  o.duration = 3;
  o.record_every = 0.1;
  Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  for (int k = 0; k < 2; ++k) EXPECT_LT(metrics(r, k).max_error, 1e-8);
  o.q0 = {-0.5, 1};
  o.v0 = {};
  o.duration = 1;
  r = simulate(Plant(arm), law, hold({1, -0.5}, 2), o);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.03759181, 1e-8);  // G3.3b
  EXPECT_NEAR(r.e(r.at(1), 1), -0.04354707, 1e-8);
}

TEST(ComputedTorque, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  const PdiGains gains{Gain::uniform(6, 100), Gain::uniform(6, 20), Gain::uniform(6, 5)};
  ComputedTorque law(arm, gains);
  Feedforward ahead(arm, gains);
  const std::vector<double> q(6, 0.1), v(6, 0.2), x(6, 0.5);
  std::vector<double> tau(6), rate(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, x, {.q = v, .qd = q, .qdd = q}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, x, {.q = v}}, rate);
  (void)law.lyapunov({0, {.q = q, .qd = v}, x, {.q = v}}, arm);
  ahead.torque({0, {.q = q, .qd = v}, x, {.q = v, .qd = q, .qdd = q}}, tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
