/// Riccati equations against closed forms and against the equation itself.
#include "torsor/linear/riccati.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/allocation_counter.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

Matrix scalar(double x) { return {1, 1, {x}}; }

TEST(Riccati, scalar_equation_has_its_closed_form) {
  for (const double a : {-2.0, 0.0, 3.0})
    for (const double q : {0.5, 40.0}) {
      const RiccatiProblem p = riccati_problem(scalar(a), scalar(2), scalar(q), scalar(5));
      const double s = 4.0 / 5, w = std::sqrt(a * a + s * q), k = (a + w) / s;
      const RiccatiSolution x = solve_riccati(p);
      ASSERT_TRUE(x.converged);
      EXPECT_NEAR(x.K(0, 0), k, 1e-14 * (1 + k));
      // from P = 0 over a time: k(T) = q sinh wT / (w cosh wT - a sinh wT)
      const RiccatiHistory history(p, scalar(0), 1.5);
      for (const double t : {0.0, 0.123456, 1.1, 1.5}) {
        double K[1];
        history.at(t, K);
        const double T = 1.5 - t, sh = std::sinh(w * T), ch = std::cosh(w * T);
        EXPECT_NEAR(K[0], q * sh / (w * ch - a * sh), 1e-9 * (1 + k)) << t;
      }
    }
}

TEST(Riccati, solutions_of_random_systems_satisfy_the_equation_and_stabilise) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 2 + trial % 7, m = 1 + trial % 3;
    const auto draw = [&](int rows, int cols) {
      Matrix x(rows, cols);
      for (int r = 0; r < rows; ++r)
        for (int c = 0; c < cols; ++c) x(r, c) = normal(random);
      return x;
    };
    const Matrix root = draw(n, n), B = draw(n, m);
    Matrix Q(n, n), R(m, m);
    for (int k = 0; k < m; ++k) R(k, k) = 0.7;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) Q(i, j) += root(i, k) * root(j, k);
    const RiccatiProblem p = riccati_problem(draw(n, n), B, Q, R);
    const RiccatiSolution x = solve_riccati(p);
    ASSERT_TRUE(x.converged) << trial;
    double size = 1;
    for (const double k : x.K.entries()) size = std::max(size, std::abs(k));
    EXPECT_LT(x.residual, 1e-11 * size * size) << trial;
    SymmetricEigen eigen(n);
    eigen.factorise(x.K);
    EXPECT_GT(eigen.smallest(), 0) << trial;  // with the equation: stable
    // at the solution time stands still
    const RiccatiHistory history(p, x.K, 0.5);
    Array<double> K(n * n);
    history.at(0, K);
    for (int k = 0; k < K.size(); ++k) EXPECT_NEAR(K[k], x.K.entries()[k], 1e-9 * size) << trial;
  }
}

TEST(Riccati, a_mode_that_no_input_reaches_is_reported) {
  // x1' = x1 grows, u drives x2 alone
  const RiccatiSolution x = solve_riccati(riccati_problem(
      Matrix(2, 2, {1, 0, 0, 0}), Matrix(2, 1, {0, 1}), Matrix::identity(2), scalar(1)));
  EXPECT_FALSE(x.converged);
}

/// x' = u with Q = R = 1: from K(tf) = coth(-c) backwards K = coth(s - c), infinite at s = c.
TEST(Riccati, an_escape_between_two_steps_is_found) {
  const double c = 0.4;
  const RiccatiProblem p = riccati_problem(scalar(0), scalar(1), scalar(1), scalar(1));
  const Matrix P = scalar(-1 / std::tanh(c));
  EXPECT_NO_THROW(RiccatiHistory(p, P, 0.39));
  EXPECT_THROW(RiccatiHistory(p, P, 0.41), Error);
  EXPECT_THROW(RiccatiHistory(p, P, 5), Error);
}

TEST(Riccati, history_is_read_without_allocating_and_bad_problems_are_refused) {
  const RiccatiProblem p = riccati_problem(scalar(0), scalar(1), scalar(1), scalar(1));
  const RiccatiHistory history(p, scalar(3), 2);
  double K[1];
  const testing::AllocationCounter counter;
  history.at(2, K);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(K[0], 3);
  history.at(5, K);
  EXPECT_EQ(K[0], 3);
  EXPECT_THROW(RiccatiHistory(p, scalar(3), -1), Error);
  EXPECT_THROW(RiccatiHistory(p, Matrix(1, 2), 1), Error);
  EXPECT_THROW(riccati_problem(scalar(0), scalar(1), scalar(1), scalar(0)), Error);
  EXPECT_THROW(riccati_problem(Matrix(2, 2), scalar(1), scalar(1), scalar(1)), Error);
  EXPECT_THROW(riccati_problem(scalar(std::nan("")), scalar(1), scalar(1), scalar(1)), Error);
}

}  // namespace
}  // namespace torsor
