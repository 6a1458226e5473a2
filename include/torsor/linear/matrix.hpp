#pragma once
/// A dense matrix of doubles that owns its entries, stored by rows; it converts to MatrixView.
///
/// For what is made once: gains, weights, certificates. Allocates where it is made.
/// Source   Golub & Van Loan 2013, sec. 2.3 (norms), 9.3 (exponential).
#include <utility>

#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Matrix {
 public:
  Matrix() = default;
  Matrix(int rows, int cols) : rows_(rows), cols_(cols), entries_(rows * cols) {}
  /// Throws Error for another number of entries.
  Matrix(int rows, int cols, Array<double> by_rows);
  static Matrix identity(int n) {
    Matrix I(n, n);
    for (int k = 0; k < n; ++k) I(k, k) = 1;
    return I;
  }

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  double& operator()(int r, int c) { return entries_[r * cols_ + c]; }
  double operator()(int r, int c) const { return entries_[r * cols_ + c]; }
  const Array<double>& entries() const { return entries_; }  ///< by rows

  // What MatrixView asks for, spelled as Eigen does.
  double* data() { return entries_.data(); }
  const double* data() const { return entries_.data(); }
  int rowStride() const { return cols_; }
  int colStride() const { return 1; }

 private:
  int rows_ = 0, cols_ = 0;
  Array<double> entries_;
};

Matrix product(InMatrix<double> A, InMatrix<double> B);
/// exp(A) of a square matrix, by the series of A / 2^k and k squarings.
Matrix matrix_exponential(const Matrix& A);

namespace internal {

/// The largest singular value.
double spectral_norm(InMatrix<double> A);
/// The largest |eigenvalue|; infinity where the eigenvalues were not found.
double spectral_radius(InMatrix<double> A);

}  // namespace internal

}  // namespace torsor
