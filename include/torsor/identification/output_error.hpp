#pragma once
/// Parameters that torques are not linear in (Stribeck velocity, width of a sign, delay): output
/// error.
///
///   min |r(p)|^2,   (J^T J + l diag(J^T J)) dp = -J^T r         Levenberg and Marquardt
///
/// r may be the difference of measured and simulated outputs, or what linear least squares leave
/// for given p (variable projection): the linear unknowns then follow from p and need no
/// derivative here.
///
/// Cost     An evaluation for each column of the Jacobian where it is taken by differences.
/// Source   Levenberg 1944; Marquardt 1963; Golub & Pereyra 1973.
#include <functional>
#include <string>
#include <vector>

#include "torsor/linear/matrix.hpp"

namespace torsor {

struct OutputErrorProblem {
  std::vector<std::string> names{};
  Array<double> start{};
  Array<double> low{}, high{};  ///< bounds; empty: none
  /// r(p), always of the same size; false where p cannot be evaluated.
  std::function<bool(In<double> p, Array<double>& r)> residual{};
  /// dr/dp, rows of r; empty: by differences.
  std::function<bool(In<double> p, Matrix& J)> jacobian{};
};

struct OutputErrorOptions {
  int iterations = 100;
  double tolerance = 1e-9;  ///< relative, of |r|^2 and of p
};

struct OutputErrorEstimate {
  Array<double> p{}, sigma{};  ///< sigma classical; infinite where r does not depend on p
  double squared_residual = 0;
  bool converged = false;
  int iterations = 0;
  std::vector<std::string> notes{};
};

/// Throws Error for sizes that do not fit and a start that cannot be evaluated or is out of bounds.
OutputErrorEstimate output_error(const OutputErrorProblem& problem,
                                 const OutputErrorOptions& options = {});

}  // namespace torsor
