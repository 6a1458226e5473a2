/// Derivatives of samples: central differences, Savitzky-Golay, filtered derivatives, prepared logs.
#include "torsor/identification/signal/differences.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "torsor/identification/signal/prepare.hpp"
#include "torsor/identification/signal/savitzky_golay.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

constexpr double pi = std::numbers::pi;

/// Columns: a polynomial of the degree and its first two derivatives.
Matrix polynomial(int n, double period, int degree) {
  Matrix x(n, 3);
  for (int k = 0; k < n; ++k) {
    const double t = (k - n / 3) * period;
    for (int d = 0; d <= degree; ++d) {
      const double c = 1.0 / (1 + d) * (d % 2 == 0 ? 1 : -2);
      x(k, 0) += c * std::pow(t, d);
      if (d >= 1) x(k, 1) += c * d * std::pow(t, d - 1);
      if (d >= 2) x(k, 2) += c * d * (d - 1) * std::pow(t, d - 2);
    }
  }
  return x;
}
Matrix column(const Matrix& m, int c) {
  Matrix out(m.rows(), 1);
  for (int k = 0; k < m.rows(); ++k) out(k, 0) = m(k, c);
  return out;
}

TEST(Differences, are_exact_for_polynomials_to_the_ends) {
  const double period = 0.05;
  const Matrix x = polynomial(40, period, 4);  // five points at the ends
  Matrix d(40, 1);
  for (const int derivative : {1, 2}) {
    differentiate(column(x, 0), period, derivative, d);
    for (int k = 0; k < 40; ++k)
      EXPECT_NEAR(d(k, 0), x(k, derivative), 1e-10) << derivative << " " << k;
  }
  const Matrix y = polynomial(40, period, 8);  // nine in between
  differentiate(column(y, 0), period, 1, d);
  for (int k = 4; k < 36; ++k) EXPECT_NEAR(d(k, 0), y(k, 1), 1e-10);
}

TEST(Differences, of_three_points_are_the_classical_ones) {
  const double nodes[] = {-1, 0, 1};
  const Array<double> first = internal::difference_weights(nodes, 0, 1),
                      second = internal::difference_weights(nodes, 0, 2);
  EXPECT_DOUBLE_EQ(first[0], -0.5);
  EXPECT_DOUBLE_EQ(first[1], 0);
  EXPECT_DOUBLE_EQ(first[2], 0.5);
  EXPECT_DOUBLE_EQ(second[0], 1);
  EXPECT_DOUBLE_EQ(second[1], -2);
  EXPECT_DOUBLE_EQ(second[2], 1);
}

TEST(Differences, errors_fall_with_the_order_of_the_points) {
  const auto error = [](int points, double period) {
    const int n = static_cast<int>(std::lround(4 / period));
    Matrix x(n, 1), d(n, 1);
    for (int k = 0; k < n; ++k) x(k, 0) = std::sin(2 * pi * k * period);
    differentiate(x, period, 1, d, points);
    double largest = 0;
    for (int k = n / 4; k < n / 2; ++k)
      largest = std::max(largest, std::abs(d(k, 0) - 2 * pi * std::cos(2 * pi * k * period)));
    return largest;
  };
  EXPECT_NEAR(std::log2(error(3, 0.02) / error(3, 0.01)), 2, 0.05);
  EXPECT_NEAR(std::log2(error(5, 0.02) / error(5, 0.01)), 4, 0.05);
  EXPECT_NEAR(std::log2(error(9, 0.08) / error(9, 0.04)), 8, 0.3);
}

TEST(Differences, refuse_what_has_too_few_samples) {
  Matrix x(8, 1), d(8, 1);
  EXPECT_THROW(differentiate(x, 1, 1, d), Error);
  EXPECT_THROW(differentiate(x, 1, 3, d, 5), Error);
}

TEST(Differences, of_filtered_signals_are_filtered_derivatives) {
  const double period = 1e-3;
  const LowPass filter = butterworth(4, 20, period);
  Matrix x(6000, 1), rate(6000, 1);
  for (int k = 0; k < 6000; ++k) {
    const double t = k * period;
    x(k, 0) = std::sin(2 * pi * 3 * t) + 0.1 * std::sin(2 * pi * 20 * t);
    rate(k, 0) = 6 * pi * std::cos(2 * pi * 3 * t) + 4 * pi * std::cos(2 * pi * 20 * t);
  }
  filtered_derivative(filter, x);
  zero_phase(filter, rate);
  for (int k = 1000; k < 5000; ++k) EXPECT_NEAR(x(k, 0), rate(k, 0), 1e-6);
}

