#pragma once
/// Complete orthogonal decomposition of a dense matrix of any rank, in a workspace of its own.
///
///   A P = Q [R11 R12; 0 0],   [R11 R12] = [T 0] Z^T      rank r: |R_kk| > tolerance |R_00|
///
/// Column-pivoted Householder, then Householder from the right. Least squares solutions of least
/// Euclidean norm follow for A and for its transpose, a basis of the null space too.
///
/// Cost     O(rows cols r); no allocation after construction.
/// Source   Golub & Van Loan 2013, sec. 5.4 and 5.5.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

class OrthogonalDecomposition {
 public:
  static constexpr double default_tolerance = 1e-10;

  OrthogonalDecomposition() = default;
  /// For matrices of up to that size.
  OrthogonalDecomposition(int max_rows, int max_cols);

  void factorise(InMatrix<double> A, double tolerance = default_tolerance);

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int rank() const { return rank_; }
  /// |R_kk|, descending; those from rank() on are what rounding left.
  double pivot(int k) const { return diagonal_[k]; }
  /// The smallest kept pivot over the largest: 0 for rank 0.
  double pivot_ratio() const;

  /// x = A^+ b: of all minimisers of |A x - b| the shortest. Returns |A x - b|.
  double solve(In<double> b, Out<double> x);
  /// y = (A^T)^+ c. Returns |A^T y - c|.
  double solve_transposed(In<double> c, Out<double> y);
  /// x = (A^T A)^+ c. Returns |c less its part in the range of A^T|.
  double solve_gram(In<double> c, Out<double> x);
  /// x = A^+ A c: the part of c in the range of A^T.
  void project_on_rows(In<double> c, Out<double> x);
  /// Column k = 0 ... cols - rank - 1 of an orthonormal basis of the null space of A.
  void null_vector(int k, Out<double> x);

 private:
  double& at(int r, int c) { return a_[c * rows_ + r]; }
  double at(int r, int c) const { return a_[c * rows_ + r]; }
  void triangularise(double tolerance);
  void clear_right_part();
  void reflect_by_q(int k, double* x) const;
  void reflect_by_z(int k, double* x) const;
  void apply_q_transposed(double* x) const;
  void apply_q(double* x) const;
  void apply_z_transposed(double* x) const;
  void apply_z(double* x) const;
  /// z <- Z^T P^T c; returns the length of what lies outside of the range of A^T.
  double to_range(In<double> c, double* z) const;
  void from_range(double* z, Out<double> x) const;  ///< x = P Z z

  int rows_ = 0, cols_ = 0, rank_ = 0;
  Array<double> a_, beta_, gamma_, diagonal_, work_, other_;
  Array<int> column_;  // A's column that stands at k
};

}  // namespace torsor
