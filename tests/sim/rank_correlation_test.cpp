#include "torsor/sim/internal/rank_correlation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace torsor::internal {
namespace {

TEST(RankCorrelation, is_one_for_every_rising_function_and_minus_one_for_every_falling_one) {
  std::vector<double> x, rising, falling;
  for (int k = 0; k < 40; ++k) {
    x.push_back(std::sin(7.0 * k));
    rising.push_back(std::exp(3 * x.back()));
    falling.push_back(-x.back() * x.back() * x.back());
  }
  EXPECT_NEAR(rank_correlation(x, rising), 1, 1e-15);
  EXPECT_NEAR(rank_correlation(x, falling), -1, 1e-15);
}

// Without ties the coefficient is 1 - 6 sum d^2 / (n (n^2 - 1)).
TEST(RankCorrelation, agrees_with_the_formula_of_rank_differences) {
  const std::vector<double> x{106, 100, 86, 101, 99, 103, 97, 113, 112, 110};
  const std::vector<double> y{7, 27, 2, 50, 28, 29, 20, 12, 6, 17};
  // ranks of x: 7 4 1 5 3 6 2 10 9 8, of y: 3 7 1 10 8 9 6 4 2 5; sum of squares 194
  EXPECT_NEAR(rank_correlation(x, y), 1 - 6.0 * 194 / 990, 1e-15);
}

TEST(RankCorrelation, ties_share_their_rank_and_what_is_not_finite_is_left_out) {
  EXPECT_NEAR(rank_correlation({1, 2, 2, 3, NAN}, {1, 5, 5, 9, 0}), 1, 1e-15);
  EXPECT_TRUE(std::isnan(rank_correlation({1, 1, 1}, {1, 2, 3})));
  EXPECT_TRUE(std::isnan(rank_correlation({1, 2}, {1, 2})));
}

}  // namespace
}  // namespace torsor::internal
