/// Figures of merit of runs written by hand.
#include "torsor/sim/recording.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace torsor {
namespace {

/// e = (1, -0.25, 0.02, 0.004, 0.001), tau = (4, -4, 2, 2, 0), qd = 1, every 0.5 s.
Recording by_hand() {
  Recording r;
  r.t = {0, 0.5, 1, 1.5, 2};
  r.e = {"e", {"e.a"}, {1, -0.25, 0.02, 0.004, 0.001}};
  r.tau = {"tau", {"tau.a"}, {4, -4, 2, 2, 0}};
  r.qd = {"qd", {"qd.a"}, {1, 1, 1, 1, 1}};
  r.lyapunov = {"lyapunov",
                {"V", "V.rate", "V.balance"},
                {8, -1, 0, 4, -1, 1e-3, 2, -1, -2e-3, 2.5, -1, 0, 1, -1, 0}};
  return r;
}

TEST(Metrics, are_those_of_their_definitions) {
  const Recording r = by_hand();
  const Metrics m = metrics(r, 0);
  EXPECT_TRUE(m.from_rows);
  // integrals by trapezoids of 0.5 s, over 2 s
  EXPECT_NEAR(m.rms_error, std::sqrt((0.5 + 0.0625 + 4e-4 + 1.6e-5 + 0.5e-6) / 4), 1e-15);
  EXPECT_EQ(m.max_error, 1);
  EXPECT_EQ(m.final_error, 0.001);
  EXPECT_EQ(m.settling_time, 1.5);
  EXPECT_EQ(m.overshoot, 0.25);
  EXPECT_NEAR(m.rms_torque, std::sqrt(8.0), 1e-15);
  EXPECT_EQ(m.max_torque, 4);
  EXPECT_NEAR(m.energy, 0.5 * (2 + 4 + 2 + 2 + 0), 1e-15);
  EXPECT_NEAR(m.chatter, (8 + 6 + 0 + 2) / 2.0, 1e-15);
  EXPECT_EQ(metrics(r, 0, 1).max_error, 0.02);
  EXPECT_EQ(metrics(r, 0, 0, 1e-4).settling_time, INFINITY);
  EXPECT_EQ(metrics(r, 0, 0, 2).settling_time, 0);
  EXPECT_TRUE(std::isnan(metrics(r, 0, 1, 0.1).overshoot));  // it starts within the band
}

TEST(Recording, finds_rows_and_the_worst_of_its_certificate) {
  const Recording r = by_hand();
  EXPECT_EQ(r.at(0.5), 1);
  EXPECT_EQ(r.at(0.6), 2);
  EXPECT_EQ(r.at(9), 4);
  EXPECT_EQ(r.lyapunov_increase(), 0.5);
  EXPECT_EQ(r.lyapunov_balance(), 2e-3);
  EXPECT_EQ(r.energy_balance(), 0);
}

TEST(Predictions, are_compared_with_what_happened) {
  Recording r = by_hand();
  r.predictions = {{"steady", PredictedQuantity::final_error, 0, 0.001},
                   {"bound", PredictedQuantity::error_bound, 0, 0.003},
                   {"decay", PredictedQuantity::decay_rate, -1, 1},
                   {"integral", PredictedQuantity::integral_bound, -1, 7}};
  const auto c = compare_predictions(r);
  EXPECT_TRUE(c[0].kept);
  EXPECT_FALSE(c[1].kept);
  EXPECT_EQ(c[1].observed, 0.004);
  EXPECT_TRUE(c[2].kept == (c[2].observed >= 1));
  EXPECT_NEAR(c[2].observed, std::log(8 / 2.5) / 1.5, 1e-15);
  EXPECT_TRUE(c[3].kept);
  EXPECT_EQ(c[3].observed, 7);
}

}  // namespace
}  // namespace torsor
