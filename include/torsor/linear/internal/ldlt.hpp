#pragma once
/// L D L^T of symmetric matrices without pivoting, for every scalar.
///
/// For matrices that are positive definite by construction (S^T I S of positive inertias, normal
/// equations). A zero pivot gives zero, not infinity; the caller reads the pivots. Neither branches
/// on values: packs and duals pass.
/// Source   Golub & Van Loan 2013, sec. 4.1.
#include "torsor/math/scalar.hpp"

namespace torsor::internal {

template <class Real>
TORSOR_HD TORSOR_INLINE Real reciprocal_or_zero(const Real& x) {
  const auto zero = x == Real(0);
  return select(zero, Real(0), Real(1) / select(zero, Real(1), x));
}

/// Of up to six rows, factors kept.
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

template <class Real>
struct LdltPivots {
  Real least{}, most{};
};
/// x <- A^-1 x for one right-hand side. Of A the upper triangle is read, rows `row_length` apart;
/// the factors take its place. N > 0: the number of rows and the stride, known to the compiler.
template <int N = 0, class Real>
TORSOR_INLINE LdltPivots<Real> ldlt_solve(Real* A, Real* x, int rows, int row_length) {
  const int n = N > 0 ? N : rows, stride = N > 0 ? N : row_length;
  LdltPivots<Real> pivots;
  for (int c = 0; c < n; ++c) {
    Real* const row = A + c * stride;
    pivots.least = c == 0 ? row[c] : min(pivots.least, row[c]);
    pivots.most = c == 0 ? row[c] : max(pivots.most, row[c]);
    const Real inverse = reciprocal_or_zero(row[c]);
    for (int r = c + 1; r < n; ++r) {
      const Real l = row[r] * inverse;
      for (int k = r; k < n; ++k) A[r * stride + k] = A[r * stride + k] - l * row[k];
      x[r] = x[r] - l * x[c];
    }
    row[c] = inverse;
  }
  for (int c = n - 1; c >= 0; --c) {
    const Real* const row = A + c * stride;
    Real sum = x[c];
    for (int r = c + 1; r < n; ++r) sum = sum - row[r] * x[r];
    x[c] = sum * row[c];
  }
  return pivots;
}

}  // namespace torsor::internal
