#pragma once
/// Gaussian elimination in place, on anything with entries A(r, c): the one text behind Lu,
/// SmallLu and the solvers of analytic inverse kinematics.
///
///   partial    exchange rows:     P A   = L U
///   complete   and columns:       P A Q = L U, pivots tell the rank
///
/// L lies below the diagonal without its ones, U on and above it. Sizes that are constants at the
/// call become constants of the loops.
/// Source   Golub & Van Loan 2013, sec. 3.4.
#include <cmath>
#include <limits>
#include <utility>

#include "torsor/math/scalar.hpp"

namespace torsor::internal {

/// Rows that follow each other in memory.
struct RowMajor {
  double* first;
  int stride;
  double& operator()(int r, int c) const { return first[r * stride + c]; }
};

/// Sizes of the pivots met; a zero one ends the elimination.
struct PivotSizes {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  double ratio() const { return most > 0 ? least / most : 0; }
};

/// Row k was exchanged with row exchange[k].
template <class Matrix>
TORSOR_INLINE PivotSizes eliminate(Matrix&& A, int n, int* exchange) {
  PivotSizes sizes;
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(p, k))) p = i;
    exchange[k] = p;
    if (p != k)
      for (int j = 0; j < n; ++j) std::swap(A(k, j), A(p, j));
    const double size = std::abs(A(k, k));
    sizes.least = size < sizes.least ? size : sizes.least;
    sizes.most = size > sizes.most ? size : sizes.most;
    if (!(size > 0)) return {0, sizes.most};
    const double inverse = 1 / A(k, k);
    for (int i = k + 1; i < n; ++i) {
      const double f = A(i, k) *= inverse;
      for (int j = k + 1; j < n; ++j) A(i, j) -= f * A(k, j);
    }
  }
  return sizes;
}

/// B <- A^-1 B for `columns` columns.
template <class Factors, class Right>
TORSOR_INLINE void substitute(const Factors& A, int n, const int* exchange, Right&& B,
                              int columns) {
  for (int k = 0; k < n; ++k) {
    if (exchange[k] != k)
      for (int j = 0; j < columns; ++j) std::swap(B(k, j), B(exchange[k], j));
  }
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) {
      const double f = A(i, k);
      for (int j = 0; j < columns; ++j) B(i, j) -= f * B(k, j);
    }
  for (int k = n - 1; k >= 0; --k) {
    const double inverse = 1 / A(k, k);
    for (int j = 0; j < columns; ++j) B(k, j) *= inverse;
    for (int i = 0; i < k; ++i) {
      const double f = A(i, k);
      for (int j = 0; j < columns; ++j) B(i, j) -= f * B(k, j);
    }
  }
}

/// Rows and columns of A stand where rows[] and columns[] say. Returns the rank: elimination ends
/// at a pivot that is not above `tolerance` times the largest, once it has `least_rank`.
template <class Matrix>
TORSOR_INLINE int eliminate_completely(Matrix&& A, int n, int* rows, int* columns, double tolerance,
                                       int least_rank) {
  for (int k = 0; k < n; ++k) rows[k] = columns[k] = k;
  double largest = 0;
  for (int k = 0; k < n; ++k) {
    int row = k, column = k;
    double size = 0;
    for (int i = k; i < n; ++i)
      for (int j = k; j < n; ++j)
        if (std::abs(A(i, j)) > size) size = std::abs(A(i, j)), row = i, column = j;
    largest = size > largest ? size : largest;
    if (!(size > 0) || (k >= least_rank && !(size > tolerance * largest))) return k;
    if (row != k) {
      for (int j = 0; j < n; ++j) std::swap(A(k, j), A(row, j));
      std::swap(rows[k], rows[row]);
    }
    if (column != k) {
      for (int i = 0; i < n; ++i) std::swap(A(i, k), A(i, column));
      std::swap(columns[k], columns[column]);
    }
    const double inverse = 1 / A(k, k);
    for (int i = k + 1; i < n; ++i) {
      const double f = A(i, k) *= inverse;
      for (int j = k + 1; j < n; ++j) A(i, j) -= f * A(k, j);
    }
  }
  return n;
}

}  // namespace torsor::internal
