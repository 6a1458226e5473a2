#pragma once
/// What an estimator says about the unknowns of a log, and how far a model is from the torques
/// measured.
///
///   W x = tau + e                  x: N unknowns; data may determine combinations only
///   W x = W_kept b,  b = regrouping x
///
/// Columns that depend on columns before them are not determined: x is zero there, sigma infinite,
/// and what they contribute stands in the kept ones (base.formula says how).
#include <string>
#include <vector>

#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/compressed_log.hpp"

namespace torsor {

/// 100 |tau - W x| / |tau| over the rows concerned.
struct Residual {
  double all = 0;          ///< per cent
  Array<double> joints{};  ///< per cent
};

struct Estimate {
  std::string method;     ///< one line: which estimator, how many iterations
  BaseParameters base{};  ///< names of the unknowns; which of them the data determines
  Array<double> x{};      ///< N
  Array<double> sigma{};  ///< N, classical standard deviations
  Matrix covariance{};    ///< of the kept unknowns, classical
  Array<double> noise{};  ///< standard deviation of the residual, joint by joint (N m or N)
  double condition = 0;   ///< of the kept columns, each scaled to length one
  long long rows = 0;
  Residual residual{};
  std::vector<std::string> notes{};  ///< what was refused, moved or replaced

  bool determined(int k) const {
    return base.roles[k] == ParameterRole::alone || base.roles[k] == ParameterRole::kept;
  }
  /// 100 sigma / |x| of unknown k; infinite where it is not determined.
  double relative_sigma(int k) const;
  /// Names of the unknowns that are not determined.
  std::vector<std::string> undetermined() const;
};

/// Of the model W x on a log; `times` says how often each block counts (empty: once).
/// Throws Error for another number of unknowns.
Residual residual(const CompressedLog& log, In<double> x, In<int> times = {});

}  // namespace torsor
