/// The Lyapunov equation: its residual, closed forms, and what it says about stability.
#include "torsor/linear/lyapunov.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/typed_scalars.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

using Numbers = std::vector<double>;

/// L L^T + margin, L drawn.
Gain positive(testing::Draw<double>& draw, int n, double margin = 0.1) {
  Numbers L(static_cast<std::size_t>(n * n)), K(L.size());
  for (double& x : L) x = 2 * draw();
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      double sum = r == c ? margin : 0;
      for (int k = 0; k < n; ++k)
        sum += L[static_cast<std::size_t>(r * n + k)] * L[static_cast<std::size_t>(c * n + k)];
      K[static_cast<std::size_t>(r * n + c)] = sum;
    }
  return Gain::full(n, K);
}
TEST(LyapunovEquation, of_the_golden_gains_has_the_blocks_of_section_3_9) {
  const LyapunovSolution s =
      solve_lyapunov(error_system(Gain({25, 25}), Gain({10, 10})), Matrix::identity(4));
  ASSERT_TRUE(s.converged);
  const double R[] = {1.5, 0, 0.02, 0, 0, 1.5, 0, 0.02, 0.02, 0, 0.052, 0, 0, 0.02, 0, 0.052};
  for (int k = 0; k < 16; ++k) EXPECT_NEAR(s.P.entries()[k], R[k], 1e-14) << k;
}

TEST(LyapunovEquation, X_3_13_error_systems_with_positive_gains_are_Hurwitz) {
  testing::Draw<double> draw(13);
  for (int n = 1; n <= 6; ++n)
    for (int trial = 0; trial < 10; ++trial) {
      const Gain Kp = positive(draw, n), Kd = positive(draw, n);
      const Matrix A = error_system(Kp, Kd);
      const LyapunovSolution s = solve_lyapunov(A, Matrix::identity(2 * n));
      ASSERT_TRUE(s.converged) << n;
      EXPECT_GT(Gain::full(2 * n, s.P.entries()).smallest_eigenvalue(), 0);
      EXPECT_LE(s.residual, 1e-10 * Gain::full(2 * n, s.P.entries()).largest_eigenvalue());
    }
}

TEST(LyapunovEquation, has_no_solution_where_the_system_is_unstable) {
  testing::Draw<double> draw(4);
  for (int n = 1; n <= 4; ++n) {
    const Gain K = positive(draw, n);
    EXPECT_FALSE(solve_lyapunov(error_system(K, K.scaled(-1)), Matrix::identity(2 * n)).converged);
    EXPECT_FALSE(solve_lyapunov(error_system(K.scaled(-1), K), Matrix::identity(2 * n)).converged);
    EXPECT_FALSE(solve_lyapunov(error_system(K, K.scaled(0)), Matrix::identity(2 * n)).converged);
  }
  EXPECT_THROW((void)solve_lyapunov(Matrix(1, 3), Matrix::identity(2)), Error);
  EXPECT_THROW((void)solve_lyapunov(Matrix(1, 1, {std::nan("")}), Matrix::identity(1)), Error);
}

}  // namespace
}  // namespace torsor
