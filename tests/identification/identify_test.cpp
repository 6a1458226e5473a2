// identify: from logs whose truth is known back to it.
#include "torsor/identification/identify.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "identification/identified_robot.hpp"
#include "torsor/identification/column_regressor.hpp"
#include "torsor/model/error.hpp"

namespace torsor::testing {
namespace {

TEST(Identify, noiseless_logs_of_random_trees_give_base_parameters_friction_rotors_and_offsets) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const RobotDescription robot =
        tree(seed, 4, {JointKind::revolute, JointKind::prismatic, JointKind::helical});
    const Model<double> truth(robot);
    for (const bool velocities : {true, false}) {
      const IdentifyOptions options = exact();
      const Identification found = identify(
          guess(robot), {moved(truth, {.seed = seed, .velocities = velocities, .from_rest = true})},
          {}, options);
      EXPECT_LT(worst_error(found, truth, options), 1e-8) << seed << velocities << found.filter;
      EXPECT_LT(found.train.all, 1e-6) << seed;
    }
  }
}

TEST(Identify, motors_of_a_coupled_wrist_are_found_beside_the_bodies) {
  RobotDescription robot = tree(3, 3, {JointKind::revolute});
  const RobotDescription without = robot;
  Motor motor;
  motor.name = "motor_3";
  motor.ratios = {{"joint_2", 40}, {"joint_3", -50}};
  motor.rotor_inertia = 2e-4;
  motor.friction.viscous = 1e-3, motor.friction.coulomb = 2e-2, motor.friction.width = 1;
  robot.motors.push_back(motor);
  const Model<double> truth(robot);
  IdentifyOptions options = exact();
  options.motors.N = Matrix(3, 3);
  options.motors.N(0, 0) = 60, options.motors.N(1, 1) = 40;
  options.motors.N(2, 1) = 40, options.motors.N(2, 2) = -50;
  const std::vector<MotionLog> logs = {moved(truth, {.seed = 2, .from_rest = true})};
  const Identification found = identify(guess(without), logs, {}, options);
  EXPECT_LT(worst_error(found, truth, options), 1e-8);
  EXPECT_NEAR(parameter(found, "motor.motor_3.rotor").value, 2e-4, 1e-9);
  EXPECT_NEAR(parameter(found, "motor.motor_3.coulomb").value, 2e-2, 1e-9);
  // The robot's own motors have the last word about names and widths.
  const Identification own = identify(truth, logs, {}, options);
  EXPECT_LT(worst_error(own, truth, options), 1e-8);
}

TEST(Identify, a_load_alone_is_found_on_top_of_a_known_robot) {
  const RobotDescription robot = arm(2);
  Draw<double> draw(9);
  const Inertial load = random_tree_detail::cloud(draw, 0.3);
  const std::string on = robot.joints.back().child;
  IdentifyOptions options = exact();
  options.payloads = {{.frame = "link_3"}};
  options.payload_only = true;
  const Identification found = identify(
      Model<double>(robot),
      {moved(Model<double>(loaded(robot, "link_3", load)), {.from_rest = true})}, {}, options);
  ASSERT_EQ(found.names.size(), 10);
  const auto p = parameters_of(Inertia<double>::at_com(load.mass, load.com, load.about_com));
  const Array<double> wanted = found.base.values({p.data(), 10});
  for (int k = 0; k < wanted.size(); ++k)
    EXPECT_NEAR(found.parameters[k].value, wanted[k], 1e-8) << found.parameters[k].name;
  EXPECT_GE(wanted.size(), 4);
}

TEST(Identify, what_the_model_knows_is_subtracted) {
  RobotDescription robot = arm(5);
  robot.joints[0].spring = {{30, 0.2}};
  for (Joint& joint : robot.joints)
    for (Actuator& a : joint.actuator) a.disturbance = 0.7;
  const Model<double> truth(robot);
  const std::vector<MotionLog> logs = {moved(truth, {.from_rest = true})};
  IdentifyOptions options = exact();
  const Identification found = identify(guess(robot), logs, {}, options);
  EXPECT_LT(worst_error(found, truth, options), 1e-8);
  EXPECT_LT(found.train.all, 1e-6);
  // Bodies known, friction not.
  options.unknowns = {"friction"};
  const Identification friction = identify(truth, logs, {}, options);
  EXPECT_LT(worst_error(friction, truth, options), 1e-8);
  EXPECT_EQ(friction.base.size(), 9);
}

