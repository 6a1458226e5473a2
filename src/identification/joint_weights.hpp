#pragma once
/// One fit of the least squares family, step by step: what the public estimators are put together
/// from.
#include "torsor/identification/least_squares.hpp"

namespace torsor::internal {

struct JointFit {
  Array<RowFactor> joints;  ///< all columns, one factor for each joint
  LeastSquaresOptions options;
  Estimate estimate{};
  Array<int> columns{};  ///< kept, then tau
  Array<Matrix> kept{};  ///< factors of these columns
  Matrix R{};            ///< of all joints, weighted
  Array<double> b{};     ///< values of the kept
  Array<double> final_weights{};

  JointFit(Array<RowFactor> factors, const std::vector<std::string>& names,
           const std::vector<std::string>& joint_names, const LeastSquaresOptions& from);
  void solve(In<double> weights);
  /// Noise of each joint at b.
  void measure(In<double> weights);
  /// Until weights and noise agree; returns the rounds.
  int iterate();
  /// Values, covariance, condition, residual.
  void finish();

 private:
  double spread_ = 1;  // of the weighted residual
};

Residual residual_of(const Array<RowFactor>& joints, In<double> x);

}  // namespace torsor::internal
