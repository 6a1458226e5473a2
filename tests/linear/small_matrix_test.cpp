/// Solvers of matrices whose size the compiler knows, against Eigen.
#include "torsor/linear/internal/small_matrix.hpp"

#include "linear/matrices.hpp"

namespace torsor::testing {
namespace {

using namespace internal;

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <int R, int C>
SmallMatrix<R, C> small(const MatrixXd& A) {
  SmallMatrix<R, C> a;
  for (int r = 0; r < A.rows(); ++r)
    for (int c = 0; c < A.cols(); ++c) a(r, c) = A(r, c);
  return a;
}
template <int R, int C>
MatrixXd dense(const SmallMatrix<R, C>& a, int rows = R, int cols = C) {
  MatrixXd A(rows, cols);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) A(r, c) = a(r, c);
  return A;
}

TEST(SmallMatrix, is_solved_in_place_and_reports_singular_ones) {
  Draw<double> draw(1);
  for (int trial = 0; trial < 50; ++trial) {
    const MatrixXd A = random_matrix(draw, 5, 5), B = random_matrix(draw, 5, 3);
    auto a = small<5, 5>(A);
    auto b = small<5, 3>(B);
    EXPECT_GT(solve_in_place(a, b), 0);
    EXPECT_LE((A * dense(b) - B).norm(), 100 * eps_double * A.norm() * dense(b).norm());
  }
  auto zero = SmallMatrix<4, 4>{};
  auto b = SmallMatrix<4, 1>{};
  EXPECT_EQ(solve_in_place(zero, b), 0);
}

TEST(SmallLu, solves_and_finds_rank_and_null_space) {
  Draw<double> draw(2);
  for (int n = 1; n <= 6; ++n)
    for (int rank = 0; rank <= n; ++rank) {
      const MatrixXd A = random_matrix(draw, n, n, rank);
      SmallLu<6> lu;
      EXPECT_EQ(lu.factorise(A, 1e-11), rank == n);
      EXPECT_EQ(lu.rank(), rank) << n;
      for (int k = 1; k < rank; ++k) EXPECT_LE(lu.pivot(k), 1.5 * lu.pivot(k - 1));
      if (rank == n) {
        const VectorXd b = random_matrix(draw, n, 1);
        VectorXd x(n);
        lu.solve(b, x);
        EXPECT_LE((A * x - b).norm(), 100 * eps_double * A.norm() * x.norm());
        continue;
      }
      SmallMatrix<6, 6> null;
      ASSERT_EQ(lu.null_space(null), n - rank);
      const MatrixXd N = dense(null, n, n - rank);
      EXPECT_LE((A * N).norm(), 1e-12 * (1 + A.norm()) * N.norm());
      EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(N).rank(), n - rank);
    }
}

TEST(SmallLu, null_space_has_at_least_one_vector_and_at_most_as_many_as_there_is_room) {
  Draw<double> draw(3);
  SmallLu<5> lu;
  SmallMatrix<5, 2> null;
  ASSERT_TRUE(lu.factorise(random_matrix(draw, 5, 5), 0));
  EXPECT_EQ(lu.null_space(null), 1);  // the direction of the smallest pivot
  EXPECT_FALSE(lu.factorise(SmallMatrix<5, 5>{}, 5, 0));
  EXPECT_EQ(lu.null_space(null), 2);
  // `least_rank` goes on through small pivots.
  MatrixXd A = MatrixXd::Identity(5, 5);
  A(3, 3) = 1e-9, A(4, 4) = 1e-10;
  EXPECT_FALSE(lu.factorise(A, 1e-7));
  EXPECT_EQ(lu.rank(), 3);
  EXPECT_FALSE(lu.factorise(small<5, 5>(A), 5, 1e-7, 4));
  EXPECT_EQ(lu.rank(), 4);
}

template <int R, int C>
void expect_qr(const MatrixXd& A, int rank) {
  const SmallQr<R, C> qr(small<R, C>(A));
  ASSERT_EQ(qr.rank, rank);
  const MatrixXd Q = dense(qr.Q), upper = dense(qr.upper);
  EXPECT_LE((Q.transpose() * Q - MatrixXd::Identity(R, R)).norm(), 1e-14);
  MatrixXd AP(R, C);
  for (int c = 0; c < C; ++c) AP.col(c) = A.col(qr.column[c]);
  EXPECT_LE((Q * upper - AP).norm(), 1e-13 * (1 + A.norm()));
  EXPECT_LE((A.transpose() * Q.rightCols(R - rank)).norm(), 1e-13 * (1 + A.norm()));
  if (rank < C) return;
  Draw<double> draw(9);
  const VectorXd b = random_matrix(draw, R, 1);
  VectorXd x(C);
  qr.solve(b.data(), x.data());
  EXPECT_LE((x - A.colPivHouseholderQr().solve(b)).norm(), 1e-12 * (1 + x.norm()));
}

TEST(SmallQr, factors_give_the_matrix_and_the_space_across_it) {
  Draw<double> draw(4);
  for (int trial = 0; trial < 10; ++trial) {
    expect_qr<8, 5>(random_matrix(draw, 8, 5), 5);
    expect_qr<8, 5>(random_matrix(draw, 8, 5, 3), 3);
    expect_qr<5, 8>(random_matrix(draw, 5, 8, 2), 2);
    expect_qr<4, 4>(random_matrix(draw, 4, 4), 4);
    expect_qr<4, 4>(MatrixXd::Zero(4, 4), 0);
  }
}

}  // namespace
}  // namespace torsor::testing