TEST(Identify, intervals_of_white_noise_contain_the_truth_for_95_per_cent) {
  const RobotDescription robot = tree(6, 2, {JointKind::revolute});
  const Model<double> truth(robot), start = guess(robot);
  IdentifyOptions options = exact(Estimator::weighted);
  options.bootstrap = 100;
  const Model<double> shape = identified_shape(truth, options);
  constexpr unsigned seeds = 200;
  Array<int> inside;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    Motion motion{.seed = 7, .seconds = 40, .period = 0.02};
    motion.from_rest = true;
    MotionLog log = moved(truth, motion);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 0.05);
    for (int i = 0; i < log.size(); ++i)
      for (int k = 0; k < 2; ++k) log.tau(i, k) += normal(random);
    const Identification found = identify(start, {log}, {}, options);
    const ParameterColumns columns(
        shape, std::vector<std::string>(found.names.begin(), found.names.end()));
    const Array<double> wanted = found.base.values(columns.values(shape));
    inside.resize(wanted.size(), 0);
    for (int k = 0; k < wanted.size(); ++k) {
      const IdentifiedParameter& p = found.parameters[k];
      inside[k] += p.low <= wanted[k] && wanted[k] <= p.high;
    }
  }
  double all = 0;
  for (int k = 0; k < inside.size(); ++k) {
    EXPECT_GE(inside[k], 0.89 * seeds) << k;
    all += 100.0 * inside[k] / (seeds * inside.size());
  }
  EXPECT_NEAR(all, 95, 2);
}

TEST(Identify, a_split_validates_what_follows_and_logs_validate_others) {
  const RobotDescription robot = arm(7);
  const Model<double> truth(robot);
  IdentifyOptions options = exact(Estimator::weighted);
  options.bootstrap = 50;
  const MotionLog log = moved(truth, {.seed = 1, .seconds = 60, .noise = 0.3});
  const MotionLog other = moved(truth, {.seed = 2, .noise = 0.3});
  options.split = 2.0 / 3;
  const Identification found = identify(guess(robot), {log}, {other}, options);
  ASSERT_TRUE(found.validated);
  ASSERT_EQ(found.logs.size(), 3U);
  EXPECT_FALSE(found.logs[0].validation);
  EXPECT_TRUE(found.logs[1].validation);
  EXPECT_EQ(found.logs[2].log, "moved_2");
  // Noise alone is left, of the fitted and the other parts alike.
  for (int j = 0; j < 3; ++j) {
    EXPECT_GT(found.noise[j], 0.05);
    EXPECT_LT(found.noise[j], 0.3);
    EXPECT_LT(found.validation.joints[j], 1.5 * found.train.joints[j]);
  }
  EXPECT_NEAR(found.covered, 95, 3);
  // The first two thirds of the time were fitted.
  EXPECT_NEAR(found.series[0].t[found.series[0].t.size() - 1], 40, 1.5);
  EXPECT_NEAR(found.series[1].t[0], 40, 1.5);
  const Identification whole = identify(guess(robot), {log}, {}, exact());
  EXPECT_FALSE(whole.validated);
}

