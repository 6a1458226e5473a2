/// Robust computed torque: its ultimate bound over a thousand robots, and when it is met.
#include <gtest/gtest.h>

#include "control/reference_runs.hpp"
#include "control/textbook_bounds.hpp"
#include "support/certificate.hpp"
#include "torsor/control/uncertain/robust_computed_torque.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

/// Robots drawn within the half widths, alpha and rho computed for them: V' keeps its bound along
/// every run and the error ends within the ultimate bound.
TEST(RobustComputedTorque, ultimate_bound_is_never_exceeded_over_1000_uncertain_robots) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> p = testing::r2_parameters(), a = testing::times(0.02, p);
  RobustBounds bounds;
  bounds.qdd_max = 2 * std::sqrt(2.0), bounds.qd_max = std::sqrt(2.0), bounds.start = 0.3;
  RobustComputedTorque law(
      arm, {Gain::uniform(2, 100), Gain::uniform(2, 20), Gain({100, 100, 1, 1}), 0.002}, bounds,
      RegressorBound(arm, testing::r2_names()), a);
  EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
  EXPECT_LT(law.bounds().alpha, 0.9);
  EXPECT_EQ(testing::predictions_of(law)[1].value, law.ultimate_bound().delta);
  unsigned long word = 2024;
  const auto draw = [&] {
    word = word * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<double>(static_cast<long>(word)) * 0x1p-63;
  };
  double worst = 0, worst_balance = 0;
  for (int k = 0; k < 1000; ++k) {
    const auto at = [&](std::size_t j) { return p[j] + a[j] * draw(); };
    const double a2 = at(1);
    const Model<double> robot = testing::r2_with(arm, {at(0), a2, at(2), at(3), a2});
    SimulateOptions o;
    o.q0 = {0.1 * draw(), 1.5 + 0.1 * draw()};
    o.v0 = {1 + 0.1 * draw(), 0.1 * draw()};
    o.duration = 0.5;
    o.record_every = 0.05;
    o.integrator = Integrator::dormand_prince5;
    o.control = {.relative = 1e-6, .absolute = 1e-8};
    const Recording r = simulate(Plant(robot), law, testing::trajectory_a(), o);
    ASSERT_EQ(r.stop, StopReason::finished) << k << r.message;
    worst_balance = std::max(worst_balance, r.lyapunov_balance());
    for (const Comparison& c : compare_predictions(r)) {
      ASSERT_TRUE(c.kept) << k << " " << c.observed;
      worst = std::max(worst, c.observed / c.prediction.value);
    }
  }
  EXPECT_LT(worst_balance, 1e-6);
  EXPECT_GT(worst, 0);
}

/// The ball is claimed once V(0) has decayed: a short run is promised what is left of it, and a ball
/// that outgrows the start is one in which rho was looked at.
TEST(RobustComputedTorque, ultimate_bound_waits_for_V_to_decay_and_lies_where_rho_is_a_bound) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> a = testing::times(0.02, testing::r2_parameters());
  RobustBounds bounds;
  bounds.qdd_max = 2 * std::sqrt(2.0), bounds.qd_max = std::sqrt(2.0), bounds.start = 0.3;
  const auto law = [&](double epsilon) {
    return RobustComputedTorque(
        arm, {Gain::uniform(2, 100), Gain::uniform(2, 20), Gain({100, 100, 1, 1}), epsilon}, bounds,
        RegressorBound(arm, testing::r2_names()), a);
  };
  const auto value = [&](RobustComputedTorque& robust, double duration) {
    auto run = ideal_run(arm);
    run.duration = duration;
    return robust.predictions(run)[0].value;
  };
  RobustComputedTorque fine = law(1e-6);
  const UltimateBound& b = fine.ultimate_bound();
  const double k_0 = Gain::full(4, fine.P()).largest_eigenvalue() * 0.3 * 0.3;
  EXPECT_LT(b.k_under, k_0);
  EXPECT_EQ(value(fine, 1000), b.delta);
  EXPECT_EQ(value(fine, 0.1), b.radius(b.level_at(0.075, k_0)));
  EXPECT_GT(value(fine, 0.1), 10 * b.delta);
  // With rho of V <= k_0 alone the ball of a coarse epsilon would be smaller than it is.
  RobustComputedTorque coarse = law(0.002);
  EXPECT_GT(coarse.ultimate_bound().k_under, k_0);
  EXPECT_GT(coarse.ultimate_bound().rho_bar, b.rho_bar);
  EXPECT_EQ(testing::not_covered(coarse.conditions(ideal_run(arm))).size(), 0u);
}

}  // namespace
}  // namespace torsor
