#pragma once
/// Eigenvalues and eigenvectors of a symmetric matrix of any size: A = sum_k value(k) v_k v_k^T.
///
/// Cyclic Jacobi rotations, the text of math/symmetric_eigen.hpp: vectors are orthonormal to
/// rounding even where values coincide.
/// Cost     About 6 sweeps of n (n - 1) / 2 rotations of length n; no allocation after construction.
/// Source   Golub & Van Loan 2013, sec. 8.5; 8.7 (generalised problem).
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class SymmetricEigen {
 public:
  /// For matrices of up to that size.
  explicit SymmetricEigen(int max_size) : a_(max_size * max_size), vectors_(max_size * max_size) {}

  /// Of the upper triangle of A.
  void factorise(InMatrix<double> A);

  int size() const { return n_; }
  double value(int k) const { return a_[k * n_ + k]; }                ///< ascending
  double vector(int r, int k) const { return vectors_[k * n_ + r]; }  ///< component r of v_k
  double smallest() const { return value(0); }
  double largest() const { return value(n_ - 1); }

 private:
  int n_ = 0;
  Array<double> a_, vectors_;
};

namespace internal {

/// The smallest l with det(A - l B) = 0, A symmetric and B symmetric positive definite; NaN where B
/// is not. Allocates.
double smallest_generalised_eigenvalue(InMatrix<double> A, InMatrix<double> B);

}  // namespace internal

}  // namespace torsor
