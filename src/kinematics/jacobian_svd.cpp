#include "torsor/kinematics/jacobian_svd.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
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
/// leading dimension ld) with them.
void orthogonalise(double* W, int rows, int cols, double* V, int ld) {
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool turned = false;
    for (int p = 0; p < cols; ++p)
      for (int q = p + 1; q < cols; ++q) {
        double* const a = W + p * rows;
        double* const b = W + q * rows;
        const double aa = dot(a, a, rows), bb = dot(b, b, rows), ab = dot(a, b, rows);
        if (std::abs(ab) <= 4 * eps * std::sqrt(aa * bb)) continue;
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = std::copysign(1 / (std::abs(zeta) + std::hypot(1, zeta)), zeta);
        const double c = 1 / std::hypot(1, t), s = c * t;
        rotate(a, b, rows, c, s);
        rotate(V + p * ld, V + q * ld, cols, c, s);
      }
    if (!turned) return;
  }
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

JacobianSvd::JacobianSvd(int columns)
    : columns_(std::max(columns, max_rows)),
      left_(max_rows * max_rows),
      right_(static_cast<std::size_t>(columns_ * max_rows)) {}

int JacobianSvd::rank(double tolerance) const {
  int rank = 0;
  while (rank < size_ && sigma(rank) > tolerance * largest()) ++rank;
  return rank;
}

void jacobian_svd(MatrixView<const double> J, JacobianSvd& svd) {
  assert(J.rows <= JacobianSvd::max_rows && J.cols <= svd.columns_);
  // The longer side is turned; the shorter one collects the rotations.
  const bool wide = J.cols >= J.rows;
  const int n = wide ? J.rows : J.cols, length = wide ? J.cols : J.rows;
  double* const W = wide ? svd.right_.data() : svd.left_.data();
  double* const V = wide ? svd.left_.data() : svd.right_.data();
  const int W_step = wide ? svd.columns_ : JacobianSvd::max_rows;
  const int V_step = wide ? JacobianSvd::max_rows : svd.columns_;
  svd.size_ = n;
  for (int k = 0; k < n; ++k) {
    for (int r = 0; r < length; ++r) W[k * length + r] = wide ? J(k, r) : J(r, k);
    for (int r = 0; r < n; ++r) V[k * V_step + r] = r == k ? 1 : 0;
  }
  orthogonalise(W, length, n, V, V_step);
  for (int k = 0; k < n; ++k)
    svd.sigma_[static_cast<std::size_t>(k)] =
        std::sqrt(dot(W + k * length, W + k * length, length));
  for (int k = 0; k < n; ++k) {  // descending
    const auto first = svd.sigma_.begin();
    const auto from = static_cast<int>(std::max_element(first + k, first + n) - first);
    if (from == k) continue;
    std::swap(svd.sigma_[static_cast<std::size_t>(from)], svd.sigma_[static_cast<std::size_t>(k)]);
    std::swap_ranges(W + k * length, W + (k + 1) * length, W + from * length);
    std::swap_ranges(V + k * V_step, V + k * V_step + n, V + from * V_step);
  }
  for (int k = 0; k < n; ++k) {
    const double sigma = svd.sigma(k);
    if (sigma <= length * eps * svd.sigma(0)) {
      complete(W, length, k);
    } else {
      for (int r = 0; r < length; ++r) W[k * length + r] /= sigma;
    }
  }
  for (int k = n - 1; k > 0; --k)  // to the leading dimension that left() and right() read
    std::copy_backward(W + k * length, W + (k + 1) * length, W + k * W_step + length);
}

}  // namespace torsor
