#pragma once
/// Random matrices of the tests of decompositions, and how far rounding may take a solution.
#include <Eigen/Dense>

#include "support/typed_scalars.hpp"

namespace torsor::testing {

inline constexpr double eps_double = eps<double>;

inline Eigen::MatrixXd random_matrix(Draw<double>& draw, int rows, int cols) {
  Eigen::MatrixXd A(rows, cols);
  for (auto& x : A.reshaped()) x = draw();
  return A;
}
/// Of that rank.
inline Eigen::MatrixXd random_matrix(Draw<double>& draw, int rows, int cols, int rank) {
  return random_matrix(draw, rows, rank) * random_matrix(draw, rank, cols);
}
inline Eigen::MatrixXd random_positive(Draw<double>& draw, int n, double margin = 0.1) {
  const Eigen::MatrixXd L = random_matrix(draw, n, n);
  return L * L.transpose() + margin * Eigen::MatrixXd::Identity(n, n);
}
inline double condition(const Eigen::MatrixXd& A) {
  if (A.size() == 0) return 1;
  const Eigen::VectorXd s = A.jacobiSvd().singularValues();
  return s[0] / s[s.size() - 1];
}

}  // namespace torsor::testing
