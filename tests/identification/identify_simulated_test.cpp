// Estimators of identify that simulate: noise of the measured motion biases least squares, and not them.
#include <gtest/gtest.h>

#include "identification/identified_robot.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::testing {
namespace {

/// The gains of the loop that drives the arm of the tests.
LoopGains drive_gains() { return {{600, 3000, 300}, {60, 300, 30}, {}}; }

/// The robot driven along the positions of `asked` by its loop; noise of velocities and torques.
MotionLog driven(const Model<double>& robot, const Motion& asked, double velocity_noise,
                 double torque_noise) {
  MotionLog log = moved(robot, asked);
  log.q_ref = log.q;
  Matrix qdd;
  EXPECT_TRUE(reference_simulator({.gains = drive_gains()})(robot, log, log.q, log.qd, qdd));
  DynamicsWorkspace<double> ws(robot);
  std::mt19937_64 random(asked.seed);
  std::normal_distribution<double> normal;
  const int n = robot.n_v();
  Array<double> q(n), qd(n), a(n), tau(n);
  for (int i = 0; i < log.size(); ++i) {
    for (int k = 0; k < n; ++k) q[k] = log.q(i, k), qd[k] = log.qd(i, k), a[k] = qdd(i, k);
    tree_inverse_dynamics<double, double>(robot, ws, q, qd, a, {}, tau);
    for (int k = 0; k < n; ++k) {
      log.tau(i, k) = tau[k] + torque_noise * normal(random);
      log.qd(i, k) += velocity_noise * normal(random);
    }
  }
  return log;
}

IdentifyOptions simulated(Estimator estimator, LoopGains gains = {}) {
  IdentifyOptions options = exact(estimator);
  options.simulate = reference_simulator({.gains = std::move(gains)});
  return options;
}

/// Largest error of a determined parameter in its classical deviations, and relative to the largest value.
struct Errors {
  double in_sigma = 0, relative = 0;
};
Errors errors(const Identification& found, const Model<double>& truth,
              const IdentifyOptions& options) {
  const Model<double> shape = identified_shape(truth, options);
  const ParameterColumns columns(shape, {found.names.begin(), found.names.end()});
  const Array<double> wanted = found.base.values(columns.values(shape));
  Errors out;
  double most = 0;
  for (const double x : wanted) most = std::max(most, std::abs(x));
  for (int k = 0; k < wanted.size(); ++k) {
    const IdentifiedParameter& p = found.parameters[k];
    const double off = std::abs(p.value - wanted[k]);
    out.in_sigma = std::max(out.in_sigma, off / p.classical_sigma);
    out.relative = std::max(out.relative, off / most);
  }
  return out;
}

const Motion motion{.seed = 3, .seconds = 20, .frequency = 0.2, .harmonics = 6};

TEST(IdentifySimulated, without_noise_all_find_the_robot) {
  const Model<double> truth(arm());
  const MotionLog log = driven(truth, motion, 0, 0);
  for (const Estimator e : {Estimator::weighted, Estimator::instrumental, Estimator::didim}) {
    const IdentifyOptions options = simulated(e, drive_gains());
    const Identification found = identify(guess(arm()), {log}, {}, options);
    EXPECT_EQ(found.estimator, e);
    EXPECT_LT(errors(found, truth, options).relative, 2e-3) << name_of(e) << ": " << found.method;
  }
}

TEST(IdentifySimulated, noisy_velocities_bias_least_squares_and_not_instruments) {
  const Model<double> truth(arm());
  const MotionLog log = driven(truth, motion, 0.1, 0.05);
  const IdentifyOptions plain = exact(Estimator::weighted);
  const Errors ls = errors(identify(guess(arm()), {log}, {}, plain), truth, plain);
  for (const bool gains_known : {false, true}) {
    const IdentifyOptions options =
        simulated(Estimator::instrumental, gains_known ? drive_gains() : LoopGains{});
    const Identification found = identify(guess(arm()), {log}, {}, options);
    const Errors iv = errors(found, truth, options);
    EXPECT_LT(iv.in_sigma, 4.5) << found.method;
    EXPECT_GT(ls.in_sigma, 8);
    EXPECT_LT(iv.relative, 0.3 * ls.relative);
    ASSERT_TRUE(found.bias.done);
    EXPECT_FALSE(found.bias.test.agree) << found.bias.test.verdict;
  }
}

TEST(IdentifySimulated, where_the_motion_is_exact_both_agree_and_the_bootstrap_covers_the_truth) {
  const Model<double> truth(arm());
  const MotionLog log = driven(truth, motion, 0, 0.3);
  IdentifyOptions options = simulated(Estimator::instrumental);
  options.bootstrap = 60;
  const Identification found = identify(guess(arm()), {log}, {}, options);
  ASSERT_TRUE(found.bias.done);
  EXPECT_TRUE(found.bias.test.agree) << found.bias.test.verdict;
  EXPECT_TRUE(found.bootstrapped);
  const Model<double> shape = identified_shape(truth, options);
  const ParameterColumns columns(shape, {found.names.begin(), found.names.end()});
  const Array<double> wanted = found.base.values(columns.values(shape));
  int inside = 0;
  for (int k = 0; k < wanted.size(); ++k) {
    const IdentifiedParameter& p = found.parameters[k];
    EXPECT_GT(p.sigma, 0.3 * p.classical_sigma) << p.name;
    EXPECT_LT(p.sigma, 3 * p.classical_sigma) << p.name;
    inside += p.low <= wanted[k] && wanted[k] <= p.high;
  }
  EXPECT_GE(inside, wanted.size() - 2);
}

TEST(IdentifySimulated, a_file_far_from_the_robot_and_slow_rows_left_out_do_not_stop_it) {
  const Model<double> truth(arm());
  const MotionLog log = driven(truth, motion, 0.05, 0.05);
  IdentifyOptions options = simulated(Estimator::instrumental);
  options.least_speed = 0.1;
  options.split = 0.8;
  const Identification found = identify(guess(arm(), 4), {log}, {log}, options);
  EXPECT_LT(errors(found, truth, options).in_sigma, 4.5) << found.method;
  EXPECT_TRUE(found.validated);
}

TEST(IdentifySimulated, what_is_missing_is_said) {
  const Model<double> truth(arm());
  MotionLog log = driven(truth, motion, 0, 0.1);
  const auto refusal = [&](const IdentifyOptions& options, const MotionLog& of) -> std::string {
    try {
      (void)identify(guess(arm()), {of}, {}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  const IdentifyOptions options = simulated(Estimator::instrumental);
  EXPECT_NE(refusal(exact(Estimator::didim), log).find("simulator"), std::string::npos);
  IdentifyOptions loaded = options;
  loaded.payloads = {{.frame = "link_3", .mass = 1}};
  EXPECT_NE(refusal(loaded, log).find("payloads"), std::string::npos);
  EXPECT_NE(refusal(simulated(Estimator::didim, {{1, 2}, {3, 4}, {}}), log).find("kp has 2"),
            std::string::npos);
  IdentifyOptions astray = simulated(Estimator::didim);
  astray.simulate = [](const Model<double>&, const MotionLog&, Matrix&, Matrix&, Matrix&) {
    return false;
  };
  EXPECT_NE(refusal(astray, log).find("astray"), std::string::npos);
  IdentifyOptions plain = exact(Estimator::output_error);
  EXPECT_NE(refusal(plain, log).find("Stribeck"), std::string::npos);
  log.q_ref = {};
  EXPECT_NE(refusal(options, log).find("q_ref.<joint>"), std::string::npos);
}

TEST(IdentifySimulated, output_error_finds_stribeck_velocities_and_writes_them) {
  RobotDescription robot = arm();
  const double wanted[] = {0.1, 0.25};
  int k = 0;
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction)
      if (k < 2) f.stiction = f.coulomb + 0.8, f.stribeck = wanted[k++], f.width = 0.01;
  const Model<double> truth(robot);
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction)
      if (f.stribeck > 0) f.stribeck = 0.6;
  const Model<double> file = guess(robot);
  IdentifyOptions options = exact(Estimator::output_error);
  options.choice.stiction = true;
  Motion slow = motion;
  slow.noise = 0.05;
  const MotionLog log = moved(truth, slow);
  const Identification found = identify(file, {log}, {}, options);
  ASSERT_EQ(found.nonlinear.size(), 2);
  for (int i = 0; i < 2; ++i) {
    const IdentifiedParameter& p = found.nonlinear[i];
    EXPECT_EQ(p.before, 0.6);
    EXPECT_TRUE(p.determined);
    EXPECT_NEAR(p.value, wanted[i], 4 * p.sigma + 5e-3) << p.name;
    EXPECT_LT(p.sigma, 0.05) << p.name;
  }
  IdentifyOptions linear = exact(Estimator::weighted);
  linear.choice.stiction = true;
  EXPECT_LT(found.train.all, 0.8 * identify(file, {log}, {}, linear).train.all);
  const WriteBack back = write_back(file, options, found, {.inconsistent = true});
  ASSERT_TRUE(back.ok()) << back.message;
  const Model<double> written(back.robot);
  for (int v = 0, i = 0; v < written.n_v() && i < 2; ++v)
    if (written.dof_name(v) + ".stribeck" == found.nonlinear[i].name) {
      EXPECT_EQ(written.dof(v).stribeck, found.nonlinear[i++].value);
    }
}

}  // namespace
}  // namespace torsor::testing
