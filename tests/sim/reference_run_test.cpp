// The loop of a log once more: laws of the run, and of the gains that it takes where none are known.
#include "torsor/sim/reference_run.hpp"

#include <gtest/gtest.h>

#include "identification/identified_robot.hpp"

namespace torsor::testing {
namespace {

MotionLog asked(const Model<double>& robot, double period = 0.005) {
  MotionLog log = moved(robot, {.seed = 2, .seconds = 6, .period = period, .frequency = 0.2});
  log.q_ref = log.q;
  return log;
}

TEST(ReferenceRun, stiff_loops_follow_to_within_the_load_over_kp) {
  const Model<double> robot(arm());
  const MotionLog log = asked(robot);
  const LoopGains gains = loop_gains(robot, log);
  Matrix q, qd, qdd;
  ASSERT_TRUE(reference_simulator()(robot, log, q, qd, qdd));
  for (int k = 0; k < 3; ++k) {
    double largest = 0;
    for (int i = 0; i < log.size(); ++i) largest = std::max(largest, std::abs(log.tau(i, k)));
    for (int i = 200; i < log.size(); ++i)
      ASSERT_LT(std::abs(q(i, k) - log.q_ref(i, k)), 1.5 * largest / gains.kp[k]) << i << " " << k;
  }
}

TEST(ReferenceRun, its_torque_is_that_of_the_loop) {
  const Model<double> robot(arm());
  const MotionLog log = asked(robot);
  const LoopGains gains{{600, 3000, 300}, {60, 300, 30}, {}};
  Matrix q, qd, qdd;
  ASSERT_TRUE(reference_simulator({.gains = gains})(robot, log, q, qd, qdd));
  DynamicsWorkspace<double> ws(robot);
  Array<double> at(3), rate(3), acceleration(3), tau(3);
  for (int i = 10; i < log.size() - 10; i += 37) {
    for (int k = 0; k < 3; ++k) at[k] = q(i, k), rate[k] = qd(i, k), acceleration[k] = qdd(i, k);
    tree_inverse_dynamics<double, double>(robot, ws, at, rate, acceleration, {}, tau);
    for (int k = 0; k < 3; ++k) {
      const double law = gains.kp[k] * (log.q_ref(i, k) - q(i, k)) +
                         gains.kd[k] * (log.qd(i, k) - qd(i, k));  // moved() logs exact rates
      EXPECT_NEAR(tau[k], law, 1e-3 * (1 + std::abs(law))) << i;
    }
  }
}

TEST(ReferenceRun, an_integral_takes_the_weight) {
  const Model<double> robot(arm());
  MotionLog log = asked(robot);
  for (int i = 0; i < log.size(); ++i)
    for (int k = 0; k < 3; ++k) log.q_ref(i, k) = 0.3;
  Matrix q, qd, qdd;
  double left[2];
  for (const bool integral : {false, true}) {
    LoopGains gains = loop_gains(robot, log, {.frequency = 3});
    if (integral)
      for (const double kp : gains.kp) gains.ki.push_back(3 * kp);
    ASSERT_TRUE(reference_simulator({.gains = gains})(robot, log, q, qd, qdd));
    left[integral] = 0;
    for (int k = 0; k < 3; ++k)
      left[integral] = std::max(left[integral], std::abs(q(log.size() - 1, k) - 0.3));
  }
  EXPECT_LT(left[1], 0.05 * left[0]);
}

TEST(ReferenceRun, stretches_are_runs_of_their_own) {
  const Model<double> robot(arm());
  MotionLog log = asked(robot);
  log.stretches = {0, 700};
  Matrix q, qd, qdd;
  ASSERT_TRUE(reference_simulator()(robot, log, q, qd, qdd));
  for (int k = 0; k < 3; ++k)
    for (const int first : {0, 700}) EXPECT_NEAR(q(first, k), log.q_ref(first, k), 1e-12);
}

TEST(ReferenceRun, what_ends_it) {
  const Model<double> robot(arm());
  MotionLog log = asked(robot);
  Matrix q, qd, qdd;
  EXPECT_FALSE(reference_simulator({.go_on = [] { return false; }})(robot, log, q, qd, qdd));
  EXPECT_THROW((void)loop_gains(robot, log, {.gains = {{1, 2}, {}, {}}}), Error);
  log.q_ref = {};
  EXPECT_THROW((void)reference_simulator()(robot, log, q, qd, qdd), Error);
}

}  // namespace
}  // namespace torsor::testing
