#pragma once
/// Matrices whose size the compiler knows, and their solvers: for loops that solve thousands of
/// small systems, where these are twice as fast as those of any size.
///
///   SmallLu<N>      P A Q = L U, complete pivoting: rank, solutions, null vectors
///   SmallQr<R, C>   A P = Q [R11 R12; 0 0], Householder with column pivoting, Q square
///
/// Row major, no allocation.
/// Source   Golub & Van Loan 2013, sec. 3.4 (elimination) and 5.4 (Householder with pivoting).
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "torsor/linear/internal/elimination.hpp"
#include "torsor/math/view.hpp"

namespace torsor::internal {

template <int R, int C>
struct SmallMatrix {
  double entries[R][C] = {};
  double* operator[](int r) { return entries[r]; }
  const double* operator[](int r) const { return entries[r]; }
  double& operator()(int r, int c) { return entries[r][c]; }
  double operator()(int r, int c) const { return entries[r][c]; }
};

/// B <- A^-1 B by elimination with row exchanges; A becomes its factors. Returns the smallest pivot
/// over the largest, 0 where A is singular; B is of no use then.
template <int N, int C>
double solve_in_place(SmallMatrix<N, N>& A, SmallMatrix<N, C>& B) {
  int exchange[N];
  const double ratio = eliminate(A, N, exchange).ratio();
  if (ratio > 0) substitute(A, N, exchange, B, C);
  return ratio;
}

/// Of a square matrix of up to N rows.
template <int N>
class SmallLu {
 public:
  /// False below full rank. Elimination ends at a pivot that is not above `tolerance` times the
  /// largest, once it has `least_rank`.
  bool factorise(const SmallMatrix<N, N>& A, int n, double tolerance, int least_rank = 0) {
    a_ = A;
    return eliminate_all(n, tolerance, least_rank);
  }
  bool factorise(InMatrix<double> A, double tolerance) {
    assert(A.rows == A.cols && A.rows <= N);
    for (int r = 0; r < A.rows; ++r)
      for (int c = 0; c < A.cols; ++c) a_[r][c] = A(r, c);
    return eliminate_all(A.rows, tolerance, 0);
  }

  int rank() const { return rank_; }
  /// |pivot| number k, of those that were met.
  double pivot(int k) const { return std::abs(a_[k][k]); }
  /// A x = b for full rank; different vectors.
  void solve(In<double> b, Out<double> x) const {
    double y[N];
    for (int r = 0; r < n_; ++r) {
      y[r] = b[rows_[r]];
      for (int c = 0; c < r; ++c) y[r] -= a_[r][c] * y[c];
    }
    for (int r = n_ - 1; r >= 0; --r) {
      for (int c = r + 1; c < n_; ++c) y[r] -= a_[r][c] * y[c];
      y[r] /= a_[r][r];
    }
    for (int r = 0; r < n_; ++r) x[columns_[r]] = y[r];
  }
  /// Columns of a basis of the null space: n - rank, but at least one (the last pivot counts as
  /// zero) and at most M. Returns how many.
  template <int M>
  int null_space(SmallMatrix<N, M>& null) const {
    const int rank = std::min(rank_, n_ - 1), count = std::min(n_ - rank, M);
    for (int c = 0; c < count; ++c) {
      double x[N] = {};
      x[rank + c] = 1;
      for (int i = rank - 1; i >= 0; --i) {
        double sum = a_[i][rank + c];
        for (int j = i + 1; j < rank; ++j) sum += a_[i][j] * x[j];
        x[i] = -sum / a_[i][i];
      }
      for (int i = 0; i < n_; ++i) null[columns_[i]][c] = x[i];
    }
    return count;
  }

 private:
  bool eliminate_all(int n, double tolerance, int least_rank) {
    n_ = n;
    rank_ = eliminate_completely(a_, n, rows_, columns_, tolerance, least_rank);
    return rank_ == n;
  }

  SmallMatrix<N, N> a_;
  int n_ = 0, rank_ = 0, rows_[N] = {}, columns_[N] = {};
};

/// Columns of Q from `rank` on are across all of A.
template <int R, int C>
struct SmallQr {
  static constexpr double none = 1e-10;  ///< a pivot this much smaller than the first, or than 1
  SmallMatrix<R, R> Q{};
  SmallMatrix<R, C> upper{};
  int column[C] = {}, rank = 0;

  explicit SmallQr(const SmallMatrix<R, C>& A) : upper(A) {
    for (int i = 0; i < R; ++i) Q[i][i] = 1;
    for (int j = 0; j < C; ++j) column[j] = j;
    double first = 0;
    for (int k = 0; k < std::min(R, C); ++k) {
      double sums[C] = {};
      for (int i = k; i < R; ++i)
        for (int j = k; j < C; ++j) sums[j] += upper[i][j] * upper[i][j];
      int p = k;
      for (int j = k + 1; j < C; ++j)
        if (sums[j] > sums[p]) p = j;
      const double length = std::sqrt(sums[p]);
      if (k == 0) first = length > 1 ? length : 1;
      if (!(length > none * first)) break;
      ++rank;
      if (p != k) {
        for (int i = 0; i < R; ++i) std::swap(upper[i][k], upper[i][p]);
        std::swap(column[k], column[p]);
      }
      reflect(k, length);
    }
  }

  /// Least squares; what A does not see stays 0.
  void solve(const double* b, double* x) const {
    double y[C] = {};
    for (int k = rank - 1; k >= 0; --k) {
      double sum = 0;
      for (int i = 0; i < R; ++i) sum += Q[i][k] * b[i];
      for (int j = k + 1; j < rank; ++j) sum -= upper[k][j] * y[j];
      y[k] = sum / upper[k][k];
    }
    for (int j = 0; j < C; ++j) x[column[j]] = y[j];
  }

 private:
  /// Clears column k below the diagonal, where it has this length from the diagonal on.
  void reflect(int k, double length) {
    const double alpha = upper[k][k] > 0 ? -length : length;
    const double factor = 1 / (length * length - alpha * upper[k][k]);  // 2 / |v|^2
    double v[R] = {}, sums[C] = {};
    for (int i = k; i < R; ++i) v[i] = upper[i][k];
    v[k] -= alpha;
    for (int i = k; i < R; ++i)
      for (int j = k; j < C; ++j) sums[j] += v[i] * upper[i][j];
    for (int i = k; i < R; ++i)
      for (int j = k; j < C; ++j) upper[i][j] -= v[i] * factor * sums[j];
    for (int i = 0; i < R; ++i) {
      double sum = 0;
      for (int j = k; j < R; ++j) sum += Q[i][j] * v[j];
      sum *= factor;
      for (int j = k; j < R; ++j) Q[i][j] -= sum * v[j];
    }
  }
};

}  // namespace torsor::internal
