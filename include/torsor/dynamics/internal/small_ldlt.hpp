#pragma once
/// L D L^T of a symmetric matrix of up to six rows, for joints with several degrees of freedom.
///
/// No pivoting: the matrices are S^T I S of positive inertias. A zero pivot gives zero, not infinity;
/// the caller reads the pivots.
#include "torsor/math/scalar.hpp"

namespace torsor::internal {

template <class Real>
TORSOR_HD TORSOR_INLINE Real reciprocal_or_zero(const Real& x) {
  const auto zero = x == Real(0);
  return select(zero, Real(0), Real(1) / select(zero, Real(1), x));
}

template <class Real>
class SmallLdlt {
 public:
  static constexpr int max_rows = 6;

  /// Lower triangle, before factorise() the matrix, after it the factors.
  TORSOR_HD Real& operator()(int r, int c) { return a_[r][c]; }
  TORSOR_HD const Real& pivot(int k) const { return pivots_[k]; }

  TORSOR_HD void factorise(int n) {
    for (int c = 0; c < n; ++c) {
      Real d = a_[c][c];
      for (int k = 0; k < c; ++k) d = d - a_[c][k] * a_[c][k] * pivots_[k];
      pivots_[c] = d;
      inverse_[c] = reciprocal_or_zero(d);
      for (int r = c + 1; r < n; ++r) {
        Real x = a_[r][c];
        for (int k = 0; k < c; ++k) x = x - a_[r][k] * a_[c][k] * pivots_[k];
        a_[r][c] = x * inverse_[c];
      }
    }
  }
  /// x = A^-1 x for anything that adds and scales: numbers, twists, wrenches.
  template <class Element>
  TORSOR_HD void solve(int n, Element* x) const {
    for (int r = 1; r < n; ++r)
      for (int k = 0; k < r; ++k) x[r] = x[r] - x[k] * a_[r][k];
    for (int r = 0; r < n; ++r) x[r] = x[r] * inverse_[r];
    for (int r = n - 2; r >= 0; --r)
      for (int k = r + 1; k < n; ++k) x[r] = x[r] - x[k] * a_[k][r];
  }

 private:
  Real a_[max_rows][max_rows]{}, pivots_[max_rows]{}, inverse_[max_rows]{};
};

}  // namespace torsor::internal
