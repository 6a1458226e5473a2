#pragma once
/// Singular value decomposition, in a workspace of its own.
///
///   A = U diag(sigma) V^T      sigma descending
///
/// One-sided Jacobi: the vectors of the longer side are turned in pairs until they are orthogonal.
/// Small singular values keep their relative accuracy, which is what a question about singularity
/// needs.
///
/// Cost     About 6 sweeps of k (k - 1) / 2 rotations of the longer side, k the shorter one; no
///          allocation after construction.
/// Source   Hestenes 1958; Demmel & Veselic 1992.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Svd {
 public:
  /// For matrices of up to that size.
  Svd(int max_rows, int max_cols);

  void factorise(InMatrix<double> A);
  /// The sigma alone, in four fifths of the time; left and right are of no use then.
  void find_sigma(InMatrix<double> A);

  int size() const { return size_; }               ///< min(rows, columns) of the last matrix
  double sigma(int k) const { return sigma_[k]; }  ///< descending
  double smallest() const { return size_ > 0 ? sigma(size_ - 1) : 0; }
  double largest() const { return size_ > 0 ? sigma(0) : 0; }
  /// Component r of column k of U, and component c of column k of V. Unit vectors, also where sigma
  /// is zero.
  double left(int r, int k) const { return left_[k * max_rows_ + r]; }
  double right(int c, int k) const { return right_[k * max_cols_ + c]; }
  /// The number of sigma above `tolerance` times the largest.
  int rank(double tolerance = 1e-10) const;

 private:
  int place(InMatrix<double> A, double* W) const;

  int max_rows_, max_cols_, size_ = 0;
  Array<double> sigma_, left_, right_;  // left and right by columns
};

}  // namespace torsor
