/// Decoupling of a robot with arbitrary poles: Huo 2005, sec. 3.7.
#include "torsor/control/joint/nonlinear_decoupling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using Poles = std::vector<std::complex<double>>;
const Poles poles_b{-3, -6, {-4, 3}, {-4, -3}};

TEST(NonlinearDecoupling, G_3_7b_every_joint_follows_its_own_poles) {
  const Model<double> arm = load_robot("planar2r");
  const DecouplingGains gains = NonlinearDecoupling::from_poles(poles_b);
  EXPECT_EQ(gains.Lambda0, (std::vector<double>{18, 25}));
  EXPECT_EQ(gains.Lambda1, (std::vector<double>{9, 8}));
  NonlinearDecoupling law(arm, gains);
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(2));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  for (int k = 0; k < r.size(); ++k) {
    const double t = r.t[static_cast<std::size_t>(k)];
    // e1(0) = -0.2, e1'(0) = 1; e2(0) = 0.3, e2'(0) = 0
    const double a = (1 - 6 * 0.2) / 3, b = -0.2 - a;
    EXPECT_NEAR(r.e(k, 0), a * std::exp(-3 * t) + b * std::exp(-6 * t), 1e-10) << t;
    EXPECT_NEAR(r.e(k, 1), std::exp(-4 * t) * (0.3 * std::cos(3 * t) + 0.4 * std::sin(3 * t)),
                1e-10)
        << t;
  }
  EXPECT_NEAR(r.e(r.at(0.5), 0), -0.02151362, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.5), 1), 0.05687048, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), -0.00364964, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), -0.00440582, 1e-8);
  EXPECT_LT(r.lyapunov_balance(), 1e-10);
  EXPECT_LT(r.lyapunov_increase(), 1e-15);
  ASSERT_EQ(r.predictions.size(), 3u);            // and one for each joint
  EXPECT_NEAR(r.predictions[0].value, 6, 1e-12);  // twice the slowest pole
  EXPECT_TRUE(compare_predictions(r)[0].kept) << compare_predictions(r)[0].observed;
}

TEST(NonlinearDecoupling, decay_is_kept_for_any_pair_of_poles) {
  const Model<double> arm = load_robot("planar2r");
  for (const Poles& poles : {Poles{-5, -5, -5, -5}, Poles{-5, -5.001, {-3, 0.01}, {-3, -0.01}},
                             Poles{-1, -9, -2, -2.5}}) {
    NonlinearDecoupling law(arm, NonlinearDecoupling::from_poles(poles));
    const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(1.5));
    EXPECT_LT(r.lyapunov_balance(), 1e-9);
    ASSERT_EQ(r.predictions.size(), 3u);  // and one for each joint
    EXPECT_TRUE(compare_predictions(r)[0].kept) << r.predictions[0].value;
  }
}

TEST(NonlinearDecoupling, conditions_catch_poles_that_do_not_decay) {
  const Model<double> arm = load_robot("planar2r");
  NonlinearDecoupling law(arm, NonlinearDecoupling::from_poles({-3, 0.5, -4, -4}));
  const std::vector<Condition> conditions = testing::conditions_of(law);
  EXPECT_FALSE(conditions[0].satisfied());
  EXPECT_NEAR(conditions[0].value, 0.5, 1e-14);
  EXPECT_NEAR(conditions[1].value, 0.0662791, 5e-8);  // smallest eigenvalue of H
  EXPECT_EQ(testing::predictions_of(law)[0].quantity, PredictedQuantity::linear_error);  // no decay
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(8));
  EXPECT_GT(std::abs(r.e(r.size() - 1, 0)), 1);
  EXPECT_THROW(NonlinearDecoupling::from_poles({-3, {-4, 1}}), Error);
  EXPECT_THROW(NonlinearDecoupling::from_poles({-3}), Error);
  EXPECT_THROW(NonlinearDecoupling(arm, {{1, 2, 3}, {1, 2}}), Error);
}

TEST(NonlinearDecoupling, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("poles", std::vector<double>{-10});
  p.set("imaginary", std::vector<double>{3, -3, 3, -3, 3, -3, 3, -3, 3, -3, 3, -3});
  const std::unique_ptr<ControlLaw> law_made = make_law("nonlinear_decoupling", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