TEST(SavitzkyGolay, is_exact_for_polynomials_of_its_degree_everywhere) {
  const double period = 0.1;
  for (const int degree : {2, 3, 4, 6})
    for (const int window : {9, 15}) {
      const Matrix x = polynomial(30, period, degree);
      Matrix y(30, 1);
      for (int derivative = 0; derivative <= 2; ++derivative) {
        savitzky_golay(column(x, 0), period, window, degree, derivative, y);
        for (int k = 0; k < 30; ++k)
          EXPECT_NEAR(y(k, 0), x(k, derivative), 1e-9 * (1 + std::abs(x(k, derivative))))
              << degree << " " << window << " " << derivative << " " << k;
      }
    }
}

TEST(SavitzkyGolay, has_the_published_weights_of_five_points) {
  // Quadratic through five points: (-3, 12, 17, 12, -3) / 35, slope (-2, -1, 0, 1, 2) / 10.
  const Array<double> smooth = savitzky_golay_weights(5, 2, 0, 2),
                      slope = savitzky_golay_weights(5, 2, 1, 2);
  const double expected[] = {-3, 12, 17, 12, -3};
  for (int j = 0; j < 5; ++j) {
    EXPECT_NEAR(smooth[j], expected[j] / 35, 1e-15);
    EXPECT_NEAR(slope[j], (j - 2) / 10.0, 1e-15);
  }
}

TEST(SavitzkyGolay, window_of_a_cutoff_has_half_the_power_there) {
  for (const int degree : {2, 4})
    for (const double cutoff : {5.0, 20.0}) {
      const double period = 1e-3;
      const int window = savitzky_golay_window(degree, cutoff, period);
      const Array<double> w = savitzky_golay_weights(window, degree, 0, window / 2);
      double gain = 0;
      for (int j = 0; j < window; ++j)
        gain += w[j] * std::cos(2 * pi * cutoff * period * (j - window / 2));
      EXPECT_GE(gain, std::sqrt(0.5)) << degree << " " << window;
      EXPECT_LT(gain, std::sqrt(0.5) + 0.03) << degree << " " << window;
    }
}

TEST(SavitzkyGolay, refuses_windows_that_do_not_fit) {
  Matrix x(10, 1), y(10, 1);
  EXPECT_THROW(savitzky_golay(x, 1, 11, 2, 0, y), Error);
  EXPECT_THROW(savitzky_golay(x, 1, 4, 2, 0, y), Error);
  EXPECT_THROW(savitzky_golay(x, 1, 5, 5, 0, y), Error);
  EXPECT_THROW(savitzky_golay(x, 1, 5, 2, 3, y), Error);
}

/// Two joints, a few harmonics, position noise.
MotionLog moving(int n, double period, double noise, bool velocities) {
  MotionLog log;
  log.name = "made";
  log.period = period;
  log.q = Matrix(n, 2), log.tau = Matrix(n, 2), log.qd = Matrix(velocities ? n : 0, 2);
  std::mt19937 engine(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < n; ++k) {
    const double t = k * period;
    log.t.push_back(t);
    log.rows.push_back(k + 1);
    log.q(k, 0) = std::sin(2 * pi * 0.5 * t) + noise * normal(engine);
    log.q(k, 1) = 0.4 * std::cos(2 * pi * 1.5 * t) + noise * normal(engine);
    if (!velocities) continue;
    log.qd(k, 0) = pi * std::cos(2 * pi * 0.5 * t) + 10 * noise * normal(engine);
    log.qd(k, 1) = -1.2 * pi * std::sin(2 * pi * 1.5 * t) + 10 * noise * normal(engine);
  }
  return log;
}

TEST(Prepare, finds_velocities_and_accelerations_of_a_noisy_log) {
  for (const bool velocities : {false, true})
    for (const auto derivatives :
         {FilterOptions::Derivatives::differences, FilterOptions::Derivatives::savitzky_golay}) {
      const MotionLog log = moving(8000, 1e-3, 1e-5, velocities);
      FilterOptions options;
      options.derivatives = derivatives;
      const Signals s = prepare(log, options);
      EXPECT_EQ(s.velocities_used, velocities);
      EXPECT_GT(s.filter.cutoff, 10);  // motion up to 1.5 Hz
      EXPECT_LT(s.filter.cutoff, 40);
      double qd_off = 0, qdd_off = 0;
      for (int k = s.margin; k < log.size() - s.margin; ++k) {
        const double t = log.t[k];
        qd_off = std::max(qd_off, std::abs(s.qd(k, 1) + 1.2 * pi * std::sin(3 * pi * t)));
        qdd_off = std::max(qdd_off, std::abs(s.qdd(k, 1) + 3.6 * pi * pi * std::cos(3 * pi * t)));
      }
      EXPECT_LT(qd_off, 0.01 * 1.2 * pi) << s.words;
      EXPECT_LT(qdd_off, 0.03 * 3.6 * pi * pi) << s.words;
    }
}