TEST(Identify, consistent_bodies_can_exist_and_have_the_mass_that_is_known) {
  const RobotDescription robot = tree(8, 4, {JointKind::revolute});
  const Model<double> truth(robot);
  IdentifyOptions options = exact(Estimator::automatic);
  options.bootstrap = 8;
  double mass = 0;
  for (int i = 1; i < truth.n_bodies(); ++i) mass += truth.body(i).inertia.m;
  options.consistency.total_mass = mass;
  const Identification found = identify(guess(robot), {moved(truth, {.noise = 0.2})}, {}, options);
  EXPECT_EQ(found.estimator, Estimator::consistent);
  EXPECT_TRUE(found.consistent);
  EXPECT_TRUE(found.certificate.converged);
  EXPECT_NEAR(found.mass, mass, 1e-6 * mass);
  double sum = 0;
  for (int k = 0; k < found.names.size(); ++k)
    if (found.names[k].ends_with(".m")) sum += found.x[k];
  EXPECT_NEAR(sum, mass, 1e-6 * mass);
  for (const double x : found.certificate.smallest_eigenvalue) EXPECT_GT(x, 0);
  for (int k = 0; k < found.names.size(); ++k)
    if (found.names[k].ends_with(".viscous") || found.names[k].ends_with(".coulomb") ||
        found.names[k].starts_with("rotor.")) {
      EXPECT_GE(found.x[k], 0) << found.names[k];
    }
  EXPECT_LT(found.train.all, 20);
  EXPECT_EQ(found.links.size(), found.names.size());
}

TEST(Identify, impossible_data_gives_bodies_that_can_exist_and_a_word_about_it) {
  const RobotDescription robot = tree(8, 2, {JointKind::revolute});
  MotionLog log = moved(Model<double>(robot), {.noise = 0.01});
  for (int i = 0; i < log.size(); ++i)
    for (int k = 0; k < 2; ++k) log.tau(i, k) *= -1;  // the sign of the drives is wrong
  const Identification found = identify(guess(robot), {log}, {}, exact(Estimator::consistent));
  EXPECT_TRUE(found.consistent);
  for (const double x : found.certificate.smallest_eigenvalue) EXPECT_GT(x, 0);
  bool said = false;
  for (const std::string& note : found.notes) said |= note.find("cannot exist") < note.size();
  EXPECT_TRUE(said);
  EXPECT_GT(found.train.all, 20);
}

TEST(Identify, threads_do_not_change_a_digit) {
  const RobotDescription robot = arm(9);
  const std::vector<MotionLog> logs = {moved(Model<double>(robot), {.seconds = 60, .noise = 0.1})};
  for (const Estimator estimator : {Estimator::weighted, Estimator::consistent}) {
    IdentifyOptions options = exact(estimator);
    options.bootstrap = 20;
    options.threads = 1;
    const Identification one = identify(guess(robot), logs, {}, options);
    options.threads = 2;
    const Identification two = identify(guess(robot), logs, {}, options);
    ASSERT_EQ(one.parameters.size(), two.parameters.size());
    for (int k = 0; k < one.parameters.size(); ++k) {
      EXPECT_EQ(one.parameters[k].value, two.parameters[k].value);
      EXPECT_EQ(one.parameters[k].sigma, two.parameters[k].sigma);
    }
    EXPECT_EQ(one.train.all, two.train.all);
  }
}

TEST(Identify, an_interrupt_is_an_error_until_the_fit_is_done_and_keeps_it_from_then_on) {
  const RobotDescription robot = arm(9);
  const std::vector<MotionLog> logs = {moved(Model<double>(robot))};
  IdentifyOptions options = exact(Estimator::weighted);
  options.bootstrap = 20;
  const Identification whole = identify(guess(robot), logs, {}, options);
  for (const double until : {0.0, 0.3, 0.62, 0.8, 1.0})
    for (const int threads : {1, 2}) {
      options.threads = threads;
      const auto run = [&] {
        return identify(guess(robot), logs, {}, options,
                        [&](double share) { return share < until; });
      };
      if (until < 0.65) {
        EXPECT_THROW(run(), Error);
        continue;
      }
      const Identification found = run();
      EXPECT_TRUE(found.stopped);
      EXPECT_EQ(found.x, whole.x);
      const bool told = std::any_of(found.notes.begin(), found.notes.end(), [](const auto& note) {
        return note.rfind("stopped after ", 0) == 0;
      });
      EXPECT_EQ(told, !found.bootstrapped);  // 20 draws at least
      // The thread that asks may get its turn when the other has drawn all of them.
      if (threads == 1 || until >= 0.9) {
        EXPECT_EQ(found.bootstrapped, until >= 0.9);
      }
    }
  double last = 0;
  identify(guess(robot), logs, {}, options, [&](double share) {
    EXPECT_GE(share, last);
    EXPECT_LE(share, 1);
    last = share;
    return true;
  });
  EXPECT_EQ(last, 1);
}

