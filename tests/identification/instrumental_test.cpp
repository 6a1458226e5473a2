// A joint with inertia, viscous friction and weight, held by a controller: noise of its encoder is
// in the regressor of least squares, and not in that of a simulation.
#include "torsor/identification/instrumental.hpp"

#include <gtest/gtest.h>

#include <random>

#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/residual_tests.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

constexpr double dt = 0.01;
constexpr int samples = 1500;
const Array<double> truth{0.8, 0.6, 3.0};  // inertia, viscous, weight: tau = J qdd + b qd + w sin q

double reference(double t) { return 0.8 * std::sin(2 * t) + 0.5 * std::sin(5.3 * t); }

/// The closed loop, tau = 60 (r - q) - 12 qd, in steps of dt / 20; tau is recorded too.
bool closed_loop(In<double> x, Matrix& q, Matrix& qd, Matrix& qdd, Array<double>* tau = nullptr) {
  q = qd = qdd = Matrix(samples, 1);
  double angle = 0, rate = 0;
  const int parts = 20;
  for (int k = 0; k < samples * parts; ++k) {
    const double t = k * dt / parts;
    const double torque = 60 * (reference(t) - angle) - 12 * rate;
    const double acceleration = (torque - x[1] * rate - x[2] * std::sin(angle)) / x[0];
    if (k % parts == 0) {
      const int i = k / parts;
      q(i, 0) = angle, qd(i, 0) = rate, qdd(i, 0) = acceleration;
      if (tau) tau->push_back(torque);
    }
    rate += dt / parts * acceleration;
    angle += dt / parts * rate;
    if (!std::isfinite(angle) || std::abs(angle) > 1e3) return false;
  }
  return true;
}
void rows(const Matrix& q, const Matrix& qd, const Matrix& qdd, Matrix& W) {
  W = Matrix(q.rows(), 3);
  for (int k = 0; k < q.rows(); ++k)
    W(k, 0) = qdd(k, 0), W(k, 1) = qd(k, 0), W(k, 2) = std::sin(q(k, 0));
}
const std::vector<std::string> names{"inertia", "viscous", "weight"}, joints{"joint"};

/// Positions with noise, differentiated twice without a filter; torques with noise.
RegressorRows measure(double noise_q, double noise_tau, unsigned seed) {
  Matrix q, qd, qdd;
  RegressorRows measured;
  EXPECT_TRUE(closed_loop(truth, q, qd, qdd, &measured.tau));
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < samples; ++k) {
    q(k, 0) += noise_q * normal(random);
    measured.tau[k] += noise_tau * normal(random);
  }
  if (noise_q > 0)
    for (int k = 1; k + 1 < samples; ++k) {
      qd(k, 0) = (q(k + 1, 0) - q(k - 1, 0)) / (2 * dt);
      qdd(k, 0) = (q(k + 1, 0) - 2 * q(k, 0) + q(k - 1, 0)) / (dt * dt);
    }
  rows(q, qd, qdd, measured.W);
  return measured;
}
Estimate plain(const RegressorRows& measured) {
  CompressedLog log;
  log.names = names, log.joints = joints;
  log.add_block(0);
  for (int k = 0; k < samples; ++k)
    log.factor(0, 0).add(
        Array<double>{measured.W(k, 0), measured.W(k, 1), measured.W(k, 2), measured.tau[k]});
  return least_squares(log);
}
const auto simulate = [](In<double> x, Matrix& q, Matrix& qd, Matrix& qdd) {
  return closed_loop(x, q, qd, qdd);
};

TEST(Instrumental, without_noise_all_ways_give_the_truth) {
  const RegressorRows measured = measure(0, 0, 1);
  const Array<double> start{1.0, 1.0, 2.0};
  const auto iv = instrumental_variables(names, joints, measured, start, simulate, rows);
  const auto didim = direct_inverse_identification(names, joints, measured, start, simulate, rows,
                                                   {.iterations = 60, .tolerance = 1e-10});
  EXPECT_TRUE(iv.converged);
  EXPECT_TRUE(didim.converged);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(iv.estimate.x[k], truth[k], 1e-8);
    EXPECT_NEAR(didim.estimate.x[k], truth[k], 1e-5);
  }
}

TEST(Instrumental, noise_of_the_motion_biases_least_squares_alone) {
  const RegressorRows measured = measure(1e-3, 0.05, 2);
  const Estimate ls = plain(measured);
  EXPECT_LT(ls.x[0], 0.6 * truth[0]);  // inertia, attenuated by noisy accelerations
  const auto iv = instrumental_variables(names, joints, measured, ls.x, simulate, rows);
  const auto didim = direct_inverse_identification(names, joints, measured, truth, simulate, rows);
  EXPECT_TRUE(iv.converged);
  EXPECT_LE(iv.iterations, 10);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(iv.estimate.x[k], truth[k], 4 * iv.estimate.sigma[k]) << names[k];
    EXPECT_NEAR(didim.estimate.x[k], truth[k], 0.03 * truth[k]) << names[k];
  }
  const HausmanTest test = hausman_test(ls.x, ls.covariance, iv.estimate.x, iv.estimate.covariance);
  EXPECT_FALSE(test.agree) << test.verdict;
}

TEST(Instrumental, where_only_torques_are_noisy_both_agree) {
  int agree = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const RegressorRows measured = measure(0, 0.3, seed);
    const Estimate ls = plain(measured);
    // Instruments of other parameters: not the regressor itself, so that there is something to
    // test.
    const auto iv = instrumental_variables(
        names, joints, measured, ls.x,
        [](In<double>, Matrix& q, Matrix& qd, Matrix& qdd) {
          return closed_loop(Array<double>{1.0, 0.2, 2.0}, q, qd, qdd);
        },
        rows);
    agree += hausman_test(ls.x, ls.covariance, iv.estimate.x, iv.estimate.covariance).agree;
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(iv.estimate.x[k], truth[k], 4.5 * iv.estimate.sigma[k]) << names[k];
  }
  EXPECT_GE(agree, 16);
}

TEST(Instrumental, what_is_refused) {
  const RegressorRows measured = measure(0, 0.1, 1);
  const auto astray = [](In<double>, Matrix&, Matrix&, Matrix&) { return false; };
  EXPECT_THROW((void)instrumental_variables(names, joints, measured, truth, astray, rows), Error);
  EXPECT_THROW(
      (void)instrumental_variables(names, joints, measured, Array<double>{1.0}, simulate, rows),
      Error);
  const auto still = [](In<double>, Matrix& q, Matrix& qd, Matrix& qdd) {
    q = qd = qdd = Matrix(samples, 1);
    return true;
  };
  EXPECT_THROW((void)instrumental_variables(names, joints, measured, truth, still, rows), Error);
  EXPECT_THROW((void)direct_inverse_identification(names, joints, measured, truth, still, rows),
               Error);
}

}  // namespace
}  // namespace torsor::testing
