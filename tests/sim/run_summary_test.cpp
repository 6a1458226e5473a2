/// Figures of a whole run, written by hand.
#include "torsor/sim/run_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace torsor {
namespace {

TEST(RunSummary, figures_are_those_of_their_definitions) {
  Recording r;
  r.t = {0, 1, 2};
  r.e = {"e", {"e.a", "e.b"}, {0.3, 0.4, -0.06, 0.08, 0.003, -0.004}};
  r.tau = {"tau", {"tau.a", "tau.b"}, {3, 4, 0, 0, 1, -2}};
  r.qd = {"qd", {"qd.a", "qd.b"}, {1, 1, 1, 1, 1, 1}};
  r.energy = {"energy", {"k", "p", "m", "l", "x", "energy.balance"}, std::vector<double>(18)};
  r.energy.data[11] = -0.5;
  r.conditions = {condition("c", "x", 1, Relation::greater, 0),
                  condition("d", "y", -1, Relation::greater, 0)};
  r.predictions = {{"steady", PredictedQuantity::final_error, 0, 0.003},
                   {"steady", PredictedQuantity::final_error, 1, 0.1}};
  const RunSummary s = summarise(r);
  EXPECT_NEAR(s.rms_error, std::sqrt((0.125 + 0.01 + 1.25e-5) / 2), 1e-15);
  EXPECT_EQ(s.max_error, 0.4);
  EXPECT_EQ(s.final_error, 0.004);
  EXPECT_EQ(s.settling_time, 2);
  EXPECT_NEAR(s.overshoot, 0.2, 1e-15);
  EXPECT_NEAR(s.rms_torque, std::sqrt((12.5 + 2.5) / 2), 1e-15);
  EXPECT_EQ(s.max_torque, 4);
  EXPECT_EQ(s.energy, (1.5 + 0.5) + (2 + 1));
  EXPECT_EQ(s.chatter, (3 + 1) / 2.0 + (4 + 2) / 2.0);
  EXPECT_EQ(s.energy_balance, 0.5);
  EXPECT_EQ(s.violated, 1);
  EXPECT_EQ(s.broken, 1);
  EXPECT_EQ(s.stopped_at, 2);
  EXPECT_TRUE(std::isnan(s.lyapunov_balance));
  EXPECT_TRUE(std::isnan(s.task_rms));
  EXPECT_EQ(summarise(r, 1e-6).settling_time, INFINITY);
}

TEST(RunSummary, what_is_not_there_is_not_a_number) {
  Recording r;
  r.t = {0, 1};
  r.tau = {"tau", {"tau.a"}, {1, 2}};
  r.qd = {"qd", {"qd.a"}, {0, 0}};
  const RunSummary s = summarise(r);
  for (const double x : {s.rms_error, s.max_error, s.final_error, s.settling_time, s.overshoot})
    EXPECT_TRUE(std::isnan(x));
  EXPECT_EQ(s.max_torque, 2);
  EXPECT_EQ(find_series(r, "e"), nullptr);
  EXPECT_EQ(find_series(r, "tau"), &r.tau);
}

TEST(RunSummary, errors_without_torques_have_their_figures_and_torques_none) {
  Recording r;
  r.t = {0, 1, 2};
  r.e = {"e", {"e.a", "e.b"}, {0.3, 0.4, -0.06, 0.08, 0.003, -0.004}};
  const RunSummary s = summarise(r);
  EXPECT_NEAR(s.rms_error, std::sqrt((0.125 + 0.01 + 1.25e-5) / 2), 1e-15);
  EXPECT_EQ(s.max_error, 0.4);
  EXPECT_EQ(s.settling_time, 2);
  for (const double x : {s.rms_torque, s.max_torque, s.energy, s.chatter})
    EXPECT_TRUE(std::isnan(x));
  r.tau = {"tau", {"tau.a", "tau.b"}, {3, 4, 0, 0, 1, -2}};
  EXPECT_TRUE(std::isnan(summarise(r).energy));  // of joints whose speed nobody wrote
  EXPECT_EQ(summarise(r).max_torque, 4);
}

}  // namespace
}  // namespace torsor
