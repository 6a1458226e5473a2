/// LU factors against Eigen and against the equation that they solve.
#include "torsor/linear/lu.hpp"

#include "linear/matrices.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Lu, solutions_inverse_and_determinant_agree_with_eigen_up_to_the_condition) {
  Draw<double> draw(1);
  Lu lu(20);
  for (int n = 1; n <= 20; ++n)
    for (int trial = 0; trial < 5; ++trial) {
      const MatrixXd A = random_matrix(draw, n, n), B = random_matrix(draw, n, 3);
      const double slack = 20 * n * eps_double * condition(A);
      ASSERT_TRUE(lu.factorise(A));
      EXPECT_EQ(lu.size(), n);
      MatrixXd X = B, inverse(n, n);
      VectorXd x = B.col(0);
      lu.solve(View<double>(x));
      lu.solve(OutMatrix<double>(X));
      lu.inverse(inverse);
      EXPECT_LE((A * X - B).norm(), 20 * n * eps_double * A.norm() * X.norm());
      EXPECT_LE((x - X.col(0)).norm(), 4 * n * eps_double * condition(A) * x.norm());
      EXPECT_LE((inverse - A.inverse()).norm(), slack * inverse.norm());
      EXPECT_NEAR(lu.determinant() / A.determinant(), 1, slack);
    }
}

TEST(Lu, right_sides_of_either_layout_give_the_same) {
  Draw<double> draw(2);
  const MatrixXd A = random_matrix(draw, 6, 6);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows =
      random_matrix(draw, 6, 4);
  MatrixXd by_columns = by_rows;
  Lu lu(6);
  ASSERT_TRUE(lu.factorise(A));
  lu.solve(OutMatrix<double>(by_rows));
  lu.solve(OutMatrix<double>(by_columns));
  EXPECT_EQ((MatrixXd(by_rows) - by_columns).norm(), 0);
}

TEST(Lu, singular_and_nearly_singular_matrices_are_reported) {
  Draw<double> draw(3);
  Lu lu(8);
  for (int n = 2; n <= 8; ++n) {
    const MatrixXd A = random_matrix(draw, n, n, n - 1);
    EXPECT_FALSE(lu.factorise(A, 1e-12)) << n;
    EXPECT_LT(lu.pivot_ratio(), 1e-12);
    EXPECT_NEAR(lu.determinant(), 0, 1e-12);
  }
  EXPECT_FALSE(lu.factorise(MatrixXd(MatrixXd::Zero(3, 3))));
  EXPECT_EQ(lu.determinant(), 0);
  EXPECT_EQ(lu.pivot_ratio(), 0);
  MatrixXd bad = MatrixXd::Identity(3, 3);
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factorise(bad));
  bad(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(lu.factorise(bad));
}

TEST(Lu, rows_of_very_different_size_are_solved_to_their_own_accuracy) {
  Draw<double> draw(4);
  const double scales[] = {1, 1e-8, 1e8, 1e-4};
  MatrixXd A = random_matrix(draw, 4, 4) + 3 * MatrixXd::Identity(4, 4);
  const VectorXd x = random_matrix(draw, 4, 1);
  for (int r = 0; r < 4; ++r) A.row(r) *= scales[r];
  VectorXd b = A * x;
  Lu lu(4);
  ASSERT_TRUE(lu.factorise(A));
  lu.solve(View<double>(b));
  EXPECT_LE((b - x).norm(), 1e-13);
}

TEST(Lu, empty_and_single_matrices_are_matrices) {
  Lu lu(1);
  ASSERT_TRUE(lu.factorise(MatrixXd(0, 0)));
  EXPECT_EQ(lu.determinant(), 1);
  EXPECT_EQ(lu.pivot_ratio(), 1);
  ASSERT_TRUE(lu.factorise(MatrixXd(MatrixXd::Constant(1, 1, -4))));
  double x[] = {8};
  lu.solve(View<double>(x));
  EXPECT_EQ(x[0], -2);
  EXPECT_EQ(lu.determinant(), -4);
}

TEST(Lu, allocates_at_construction_only) {
  Draw<double> draw(5);
  const MatrixXd A = random_matrix(draw, 12, 12), B = random_matrix(draw, 7, 7);
  MatrixXd inverse(12, 12);
  Lu lu(12);
  const AllocationCounter counter;
  ASSERT_TRUE(lu.factorise(A));
  lu.inverse(inverse);
  ASSERT_TRUE(lu.factorise(B));
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor::testing
