/// Riccati equations against closed forms and against the equation itself.
#include "torsor/control/riccati.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/allocation_counter.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

TEST(Riccati, scalar_equation_has_its_closed_form) {
  for (const double a : {-2.0, 0.0, 3.0})
    for (const double q : {0.5, 40.0}) {
      const RiccatiProblem p = riccati_problem(1, {a}, {2}, {q}, Gain({5}));
      const double s = 4.0 / 5, w = std::sqrt(a * a + s * q), k = (a + w) / s;
      const RiccatiSolution x = solve_riccati(p);
      ASSERT_TRUE(x.converged);
      EXPECT_NEAR(x.K[0], k, 1e-14 * (1 + k));
      // from P = 0 over a time: k(T) = q sinh wT / (w cosh wT - a sinh wT)
      const RiccatiHistory history(p, {0}, 1.5);
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
    const auto draw = [&](int count) {
      std::vector<double> x(static_cast<std::size_t>(count));
      for (double& y : x) y = normal(random);
      return x;
    };
    const std::vector<double> root = draw(n * n), B = draw(n * m);
    std::vector<double> Q(root.size());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k)
          Q[static_cast<std::size_t>(i * n + j)] +=
              root[static_cast<std::size_t>(i * n + k)] * root[static_cast<std::size_t>(j * n + k)];
    const RiccatiProblem p = riccati_problem(n, draw(n * n), B, Q, Gain::uniform(m, 0.7));
    const RiccatiSolution x = solve_riccati(p);
    ASSERT_TRUE(x.converged) << trial;
    double size = 1;
    for (const double k : x.K) size = std::max(size, std::abs(k));
    EXPECT_LT(x.residual, 1e-11 * size * size) << trial;
    EXPECT_GT(Gain::full(n, x.K).smallest_eigenvalue(), 0) << trial;  // with the equation: stable
    // at the solution time stands still
    const RiccatiHistory history(p, x.K, 0.5);
    std::vector<double> K(x.K.size());
    history.at(0, K);
    for (std::size_t k = 0; k < K.size(); ++k) EXPECT_NEAR(K[k], x.K[k], 1e-9 * size) << trial;
  }
}

TEST(Riccati, a_mode_that_no_input_reaches_is_reported) {
  // x1' = x1 grows, u drives x2 alone
  const RiccatiSolution x =
      solve_riccati(riccati_problem(2, {1, 0, 0, 0}, {0, 1}, {1, 0, 0, 1}, Gain({1})));
  EXPECT_FALSE(x.converged);
}

TEST(Riccati, history_is_read_without_allocating_and_the_door_refuses) {
  const RiccatiProblem p = riccati_problem(1, {0}, {1}, {1}, Gain({1}));
  const RiccatiHistory history(p, {3}, 2);
  double K[1];
  const testing::AllocationCounter counter;
  history.at(2, K);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(K[0], 3);
  history.at(5, K);
  EXPECT_EQ(K[0], 3);
  EXPECT_THROW(RiccatiHistory(p, {3}, -1), Error);
  EXPECT_THROW(RiccatiHistory(p, {3, 1}, 1), Error);
  EXPECT_THROW(riccati_problem(1, {0}, {1}, {1}, Gain({0})), Error);
  EXPECT_THROW(riccati_problem(2, {0}, {1}, {1}, Gain({1})), Error);
  EXPECT_THROW(riccati_problem(1, {std::nan("")}, {1}, {1}, Gain({1})), Error);
}

}  // namespace
}  // namespace torsor
