// identify where logs say little, are of another shape, or carry loads and gains of their own.
#include "torsor/identification/identify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "identification/identified_robot.hpp"
#include "torsor/identification/column_regressor.hpp"
#include "torsor/model/error.hpp"

namespace torsor::testing {
namespace {

/// Drives that report torques in units of their own.
void report_in_units_of_drives(MotionLog& log, In<double> gain) {
  log.drive = log.tau;
  for (int i = 0; i < log.size(); ++i)
    for (int k = 0; k < gain.size; ++k) log.drive(i, k) /= gain[k];
}

TEST(IdentifyLimits, unknown_gains_of_drives_are_found_with_a_known_load_in_one_of_two_logs) {
  const RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const double gain[] = {12, 7, 3.5};
  std::vector<MotionLog> logs = {
      moved(Model<double>(robot), {.seed = 3, .from_rest = true}),
      moved(Model<double>(loaded(robot, "link_3", load)), {.seed = 4, .from_rest = true})};
  for (MotionLog& log : logs) report_in_units_of_drives(log, {gain, 3});
  IdentifyOptions options = exact();
  options.motors.unknown_gain = true;
  options.payloads = {{.frame = "link_3", .mass = load.mass, .logs = {1}}};
  const Identification found = identify(guess(robot), logs, {}, options);
  int seen = 0;
  for (const IdentifiedParameter& p : found.parameters)
    if (p.name.starts_with("gain.")) {
      const int k = p.name.back() - '1';
      EXPECT_NEAR(p.value, gain[k], 1e-7 * gain[k]) << p.name;
      EXPECT_TRUE(p.determined);
      ++seen;
    }
  EXPECT_EQ(seen, 3);
  for (const double x : found.train.joints) EXPECT_TRUE(std::isfinite(x));
}

TEST(IdentifyLimits, without_a_load_gains_have_the_scale_of_the_file_or_none) {
  const RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  const double gain[] = {12, 7, 3.5};
  MotionLog log = moved(Model<double>(robot), {.seed = 3, .from_rest = true});
  report_in_units_of_drives(log, {gain, 3});
  IdentifyOptions options = exact(Estimator::weighted);
  options.motors.unknown_gain = true;
  const auto gain_of = [](const Identification& found, int k) {
    return parameter(found, "gain." + std::to_string(k)).value;
  };
  // A file whose bodies are right has the right scale, another one its own; ratios are the logs'.
  const Identification right = identify(guess(robot, 1), {log}, {}, options);
  const Identification heavy = identify(guess(robot, 1.3), {log}, {}, options);
  for (int k = 0; k < 3; ++k) {  // but for the rotors, which the file does not have
    EXPECT_NEAR(gain_of(right, k + 1), gain[k], 1e-3 * gain[k]);
    EXPECT_NEAR(gain_of(heavy, k + 1), 1.3 * gain[k], 1e-3 * gain[k]);
    EXPECT_NEAR(gain_of(heavy, k + 1) / gain_of(heavy, 1), gain[k] / gain[0],
                1e-7 * gain[k] / gain[0]);
  }
  EXPECT_NE(heavy.notes.size(), 0u);
  options.estimator = Estimator::ordinary;
  EXPECT_THROW(identify(guess(robot), {log}, {}, options), Error);
  options.estimator = Estimator::weighted;
  RobotDescription light = guess(robot).description();
  for (Link& link : light.links) link.inertial = {}, link.has_inertial = false;
  EXPECT_THROW(identify(Model<double>(light), {log}, {}, options), Error);
  // All of the robot is known: the gains alone are not.
  options.payload_only = true;
  const Identification alone = identify(Model<double>(robot), {log}, {}, options);
  ASSERT_EQ(alone.parameters.size(), 3);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(gain_of(alone, k + 1), gain[k], 1e-7 * gain[k]);
}

/// The last joint carries nothing but friction to speak of: least squares lose its gain in the noise.
TEST(IdentifyLimits, a_joint_that_little_ties_to_the_others_keeps_its_gain) {
  RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  for (Link& link : robot.links)
    if (link.name == "link_3") {
      link.inertial.mass *= 0.05, link.inertial.com = link.inertial.com * 0.1;
      link.inertial.about_com = link.inertial.about_com * 0.001;
    }
  Draw<double> draw(9);
  Inertial load = random_tree_detail::cloud(draw, 0.3);
  const double gain[] = {12, 7, 3.5};
  std::vector<MotionLog> logs = {
      moved(Model<double>(robot), {.seed = 3, .noise = 0.03, .from_rest = true}),
      moved(Model<double>(loaded(robot, "link_3", load)),
            {.seed = 4, .noise = 0.03, .from_rest = true})};
  for (MotionLog& log : logs) report_in_units_of_drives(log, {gain, 3});
  IdentifyOptions options = exact(Estimator::automatic);
  options.motors.unknown_gain = true;
  options.bootstrap = 20;
  options.payloads = {{.frame = "link_3", .mass = load.mass, .logs = {1}}};
  const Identification found = identify(guess(robot), logs, {}, options);
  EXPECT_LT(found.condition, 1e4);
  for (int k = 0; k < 3; ++k) {
    const IdentifiedParameter& p = parameter(found, "gain." + std::to_string(k + 1));
    EXPECT_NEAR(p.value, gain[k], 0.05 * gain[k]);
    EXPECT_GT(p.sigma, 1e-6 * gain[k]);
  }
}

TEST(IdentifyLimits, noisy_currents_do_not_make_gains_small_but_in_plain_least_squares) {
  const RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const double gain[] = {12, 7, 3.5};
  IdentifyOptions options = exact(Estimator::automatic);
  options.motors.unknown_gain = true;
  options.payloads = {{.frame = "link_3", .mass = load.mass, .logs = {1}}};
  double weighted = 0, ordinary = 0;  // mean relative errors
  constexpr unsigned draws = 6;
  for (unsigned seed = 1; seed <= draws; ++seed) {
    std::vector<MotionLog> logs = {
        moved(Model<double>(robot), {.seed = 3, .from_rest = true}),
        moved(Model<double>(loaded(robot, "link_3", load)), {.seed = 4, .from_rest = true})};
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (MotionLog& log : logs) {
      report_in_units_of_drives(log, {gain, 3});
      for (int k = 0; k < 3; ++k) {
        double square = 0;
        for (int i = 0; i < log.size(); ++i)
          square += log.drive(i, k) * log.drive(i, k) / log.size();
        for (int i = 0; i < log.size(); ++i)
          log.drive(i, k) += 0.03 * std::sqrt(square) * normal(random);
      }
    }
    for (const bool automatic : {true, false}) {
      options.estimator = automatic ? Estimator::automatic : Estimator::ordinary;
      const Identification found = identify(guess(robot), logs, {}, options);
      EXPECT_EQ(found.estimator, automatic ? Estimator::weighted : Estimator::ordinary);
      EXPECT_EQ(automatic, std::none_of(found.notes.begin(), found.notes.end(), [](auto& note) {
                  return note.find("noise of the currents") != note.npos;
                }));
      for (int k = 0; k < 3; ++k)
        (automatic ? weighted : ordinary) +=
            (parameter(found, "gain." + std::to_string(k + 1)).value / gain[k] - 1) / (3 * draws);
    }
  }
  EXPECT_LT(ordinary, -0.02);
  EXPECT_LT(std::abs(weighted), 0.2 * std::abs(ordinary));
}

TEST(IdentifyLimits, what_is_called_determined_is_near_the_truth_whatever_the_logs_leave_out) {
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (const int still : {0, 1, 2}) {
      const RobotDescription robot = tree(seed, 3, {JointKind::revolute}, true);
      Motion motion{.seed = seed, .noise = 0.01};
      motion.still = {still};
      IdentifyOptions options = exact(Estimator::weighted);
      options.bootstrap = 50;
      const Model<double> truth(robot);
      const Identification found = identify(guess(robot), {moved(truth, motion)}, {}, options);
      const Model<double> shape = identified_shape(truth, options);
      const ParameterColumns columns(
          shape, std::vector<std::string>(found.names.begin(), found.names.end()));
      const Array<double> wanted = found.base.values(columns.values(shape));
      int determined = 0;
      for (int k = 0; k < wanted.size(); ++k) {
        const IdentifiedParameter& p = found.parameters[k];
        if (!p.determined) continue;
        ++determined;
        EXPECT_NEAR(p.value, wanted[k], 6 * p.sigma + 1e-3)
            << seed << ' ' << still << ' ' << p.name;
      }
      EXPECT_GT(determined, 5);
    }
}

// A gripper beside the arm whose log this is: no torque is not a torque of zero.
TEST(IdentifyLimits, joints_whose_torques_were_not_logged_make_no_rows) {
  const RobotDescription robot = tree(6, 3, {JointKind::revolute}, true);
  MotionLog log = moved(Model<double>(robot), {.seed = 2, .noise = 0.01});
  for (int i = 0; i < log.size(); ++i) log.tau(i, 2) = 0;
  log.measured = {1, 1, 0};
  IdentifyOptions options = exact(Estimator::weighted);
  options.bootstrap = 50;
  const Model<double> truth(robot);
  const Identification found = identify(guess(robot), {log}, {}, options);
  EXPECT_LT(found.train.all, 1);
  const Model<double> shape = identified_shape(truth, options);
  const ParameterColumns columns(shape,
                                 std::vector<std::string>(found.names.begin(), found.names.end()));
  const Array<double> wanted = found.base.values(columns.values(shape));
  int determined = 0;
  for (int k = 0; k < wanted.size(); ++k) {
    const IdentifiedParameter& p = found.parameters[k];
    if (!p.determined) continue;
    ++determined;
    EXPECT_NEAR(p.value, wanted[k], 6 * p.sigma + 1e-3) << p.name;
  }
  EXPECT_GT(determined, 8);
  EXPECT_FALSE(parameter(found, "joint_3.viscous").determined);
  // A torque of zero that was measured, of a joint that nothing drives, is a torque.
  log.measured = {};
  EXPECT_TRUE(parameter(identify(guess(robot), {log}, {}, options), "joint_3.viscous").determined);
}

TEST(IdentifyLimits, a_joint_that_never_moves_has_parameters_that_are_not_determined) {
  const RobotDescription robot = tree(6, 3, {JointKind::revolute}, true);
  Motion motion{.noise = 0.01};
  motion.still = {2};
  IdentifyOptions options = exact(Estimator::weighted);
  options.bootstrap = 50;
  const Identification found =
      identify(guess(robot), {moved(Model<double>(robot), motion)}, {}, options);
  for (const char* name : {"joint_3.viscous", "joint_3.coulomb"})
    EXPECT_FALSE(parameter(found, name).determined) << name;
  for (const char* name : {"joint_1.viscous", "joint_1.coulomb", "joint_2.viscous"})
    EXPECT_TRUE(parameter(found, name).determined) << name;
  for (const IdentifiedParameter& p : found.parameters) EXPECT_TRUE(std::isfinite(p.value));
}

TEST(IdentifyLimits, a_load_in_one_of_two_logs_is_told_apart_from_the_robot) {
  const RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const std::vector<MotionLog> logs = {
      moved(Model<double>(robot), {.seed = 3, .from_rest = true}),
      moved(Model<double>(loaded(robot, "link_3", load)), {.seed = 4, .from_rest = true})};
  IdentifyOptions options = exact();
  options.payloads = {{.frame = "link_3", .logs = {1}}};
  const Identification found = identify(guess(robot), logs, {}, options);
  EXPECT_LT(found.train.all, 1e-6);
  EXPECT_NEAR(parameter(found, "payload.zz").value, 0, 10);
}
TEST(IdentifyLimits, a_mass_out_of_reach_and_logs_without_torque_are_refused) {
  const RobotDescription robot = arm();
  MotionLog log = moved(Model<double>(robot), {.from_rest = true});
  IdentifyOptions options = exact(Estimator::consistent);
  options.consistency.total_mass = 1e-12;
  EXPECT_THROW(identify(guess(robot), {log}, {}, options), Error);
  for (int i = 0; i < log.size(); ++i)
    for (int k = 0; k < log.tau.cols(); ++k) log.tau(i, k) = 0;
  EXPECT_THROW(identify(guess(robot), {log}, {}, exact()), Error);
}

TEST(IdentifyLimits, joints_with_quaternions_are_refused) {
  const RobotDescription robot = tree(4, 2, {JointKind::spherical, JointKind::revolute});
  const Model<double> model(robot);
  MotionLog log = moved(Model<double>(tree(4, model.n_q(), {JointKind::revolute})));
  log.tau = Matrix(log.size(), model.n_v());
  EXPECT_THROW(identify(model, {log}, {}, exact()), Error);
}
TEST(IdentifyLimits, torques_of_another_width_are_refused) {
  const RobotDescription robot = arm(4);
  MotionLog log = moved(Model<double>(robot));
  log.tau = Matrix(log.size(), 2);
  EXPECT_THROW(identify(guess(robot), {log}, {}, exact()), Error);
}
TEST(IdentifyLimits, estimators_do_what_their_names_say) {
  const RobotDescription robot = arm(4);
  const std::vector<MotionLog> logs = {moved(Model<double>(robot), {.noise = 0.1})};
  const Identification weighted = identify(guess(robot), logs, {}, exact(Estimator::weighted));
  for (const Estimator e : {Estimator::joint_by_joint, Estimator::power}) {
    const Identification found = identify(guess(robot), logs, {}, exact(e));
    EXPECT_NE(found.parameters[0].value, weighted.parameters[0].value)
        << name_of(e) << found.method;
  }
}
TEST(IdentifyLimits, loads_and_gains_go_with_bodies_that_can_exist) {
  const RobotDescription robot = tree(4, 3, {JointKind::revolute}, true);
  Draw<double> draw(9);
  Inertial load = random_tree_detail::cloud(draw, 0.3);
  const std::vector<MotionLog> logs = {
      moved(Model<double>(robot), {.seed = 3, .noise = 0.02, .from_rest = true}),
      moved(Model<double>(loaded(robot, "link_3", load)),
            {.seed = 4, .noise = 0.02, .from_rest = true})};
  const auto link_value = [](const Identification& found, const std::string& name) {
    for (const IdentifiedParameter& p : found.links)
      if (p.name == name) return p.value;
    throw Error("no " + name);
  };
  const double gain[] = {12, 7, 3.5};
  for (const bool drives : {false, true}) {
    std::vector<MotionLog> seen = logs;
    IdentifyOptions options = exact(Estimator::consistent);
    options.payloads = {{.frame = "link_3", .mass = drives ? load.mass : 0, .logs = {1}}};
    options.motors.unknown_gain = drives;
    if (drives)
      for (MotionLog& log : seen) report_in_units_of_drives(log, {gain, 3});
    const Identification found = identify(guess(robot), seen, {}, options);
    EXPECT_EQ(found.estimator, Estimator::consistent);
    EXPECT_TRUE(found.consistent) << found.method;
    EXPECT_LT(found.train.all, 2);
    EXPECT_EQ(found.certificate.bodies.size(), 4u);
    for (const double least : found.certificate.smallest_eigenvalue) EXPECT_GT(least, 0);
    EXPECT_NEAR(link_value(found, "payload.m"), load.mass, (drives ? 1e-5 : 0.05) * load.mass);
    EXPECT_NEAR(link_value(found, "payload.mz"), load.mass * load.com.z, 0.05 * load.mass);
    double of_links = 0;
    for (const char* link : {"link_1.m", "link_2.m", "link_3.m"})
      of_links += link_value(found, link);
    EXPECT_NEAR(found.mass, of_links, 1e-9 * of_links);  // without the load
    for (int k = 0; drives && k < 3; ++k)
      EXPECT_NEAR(parameter(found, "gain." + std::to_string(k + 1)).value, gain[k], 0.02 * gain[k]);
    const WriteBack back = write_back(guess(robot), options, found);
    EXPECT_TRUE(back.ok()) << back.message;
    EXPECT_EQ(back.robot.find_link("payload"), nullptr);
  }
  // What scales say of the robot cannot be told from a load that they did not weigh.
  IdentifyOptions options = exact(Estimator::consistent);
  options.payloads = {{.frame = "link_3", .logs = {1}}};
  options.consistency.total_mass = 10;
  EXPECT_THROW(identify(guess(robot), logs, {}, options), Error);
}

TEST(IdentifyLimits, a_short_swing_does_not_determine_what_it_cannot) {
  const RobotDescription robot = tree(6, 3, {JointKind::revolute}, true);
  Motion motion{.seconds = 5, .noise = 0.5};
  motion.size = 0.005, motion.harmonics = 1;
  const Identification found =
      identify(guess(robot), {moved(Model<double>(robot), motion)}, {}, exact(Estimator::weighted));
  for (const IdentifiedParameter& p : found.parameters)
    EXPECT_TRUE(!p.determined || p.sigma < 1e3) << p.name << " " << p.value << " " << p.sigma;
}
TEST(IdentifyLimits, nan_in_a_log_is_refused_or_left_out) {
  const RobotDescription robot = arm(4);
  MotionLog log = moved(Model<double>(robot));
  log.tau(1000, 1) = std::nan("");
  try {
    const Identification found = identify(guess(robot), {log}, {}, exact());
    EXPECT_TRUE(std::isfinite(found.train.all));
    EXPECT_TRUE(std::isfinite(found.parameters[0].value));
  } catch (const Error& e) {
    puts(e.what());
  }
}

}  // namespace
}  // namespace torsor::testing
