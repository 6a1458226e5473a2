#pragma once
/// J x = b with the shortest x, for few independent rows: J = L Q, Q of orthonormal rows.
///
///   x = Q^T L^-1 b                    what moves no row: x - Q^T Q x
///
/// Cheaper than singular values, and able to tell when it may stand in for them: the smallest
/// singular value is at least 1 / |L^-1|, the largest at most |J| (Frobenius norms).
///
/// Cost     2 m^2 n multiplications for m rows (six at most) and n columns; no allocation.
/// Source   Golub & Van Loan 2013, sec. 5.2 (modified Gram-Schmidt).
#include <cmath>

#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor::internal {

class RowBasis {
 public:
  explicit RowBasis(int columns) : Q_(6 * columns) {}

  /// False where the smallest singular value is not certainly above `ratio` times the largest.
  bool decompose(InMatrix<double> J, double ratio) {
    rows_ = J.rows, columns_ = J.cols;
    double size = 0;
    for (int i = 0; i < rows_; ++i) {
      double* const q = row(i);
      for (int c = 0; c < columns_; ++c) q[c] = J(i, c), size += q[c] * q[c];
      for (int j = 0; j < i; ++j) {
        L_[i][j] = dot(row(j), q);
        for (int c = 0; c < columns_; ++c) q[c] -= L_[i][j] * row(j)[c];
      }
      L_[i][i] = std::sqrt(dot(q, q));
      if (!(L_[i][i] > 0)) return false;
      for (int c = 0; c < columns_; ++c) q[c] /= L_[i][i];
    }
    double inverse = 0;
    for (int k = 0; k < rows_; ++k) {
      double e[6]{};
      e[k] = 1;
      forward(e);
      for (int i = k; i < rows_; ++i) inverse += e[i] * e[i];
    }
    return inverse * size * ratio * ratio < 1;
  }

  void solve(In<double> b, Out<double> x) const {
    double y[6];
    for (int i = 0; i < rows_; ++i) y[i] = b[i];
    forward(y);
    for (int c = 0; c < columns_; ++c) {
      x[c] = 0;
      for (int i = 0; i < rows_; ++i) x[c] += row(i)[c] * y[i];
    }
  }
  /// x -= factor (v - Q^T Q v).
  void subtract_unseen(double factor, In<double> v, Out<double> x) const {
    for (int c = 0; c < columns_; ++c) x[c] -= factor * v[c];
    for (int i = 0; i < rows_; ++i) {
      const double along = dot(row(i), v.data);
      for (int c = 0; c < columns_; ++c) x[c] += factor * along * row(i)[c];
    }
  }

 private:
  double* row(int i) { return Q_.data() + i * columns_; }
  const double* row(int i) const { return Q_.data() + i * columns_; }
  double dot(const double* a, const double* b) const {
    double sum = 0;
    for (int c = 0; c < columns_; ++c) sum += a[c] * b[c];
    return sum;
  }
  /// y <- L^-1 y.
  void forward(double (&y)[6]) const {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < i; ++j) y[i] -= L_[i][j] * y[j];
      y[i] /= L_[i][i];
    }
  }

  int rows_ = 0, columns_ = 0;
  double L_[6][6]{};
  Array<double> Q_;
};

}  // namespace torsor::internal
