// Whiteness, the Durbin-Wu-Hausman test and essential parameters against what they must be.
#include "torsor/identification/residual_tests.hpp"

#include <gtest/gtest.h>

#include <random>

#include "identification/made_log.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/math/error.hpp"

namespace torsor::testing {
namespace {

Array<double> series(double memory, int n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Array<double> e(n, 0.0);
  for (int t = 0; t < n; ++t)
    e[t] = (t > 0 ? memory * e[t - 1] : 0) + std::sqrt(1 - memory * memory) * normal(random);
  return e;
}

TEST(ResidualTests, the_statistic_of_four_numbers_by_hand) {
  // 1, 2, 4, 1: mean 2, deviations -1, 0, 2, -1, squares 6; lag 1: 0 + 0 - 2 = -2.
  const Array<double> e{1.0, 2.0, 4.0, 1.0};
  const Whiteness w = whiteness(e, 1);
  EXPECT_NEAR(w.autocorrelation[0], -1.0 / 3, 1e-15);
  EXPECT_NEAR(w.ljung_box, 4 * 6 * (1.0 / 9) / 3, 1e-14);
  // chi^2 of one degree: P(X > 8/9) = 2 (1 - Phi(sqrt(8/9))).
  EXPECT_NEAR(w.p_value, std::erfc(std::sqrt(8.0 / 9 / 2)), 1e-12);
}

TEST(ResidualTests, white_series_are_called_white_but_for_one_in_a_hundred) {
  int coloured = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) coloured += !whiteness(series(0, 300, seed)).white;
  EXPECT_LE(coloured, 14);  // 4 expected
  EXPECT_GE(coloured, 1);
}

TEST(ResidualTests, a_memory_is_measured) {
  const Whiteness w = whiteness(series(0.8, 40000, 1));
  EXPECT_FALSE(w.white);
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(w.autocorrelation[k], std::pow(0.8, k + 1), 0.03);
  EXPECT_NEAR(w.rows_per_independent, 9, 1.5);  // (1 + 0.8) / (1 - 0.8)
  EXPECT_NE(w.verdict.find("not white"), std::string::npos);
  EXPECT_NEAR(whiteness(series(0, 40000, 2)).rows_per_independent, 1, 0.1);
  EXPECT_THROW((void)whiteness(series(0, 30, 1), 20), Error);
}

TEST(ResidualTests, hausman_statistic_of_one_unknown_by_hand) {
  Matrix C_ls(1, 1), C_iv(1, 1);
  C_ls(0, 0) = 1, C_iv(0, 0) = 5;
  const HausmanTest far = hausman_test(Array<double>{0.0}, C_ls, Array<double>{6.0}, C_iv);
  EXPECT_NEAR(far.statistic, 36.0 / 4, 1e-12);
  EXPECT_EQ(far.degrees, 1);
  EXPECT_NEAR(far.p_value, std::erfc(3 / std::sqrt(2.0)), 1e-12);
  EXPECT_FALSE(far.agree);
  EXPECT_TRUE(hausman_test(Array<double>{0.0}, C_ls, Array<double>{1.0}, C_iv).agree);
  // Instruments that are as good as least squares test nothing.
  EXPECT_EQ(hausman_test(Array<double>{0.0}, C_ls, Array<double>{6.0}, C_ls).degrees, 0);
  EXPECT_THROW((void)hausman_test(Array<double>{0.0}, C_ls, Array<double>{1.0, 2.0}, C_iv), Error);
}

TEST(ResidualTests, parameters_that_are_zero_are_not_essential) {
  MadeLog made;
  made.x = {1.0, 0.0, 0.5, 0.0, -0.7};
  made.noise = {0.3, 0.3};
  int kept_all_true = 0, exact = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Estimate e = least_squares(made.log(seed));
    const EssentialParameters found = essential_parameters(e);
    Array<int> stays(5, 0);
    for (const int k : found.essential) stays[k] = 1;
    kept_all_true += stays[0] && stays[2] && stays[4];
    exact += stays == Array<int>{1, 0, 1, 0, 1};
    EXPECT_GT(found.p_value, 0.05);
  }
  EXPECT_EQ(kept_all_true, 40);
  EXPECT_GE(exact, 34);  // 95 of 100 expected
}

TEST(ResidualTests, what_stays_is_the_fit_without_what_goes) {
  MadeLog made;
  made.x = {1.0, 0.001, 0.5, 0.0, -0.7};
  made.noise = {0.3, 0.3};
  const CompressedLog log = made.log(3);
  const Estimate e = least_squares(log);
  const EssentialParameters found = essential_parameters(e);
  ASSERT_EQ(found.essential, (Array<int>{0, 2, 4}));
  CompressedLog fewer;  // the same rows without columns 1 and 3
  fewer.names = {"a", "c", "e"}, fewer.joints = log.joints;
  for (int b = 0; b < log.n_blocks(); ++b) {
    fewer.add_block(0);
    for (int j = 0; j < 2; ++j) {
      const Matrix& R = log.factor(b, j).R();
      for (int r = 0; r < 6; ++r) {
        Array<double> row;
        for (const int c : {0, 2, 4, 5}) row.push_back(c >= r ? R(r, c) : 0);
        fewer.factor(b, j).add(row);
      }
    }
  }
  const Array<double> weights{1 / e.noise[0], 1 / e.noise[1]};
  const Estimate again = least_squares(fewer, {.weights = weights});
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.x[2 * k], again.x[k], 1e-10);
  EXPECT_EQ(found.x[1], 0);
  EXPECT_TRUE(std::isinf(found.sigma[1]));
  EXPECT_LT(found.sigma[0], e.sigma[0] * (1 + 1e-12));
  // Rows that do not count one by one let more go.
  EXPECT_LT(essential_parameters(e, 60).essential.size(), 3);
}

}  // namespace
}  // namespace torsor::testing
