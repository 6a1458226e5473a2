/// Cholesky and L D L^T factors against Eigen.
#include "torsor/linear/cholesky.hpp"

#include "linear/matrices.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Cholesky, solutions_inverse_and_determinant_agree_with_eigen) {
  Draw<double> draw(1);
  Cholesky cholesky(15);
  for (int n = 1; n <= 15; ++n) {
    const MatrixXd A = random_positive(draw, n);
    const VectorXd b = random_matrix(draw, n, 1);
    const double slack = 20 * n * eps_double * condition(A);
    ASSERT_TRUE(cholesky.factorise(A));
    VectorXd x = b;
    cholesky.solve(x);
    EXPECT_LE((A * x - b).norm(), 20 * n * eps_double * A.norm() * x.norm());
    MatrixXd inverse(n, n);
    cholesky.inverse(inverse);
    EXPECT_LE((inverse - A.inverse()).norm(), slack * inverse.norm());
    EXPECT_EQ((inverse - inverse.transpose()).norm(), 0);
    EXPECT_NEAR(cholesky.determinant() / A.determinant(), 1, slack);
    if (n == 1) {
      EXPECT_EQ(cholesky.pivot_ratio(), 1);
    }
    EXPECT_GT(cholesky.pivot_ratio(), 0);
  }
}

TEST(Cholesky, halves_are_those_of_A_equal_to_L_L_transposed) {
  Draw<double> draw(2);
  const MatrixXd A = random_positive(draw, 7), L = A.llt().matrixL();
  const VectorXd b = random_matrix(draw, 7, 1);
  Cholesky cholesky(7);
  ASSERT_TRUE(cholesky.factorise(A));
  VectorXd lower = b, upper = b;
  cholesky.solve_lower(lower);
  cholesky.solve_upper(upper);
  EXPECT_LE((L * lower - b).norm(), 1e-14 * L.norm() * lower.norm());
  EXPECT_LE((L.transpose() * upper - b).norm(), 1e-14 * L.norm() * upper.norm());
}

TEST(Cholesky, only_the_lower_triangle_is_read) {
  Draw<double> draw(3);
  MatrixXd A = random_positive(draw, 4);
  Cholesky cholesky(4);
  ASSERT_TRUE(cholesky.factorise(A));
  const double determinant = cholesky.determinant();
  A.triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
  ASSERT_TRUE(cholesky.factorise(A));
  EXPECT_EQ(cholesky.determinant(), determinant);
}

TEST(Cholesky, what_is_not_positive_definite_or_nearly_dependent_is_reported) {
  Draw<double> draw(4);
  Cholesky cholesky(5);
  EXPECT_FALSE(cholesky.factorise(MatrixXd(MatrixXd::Zero(2, 2))));
  MatrixXd A = random_positive(draw, 5);
  A(4, 4) = -1;
  EXPECT_FALSE(cholesky.factorise(A));
  A(4, 4) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(cholesky.factorise(A));
  A(4, 4) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(cholesky.factorise(A));
  MatrixXd rows = random_matrix(draw, 3, 6);
  rows.row(2) = rows.row(0) + 1e-5 * rows.row(1);
  EXPECT_FALSE(cholesky.factorise(MatrixXd(rows * rows.transpose()), 1e-6));
  rows.row(2) = rows.row(0) + rows.row(1) + VectorXd::Unit(6, 3).transpose();
  EXPECT_TRUE(cholesky.factorise(MatrixXd(rows * rows.transpose()), 1e-6));
}

TEST(Cholesky, is_indifferent_to_units_and_allocates_at_construction_only) {
  Draw<double> draw(5);
  const VectorXd units = (VectorXd(4) << 1, 1e-6, 1e5, 1e-3).finished();
  const MatrixXd A = units.asDiagonal() * random_positive(draw, 4) * units.asDiagonal();
  const VectorXd x = units.cwiseInverse().asDiagonal() * random_matrix(draw, 4, 1);
  VectorXd b = A * x;
  Cholesky cholesky(6);
  const AllocationCounter counter;
  ASSERT_TRUE(cholesky.factorise(A));
  cholesky.solve(b);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_LE((units.asDiagonal() * (b - x)).norm(), 1e-12);
  ASSERT_TRUE(cholesky.factorise(MatrixXd(0, 0)));
  EXPECT_EQ(cholesky.determinant(), 1);
}

template <class Real>
class LdltOf : public ::testing::Test {};
TYPED_TEST_SUITE(LdltOf, Scalars, ScalarNames);

TYPED_TEST(LdltOf, both_forms_solve_the_system_for_every_scalar) {
  using Real = TypeParam;
  Draw<Real> draw(6);
  for (int n = 1; n <= 6; ++n) {
    Real L[6][6], A[6][6], upper[36], x[6], y[6], b[6];
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) L[r][c] = draw();
    internal::SmallLdlt<Real> small;
    for (int r = 0; r < n; ++r) {
      x[r] = y[r] = b[r] = draw();
      for (int c = 0; c < n; ++c) {
        A[r][c] = Real(r == c ? 1 : 0);
        for (int k = 0; k < n; ++k) A[r][c] = A[r][c] + L[r][k] * L[c][k];
        upper[r * 6 + c] = c < r ? Real(1e9) : A[r][c];  // not read
        if (c <= r) small(r, c) = A[r][c];
      }
    }
    small.factorise(n);
    small.solve(n, x);
    const internal::LdltPivots<Real> pivots = internal::ldlt_solve(upper, y, n, 6);
    for (int r = 0; r < n; ++r) {
      Real by_x(0), by_y(0);
      for (int c = 0; c < n; ++c) by_x = by_x + A[r][c] * x[c], by_y = by_y + A[r][c] * y[c];
      EXPECT_CLOSE(by_x, b[r], 2000);
      EXPECT_CLOSE(by_y, b[r], 2000);
    }
    Real least = small.pivot(0), most = least;
    for (int k = 1; k < n; ++k)
      least = min(least, small.pivot(k)), most = max(most, small.pivot(k));
    EXPECT_CLOSE(pivots.least, least, 200);
    EXPECT_CLOSE(pivots.most, most, 200);
  }
}

TEST(Ldlt, a_zero_pivot_gives_zero) {
  double A[] = {2, 0, 0, 0}, x[] = {4, 5};
  const internal::LdltPivots<double> pivots = internal::ldlt_solve<2>(A, x, 2, 2);
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(x[1], 0);
  EXPECT_EQ(pivots.least, 0);
  EXPECT_EQ(pivots.most, 2);
}

}  // namespace
}  // namespace torsor::testing
