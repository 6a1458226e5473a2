#include "torsor/linear/svd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>

namespace torsor {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}
void rotate(double* a, double* b, int n, double c, double s) {
  for (int k = 0; k < n; ++k) {
    const double x = a[k], y = b[k];
    a[k] = c * x - s * y;
    b[k] = s * x + c * y;
  }
}

/// Turns the columns of W (rows x cols) until they are orthogonal, and those of V (cols x cols,
/// leading dimension ld) with them where there is one. `squares` has room for cols numbers. Sizes of
/// Jacobians are known to the compiler, 0 stands for any other.
template <int Rows = 0, int Cols = 0>
void orthogonalise(double* W, int n_rows, int n_cols, double* V, int ld, double* squares) {
  const int rows = Rows ? Rows : n_rows, cols = Cols ? Cols : n_cols;
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool turned = false;
    for (int k = 0; k < cols; ++k) squares[k] = dot(W + k * rows, W + k * rows, rows);
    for (int p = 0; p < cols; ++p)
      for (int q = p + 1; q < cols; ++q) {
        double* const a = W + p * rows;
        double* const b = W + q * rows;
        const double aa = squares[p], bb = squares[q], ab = dot(a, b, rows);
        if (std::abs(ab) <= 4 * eps * std::sqrt(aa * bb)) continue;
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);  // may be infinite: nothing is turned then
        const double t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        rotate(a, b, rows, c, s);
        if (V) rotate(V + p * ld, V + q * ld, cols, c, s);
        squares[p] = std::max(0.0, aa - t * ab);  // to rounding, until the next sweep
        squares[q] = bb + t * ab;
      }
    if (!turned) return;
  }
}
void orthogonalise_any(double* W, int rows, int cols, double* V, int ld, double* squares) {
  if (rows == 6 && cols == 6)
    orthogonalise<6, 6>(W, rows, cols, V, ld, squares);
  else if (rows == 7 && cols == 6)
    orthogonalise<7, 6>(W, rows, cols, V, ld, squares);
  else
    orthogonalise(W, rows, cols, V, ld, squares);
}

/// Column k of U (rows x k, orthonormal so far) becomes the unit vector farthest from the others.
void complete(double* U, int rows, int k) {
  double* const u = U + k * rows;
  double best = -1;
  int axis = 0;
  for (int e = 0; e < rows; ++e) {
    double left = 1;
    for (int j = 0; j < k; ++j) left -= U[j * rows + e] * U[j * rows + e];
    if (left > best) best = left, axis = e;
  }
  std::fill(u, u + rows, 0.0);
  u[axis] = 1;
  for (int pass = 0; pass < 2; ++pass)
    for (int j = 0; j < k; ++j) {
      const double along = dot(U + j * rows, u, rows);
      for (int r = 0; r < rows; ++r) u[r] -= along * U[j * rows + r];
    }
  const double length = std::sqrt(dot(u, u, rows));
  for (int r = 0; r < rows; ++r) u[r] /= length;
}

}  // namespace

Svd::Svd(int max_rows, int max_cols)
    : max_rows_(max_rows),
      max_cols_(max_cols),
      sigma_(std::min(max_rows, max_cols)),
      left_(max_rows * sigma_.size()),
      right_(max_cols * sigma_.size()) {}

int Svd::rank(double tolerance) const {
  int rank = 0;
  while (rank < size_ && sigma(rank) > tolerance * largest()) ++rank;
  return rank;
}

/// The vectors of the longer side one after the other, W; returns their length.
int Svd::place(InMatrix<double> A, double* W) const {
  const bool wide = A.cols >= A.rows;
  const int n = wide ? A.rows : A.cols, length = wide ? A.cols : A.rows;
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < length; ++r) W[k * length + r] = wide ? A(k, r) : A(r, k);
  return length;
}

void Svd::find_sigma(InMatrix<double> A) {
  assert(A.rows <= max_rows_ && A.cols <= max_cols_);
  double* const W = A.cols >= A.rows ? right_.data() : left_.data();
  const int length = place(A, W);
  size_ = std::min(A.rows, A.cols);
  orthogonalise_any(W, length, size_, nullptr, 0, sigma_.data());
  for (int k = 0; k < size_; ++k)
    sigma_[k] = std::sqrt(dot(W + k * length, W + k * length, length));
  std::sort(sigma_.begin(), sigma_.begin() + size_, std::greater<>());
}

void Svd::factorise(InMatrix<double> A) {
  assert(A.rows <= max_rows_ && A.cols <= max_cols_);
  // The longer side is turned; the shorter one collects the rotations.
  const bool wide = A.cols >= A.rows;
  double* const W = wide ? right_.data() : left_.data();
  double* const V = wide ? left_.data() : right_.data();
  const int W_step = wide ? max_cols_ : max_rows_, V_step = wide ? max_rows_ : max_cols_;
  const int n = std::min(A.rows, A.cols), length = place(A, W);
  size_ = n;
  for (int k = 0; k < n; ++k)
    for (int r = 0; r < n; ++r) V[k * V_step + r] = r == k ? 1 : 0;
  orthogonalise_any(W, length, n, V, V_step, sigma_.data());
  for (int k = 0; k < n; ++k) sigma_[k] = std::sqrt(dot(W + k * length, W + k * length, length));
  for (int k = 0; k < n; ++k) {  // descending
    int from = k;
    for (int j = k + 1; j < n; ++j)
      if (sigma_[j] > sigma_[from]) from = j;
    if (from == k) continue;
    std::swap(sigma_[from], sigma_[k]);
    std::swap_ranges(W + k * length, W + (k + 1) * length, W + from * length);
    std::swap_ranges(V + k * V_step, V + k * V_step + n, V + from * V_step);
  }
  for (int k = 0; k < n; ++k) {
    if (sigma_[k] <= length * eps * sigma_[0]) {
      complete(W, length, k);
    } else {
      for (int r = 0; r < length; ++r) W[k * length + r] /= sigma_[k];
    }
  }
  for (int k = n - 1; k > 0; --k)  // to the leading dimension that left() and right() read
    std::copy_backward(W + k * length, W + (k + 1) * length, W + k * W_step + length);
}

}  // namespace torsor
