#include "torsor/identification/row_factor.hpp"

#include "support/allocation_counter.hpp"
#include "support/typed_scalars.hpp"

namespace torsor {
namespace {

Matrix random_rows(int rows, int columns, unsigned seed) {
  testing::Draw<double> draw(seed);
  Matrix A(rows, columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) A(r, c) = draw();
  return A;
}
/// sum_i weight_i^2 a_i a_i^T.
Matrix gram(const Matrix& A) {
  Matrix G(A.cols(), A.cols());
  for (int r = 0; r < A.rows(); ++r)
    for (int i = 0; i < A.cols(); ++i)
      for (int j = 0; j < A.cols(); ++j) G(i, j) += A(r, i) * A(r, j);
  return G;
}
void expect_factor(const RowFactor& factor, const Matrix& G, double scale) {
  const Matrix& R = factor.R();
  for (int r = 0; r < R.rows(); ++r)
    for (int c = 0; c < r; ++c) EXPECT_EQ(R(r, c), 0.0);
  const Matrix own = gram(R);
  for (int r = 0; r < R.rows(); ++r)
    for (int c = 0; c < R.cols(); ++c)
      ASSERT_NEAR(own(r, c), G(r, c), scale * testing::eps<double>) << r << ", " << c;
}

TEST(RowFactor, its_gram_matrix_is_that_of_the_rows) {
  for (const int columns : {1, 2, 3, 4, 5, 7, 8, 11, 40})
    for (const int rows : {0, 1, 3, 10, 127, 128, 129, 300}) {
      const Matrix A = random_rows(rows, columns, static_cast<unsigned>(100 * columns + rows));
      RowFactor factor(columns);
      factor.add(A);
      EXPECT_EQ(factor.rows(), rows);
      expect_factor(factor, gram(A), 30.0 * (rows + 1));
    }
}

TEST(RowFactor, any_cutting_into_calls_gives_the_same_digits) {
  const int n = 9;
  const Matrix A = random_rows(700, n, 3);
  RowFactor whole(n), single(n), parts(n);
  whole.add(A);
  for (int r = 0; r < A.rows(); ++r) single.add(In<double>(A.data() + r * n, n));
  for (int first = 0, step = 1; first < A.rows(); first += step, step = step * 2 + 1) {
    step = std::min(step, A.rows() - first);
    // By columns this time.
    Array<double> by_columns(step * n);
    for (int r = 0; r < step; ++r)
      for (int c = 0; c < n; ++c) by_columns[c * step + r] = A(first + r, c);
    parts.add(InMatrix<double>(by_columns.data(), step, n, 1, step));
  }
  EXPECT_EQ(whole.R().entries(), single.R().entries());
  EXPECT_EQ(whole.R().entries(), parts.R().entries());
  EXPECT_EQ(parts.rows(), 700);
}

TEST(RowFactor, factors_of_parts_add_up_to_that_of_the_whole_with_their_weights) {
  for (const int n : {1, 6, 23, 150}) {  // also more columns than rows wait
    const Matrix A = random_rows(200, n, 5), B = random_rows(77, n, 6);
    RowFactor a(n), b(n);
    a.add(A);
    b.add(B);
    Matrix G = gram(A);
    const Matrix H = gram(B);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) G(r, c) += 6.25 * H(r, c);
    a.add(b, 2.5);
    EXPECT_EQ(a.rows(), 277);
    expect_factor(a, G, 2e4);
    RowFactor empty(n);
    empty.add(a);
    expect_factor(empty, G, 2e4);
  }
}

TEST(RowFactor, of_a_triangle_is_that_triangle) {
  const int n = 12;
  RowFactor a(n);
  a.add(random_rows(50, n, 8));
  RowFactor b(a.R(), a.rows());
  EXPECT_EQ(b.R().entries(), a.R().entries());
  EXPECT_EQ(b.rows(), 50);
  b.add(random_rows(40, n, 9));
  a.add(random_rows(40, n, 9));
  expect_factor(b, gram(a.R()), 3000);
}

/// Joint j's rows are zero in the columns of bodies that it does not move, and those of other joints.
TEST(RowFactor, columns_of_zeros_stay_zeros) {
  const int n = 13;
  Matrix A = random_rows(300, n, 4);
  for (int r = 0; r < A.rows(); ++r)
    for (const int c : {0, 1, 2, 7, 12}) A(r, c) = 0;
  RowFactor factor(n);
  factor.add(A);
  expect_factor(factor, gram(A), 1e4);
  for (const int c : {0, 1, 2, 7, 12})
    for (int k = 0; k < n; ++k) {
      EXPECT_EQ(factor.R()(c, k), 0.0);
      EXPECT_EQ(factor.R()(k, c), 0.0);
    }
}

/// Rows and factors one after another, each with other columns of zeros and rows of zeros.
TEST(RowFactor, keeps_up_with_columns_that_come_later) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    testing::Draw<double> draw(seed);
    const int n = 5 + static_cast<int>(draw(0, 20));
    RowFactor factor(n);
    Matrix G(n, n);
    for (int part = 0; part < 6; ++part) {
      Matrix A = random_rows(1 + static_cast<int>(draw(0, 200)), n,
                             50 * seed + static_cast<unsigned>(part));
      for (int c = 0; c < n; ++c)
        if (draw(0, 1) < 0.6)
          for (int r = 0; r < A.rows(); ++r) A(r, c) = 0;
      const Matrix own = gram(A);
      const bool as_factor = draw(0, 1) < 0.5;
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) G(r, c) += own(r, c) * (as_factor ? 4 : 1);
      RowFactor of_part(n);
      of_part.add(A);
      if (as_factor)
        factor.add(part % 2 == 0 ? of_part : RowFactor(of_part.R(), A.rows()), 2);
      else
        factor.add(A);
    }
    expect_factor(factor, G, 2e4);
  }
}

