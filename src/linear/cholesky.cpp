#include "torsor/linear/cholesky.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace torsor {

bool Cholesky::factorise(InMatrix<double> A, double tolerance) {
  assert(A.rows == A.cols && A.rows <= column_.size());
  n_ = A.rows;
  const int n = n_;
  double* const L = factors_.data();
  double* const column = column_.data();
  if (A.col_stride == 1 && A.row_stride == n)
    std::copy_n(A.data, n * n, L);
  else
    for (int r = 0; r < n; ++r)
      for (int c = 0; c <= r; ++c) L[r * n + c] = A(r, c);
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int j = 0; j < n; ++j) {
    const double pivot = L[j * n + j];
    if (!(pivot > tolerance * A(j, j))) return false;  // also for what is not finite
    least = pivot < least ? pivot : least;
    most = pivot > most ? pivot : most;
    const double inverse = 1 / std::sqrt(pivot);
    L[j * n + j] = inverse;
    for (int i = j + 1; i < n; ++i) column[i] = L[i * n + j] *= inverse;
    for (int i = j + 1; i < n; ++i) {
      double* const of = L + i * n;
      const double factor = column[i];
      for (int k = j + 1; k <= i; ++k) of[k] -= factor * column[k];
    }
  }
  least_ = least, most_ = most;
  return true;
}

double Cholesky::determinant() const {
  double root = 1;
  for (int k = 0; k < n_; ++k) root /= row(k)[k];
  return root * root;
}

void Cholesky::solve_lower(Out<double> x) const {
  const double* of = factors_.data();
  for (int i = 0; i < n_; ++i, of += n_) {
    double sum = x[i];
    for (int k = 0; k < i; ++k) sum -= of[k] * x[k];
    x[i] = sum * of[i];
  }
}
void Cholesky::solve_upper(Out<double> x) const {
  const double* of = factors_.data() + n_ * n_;
  for (int i = n_ - 1; i >= 0; --i) {
    of -= n_;
    const double value = x[i] *= of[i];
    for (int k = 0; k < i; ++k) x[k] -= of[k] * value;
  }
}

void Cholesky::inverse(OutMatrix<double> A_inverse) const {
  assert(A_inverse.rows == n_ && A_inverse.cols == n_);
  // Column c of L^-1 stands in A_inverse from the diagonal down; then A^-1 = L^-T L^-1.
  for (int c = 0; c < n_; ++c)
    for (int r = c; r < n_; ++r) {
      double sum = r == c ? 1 : 0;
      for (int k = c; k < r; ++k) sum -= row(r)[k] * A_inverse(k, c);
      A_inverse(r, c) = sum * row(r)[r];
    }
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = 0;
      for (int k = r; k < n_; ++k) sum += A_inverse(k, r) * A_inverse(k, c);
      A_inverse(c, r) = sum;  // row r of the lower triangle was read for the last time at c = r
      if (c < r) A_inverse(r, c) = sum;
    }
}

}  // namespace torsor