TEST(Prepare, does_not_use_velocities_that_are_none) {
  MotionLog log = moving(4000, 1e-3, 1e-6, true);
  for (int k = 0; k < log.size(); ++k) log.qd(k, 0) *= 180 / pi;  // degrees
  const Signals s = prepare(log);
  EXPECT_FALSE(s.velocities_used);
  EXPECT_NE(s.words.find("those logged are"), std::string::npos) << s.words;
  EXPECT_NEAR(s.qd(2000, 0), pi * std::cos(pi * log.t[2000]), 0.01);
}

TEST(Prepare, tells_by_how_much_velocities_are_late) {
  MotionLog log = moving(4000, 1e-3, 0, true);
  for (int k = 0; k < log.size(); ++k) {  // backward differences over eight samples
    const double t = log.t[k] - 4e-3;
    log.qd(k, 0) = pi * std::cos(pi * t), log.qd(k, 1) = -1.2 * pi * std::sin(3 * pi * t);
  }
  const std::string words = prepare(log).words, before = "positions, ";
  EXPECT_TRUE(prepare(log).velocities_used);
  EXPECT_NEAR(std::stod(words.substr(words.rfind(before) + before.size())), 4, 0.05) << words;
  EXPECT_TRUE(words.ends_with("ms late")) << words;
}

TEST(Prepare, lowers_a_cutoff_whose_noise_would_fold_into_every_nth_sample) {
  const MotionLog log = moving(4000, 1e-3, 0, false);
  FilterOptions options;
  options.cutoff = 100;
  options.decimation = 20;  // 50 Hz
  const Signals low = prepare(log, options);
  EXPECT_NEAR(low.filter.cutoff, 20, 1e-9);
  EXPECT_EQ(low.decimation, 20);
  EXPECT_NE(low.words.find("20 Hz in place of 100 Hz"), std::string::npos) << low.words;
  options.decimation = 4;  // 250 Hz show it
  EXPECT_NEAR(prepare(log, options).filter.cutoff, 100, 1e-9);
}

TEST(Prepare, never_filters_across_a_gap) {
  const MotionLog whole = moving(4000, 1e-3, 0, false);
  MotionLog cut = whole;
  cut.stretches = {0, 2000};
  for (int k = 2000; k < 4000; ++k) cut.q(k, 0) += 5;  // whatever happened in between
  FilterOptions options;
  options.cutoff = 15;
  const Signals s = prepare(cut, options);
  for (int k = 1990; k < 2010; ++k) EXPECT_NEAR(s.q(k, 0), cut.q(k, 0), 1e-3) << k;
  for (int k = 2200; k < 2300; ++k) EXPECT_NEAR(s.qd(k, 0), pi * std::cos(pi * cut.t[k]), 1e-3);
}

TEST(Prepare, proposes_more_for_a_faster_motion_and_not_more_than_the_rate_allows) {
  // 1.5 Hz, seen through a window that spreads it over two and a half steps of frequency.
  const auto expect_motion = [](const MotionLog& log) {
    const double found = propose_cutoff(log).motion, step = power_spectrum(log, log.q).step;
    EXPECT_GT(found, 1.5 - step);
    EXPECT_LT(found, 1.5 + 2.5 * step);
    return found;
  };
  MotionLog log = moving(8000, 1e-3, 1e-5, false);
  const double slow = expect_motion(log);
  expect_motion(moving(8000, 0.3e-3, 1e-5, false));
  expect_motion(moving(30000, 1e-3, 1e-5, true));
  log.period = 1e-4;  // the same samples ten times as fast
  EXPECT_NEAR(propose_cutoff(log).motion, 10 * slow, 1e-9);
  // Noise and coarse encoders are no motion, however long one looks.
  for (const double noisy : {1e-4, 1e-3, 5e-3}) expect_motion(moving(40000, 1e-3, noisy, false));
  for (const double step : {1e-4, 1e-3, 5e-3}) {
    MotionLog counted = moving(40000, 1e-3, 0, false);
    for (int k = 0; k < counted.size(); ++k)
      counted.q(k, 0) = step * std::round(counted.q(k, 0) / step);
    expect_motion(counted);
    // To and fro at constant speed, where counting makes lines of single frequencies.
    MotionLog exact = counted;
    for (int k = 0; k < counted.size(); ++k) {
      const double phase = std::fmod(counted.t[k], 2.0);
      exact.q(k, 0) = 0.7 * std::min(phase, 2 - phase);
      counted.q(k, 0) = step * std::round(exact.q(k, 0) / step);
    }
    EXPECT_LE(propose_cutoff(counted).motion, propose_cutoff(exact).motion);
  }
  MotionLog noise = moving(4000, 1e-3, 10, true);
  EXPECT_LE(propose_cutoff(noise).cutoff, 200.0);
}

}  // namespace
}  // namespace torsor