TEST(RowFactor, rows_side_by_side_are_the_rows) {
  const Matrix A = random_rows(333, 7, 3);
  RowFactor whole(7), parts(7);
  whole.add(A);
  parts.add(InMatrix<double>(A.data(), 333, 5, 7, 1), InMatrix<double>(A.data() + 5, 333, 2, 7, 1));
  EXPECT_EQ(whole.R().entries(), parts.R().entries());
}

/// Columns that depend on others: R is singular, and says the least squares problem all the same.
TEST(RowFactor, rank_is_that_of_the_rows_and_scales_may_differ) {
  Matrix A = random_rows(400, 5, 12);
  for (int r = 0; r < A.rows(); ++r) {
    A(r, 2) = A(r, 0) - 2 * A(r, 1);
    A(r, 3) *= 1e8;
    A(r, 4) *= 1e-8;
  }
  RowFactor factor(5);
  factor.add(A);
  const Matrix& R = factor.R();
  EXPECT_LT(std::abs(R(2, 2)), 1e-12);
  const Matrix G = gram(A);
  double sum = 0;
  for (int k = 0; k < 5; ++k) sum += R(k, 4) * R(k, 4);
  EXPECT_NEAR(sum / G(4, 4), 1, 1e-13);
  EXPECT_NEAR(std::abs(R(0, 0)) / std::sqrt(G(0, 0)), 1, 1e-14);
}

TEST(RowFactor, columns_whose_squares_underflow_spoil_nothing) {
  Matrix A = random_rows(300, 6, 13);
  for (int r = 0; r < A.rows(); ++r)
    for (int c = 0; c < 3; ++c) A(r, c) *= 5e-162;
  RowFactor factor(6);
  factor.add(A);
  expect_factor(factor, gram(A), 1e4);
}

TEST(RowFactor, rows_allocate_nothing_after_the_first) {
  const int n = 20;
  const Matrix A = random_rows(300, n, 2);
  RowFactor factor(n), other(n);
  other.add(A);
  factor.add(A);
  const testing::AllocationCounter counter;
  factor.add(A);
  factor.add(other, 0.5);
  (void)factor.R();
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
