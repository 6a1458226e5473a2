#pragma once
/// Cholesky factors of a symmetric positive definite matrix: A = L L^T.
///
/// Cost     n^3 / 6 multiplications, n^2 for each right-hand side; no allocation after construction.
/// Source   Golub & Van Loan 2013, sec. 4.2.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Cholesky {
 public:
  Cholesky() = default;
  /// For matrices of up to that size.
  explicit Cholesky(int max_size) : factors_(max_size * max_size), column_(max_size) {}

  /// Of the lower triangle of A. False where a pivot is not above `tolerance` (0 to 1) times its
  /// diagonal entry: not positive definite, or a row that nearly depends on those before it; not to be
  /// solved with.
  [[nodiscard]] bool factorise(InMatrix<double> A, double tolerance = 0);

  int size() const { return n_; }
  /// The smallest pivot of L D L^T over the largest; 1 for an empty matrix.
  double pivot_ratio() const { return n_ == 0 ? 1 : least_ / most_; }
  double determinant() const;
  /// x <- A^-1 x.
  void solve(Out<double> x) const {
    solve_lower(x);
    solve_upper(x);
  }
  void solve_lower(Out<double> x) const;  ///< x <- L^-1 x
  void solve_upper(Out<double> x) const;  ///< x <- L^-T x
  void inverse(OutMatrix<double> A_inverse) const;

 private:
  const double* row(int r) const { return factors_.data() + r * n_; }

  int n_ = 0;
  double least_ = 1, most_ = 1;
  Array<double> factors_, column_;  // L by rows, its diagonal inverted
};

}  // namespace torsor
