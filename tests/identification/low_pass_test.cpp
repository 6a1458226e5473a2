/// Zero-phase Butterworth filters: laws of gain and phase, ends, many columns.
#include "torsor/identification/signal/low_pass.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>
#include <random>

#include "torsor/linear/matrix.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

constexpr double pi = std::numbers::pi;

Matrix cosine(int n, double frequency, double period, double phase = 0) {
  Matrix x(n, 1);
  for (int k = 0; k < n; ++k) x(k, 0) = std::cos(2 * pi * frequency * k * period + phase);
  return x;
}
Matrix noise(int rows, int cols, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  Matrix x(rows, cols);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) x(r, c) = normal(engine);
  return x;
}

/// Amplitude and phase of a cosine of known frequency, by least squares over the middle half.
std::complex<double> phasor(const Matrix& x, double frequency, double period) {
  std::complex<double> sum = 0;
  const int n = x.rows(), per_cycle = static_cast<int>(std::lround(1 / (frequency * period)));
  const int cycles = n / 2 / per_cycle, begin = n / 4;
  for (int k = begin; k < begin + cycles * per_cycle; ++k)
    sum += x(k, 0) * std::polar(1.0, -2 * pi * frequency * k * period);
  return 2.0 * sum / static_cast<double>(cycles * per_cycle);
}

TEST(LowPass, a_cosine_stays_in_phase_and_has_the_gain_of_two_passes) {
  const double period = 1e-3;
  for (int order = 1; order <= 8; ++order) {
    const LowPass filter = butterworth(order, 40, period);
    for (const double frequency : {1.0, 10.0, 25.0, 40.0, 50.0, 100.0}) {
      Matrix x = cosine(8000, frequency, period, 0.7);
      zero_phase(filter, x);
      const std::complex<double> found = phasor(x, frequency, period);
      EXPECT_NEAR(std::abs(found), filter.gain(frequency), 1e-9) << order << " " << frequency;
      EXPECT_NEAR(std::abs(found - std::polar(filter.gain(frequency), 0.7)), 0, 1e-9);
    }
    EXPECT_NEAR(filter.gain(40), 0.5, 1e-14);  // -6 dB at the cut-off
    EXPECT_NEAR(20 * std::log10(filter.gain(40)), -6.0206, 1e-4);
  }
}

TEST(LowPass, constants_and_slow_lines_pass_to_the_ends) {
  for (const double cutoff : {0.2, 1.0, 100.0}) {
    const LowPass filter = butterworth(4, cutoff, 1e-3);
    Matrix x(3000, 2);
    for (int k = 0; k < x.rows(); ++k) x(k, 0) = 7, x(k, 1) = 3 - 0.002 * k;
    zero_phase(filter, x);
    for (int k = 0; k < x.rows(); ++k) {
      EXPECT_NEAR(x(k, 0), 7, 1e-8) << cutoff;
      EXPECT_NEAR(x(k, 1), 3 - 0.002 * k, 1e-8) << cutoff << " " << k;
    }
  }
}

TEST(LowPass, filtering_is_linear_and_the_same_forwards_and_backwards) {
  const LowPass filter = butterworth(4, 60, 1e-3);
  const int n = 2000;
  const Matrix a = noise(n, 1, 1), b = noise(n, 1, 2);
  Matrix fa = a, fb = b, sum(n, 1), reversed(n, 1);
  for (int k = 0; k < n; ++k)
    sum(k, 0) = 2 * a(k, 0) - 3 * b(k, 0), reversed(k, 0) = a(n - 1 - k, 0);
  for (Matrix* m : {&fa, &fb, &sum, &reversed}) zero_phase(filter, *m);
  for (int k = 0; k < n; ++k) {
    EXPECT_NEAR(sum(k, 0), 2 * fa(k, 0) - 3 * fb(k, 0), 1e-12);
    EXPECT_NEAR(reversed(k, 0), fa(n - 1 - k, 0), 1e-8);
  }
}

