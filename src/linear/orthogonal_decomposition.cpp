#include "torsor/linear/orthogonal_decomposition.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace torsor {

OrthogonalDecomposition::OrthogonalDecomposition(int max_rows, int max_cols)
    : a_(max_rows * max_cols),
      beta_(max_cols),
      gamma_(max_cols),
      diagonal_(max_cols),
      work_(std::max(max_rows, max_cols)),
      other_(work_.size()),
      column_(max_cols) {}

/// Householder vectors of Q stay below the diagonal (their first entry apart, 1), R above it; those
/// of Z in the columns from rank on.
void OrthogonalDecomposition::factorise(InMatrix<double> A, double tolerance) {
  assert(A.rows * A.cols <= a_.size() && A.cols <= column_.size());
  rows_ = A.rows, cols_ = A.cols, rank_ = 0;
  for (int c = 0; c < cols_; ++c)
    for (int r = 0; r < rows_; ++r) at(r, c) = A(r, c);
  triangularise(tolerance);
  clear_right_part();
}

void OrthogonalDecomposition::triangularise(double tolerance) {
  std::iota(column_.begin(), column_.end(), 0);
  const int most = std::min(rows_, cols_);
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (int k = 0; k < most; ++k) {
    int best = k;
    double best_norm2 = -1;
    for (int c = k; c < cols_; ++c) {
      double norm2 = 0;
      for (int r = k; r < rows_; ++r) norm2 += at(r, c) * at(r, c);
      if (norm2 > best_norm2) best_norm2 = norm2, best = c;
    }
    if (best != k) {
      for (int r = 0; r < rows_; ++r) std::swap(at(r, k), at(r, best));
      std::swap(column_[k], column_[best]);
    }
    const double norm = std::sqrt(best_norm2);
    diagonal_[k] = norm;
    if (!(norm > tolerance * diagonal_[0]) || norm == 0) break;
    ++rank_;
    const double x = at(k, k), alpha = x > 0 ? -norm : norm, first = x - alpha;
    beta_[k] = -first / alpha;  // H = 1 - beta v v^T with v_0 = 1
    for (int r = k + 1; r < rows_; ++r) at(r, k) /= first;
    at(k, k) = alpha;
    for (int c = k + 1; c < cols_; ++c) {
      double sum = at(k, c);
      for (int r = k + 1; r < rows_; ++r) sum += at(r, k) * at(r, c);
      sum *= beta_[k];
      at(k, c) -= sum;
      for (int r = k + 1; r < rows_; ++r) at(r, c) -= sum * at(r, k);
    }
  }
}

/// Rows of [R11 R12] from the last up: a reflection of (k, rank ... cols - 1) clears R12's row k.
void OrthogonalDecomposition::clear_right_part() {
  for (int k = rank_ - 1; k >= 0; --k) {
    double tail2 = 0;
    for (int c = rank_; c < cols_; ++c) tail2 += at(k, c) * at(k, c);
    gamma_[k] = 0;
    if (tail2 == 0) continue;
    const double x = at(k, k), norm = std::sqrt(x * x + tail2), alpha = x > 0 ? -norm : norm;
    const double first = x - alpha;
    gamma_[k] = -first / alpha;
    for (int c = rank_; c < cols_; ++c) at(k, c) /= first;
    at(k, k) = alpha;
    for (int r = 0; r < k; ++r) {
      double sum = at(r, k);
      for (int c = rank_; c < cols_; ++c) sum += at(k, c) * at(r, c);
      sum *= gamma_[k];
      at(r, k) -= sum;
      for (int c = rank_; c < cols_; ++c) at(r, c) -= sum * at(k, c);
    }
  }
}

double OrthogonalDecomposition::pivot_ratio() const {
  return rank_ == 0 ? 0 : diagonal_[rank_ - 1] / diagonal_[0];
}