/// The largest difference of the written robot's torques and W x along the log, relative to the largest torque.
double torque_difference(const Model<double>& model, const IdentifyOptions& options,
                         const Identification& found, const RobotDescription& robot,
                         const MotionLog& log) {
  const Model<double> shape = identified_shape(model, options), made(robot);
  const ParameterColumns columns(shape,
                                 std::vector<std::string>(found.names.begin(), found.names.end()));
  const Array<double> x0 = columns.values(shape);
  ColumnWorkspace<double> ws(shape);
  DynamicsWorkspace<double> before(shape), after(made);
  const int n = shape.n_v();
  Matrix W(n, columns.size());
  Array<double> q(n), qd(n), qdd(n, 0.0), known(n), tau(n);
  Draw<double> draw(3);
  double worst = 0, most = 0;
  for (int i = 0; i < log.size(); i += 10) {
    for (int k = 0; k < n; ++k) q[k] = log.q(i, k), qd[k] = log.qd(i, k), qdd[k] = draw(-3, 3);
    torque_regressor<double, double>(shape, ws, columns, q, qd, qdd, W);
    tree_inverse_dynamics<double, double>(shape, before, q, qd, qdd, {}, known);
    tree_inverse_dynamics<double, double>(made, after, q, qd, qdd, {}, tau);
    for (int j = 0; j < n; ++j) {
      double fit = known[j];
      for (int k = 0; k < columns.size(); ++k) fit += W(j, k) * (found.x[k] - x0[k]);
      worst = std::max(worst, std::abs(fit - tau[j]));
      most = std::max(most, std::abs(fit));
    }
  }
  return worst / most;
}

TEST(Identify, the_robot_that_is_written_back_has_the_torques_of_the_fit) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const RobotDescription robot = tree(seed, 4, {JointKind::revolute, JointKind::prismatic});
    const Model<double> start = guess(robot, 1.1);
    const MotionLog log = moved(Model<double>(robot), {.seed = seed, .noise = 0.02});
    for (const Estimator estimator :
         {Estimator::ordinary, Estimator::weighted, Estimator::consistent}) {
      const IdentifyOptions options = exact(estimator);
      const Identification found = identify(start, {log}, {}, options);
      const WriteBack back =
          write_back(start, options, found, {.inconsistent = estimator != Estimator::consistent});
      ASSERT_TRUE(back.ok()) << seed << name_of(estimator) << ": " << back.message;
      EXPECT_LT(torque_difference(start, options, found, back.robot, log), 1e-9)
          << seed << name_of(estimator);
      EXPECT_TRUE(estimator != Estimator::consistent || back.consistent);
    }
  }
}

TEST(Identify, robots_and_logs_that_do_not_go_together_are_refused) {
  const RobotDescription robot = arm(9);
  const Model<double> model(robot);
  const MotionLog log = moved(model);
  const Model<double> other(tree(9, 4, {JointKind::revolute}));
  EXPECT_THROW(identify(other, {log}, {}, exact()), Error);
  EXPECT_THROW(identify(model, {}, {}, exact()), Error);
  EXPECT_THROW(identify(model, {MotionLog{}}, {}, exact()), Error);
  IdentifyOptions options = exact();
  options.unknowns = {"link_9.m"};
  EXPECT_THROW(identify(model, {log}, {}, options), Error);
  options = exact();
  options.payloads = {{.frame = "nowhere"}};
  EXPECT_THROW(identify(model, {log}, {}, options), Error);
  options.payloads = {{.frame = "base"}};
  EXPECT_THROW(identify(model, {log}, {}, options), Error);
  options = exact();
  options.payload_only = true;
  EXPECT_THROW(identify(model, {log}, {}, options), Error);
}

}  // namespace
}  // namespace torsor::testing
