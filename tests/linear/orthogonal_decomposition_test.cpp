/// The complete orthogonal decomposition against Eigen and the laws of the pseudo-inverse.
#include "torsor/linear/orthogonal_decomposition.hpp"

#include "linear/matrices.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::testing {
namespace {

TEST(OrthogonalDecomposition, agrees_with_eigen_for_every_rank) {
  Draw<double> draw(1);
  for (const auto& [rows, cols, rank] :
       {std::array{6, 4, 4}, {4, 6, 4}, {6, 6, 3}, {5, 8, 2}, {9, 5, 3}, {3, 3, 0}, {1, 4, 1}}) {
    Eigen::MatrixXd L(rows, rank), R(rank, cols);
    for (auto& x : L.reshaped()) x = draw();
    for (auto& x : R.reshaped()) x = draw();
    const Eigen::MatrixXd A = L * R;
    Eigen::VectorXd b(rows), c(cols), x(cols), y(rows), g(cols), v(cols);
    for (auto& e : b) e = draw();
    for (auto& e : c) e = draw();
    OrthogonalDecomposition own(9, 9);
    own.factorise(A);
    ASSERT_EQ(own.rank(), rank);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod(A);
    cod.setThreshold(1e-10);
    cod.compute(A);
    const Eigen::MatrixXd pinv = cod.pseudoInverse();
    const double left = own.solve(b, x);
    EXPECT_LT((x - pinv * b).norm(), 1e-12 * (1 + x.norm()));
    EXPECT_NEAR(left, (A * x - b).norm(), 1e-13);
    const double left_below = own.solve_transposed(c, y);
    EXPECT_NEAR(left_below, (A.transpose() * y - c).norm(), 1e-13);
    EXPECT_LT((y - pinv.transpose() * c).norm(), 1e-12 * (1 + y.norm()));
    own.solve_gram(c, g);
    EXPECT_LT((g - pinv * (pinv.transpose() * c)).norm(), 1e-10 * (1 + g.norm()));
    for (int k = 0; k < cols - rank; ++k) {
      own.null_vector(k, v);
      EXPECT_LT((A * v).norm(), 1e-13);
      EXPECT_NEAR(v.norm(), 1, 1e-14);
    }
  }
}

TEST(OrthogonalDecomposition, pivots_fall_and_the_projection_is_one) {
  Draw<double> draw(2);
  OrthogonalDecomposition own(7, 9);
  for (int rank = 0; rank <= 7; ++rank) {
    const Eigen::MatrixXd A = random_matrix(draw, 7, 9, rank);
    own.factorise(A);
    ASSERT_EQ(own.rank(), rank);
    for (int k = 1; k < rank; ++k) EXPECT_LE(own.pivot(k), own.pivot(k - 1) * (1 + 1e-12));
    EXPECT_EQ(own.pivot_ratio() > 0, rank > 0);
    const Eigen::VectorXd c = random_matrix(draw, 9, 1);
    Eigen::VectorXd x(9), again(9), v(9);
    own.project_on_rows(c, x);
    own.project_on_rows(x, again);
    EXPECT_LE((x - again).norm(), 1e-14);
    EXPECT_LE((A * (c - x)).norm(), 1e-13 * (1 + A.norm()));
    for (int k = 0; k < 9 - rank; ++k) {
      own.null_vector(k, v);
      EXPECT_NEAR(v.dot(x), 0, 1e-14);
    }
  }
}

TEST(OrthogonalDecomposition, empty_single_and_badly_scaled_matrices) {
  OrthogonalDecomposition own(6, 6);
  own.factorise(Eigen::MatrixXd(0, 3));
  EXPECT_EQ(own.rank(), 0);
  Eigen::VectorXd v(3);
  own.null_vector(1, v);
  EXPECT_EQ(v.norm(), 1);
  own.factorise(Eigen::MatrixXd(Eigen::MatrixXd::Constant(1, 1, -2)));
  double b[] = {4}, x[] = {0};
  EXPECT_EQ(own.solve(b, x), 0);
  EXPECT_NEAR(x[0], -2, 1e-15);
  Draw<double> draw(3);
  const Eigen::MatrixXd A = 1e-150 * random_matrix(draw, 4, 4);
  own.factorise(A);
  EXPECT_EQ(own.rank(), 4);
}

TEST(OrthogonalDecomposition, allocates_at_construction_only) {
  Draw<double> draw(4);
  const Eigen::MatrixXd A = random_matrix(draw, 6, 9, 4);
  Eigen::VectorXd b(6), x(9);
  b.setOnes();
  OrthogonalDecomposition own(6, 9);
  const AllocationCounter counter;
  own.factorise(A);
  own.solve(b, x);
  own.solve_transposed(x, b);
  own.null_vector(0, x);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor::testing