void OrthogonalDecomposition::reflect_by_q(int k, double* x) const {
  double sum = x[k];
  for (int r = k + 1; r < rows_; ++r) sum += at(r, k) * x[r];
  sum *= beta_[k];
  x[k] -= sum;
  for (int r = k + 1; r < rows_; ++r) x[r] -= sum * at(r, k);
}
void OrthogonalDecomposition::apply_q_transposed(double* x) const {
  for (int k = 0; k < rank_; ++k) reflect_by_q(k, x);
}
void OrthogonalDecomposition::apply_q(double* x) const {
  for (int k = rank_ - 1; k >= 0; --k) reflect_by_q(k, x);
}
// [R11 R12] H_{r-1} ... H_0 = [T 0]: Z is that product.
void OrthogonalDecomposition::reflect_by_z(int k, double* x) const {
  double sum = x[k];
  for (int c = rank_; c < cols_; ++c) sum += at(k, c) * x[c];
  sum *= gamma_[k];
  x[k] -= sum;
  for (int c = rank_; c < cols_; ++c) x[c] -= sum * at(k, c);
}
void OrthogonalDecomposition::apply_z(double* x) const {
  for (int k = 0; k < rank_; ++k) reflect_by_z(k, x);
}
void OrthogonalDecomposition::apply_z_transposed(double* x) const {
  for (int k = rank_ - 1; k >= 0; --k) reflect_by_z(k, x);
}

double OrthogonalDecomposition::to_range(In<double> c, double* z) const {
  for (int k = 0; k < cols_; ++k) z[k] = c[column_[k]];
  apply_z_transposed(z);
  double outside = 0;
  for (int k = rank_; k < cols_; ++k) outside += z[k] * z[k];
  return std::sqrt(outside);
}
void OrthogonalDecomposition::from_range(double* z, Out<double> x) const {
  for (int k = rank_; k < cols_; ++k) z[k] = 0;
  apply_z(z);
  for (int k = 0; k < cols_; ++k) x[column_[k]] = z[k];
}

double OrthogonalDecomposition::solve(In<double> b, Out<double> x) {
  double* const y = work_.data();
  for (int r = 0; r < rows_; ++r) y[r] = b[r];
  apply_q_transposed(y);
  double left2 = 0;
  for (int r = rank_; r < rows_; ++r) left2 += y[r] * y[r];
  for (int k = rank_ - 1; k >= 0; --k) {
    for (int c = k + 1; c < rank_; ++c) y[k] -= at(k, c) * y[c];
    y[k] /= at(k, k);
  }
  double* const z = other_.data();
  for (int k = 0; k < rank_; ++k) z[k] = y[k];
  from_range(z, x);
  return std::sqrt(left2);
}

double OrthogonalDecomposition::solve_transposed(In<double> c, Out<double> y) {
  double* const z = other_.data();
  const double outside = to_range(c, z);
  double* const x = work_.data();
  for (int k = 0; k < rank_; ++k) {
    x[k] = z[k];
    for (int r = 0; r < k; ++r) x[k] -= at(r, k) * x[r];
    x[k] /= at(k, k);
  }
  for (int r = rank_; r < rows_; ++r) x[r] = 0;
  apply_q(x);
  for (int r = 0; r < rows_; ++r) y[r] = x[r];
  return outside;
}

double OrthogonalDecomposition::solve_gram(In<double> c, Out<double> x) {
  double* const z = other_.data();
  const double outside = to_range(c, z);
  for (int k = 0; k < rank_; ++k) {
    for (int r = 0; r < k; ++r) z[k] -= at(r, k) * z[r];
    z[k] /= at(k, k);
  }
  for (int k = rank_ - 1; k >= 0; --k) {
    for (int r = k + 1; r < rank_; ++r) z[k] -= at(k, r) * z[r];
    z[k] /= at(k, k);
  }
  from_range(z, x);
  return outside;
}

void OrthogonalDecomposition::project_on_rows(In<double> c, Out<double> x) {
  double* const z = other_.data();
  (void)to_range(c, z);
  from_range(z, x);
}

void OrthogonalDecomposition::null_vector(int k, Out<double> x) {
  double* const z = other_.data();
  for (int c = 0; c < cols_; ++c) z[c] = c == rank_ + k ? 1 : 0;
  apply_z(z);
  for (int c = 0; c < cols_; ++c) x[column_[c]] = z[c];
}

}  // namespace torsor
