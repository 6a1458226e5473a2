/// The shortest solution by orthonormal rows is that of the singular values, for every shape of J.
#include "torsor/linear/internal/row_basis.hpp"

#include "linear/matrices.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(RowBasis, solves_as_the_singular_values_do_and_refuses_what_is_near_singular) {
  Draw<double> draw(5);
  internal::RowBasis basis(7);
  for (int m = 1; m <= 6; ++m)
    for (int n = m; n <= 7; ++n) {
      MatrixXd J = random_matrix(draw, m, n);
      const VectorXd b = random_matrix(draw, m, 1), v = random_matrix(draw, n, 1);
      const Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const double largest = svd.singularValues()[0], smallest = svd.singularValues()[m - 1];
      if (!basis.decompose(J, 1e-3)) {
        EXPECT_LT(smallest, 0.01 * largest);
        continue;
      }
      VectorXd x(n), rest = v;
      basis.solve(b, x);
      EXPECT_LE((x - svd.solve(b)).norm(), 3e-13 * largest / smallest / smallest) << m << n;
      basis.subtract_unseen(1, v, rest);  // what J sees of v
      EXPECT_LE((J * rest - J * v).norm(), 1e-12 * largest / smallest);
      if (m == 1) continue;
      for (int c = 0; c < n; ++c) J(m - 1, c) = J(0, c) * (1 + 1e-6 * c);  // almost the first row
      EXPECT_FALSE(basis.decompose(J, 1e-3));
    }
}

TEST(RowBasis, allocates_at_construction_only_and_reports_zero_rows) {
  Draw<double> draw(6);
  const MatrixXd J = random_matrix(draw, 3, 7);
  const VectorXd b = random_matrix(draw, 3, 1);
  VectorXd x(7);
  internal::RowBasis basis(7);
  const AllocationCounter counter;
  ASSERT_TRUE(basis.decompose(J, 1e-6));
  basis.solve(b, x);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_FALSE(basis.decompose(MatrixXd(MatrixXd::Zero(2, 5)), 1e-6));
}

}  // namespace
}  // namespace torsor::testing
