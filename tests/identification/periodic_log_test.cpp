/// Periodic logs: exact derivatives, means and noise; delays between positions and torques.
#include "torsor/identification/signal/periodic_log.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "torsor/identification/signal/delay.hpp"
#include "torsor/math/error.hpp"
#include "torsor/trajectory/fourier.hpp"

namespace torsor {
namespace {

constexpr double pi = std::numbers::pi;

FourierSeries<double> series_of(double duration) {
  return fourier<double>({0.3, -0.5}, {{0.5, 0.2, -0.4, 0.1, 0.15}, {-0.3, 0.6, 0.1, 0.2, -0.2}},
                         {{0.2, -0.3, 0.1, 0.25, 0.1}, {0.1, 0.2, -0.3, 0.15, 0.3}},
                         2 * pi / duration);
}

/// Several periods of a series with five harmonics, and torques that belong to it.
MotionLog recorded(double duration, double period, double length, double q_noise = 0,
                   double tau_noise = 0, double late = 0) {
  const FourierSeries<double> series = series_of(duration);
  MotionLog log;
  log.name = "made";
  log.period = period;
  const int n = static_cast<int>(std::lround(length / period));
  log.q = log.tau = Matrix(n, 2);
  std::mt19937 engine(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < n; ++k) {
    const double t = k * period;
    double q[2], qd[2], qdd[2];
    log.t.push_back(t);
    log.rows.push_back(k + 1);
    series.sample(t, q, qd, qdd);
    for (int j = 0; j < 2; ++j) log.q(k, j) = q[j] + q_noise * normal(engine);
    series.sample(t - late, q, qd, qdd);
    log.tau(k, 0) = 3 * qdd[0] + 0.5 * qdd[1] + 8 * std::cos(q[0]) + 2 * std::cos(q[0] + q[1]) +
                    1.5 * std::tanh(qd[0] / 0.01) + tau_noise * normal(engine);
    log.tau(k, 1) = 0.8 * qdd[1] + 0.5 * qdd[0] + 2 * std::cos(q[0] + q[1]) + 0.7 * qd[1] +
                    tau_noise * normal(engine);
  }
  return log;
}

TEST(PeriodicLog, derivatives_of_a_series_are_exact) {
  const FourierSeries<double> series = series_of(4);
  const PeriodicSignals s = average_periods(recorded(4, 0.01, 12), 4);
  EXPECT_EQ(s.periods, 3);
  EXPECT_EQ(s.harmonics, 5);
  ASSERT_EQ(s.mean.size(), 400);
  for (int k = 0; k < 400; ++k) {
    double q[2], qd[2], qdd[2];
    series.sample(0.01 * k, q, qd, qdd);
    for (int j = 0; j < 2; ++j) {
      EXPECT_NEAR(s.mean.q(k, j), q[j], 1e-12);
      EXPECT_NEAR(s.mean.qd(k, j), qd[j], 1e-11);
      EXPECT_NEAR(s.qdd(k, j), qdd[j], 1e-10);
    }
  }
  EXPECT_NEAR(s.q_noise[0], 0, 1e-12);
}

TEST(PeriodicLog, noise_is_what_differs_between_periods_and_falls_in_the_mean) {
  const double sigma = 1e-3;
  const MotionLog log = recorded(4, 0.005, 40, sigma, 0.2);
  const PeriodicSignals s = average_periods(log, 4);
  EXPECT_EQ(s.periods, 10);
  EXPECT_NEAR(s.q_noise[0], sigma, 0.05 * sigma);
  EXPECT_NEAR(s.q_noise[1], sigma, 0.05 * sigma);
  EXPECT_NEAR(s.tau_noise[1], 0.2, 0.01);
  EXPECT_EQ(s.harmonics, 5);
  const FourierSeries<double> series = series_of(4);
  double squares = 0;
  for (int k = 0; k < 800; ++k) {
    double q[2], qd[2], qdd[2];
    series.sample(0.005 * k, q, qd, qdd);
    squares += (s.mean.q(k, 0) - q[0]) * (s.mean.q(k, 0) - q[0]) / 800;
  }
  // Of 8000 samples 11 numbers were estimated.
  EXPECT_LT(std::sqrt(squares), 2 * sigma * std::sqrt(11.0 / 8000));
  EXPECT_GT(std::sqrt(squares), 0.3 * sigma * std::sqrt(11.0 / 8000));
}

TEST(PeriodicLog, the_period_is_found) {
  for (const double duration : {4.0, 3.7, 2.513}) {
    const MotionLog log = recorded(duration, 0.005, 21, 1e-4);
    EXPECT_NEAR(find_period(log), duration, 2e-4) << duration;
    const PeriodicSignals s = average_periods(log);
    EXPECT_EQ(s.periods, static_cast<int>(21 / duration));
    EXPECT_NE(s.words.find("found"), std::string::npos);
  }
  MotionLog line = recorded(4, 0.005, 12);
  for (int k = 0; k < line.size(); ++k) line.q(k, 0) += 0.1 * k * 0.005;
  EXPECT_EQ(find_period(line), 0);
  EXPECT_THROW((void)average_periods(line), Error);
  EXPECT_EQ(find_period(recorded(4, 0.005, 6)), 0);  // one and a half
}

TEST(PeriodicLog, a_period_between_samples_is_interpolated) {
  const double duration = 3.7037;
  const PeriodicSignals s = average_periods(recorded(duration, 0.005, 21), duration);
  const FourierSeries<double> series = series_of(duration);
  for (int k = 0; k < s.mean.size(); ++k) {
    double q[2], qd[2], qdd[2];
    series.sample(s.mean.t[k], q, qd, qdd);
    EXPECT_NEAR(s.mean.q(k, 0), q[0], 1e-7);
    EXPECT_NEAR(s.qdd(k, 0), qdd[0], 1e-2);
  }
}

TEST(Delay, of_torques_is_found_and_taken_out) {
  for (const double late : {0.0, 0.012, -0.0073}) {
    const MotionLog log = recorded(4, 0.002, 12, 1e-5, 0.05, late);
    FilterOptions options;
    options.cutoff = 20;
    const DelayEstimate found = estimate_delay(log, prepare(log, options), 0.03);
    EXPECT_NEAR(found.delay, late, 3e-4) << found.words;
    EXPECT_EQ(found.clear, late != 0) << found.words;
    const MotionLog moved = without_delay(log, late);
    const MotionLog in_time = recorded(4, 0.002, 12, 1e-5, 0.0, 0);
    for (int k = 500; k < 5000; k += 7) {
      const int row = moved.rows[k] - 1;
      EXPECT_NEAR(moved.tau(k, 1), in_time.tau(row, 1), 0.35) << late;  // seven sigma
      EXPECT_EQ(moved.q(k, 0), log.q(row, 0));
    }
  }
}

TEST(Delay, moving_torques_keeps_to_the_stretches) {
  MotionLog log = recorded(4, 0.002, 4);
  log.stretches = {0, 1000, 1003};
  const MotionLog late = without_delay(log, 0.005);  // two and a half samples
  EXPECT_EQ(late.stretches, (Array<int>{0, 997}));
  EXPECT_EQ(late.size(), 997 + 994);
  EXPECT_EQ(late.rows[997], 1004);
  const MotionLog early = without_delay(log, -0.005);
  EXPECT_EQ(early.rows[0], 4);
  EXPECT_THROW((void)without_delay(log, 100), Error);
  EXPECT_THROW((void)without_delay(log, NAN), Error);
}

TEST(Delay, refuses_a_log_that_is_too_short) {
  const MotionLog log = recorded(4, 0.01, 0.5);
  FilterOptions options;
  options.cutoff = 10;
  EXPECT_THROW((void)estimate_delay(log, prepare(log, options), 0.2), Error);
}

}  // namespace
}  // namespace torsor
