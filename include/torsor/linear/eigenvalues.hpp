#pragma once
/// Eigenvalues of a real square matrix, real or in complex pairs.
///
/// Balancing, Hessenberg form by elimination, then Francis' double steps. Half the time of Eigen's
/// real Schur form at size 16, and balanced, which Eigen's is not.
/// Cost     About 10 n^3 multiplications; no allocation after construction.
/// Source   Golub & Van Loan 2013, sec. 7.4 and 7.5; Wilkinson & Reinsch 1971, II/13 and II/14.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Eigenvalues {
 public:
  /// For matrices of up to that size.
  explicit Eigenvalues(int max_size)
      : a_(max_size * max_size), real_(max_size), imaginary_(max_size) {}

  /// False where the steps do not converge, as for entries that are not finite.
  [[nodiscard]] bool compute(InMatrix<double> A);

  int size() const { return n_; }
  /// In no order, but conjugate values one after the other, the one with imaginary part > 0 first.
  double real(int k) const { return real_[k]; }
  double imaginary(int k) const { return imaginary_[k]; }

 private:
  int n_ = 0;
  Array<double> a_, real_, imaginary_;
};

namespace internal {
/// Of the n x n matrix A, rows `stride` apart, which is destroyed; into n numbers each.
[[nodiscard]] bool eigenvalues(double* A, int stride, int n, double* real, double* imaginary);
}  // namespace internal

}  // namespace torsor
