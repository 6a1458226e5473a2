#pragma once
/// Singular value decomposition of a Jacobian, in a workspace of its own.
///
///   J = U diag(sigma) V^T      sigma descending; U: directions of the task, V: of the joints
///
/// One-sided Jacobi: the vectors of the longer side are turned in pairs until they are orthogonal.
/// Small singular values keep their relative accuracy, which is what a question about singularity
/// needs, and a call allocates nothing, which a control loop needs.
///
/// Cost     About 6 sweeps of 15 rotations of length n, for 6 x n.
/// Source   Hestenes 1958; Demmel & Veselic 1992.
#include <array>
#include <vector>

#include "torsor/math/view.hpp"

namespace torsor {

/// Of a matrix of up to six rows, and of as many columns as this was made for.
class JacobianSvd {
 public:
  explicit JacobianSvd(int columns);

  int size() const { return size_; }  ///< min(rows, columns) of the last matrix
  double sigma(int k) const { return sigma_[static_cast<std::size_t>(k)]; }  ///< descending
  double smallest() const { return size_ > 0 ? sigma(size_ - 1) : 0; }
  double largest() const { return size_ > 0 ? sigma(0) : 0; }
  /// Component r of the k-th direction of the task, and component c of the k-th one of the joints.
  /// Unit vectors, also where sigma is zero.
  double left(int r, int k) const { return left_[at(r, k, max_rows)]; }
  double right(int c, int k) const { return right_[at(c, k, columns_)]; }
  /// The number of sigma above `tolerance` times the largest.
  int rank(double tolerance = 1e-10) const;

 private:
  friend void jacobian_svd(MatrixView<const double> J, JacobianSvd& svd);
  static constexpr int max_rows = 6;
  static std::size_t at(int r, int k, int rows) { return static_cast<std::size_t>(k * rows + r); }

  int columns_, size_ = 0;
  std::array<double, 6> sigma_{};
  std::vector<double> left_, right_;  // 6 x 6, columns_ x 6
};
void jacobian_svd(MatrixView<const double> J, JacobianSvd& svd);

}  // namespace torsor