TEST(LowPass, columns_side_by_side_are_filtered_as_they_are_alone) {
  const LowPass filter = butterworth(5, 20, 1e-3);
  for (const int cols : {1, 3, 8, 21}) {
    const Matrix x = noise(700, cols);
    Matrix together = x;
    zero_phase(filter, together);
    for (int c = 0; c < cols; ++c) {
      Matrix one(700, 1);
      for (int k = 0; k < 700; ++k) one(k, 0) = x(k, c);
      zero_phase(filter, one);
      for (int k = 0; k < 700; ++k) ASSERT_NEAR(together(k, c), one(k, 0), 1e-13);
    }
    Array<double> by_columns(700 * cols);
    const MatrixView<double> view = column_major(by_columns.data(), 700, cols);
    for (int k = 0; k < 700; ++k)
      for (int c = 0; c < cols; ++c) view(k, c) = x(k, c);
    zero_phase(filter, view);
    for (int k = 0; k < 700; ++k)
      for (int c = 0; c < cols; ++c) ASSERT_NEAR(view(k, c), together(k, c), 1e-13);
  }
}

TEST(LowPass, a_linear_model_of_rows_stays_one) {
  const LowPass filter = butterworth(4, 30, 1e-3);
  Matrix rows = noise(1500, 4);
  const double x[] = {1.5, -2, 0.25};
  for (int k = 0; k < rows.rows(); ++k)
    rows(k, 3) = x[0] * rows(k, 0) + x[1] * rows(k, 1) + x[2] * rows(k, 2);
  zero_phase(filter, rows);
  for (int k = 0; k < rows.rows(); ++k)
    EXPECT_NEAR(rows(k, 3), x[0] * rows(k, 0) + x[1] * rows(k, 1) + x[2] * rows(k, 2), 1e-12);
}

TEST(LowPass, decimation_leaves_nothing_that_folds_back) {
  const double period = 1e-3;
  const LowPass filter = butterworth(4, 10, period);
  const int factor = decimation(filter);
  EXPECT_EQ(factor, 25);
  // At 40 samples a second 33 Hz would be seen as 7 Hz.
  const double fold = 1 / (factor * period);
  Matrix x = cosine(20000, fold - 7, period);
  zero_phase(filter, x);
  double largest = 0;
  for (int k = 5000; k < 15000; k += factor) largest = std::max(largest, std::abs(x(k, 0)));
  EXPECT_LT(largest, 1e-4);
  EXPECT_GT(largest, 1e-6);
  EXPECT_LT(filter.gain(fold - 10), 2e-4);
}

TEST(LowPass, forgets_after_its_settling) {
  for (const double cutoff : {3.0, 50.0, 400.0}) {
    const LowPass filter = butterworth(4, cutoff, 1e-3);
    for (const double tolerance : {1e-3, 1e-9}) {
      const int L = settling(filter, tolerance);
      Array<double> h(10 * L + 1000, 0.0);
      h[0] = 1;
      const double zero[] = {0};
      internal::LowPassState state = internal::steady(filter, zero);
      internal::run(filter, state, h.data(), h.size(), 1);
      double tail = 0;
      for (int k = L; k < h.size(); ++k) tail += std::abs(h[k]);
      EXPECT_LE(tail, tolerance * (1 + 1e-6));
      EXPECT_GT(tail + std::abs(h[L - 1]), tolerance * (1 - 1e-6));
    }
  }
}

TEST(LowPass, short_stretches_are_filtered_too) {
  const LowPass filter = butterworth(4, 5, 1e-3);
  for (const int n : {1, 2, 5, 30}) {
    Matrix x = noise(n, 3);
    zero_phase(filter, x);
    for (int k = 0; k < n; ++k) EXPECT_TRUE(std::isfinite(x(k, 0)));
  }
}

TEST(LowPass, refuses_what_is_no_filter) {
  EXPECT_THROW((void)butterworth(0, 10, 1e-3), Error);
  EXPECT_THROW((void)butterworth(13, 10, 1e-3), Error);
  EXPECT_THROW((void)butterworth(4, 500, 1e-3), Error);
  EXPECT_THROW((void)butterworth(4, 0, 1e-3), Error);
  EXPECT_THROW((void)butterworth(4, NAN, 1e-3), Error);
}

}  // namespace
}  // namespace torsor
