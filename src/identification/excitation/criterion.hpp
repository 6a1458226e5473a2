#pragma once
/// Criteria of excitation as functions of G = W^T W, with dF/dG.
///
///   C_ij = G_ij / sqrt(G_ii G_jj)
///   spread     1/(2 s) [log tr C^s + log tr C^-s]: log of the condition number for large s; s = 2, 4, 8, ...
///   d_optimal  -1/p log det G; with a small weight beside the spread, which does not know how large a
///              motion is
///   dF/dG_ij = B_ij / sqrt(G_ii G_jj) - delta_ij (B C)_ii / G_ii,    B = dF/dC
///
/// Cost     2 log2(s) products of p x p matrices and as many of the inverse.
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

class InformationCriterion {
 public:
  /// `information`: the weight of d_optimal beside the spread.
  InformationCriterion(int unknowns, double information);

  /// F and dF/dG. s: 0 stands for d_optimal alone. Infinite where G is not positive definite.
  double operator()(const Matrix& G, int s, Matrix& dG);
  /// The condition number is not above it, of the last G; infinite for s = 0.
  double bound() const { return bound_; }

 private:
  /// log tr X^s, and X^(s - 1) / tr X^s.
  double log_trace(const Matrix& X, int s, Matrix& slope);

  double information_, bound_ = 0;
  Cholesky factors_;
  Array<double> column_;
  Matrix C_, inverse_, B_, slope_, power_, next_;
};

/// sqrt(lambda_max(C) / lambda_min(C)) and log det G; infinite where G is singular.
struct InformationFigures {
  double condition, log_det;
};
InformationFigures information_figures(const Matrix& G);

/// G = W^T W.
void gram(const Matrix& W, Matrix& G);
/// A += W S times the factor, S symmetric.
void add_product(const Matrix& W, const Matrix& S, double factor, Matrix& A);

}  // namespace torsor::internal
