#pragma once
/// Internal: the few dense factorisations that inverse kinematics needs, on matrices of fixed size.
///
/// Plain loops instead of Eigen: its fixed-size QR and eigenvalue templates for these sizes take
/// minutes to compile. Row major, no allocation.
/// Source   Golub & Van Loan, Matrix Computations, ch. 3, 5, 7 (LU, Householder QR, Francis steps).
#include <array>
#include <cmath>
#include <utility>

namespace torsor::ik {

template <int R, int C>
struct Dense {
  double at[R][C] = {};
  double* operator[](int r) { return at[r]; }
  const double* operator[](int r) const { return at[r]; }
};

/// A P = Q R with Q square and column pivoting; columns of Q from `rank` on are across all of A.
template <int R, int C>
struct Orthogonal {
  static constexpr double none = 1e-10;  // a pivot this much smaller than the first, or than 1
  Dense<R, R> Q{};
  Dense<R, C> upper{};
  int column[C] = {}, rank = 0;

  explicit Orthogonal(const Dense<R, C>& A) : upper(A) {
    for (int i = 0; i < R; ++i) Q[i][i] = 1;
    for (int j = 0; j < C; ++j) column[j] = j;
    double first = 0;
    for (int k = 0; k < (R < C ? R : C); ++k) {
      double sums[C] = {};
      for (int i = k; i < R; ++i)
        for (int j = k; j < C; ++j) sums[j] += upper[i][j] * upper[i][j];
      int p = k;
      for (int j = k + 1; j < C; ++j)
        if (sums[j] > sums[p]) p = j;
      const double n2 = sums[p], length = std::sqrt(n2);
      if (k == 0) first = length > 1 ? length : 1;
      if (!(length > none * first)) break;
      ++rank;
      if (p != k) {
        for (int i = 0; i < R; ++i) std::swap(upper[i][k], upper[i][p]);
        std::swap(column[k], column[p]);
      }
      const double alpha = upper[k][k] > 0 ? -length : length;
      double v[R] = {};
      for (int i = k; i < R; ++i) v[i] = upper[i][k];
      const double factor = 1 / (n2 - alpha * upper[k][k]);  // 2 / |v|^2
      v[k] -= alpha;
      for (int j = k; j < C; ++j) sums[j] = 0;
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
};

/// Solves A X = B in place of B by elimination with partial pivoting; returns the smallest pivot
/// over the largest.
template <int N, int C>
double solve_in_place(Dense<N, N>& A, Dense<N, C>& B) {
  double least = 1e300, most = 0;
  for (int k = 0; k < N; ++k) {
    int p = k;
    for (int i = k + 1; i < N; ++i)
      if (std::abs(A[i][k]) > std::abs(A[p][k])) p = i;
    if (p != k) {
      for (int j = 0; j < N; ++j) std::swap(A[k][j], A[p][j]);
      for (int j = 0; j < C; ++j) std::swap(B[k][j], B[p][j]);
    }
    const double pivot = std::abs(A[k][k]);
    least = pivot < least ? pivot : least;
    most = pivot > most ? pivot : most;
    if (!(pivot > 0)) return 0;
    const double inverse = 1 / A[k][k];
    for (int i = k + 1; i < N; ++i) {
      const double f = A[i][k] * inverse;
      if (f == 0) continue;
      for (int j = k + 1; j < N; ++j) A[i][j] -= f * A[k][j];
      for (int j = 0; j < C; ++j) B[i][j] -= f * B[k][j];
    }
  }
  for (int k = N - 1; k >= 0; --k) {
    const double inverse = 1 / A[k][k];
    for (int j = 0; j < C; ++j) B[k][j] *= inverse;
    for (int i = 0; i < k; ++i) {
      const double f = A[i][k];
      for (int j = 0; j < C; ++j) B[i][j] -= f * B[k][j];
    }
  }
  return least / most;
}

/// Smallest pivot over the largest of A: how far from singular it is.
template <int N>
double pivot_gap(Dense<N, N> A) {
  double least = 1e300, most = 0;
  for (int k = 0; k < N; ++k) {
    int p = k;
    for (int i = k + 1; i < N; ++i)
      if (std::abs(A[i][k]) > std::abs(A[p][k])) p = i;
    if (p != k)
      for (int j = k; j < N; ++j) std::swap(A[k][j], A[p][j]);
    const double pivot = std::abs(A[k][k]);
    least = pivot < least ? pivot : least;
    most = pivot > most ? pivot : most;
    if (!(pivot > 0)) return 0;
    for (int i = k + 1; i < N; ++i) {
      const double f = A[i][k] / A[k][k];
      for (int j = k + 1; j < N; ++j) A[i][j] -= f * A[k][j];
    }
  }
  return least / most;
}

/// Null space of the leading n x n part of A by complete pivoting: up to `most` columns, at least
/// one. Pivots below `tolerance` times the first are zero.
template <int N, int M>
int null_space(Dense<N, N>& A, int n, double tolerance, Dense<N, M>& null) {
  int column[N], rank = n;
  for (int j = 0; j < n; ++j) column[j] = j;
  double first = 0;
  for (int k = 0; k < n; ++k) {
    int pr = k, pc = k;
    double size = 0;
    for (int i = k; i < n; ++i)
      for (int j = k; j < n; ++j)
        if (std::abs(A[i][j]) > size) size = std::abs(A[i][j]), pr = i, pc = j;
    if (k == 0) first = size;
    if (k >= n - M && size <= tolerance * first) {
      rank = k;
      break;
    }
    if (k == n - 1) {
      rank = n - 1;
      break;
    }
    for (int j = 0; j < n; ++j) std::swap(A[k][j], A[pr][j]);
    for (int i = 0; i < n; ++i) std::swap(A[i][k], A[i][pc]);
    std::swap(column[k], column[pc]);
    const double inverse = 1 / A[k][k];
    for (int i = k + 1; i < n; ++i) {
      const double f = A[i][k] * inverse;
      for (int j = k; j < n; ++j) A[i][j] -= f * A[k][j];
    }
  }
  for (int c = 0; c < n - rank; ++c) {
    double x[N] = {};
    x[rank + c] = 1;
    for (int i = rank - 1; i >= 0; --i) {
      double sum = A[i][rank + c];
      for (int j = i + 1; j < rank; ++j) sum += A[i][j] * x[j];
      x[i] = -sum / A[i][i];
    }
    for (int i = 0; i < n; ++i) null[column[i]][c] = x[i];
  }
  return n - rank;
}

/// Eigenvalues of the leading n x n part of A, which is destroyed. Rows are `stride` apart.
bool eigenvalues(double* A, int stride, int n, double* re, double* im);
template <int N>
bool eigenvalues(Dense<N, N>& A, int n, double* re, double* im) {
  return eigenvalues(A[0], N, n, re, im);
}

}  // namespace torsor::ik
