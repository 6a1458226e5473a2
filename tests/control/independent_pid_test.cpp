/// Independent PID: exercise 3-1 of the textbook, and the bounds of the inertia matrix it needs.
#include "torsor/control/joint/independent_pid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/periodic.hpp"

namespace torsor {
namespace {

TEST(InertiaBounds, S_3_1_are_those_of_the_reference_arms) {
  const InertiaBounds r2 = inertia_bounds(load_robot("planar2r"));
  EXPECT_NEAR(r2.smallest, 0.0662791, 5e-8);
  EXPECT_NEAR(r2.largest, 2.9337209, 5e-8);
  const InertiaBounds arm = inertia_bounds(load_robot("ddarm"));
  EXPECT_NEAR(arm.smallest, 0.3541, 1e-4);
  EXPECT_NEAR(arm.largest, 13.5922, 1e-4);
}

PidGains gains(double factor = 1) {
  return {Gain({100, 60}), Gain({80 * factor, 40 * factor}), Gain({30, 15})};
}

TEST(IndependentPid, X_3_1_regulates_under_gravity_and_its_integral_carries_the_weight) {
  const Model<double> arm = load_robot("planar2r");
  IndependentPid law(arm, gains());
  EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
  SimulateOptions o;
  o.q0 = {-0.5, 1.0};
  o.duration = 20;
  o.record_every = 1;
  const Recording r = simulate(Plant(arm), law, hold({1.0, -0.5}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.e(r.at(5), 0), -0.00056, 5e-6);
  EXPECT_NEAR(r.e(r.at(5), 1), 0.00968, 5e-6);
  // the arm's closed form, integrated in extended precision: it decays about as exp(-0.9 t)
  EXPECT_NEAR(r.e(20, 0), -8.2058e-10, 2e-11);
  EXPECT_NEAR(r.e(20, 1), 1.36310e-8, 2e-11);
  EXPECT_NEAR(80 * r.x_c(20, 0), 12.255091, 1e-6);
  EXPECT_NEAR(40 * r.x_c(20, 1), 4.304542, 1e-6);
}

TEST(IndependentPid, X_3_1_does_not_track) {
  const Model<double> arm = load_robot("planar2r");
  IndependentPid law(arm, gains());
  const double quarter = 1.5707963267948966, period = 2 * quarter;  // of sin 2t
  SimulateOptions o;
  o.q0 = {0, 1.5};
  o.v0 = {1, 0};  // on the trajectory
  o.duration = 10 * period;
  o.record_every = 0.01;
  const Recording r =
      simulate(Plant(arm), law, follow(Sinusoid{{0, 1}, {0.5, 0.5}, {2, 2}, {0, quarter}}), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(metrics(r, 0, 9 * period).max_error, 0.0892, 1e-4);
  EXPECT_NEAR(metrics(r, 1, 9 * period).max_error, 0.0781, 1e-4);
}

TEST(IndependentPid, X_3_1_a_large_integral_gain_is_unstable_and_violates_the_condition) {
  const Model<double> arm = load_robot("planar2r");
  IndependentPid law(arm, gains(50));
  const std::vector<Condition> conditions = testing::conditions_of(law);
  EXPECT_FALSE(conditions.back().satisfied()) << conditions.back().text();
  SimulateOptions o;
  o.q0 = {-0.5, 1.0};
  o.duration = 20;
  o.control = {.relative = 1e-6, .absolute = 1e-6};
  const Recording r = simulate(Plant(arm), law, hold({1.0, -0.5}, 2), o);
  EXPECT_GT(metrics(r, 0, r.t.back() / 2).max_error, 0.1) << r.message;
}

/// Largest real part of the poles of H e''' + Kd e'' + (Kp + dG/dq) e' + Ki e = 0 of the arm R2 at q, in
/// closed form.
double slowest_pole(const PidGains& k, const double (&q)[2]) {
  const double g = 9.81, c2 = std::cos(q[1]), s1 = std::sin(q[0]), s12 = std::sin(q[0] + q[1]);
  const double H[2][2] = {{5. / 3 + c2, 1. / 3 + c2 / 2}, {1. / 3 + c2 / 2, 1. / 3}};
  const double S[2][2] = {{-g * (1.5 * s1 + 0.5 * s12), -g * 0.5 * s12},
                          {-g * 0.5 * s12, -g * 0.5 * s12}};
  const double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
  const double W[2][2] = {{H[1][1] / det, -H[0][1] / det}, {-H[1][0] / det, H[0][0] / det}};
  Matrix A(6, 6);  // of (x, e, e')
  for (int r = 0; r < 2; ++r) {
    A(r, 2 + r) = A(2 + r, 4 + r) = 1;
    for (int c = 0; c < 2; ++c)
      for (int m = 0; m < 2; ++m) {
        A(4 + r, c) -= W[r][m] * k.Ki(m, c);
        A(4 + r, 2 + c) -= W[r][m] * (k.Kp(m, c) + S[m][c]);
        A(4 + r, 4 + c) -= W[r][m] * k.Kd(m, c);
      }
  }
  Eigenvalues poles(6);
  EXPECT_TRUE(poles.compute(A));
  double most = -infinity;
  for (int i = 0; i < 6; ++i) most = std::max(most, poles.real(i));
  return most;
}

PidGains alike(double kp, double ki, double kd) {
  return {Gain::uniform(2, kp), Gain::uniform(2, ki), Gain::uniform(2, kd)};
}

TEST(IndependentPid, the_weight_of_an_upright_arm_softens_kp) {
  const Model<double> arm = load_robot("planar2r");
  const double up = std::numbers::pi / 2;
  for (const PidGains& k : {alike(15, 0.5, 5), alike(60, 100, 5)}) {
    EXPECT_GT(slowest_pole(k, {up, 0}), 0.3);
    IndependentPid law(arm, k);
    SimulateOptions o;
    o.q0 = {up + 0.01, 0};
    o.duration = 20;
    o.record_every = 0.1;
    o.control = {.relative = 1e-6, .absolute = 1e-6};
    const Recording r = simulate(Plant(arm), law, hold({up, 0}, 2), o);
    EXPECT_EQ(testing::row(r.conditions, "integral gain").verdict, Verdict::violated);
    double farthest = 0;
    for (int i = 0; i < r.size(); ++i) farthest = std::max(farthest, std::abs(r.e(i, 0)));
    EXPECT_GT(farthest, 0.5);
  }
}

TEST(IndependentPid, where_the_condition_holds_the_poles_at_the_set_point_are_stable) {
  const Model<double> arm = load_robot("planar2r");
  int held = 0, unstable = 0;
  for (const double q1 : {-1.5, 0.3, 1.5})
    for (const double q2 : {-1.0, 0.0, 2.0})
      for (const double kp : {10.0, 25.0, 60.0})
        for (const double ki : {1.0, 40.0, 150.0})
          for (const double kd : {1.0, 8.0}) {
            IndependentPid law(arm, alike(kp, ki, kd));
            const auto run = testing::run_from(arm, hold({q1, q2}, 2), {q1, q2});
            const double pole = slowest_pole(alike(kp, ki, kd), {q1, q2});
            if (testing::row(law.conditions(run), "integral gain").satisfied()) {
              EXPECT_LT(pole, 0) << q1 << " " << q2 << " " << kp << " " << ki << " " << kd;
              ++held;
            }
            unstable += pole > 0 ? 1 : 0;
          }
  EXPECT_GT(held, 20);
  EXPECT_GT(unstable, 20);
}

TEST(IndependentPid, a_moving_set_point_is_not_covered) {
  const Model<double> arm = load_robot("planar2r");
  IndependentPid law(arm, gains());
  const auto run =
      testing::run_from(arm, follow(Sinusoid{{0, 1}, {0.5, 0.5}, {2, 2}, {0, 0}}), {0, 1}, {}, 5);
  EXPECT_EQ(testing::row(certificate(law, run), "constant q_d").verdict, Verdict::not_covered);
}

TEST(IndependentPid, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  IndependentPid law(arm, {Gain::uniform(6, 10), Gain::uniform(6, 2), Gain::uniform(6, 1)});
  std::vector<double> q(6, 0.1), v(6, 0.2), x(6, 0.5), tau(6), rate(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, x, {.q = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, x, {.q = v}}, rate);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(tau[0], 10 * 0.1 - 0.2 + 2 * 0.5, 1e-15);
  EXPECT_NEAR(rate[5], 0.1, 1e-15);
}

}  // namespace
}  // namespace torsor
