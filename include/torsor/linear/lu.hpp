#pragma once
/// LU factors of a square matrix by elimination with row exchanges: P A = L U.
///
/// Cost     n^3 / 3 multiplications, n^2 for each right-hand side; no allocation after construction.
/// Source   Golub & Van Loan 2013, sec. 3.4.
#include "torsor/linear/internal/elimination.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class Lu {
 public:
  Lu() = default;
  /// For matrices of up to that size.
  explicit Lu(int max_size) : factors_(max_size * max_size), exchange_(max_size) {}

  /// False where the smallest pivot is not above `tolerance` times the largest: singular, and not
  /// to be solved with.
  [[nodiscard]] bool factorise(InMatrix<double> A, double tolerance = 0);

  int size() const { return n_; }
  /// The smallest |pivot| over the largest: 0 for a singular matrix, 1 for an empty one.
  double pivot_ratio() const { return n_ == 0 ? 1 : pivots_.ratio(); }
  double determinant() const;
  /// x <- A^-1 x.
  void solve(Out<double> x) const;
  /// X <- A^-1 X.
  void solve(OutMatrix<double> X) const;
  void inverse(OutMatrix<double> A_inverse) const;

 private:
  double entry(int r, int c) const { return factors_[r * n_ + c]; }

  int n_ = 0;
  internal::PivotSizes pivots_;
  Array<double> factors_;  // by rows
  Array<int> exchange_;
};

}  // namespace torsor
