// What identify says of logs that are wrong in a way that it cannot repair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "identification/identified_robot.hpp"

namespace torsor::testing {
namespace {

std::string note_with(const Identification& found, const std::string& text) {
  for (const std::string& note : found.notes)
    if (note.find(text) != note.npos) return note;
  return "";
}

Identification found_in(const RobotDescription& robot, const MotionLog& log,
                        Estimator estimator = Estimator::automatic) {
  IdentifyOptions options = exact(estimator);
  return identify(guess(robot), {log}, {}, options);
}

MotionLog good_log(const RobotDescription& robot) {
  return moved(Model<double>(robot), {.seed = 2, .seconds = 40, .noise = 0.05});
}

TEST(IdentifySuspicions, good_logs_of_many_robots_are_not_suspected) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RobotDescription robot = tree(seed, 3, {JointKind::revolute, JointKind::prismatic});
    const Identification found = found_in(robot, good_log(robot));
    EXPECT_EQ(note_with(found, "touched"), "");
    EXPECT_EQ(note_with(found, "sign"), "");
  }
}

TEST(IdentifySuspicions, torques_of_the_other_sign_are_named_by_joint) {
  const RobotDescription robot = tree(3, 3, {JointKind::revolute}, true);
  for (const int turned : {0, 1, 2}) {
    MotionLog log = good_log(robot);
    for (int i = 0; i < log.size(); ++i) log.tau(i, turned) *= -1;
    for (const Estimator estimator : {Estimator::weighted, Estimator::automatic}) {
      const std::string note = note_with(found_in(robot, log, estimator), "sign");
      EXPECT_NE(note.find("joint_" + std::to_string(turned + 1)), std::string::npos)
          << turned << ' ' << note;
      for (const int other : {0, 1, 2})
        if (other != turned) {
          EXPECT_EQ(note.find("joint_" + std::to_string(other + 1)), std::string::npos) << note;
        }
    }
  }
}

TEST(IdentifySuspicions, a_push_is_told_with_its_rows) {
  const RobotDescription robot = tree(3, 3, {JointKind::revolute}, true);
  MotionLog log = good_log(robot);
  double largest = 0;
  for (int i = 0; i < log.size(); ++i) largest = std::max(largest, std::abs(log.tau(i, 1)));
  for (int i = 4000; i < 4400; ++i) log.tau(i, 1) += largest;  // 20 to 22 s
  const std::string note = note_with(found_in(robot, log), "touched");
  const std::size_t at = note.find("rows ");
  ASSERT_NE(at, std::string::npos) << note;
  const int first = std::stoi(note.substr(at + 5)),
            last = std::stoi(note.substr(note.find(" to ", at) + 4));
  EXPECT_NEAR(first, 4001, 220) << note;  // whole blocks of a second
  EXPECT_NEAR(last, 4400, 220) << note;
  EXPECT_EQ(note_with(found_in(robot, log, Estimator::robust), "touched"), "");
}

// Logs of a fast and a slow motion under friction that the fit has, and under one that it lacks.
TEST(IdentifySuspicions, logs_that_disagree_beyond_their_intervals_are_told) {
  int told_of_exact = 0, told_of_lacking = 0;
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (const bool lacks : {false, true}) {
      RobotDescription robot = tree(seed, 3, {JointKind::revolute}, true);
      for (Joint& joint : robot.joints)
        for (Friction& f : joint.friction)
          if (lacks) f.stiction = 4 * f.coulomb, f.stribeck = 0.5;
      const Model<double> model(robot);
      const MotionLog fast = moved(model, {.seed = 2, .seconds = 40, .noise = 0.05});
      const MotionLog slow = moved(model, {.seed = 3, .seconds = 40, .size = 0.4, .noise = 0.05});
      IdentifyOptions options = exact(Estimator::weighted);
      options.bootstrap = 100;
      const std::string note =
          note_with(identify(guess(robot), {fast}, {slow}, options), "one by one");
      (lacks ? told_of_lacking : told_of_exact) += !note.empty();
      if (!note.empty()) {
        EXPECT_NE(note.find("joint_"), std::string::npos) << note;
      }
    }
  EXPECT_EQ(told_of_exact, 0);
  EXPECT_GE(told_of_lacking, 3);
}

TEST(IdentifySuspicions, a_cutoff_that_the_rate_bounds_is_told) {
  const RobotDescription robot = tree(3, 3, {JointKind::revolute}, true);
  MotionLog log = moved(Model<double>(robot), {.seed = 2, .velocities = false});
  IdentifyOptions options = exact();
  options.filter.cutoff = 0;
  EXPECT_EQ(note_with(identify(guess(robot), {log}, {}, options), "--cutoff"), "");
  for (int i = 0; i < log.size(); ++i)
    log.q(i, 1) += 0.01 * std::sin(2 * 3.14159265 * 60 * log.t[i]);
  EXPECT_NE(note_with(identify(guess(robot), {log}, {}, options), "--cutoff"), "");
}

TEST(IdentifySuspicions, the_smooth_sign_of_slides_is_narrower) {
  RobotDescription robot = arm();  // its second joint slides
  for (Joint& joint : robot.joints)
    for (Friction& friction : joint.friction) friction.width = 0;
  const Model<double> model(robot);
  const auto width = [&](const IdentifyOptions& options, std::size_t joint) {
    return identified_shape(model, options).description().joints[joint].friction[0].width;
  };
  EXPECT_EQ(width({}, 0), 0.02);
  EXPECT_NEAR(width({}, 1), 0.002, 1e-15);
  EXPECT_EQ(width({.sign_width = 0.1, .force_width = true}, 1), 0.1);
}

// The robot has an exact sign, its file says nothing, and 0.02 rad/s are taken.
TEST(IdentifySuspicions, intervals_count_a_width_that_nobody_gave) {
  int all = 0, assumed = 0, said = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RobotDescription robot = tree(seed, 3, {JointKind::revolute}, true);
    for (Joint& joint : robot.joints)
      for (Friction& friction : joint.friction) friction.width = 0;
    const MotionLog log = moved(Model<double>(robot), {.seed = seed, .seconds = 40, .noise = 0.02});
    IdentifyOptions options = exact(Estimator::weighted);
    options.bootstrap = 50;
    for (const bool given : {false, true}) {
      options.force_width = given;
      const Identification found = identify(guess(robot), {log}, {}, options);
      const Model<double> shape = identified_shape(Model<double>(robot), options);
      const ParameterColumns columns(
          shape, std::vector<std::string>(found.names.begin(), found.names.end()));
      const Array<double> wanted = found.base.values(columns.values(shape));
      for (int k = 0; k < wanted.size(); ++k) {
        const IdentifiedParameter& p = found.parameters[k];
        (given ? said : assumed) += p.low <= wanted[k] && wanted[k] <= p.high;
        all += given;
      }
    }
  }
  EXPECT_GE(assumed, 0.92 * all);
  EXPECT_LT(said, 0.85 * all);
}

}  // namespace
}  // namespace torsor::testing
