// Delays of torques by the columns of the robot: known ones, exact and between samples.
#include "torsor/identification/signal/delay.hpp"

#include <gtest/gtest.h>

#include "identification/identified_robot.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::testing {
namespace {

constexpr double period = 0.002;

/// The log of a robot whose torques come `late` seconds late; noise in per cent of their size.
MotionLog late_log(const Model<double>& robot, unsigned seed, double late, double noise) {
  Motion motion{.seed = seed, .seconds = 20, .period = period, .frequency = 0.15};
  motion.velocities = seed % 2 == 0;
  MotionLog log = without_delay(moved(robot, motion), -late);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < log.tau.cols(); ++k) {
    double square = 0;
    for (int i = 0; i < log.size(); ++i) square += log.tau(i, k) * log.tau(i, k) / log.size();
    for (int i = 0; i < log.size(); ++i)
      log.tau(i, k) += 0.01 * noise * std::sqrt(square) * normal(random);
  }
  return log;
}

TEST(DelayByModel, known_delays_are_found_within_a_tenth_of_a_sample) {
  const JointKind kinds[] = {JointKind::revolute, JointKind::prismatic};
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const RobotDescription robot = tree(seed, 4, {kinds[0], kinds[0], kinds[seed % 2]});
    const Model<double> truth(robot), file = guess(robot);
    for (const double late : {0.0, 0.0013, 0.008, -0.0037}) {
      const MotionLog log = late_log(truth, seed, late, 0);
      const DelayEstimate found = estimate_delay(file, log, prepare(log));
      EXPECT_NEAR(found.delay, late, 0.1 * period) << seed << ": " << found.words;
      EXPECT_EQ(found.clear, late != 0) << seed << ": " << found.words;
    }
  }
}

TEST(DelayByModel, noise_does_not_move_them) {
  const RobotDescription robot = tree(2, 4, {JointKind::revolute});
  const Model<double> truth(robot), file = guess(robot);
  double sum = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const MotionLog log = late_log(truth, seed, 0.006, 2);
    const DelayEstimate found = estimate_delay(file, log, prepare(log));
    EXPECT_NEAR(found.delay, 0.006, 0.5 * period) << found.words;
    sum += found.delay / 6;
  }
  EXPECT_NEAR(sum, 0.006, 0.1 * period);
}

TEST(DelayByModel, identify_takes_them_out_and_its_numbers_are_those_of_the_log_in_time) {
  const RobotDescription robot = tree(3, 3, {JointKind::revolute});
  const Model<double> truth(robot), file = guess(robot);
  const MotionLog in_time = late_log(truth, 2, 0, 0), late = late_log(truth, 2, 0.005, 0);
  const IdentifyOptions options = exact(Estimator::weighted);
  const Identification found = identify(file, {late}, {}, options);
  ASSERT_EQ(found.repairs.size(), 1u);
  EXPECT_NE(found.repairs[0].what.find("ms late"), std::string::npos) << found.repairs[0].what;
  EXPECT_LT(worst_error(found, truth, options), 1e-3);
  EXPECT_TRUE(identify(file, {in_time}, {}, options).repairs.empty());
}

TEST(DelayByModel, a_push_is_no_delay_and_hides_none) {
  const RobotDescription robot = tree(2, 4, {JointKind::revolute});
  const Model<double> truth(robot), file = guess(robot);
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (const double late : {0.0, 0.006}) {
      MotionLog log = late_log(truth, seed, late, 1);
      double most = 0;
      for (int i = 0; i < log.size(); ++i) most = std::max(most, std::abs(log.tau(i, 1)));
      for (int i = 3000; i < 3500; ++i) log.tau(i, 1) += most;  // one second of twenty
      const DelayEstimate found = estimate_delay(file, log, prepare(log));
      EXPECT_EQ(found.clear, late != 0) << seed << ": " << found.words;
      if (late == 0) continue;
      EXPECT_NEAR(found.delay, late, 0.5 * period) << seed << ": " << found.words;
    }
}

/// Driven through its turns by a loop, with friction that is nearly dry: when a joint turned, filters do not tell.
TEST(DelayByModel, dry_friction_of_a_simulated_arm_moves_them_by_less_than_a_quarter_of_a_sample) {
  RobotDescription robot = tree(2, 3, {JointKind::revolute}, true);
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction) f.coulomb = 6, f.width = 0;
  const Model<double> truth(robot), file = guess(robot);
  Motion motion{.seed = 3, .seconds = 20, .period = 0.002, .frequency = 0.1};
  MotionLog log = moved(truth, motion);
  log.q_ref = log.q;
  Matrix qdd;
  ASSERT_TRUE(reference_simulator()(truth, log, log.q, log.qd, qdd));
  const LoopGains gains = loop_gains(truth, log);
  const Matrix& r = log.q_ref;
  for (int i = 0; i < log.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      // The loop's own torque: that of inverse dynamics is not known where a joint sticks.
      const int m = std::clamp(i, 2, log.size() - 3);
      const double rate =
          (8 * (r(m + 1, k) - r(m - 1, k)) - (r(m + 2, k) - r(m - 2, k))) / (12 * log.period);
      log.tau(i, k) = gains.kp[k] * (r(i, k) - log.q(i, k)) + gains.kd[k] * (rate - log.qd(i, k));
    }
  const DelayEstimate rough = estimate_delay(log, prepare(log));
  for (const double late : {0.0, 0.005}) {
    const MotionLog moved_log = without_delay(log, -late);
    const DelayEstimate found = estimate_delay(file, moved_log, prepare(moved_log));
    EXPECT_NEAR(found.delay, late, 0.25 * log.period) << found.words;
  }
  EXPECT_GT(std::abs(rough.delay), 0.75 * log.period) << rough.words;  // what it is there for
}

TEST(DelayByModel, a_fit_without_friction_does_not_take_friction_for_a_delay) {
  RobotDescription robot = tree(3, 3, {JointKind::revolute});
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction) f.viscous = 5, f.coulomb = 3;
  const MotionLog log = late_log(Model<double>(robot), 2, 0, 0);
  IdentifyOptions options = exact(Estimator::weighted);
  options.choice.viscous = options.choice.coulomb = options.choice.offset = false;
  const Identification found = identify(guess(robot), {log}, {}, options);
  EXPECT_TRUE(found.repairs.empty()) << found.repairs[0].what;
  EXPECT_GT(found.train.all, 5);
}

TEST(DelayByModel, what_is_not_to_be_had) {
  const Model<double> robot(tree(1, 3, {JointKind::revolute}));
  const MotionLog log = moved(robot, {.seconds = 2});
  FilterOptions none;
  none.low_pass = false;
  EXPECT_THROW((void)estimate_delay(robot, log, prepare(log, none)), Error);
  FilterOptions slow;
  slow.cutoff = 1;
  const DelayEstimate found = estimate_delay(robot, log, prepare(log, slow));
  EXPECT_FALSE(found.clear);
  EXPECT_NE(found.words.find("too few"), std::string::npos) << found.words;
}

}  // namespace
}  // namespace torsor::testing
