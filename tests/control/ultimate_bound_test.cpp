/// The ultimate bound by closed forms of diagonal matrices and of a turned pair.
#include "torsor/control/uncertain/ultimate_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/model/error.hpp"

namespace torsor {
namespace {

TEST(UltimateBound, of_diagonal_matrices_is_the_closed_form) {
  const UltimateBound b = ultimate_bound(Gain({4, 1}), Gain({2, 3}), 0.1, 60);
  EXPECT_NEAR(b.delta_bar, std::sqrt(0.1 * 60 / (2 * 2)), 1e-15);  // (3-126)
  EXPECT_NEAR(b.k_under, 4 * 1.5, 1e-14);
  EXPECT_NEAR(b.delta, std::sqrt(6.0 / 1), 1e-15);
  EXPECT_NEAR(b.decay, 0.5, 1e-15);  // the smaller of 2/4 and 3/1
  EXPECT_NEAR(b.radius(9), 3, 1e-15);
  EXPECT_NEAR(b.reaching_time(20, 8), (20 - 8) / (0.5 * 8 - 3), 1e-13);  // (3-127)
  EXPECT_EQ(b.reaching_time(5, 8), 0);
  EXPECT_EQ(b.reaching_time(20, 6), std::numeric_limits<double>::infinity());
}

TEST(UltimateBound, decay_is_the_smallest_quotient_of_the_two_forms) {
  const Gain P = Gain::full(3, {4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2}),
             Q = Gain::full(3, {1, 0.3, 0, 0.3, 2, 0.4, 0, 0.4, 5});
  const UltimateBound b = ultimate_bound(P, Q, 0.1, 1);
  double smallest = 1e9;
  for (int i = 0; i <= 400; ++i)
    for (int j = 0; j <= 400; ++j) {
      const double u = std::numbers::pi * i / 400, v = std::numbers::pi * j / 400;
      const double x[3] = {std::sin(u) * std::cos(v), std::sin(u) * std::sin(v), std::cos(u)};
      const double quotient = Q.quadratic(x) / P.quadratic(x);
      EXPECT_GE(quotient, b.decay * (1 - 1e-12));
      smallest = std::min(smallest, quotient);
    }
  EXPECT_NEAR(smallest, b.decay, 1e-4);
}

/// V' = -decay V + epsilon rho / 2 is the slowest that the bound allows: it enters in time.
TEST(UltimateBound, slowest_solution_enters_within_the_reaching_time) {
  const UltimateBound b = ultimate_bound(Gain({3, 3}), Gain({6, 6}), 0.02, 30);
  const double k_bar = 1.5 * b.k_under, k_0 = 1.1 * k_bar, rest = 0.02 * 30 / 2 / b.decay;
  const double entered = std::log((k_0 - rest) / (k_bar - rest)) / b.decay;
  EXPECT_LE(entered, b.reaching_time(k_0, k_bar));
  EXPECT_GT(entered, 0.8 * b.reaching_time(k_0, k_bar));
}

TEST(UltimateBound, level_solves_the_slowest_decay) {
  const UltimateBound b = ultimate_bound(Gain({4, 1}), Gain({2, 3}), 0.1, 60);
  const double rest = 0.1 * 60 / 2 / 0.5;  // V' = -0.5 V + 3
  EXPECT_EQ(b.level_at(0, 20), 20);
  EXPECT_NEAR(b.level_at(1e9, 20), rest, 1e-12);
  double V = 20;
  const int steps = 100000;
  for (int k = 0; k < steps; ++k) V += 1.5 / steps * (-0.5 * V + 3);  // Euler
  EXPECT_NEAR(b.level_at(1.5, 20), V, 1e-4);
  EXPECT_LE(rest, b.k_under * (1 + 1e-14));
}

TEST(UltimateBound, matrices_that_are_not_positive_definite_are_refused) {
  EXPECT_THROW((void)ultimate_bound(Gain({1, -1}), Gain({1, 1}), 0.1, 1), Error);
  EXPECT_THROW((void)ultimate_bound(Gain({1, 1}), Gain({1, 0}), 0.1, 1), Error);
  EXPECT_THROW((void)ultimate_bound(Gain({1, 1}), Gain({1}), 0.1, 1), Error);
}

}  // namespace
}  // namespace torsor
