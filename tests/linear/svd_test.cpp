#include "torsor/linear/svd.hpp"

#include <Eigen/Dense>

#include "support/allocation_counter.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

using Matrix = Eigen::MatrixXd;

Matrix drawn_matrix(testing::Draw<double>& draw, int rows, int cols) {
  Matrix A(rows, cols);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) A(r, c) = draw();
  return A;
}
Matrix left_of(const Svd& svd, int rows) {
  Matrix U(rows, svd.size());
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < svd.size(); ++k) U(r, k) = svd.left(r, k);
  return U;
}
Matrix right_of(const Svd& svd, int cols) {
  Matrix V(cols, svd.size());
  for (int c = 0; c < cols; ++c)
    for (int k = 0; k < svd.size(); ++k) V(c, k) = svd.right(c, k);
  return V;
}
Eigen::VectorXd sigma_of(const Svd& svd) {
  Eigen::VectorXd s(svd.size());
  for (int k = 0; k < svd.size(); ++k) s[k] = svd.sigma(k);
  return s;
}
void expect_decomposed(const Matrix& A, Svd& svd) {
  svd.factorise(A);
  const int rows = static_cast<int>(A.rows()), cols = static_cast<int>(A.cols()), n = svd.size();
  ASSERT_EQ(n, std::min(rows, cols));
  const Matrix U = left_of(svd, rows), V = right_of(svd, cols), one = Matrix::Identity(n, n);
  EXPECT_LE((U * sigma_of(svd).asDiagonal() * V.transpose() - A).norm(), 1e-14 * (1 + A.norm()));
  EXPECT_LE((U.transpose() * U - one).norm(), 1e-14);
  EXPECT_LE((V.transpose() * V - one).norm(), 1e-14);
  for (int k = 1; k < n; ++k) EXPECT_LE(svd.sigma(k), svd.sigma(k - 1));
  const Eigen::VectorXd sigma = sigma_of(svd);
  svd.find_sigma(A);
  ASSERT_EQ(svd.size(), n);
  EXPECT_LE((sigma_of(svd) - sigma).norm(), 1e-14 * (1 + A.norm()));
  for (int k = 1; k < n; ++k) EXPECT_LE(svd.sigma(k), svd.sigma(k - 1));
}

TEST(Svd, reproduces_matrices_of_every_shape_with_orthonormal_vectors) {
  testing::Draw<double> draw(1);
  Svd svd(6, 12);
  for (int rows = 1; rows <= 6; ++rows)
    for (int cols = 1; cols <= 12; ++cols)
      for (int k = 0; k < 5; ++k) {
        const Matrix A = drawn_matrix(draw, rows, cols);
        expect_decomposed(A, svd);
        const Eigen::VectorXd expected = Eigen::JacobiSVD<Matrix>(A).singularValues();
        EXPECT_LE((sigma_of(svd) - expected).norm(), 1e-14);
      }
}

TEST(Svd, of_rank_deficient_and_zero_matrices_still_has_orthonormal_vectors) {
  testing::Draw<double> draw(2);
  Svd svd(6, 9);
  for (int rank = 0; rank <= 5; ++rank)
    for (const int cols : {3, 6, 9}) {
      if (rank > cols) continue;
      const Matrix A = rank == 0 ? Matrix(Matrix::Zero(6, cols))
                                 : drawn_matrix(draw, 6, rank) * drawn_matrix(draw, rank, cols);
      expect_decomposed(A, svd);
      EXPECT_EQ(svd.rank(), rank);
    }
}

TEST(Svd, keeps_the_relative_accuracy_of_small_singular_values) {
  testing::Draw<double> draw(3);
  Svd svd(6, 6);
  // Columns of very different length: rounding in the long ones must not drown the short ones.
  Matrix A = drawn_matrix(draw, 6, 6);
  const Matrix Q = Eigen::HouseholderQR<Matrix>(A).householderQ();
  const double scales[] = {1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15};
  for (int k = 0; k < 6; ++k) A.row(k) = Q.row(k) * scales[k];
  svd.factorise(A);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(svd.sigma(k) / scales[k], 1, 1e-14);
}

TEST(Svd, of_more_than_six_rows_and_of_none) {
  testing::Draw<double> draw(5);
  Svd svd(15, 11);
  for (const auto& [rows, cols] : {std::pair{15, 11}, {11, 11}, {7, 11}, {15, 1}, {1, 1}}) {
    const Matrix A = drawn_matrix(draw, rows, cols);
    expect_decomposed(A, svd);
    EXPECT_LE((sigma_of(svd) - Eigen::JacobiSVD<Matrix>(A).singularValues()).norm(), 1e-13);
  }
  svd.factorise(Matrix(0, 4));
  EXPECT_EQ(svd.size(), 0);
  EXPECT_EQ(svd.rank(), 0);
  EXPECT_EQ(svd.largest(), 0);
}

TEST(Svd, allocates_at_construction_only) {
  testing::Draw<double> draw(4);
  const Matrix A = drawn_matrix(draw, 6, 7);
  Svd svd(6, 7);
  const testing::AllocationCounter counter;
  svd.factorise(A);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
