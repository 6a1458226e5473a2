// identify: gains of drives beside bodies that can exist, the scale that the file gives, loads in some of the logs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "identification/identified_robot.hpp"

namespace torsor::testing {
namespace {

constexpr double true_gain[] = {12, 7, 3.5};

RobotDescription chain() { return tree(4, 3, {JointKind::revolute}, true); }

/// Drives that report currents, with noise of that share of them.
void report_currents(MotionLog& log, double noise, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  log.drive = log.tau;
  for (int k = 0; k < 3; ++k) {
    double square = 0;
    for (int i = 0; i < log.size(); ++i) {
      log.drive(i, k) /= true_gain[k];
      square += log.drive(i, k) * log.drive(i, k) / log.size();
    }
    for (int i = 0; i < log.size(); ++i)
      log.drive(i, k) += noise * std::sqrt(square) * normal(random);
  }
}

bool says(const Identification& found, const std::string& text) {
  return std::any_of(found.notes.begin(), found.notes.end(),
                     [&](const std::string& note) { return note.find(text) != note.npos; });
}

TEST(IdentifyGains, without_a_load_intervals_count_how_far_the_file_may_be_off) {
  const RobotDescription robot = chain();
  MotionLog log = moved(Model<double>(robot), {.seed = 3, .seconds = 30, .from_rest = true});
  report_currents(log, 0.01, 1);
  for (const Estimator estimator : {Estimator::weighted, Estimator::consistent})
    for (const double factor : {0.75, 1.0, 1.3}) {
      SCOPED_TRACE(std::string(name_of(estimator)) + " " + std::to_string(factor));
      IdentifyOptions options = exact(estimator);
      options.motors.unknown_gain = true;
      options.bootstrap = 30;
      const Identification found = identify(guess(robot, factor), {log}, {}, options);
      EXPECT_EQ(found.estimator, estimator);
      EXPECT_TRUE(says(found, "common factor"));
      for (int k = 0; k < 3; ++k) {
        const IdentifiedParameter& p = parameter(found, "gain." + std::to_string(k + 1));
        EXPECT_TRUE(p.low <= true_gain[k] && true_gain[k] <= p.high)
            << p.name << ' ' << p.low << ' ' << p.high;
        EXPECT_GT(p.low, 0);
        EXPECT_LT(p.high, 6 * true_gain[k]);
      }
      const IdentifiedParameter& viscous = parameter(found, "joint_1.viscous");
      const double truth = Model<double>(robot).dof(0).viscous;
      EXPECT_TRUE(viscous.low <= truth && truth <= viscous.high);
    }
}

// It cannot be told from the link that carries it.
TEST(IdentifyGains, a_weighed_load_that_all_logs_have_gives_no_scale) {
  const RobotDescription robot = chain();
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  MotionLog log =
      moved(Model<double>(loaded(robot, "link_3", load)), {.seed = 3, .from_rest = true});
  report_currents(log, 0.01, 1);
  IdentifyOptions options = exact(Estimator::weighted);
  options.motors.unknown_gain = true;
  options.bootstrap = 30;
  options.payloads = {{.frame = "link_3", .mass = load.mass}};
  const Identification found = identify(guess(robot, 1.3), {log}, {}, options);
  EXPECT_TRUE(says(found, "common factor"));
  for (int k = 0; k < 3; ++k) {
    const IdentifiedParameter& p = parameter(found, "gain." + std::to_string(k + 1));
    EXPECT_TRUE(p.low <= true_gain[k] && true_gain[k] <= p.high)
        << p.name << ' ' << p.low << ' ' << p.high;
  }
}

TEST(IdentifyGains, of_consistent_bodies_are_not_made_small_by_noise) {
  const RobotDescription robot = chain();
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  IdentifyOptions options = exact(Estimator::consistent);
  options.motors.unknown_gain = true;
  options.bootstrap = 30;
  options.payloads = {{.frame = "link_3", .mass = load.mass, .logs = {1}}};
  double mean = 0;
  int within = 0;
  constexpr unsigned draws = 6;
  for (unsigned seed = 1; seed <= draws; ++seed) {
    std::vector<MotionLog> logs = {
        moved(Model<double>(robot), {.seed = 3, .from_rest = true}),
        moved(Model<double>(loaded(robot, "link_3", load)), {.seed = 4, .from_rest = true})};
    for (MotionLog& log : logs) report_currents(log, 0.03, seed);
    const Identification found = identify(guess(robot), logs, {}, options);
    EXPECT_FALSE(says(found, "noise of the currents"));
    for (int k = 0; k < 3; ++k) {
      const IdentifiedParameter& p = parameter(found, "gain." + std::to_string(k + 1));
      mean += (p.value / true_gain[k] - 1) / (3 * draws);
      within += p.low <= true_gain[k] && true_gain[k] <= p.high;
    }
  }
  EXPECT_LT(std::abs(mean), 0.006);  // 0.02 and more in plain least squares
  EXPECT_GE(within, 15);             // of 18
}

// What is said of dry friction is of rows with the load where it was.
TEST(IdentifyLoads, in_one_of_two_logs_leave_nothing_to_dry_friction) {
  const RobotDescription robot = chain();
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const std::vector<MotionLog> logs = {
      moved(Model<double>(robot), {.seed = 3, .noise = 0.05, .from_rest = true}),
      moved(Model<double>(loaded(robot, "link_3", load)),
            {.seed = 4, .noise = 0.05, .from_rest = true})};
  IdentifyOptions options = exact(Estimator::weighted);
  options.payloads = {{.frame = "link_3", .logs = {1}}};
  EXPECT_FALSE(says(identify(guess(robot), logs, {}, options), "dry friction"));
}

TEST(IdentifyLoads, are_in_the_logs_of_validation_that_are_named) {
  const RobotDescription robot = chain();
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const auto log = [&](unsigned seed, bool with_load) {
    return moved(Model<double>(with_load ? loaded(robot, "link_3", load) : robot),
                 {.seed = seed, .from_rest = true});
  };
  const std::vector<MotionLog> fitted = {log(3, false), log(4, true)};
  const std::vector<MotionLog> others = {log(5, false), log(6, true)};
  IdentifyOptions options = exact(Estimator::weighted);
  options.payloads = {{.frame = "link_3", .logs = {1, 3}}};
  const Identification found = identify(guess(robot), fitted, others, options);
  EXPECT_LT(found.validation.all, 1e-5);
  options.payloads[0].logs = {1};  // the last is loaded, and nobody said so
  EXPECT_GT(identify(guess(robot), fitted, others, options).validation.all, 1);
}

}  // namespace
}  // namespace torsor::testing
