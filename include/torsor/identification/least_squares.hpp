#pragma once
/// Least squares on compressed logs: ordinary, weighted by joint, with a prior, total.
///
///   ordinary     min |W x - tau|^2                                    R x = r, by the factor R
///   by joint     min sum_j |W_j x - tau_j|^2 / s_j^2,  s_j^2 = |W_j x - tau_j|^2 / (rows_j - h_j)
///   prior        + sum_k (x_k - x0_k)^2 / w_k^2                       all unknowns determined
///   total        min |[dW d, dtau]|,  (W + dW) x = tau + dtau         d: columns of length one
///
/// h_j is the joint's share of the unknowns, the trace of its part of the hat matrix, so that s_j
/// is free of bias; weights and s_j are iterated until they agree. Total least squares are the
/// right singular vector of the least singular value of [W d | tau].
///
/// sigma    Classical: of white noise, equal within a joint. On measured logs it is too small
///          (uncertainty.hpp).
/// Cost     O(N^3) beside adding up the factors; allocates.
/// Source   Khalil & Dombre 2002, ch. 12; Gautier 1997; Golub & Van Loan 2013, sec. 6.3 (total).
#include <functional>

#include "torsor/identification/estimate.hpp"

namespace torsor {

struct LeastSquaresOptions {
  bool weighted = true;     ///< by joint; false: rows as they are
  Array<int> order{};       ///< in which columns are kept (base_parameters_of)
  double tolerance = 1e-8;  ///< what is left of a column that is not determined
  Array<double> prior{};    ///< N; empty: none
  Array<double> width{};    ///< N, standard deviations of the prior, in the units of the unknowns
  Array<double> weights{};  ///< by joint, fixed; empty: iterated
};

Estimate least_squares(const CompressedLog& log, const LeastSquaresOptions& options = {});

/// Without a prior. Weighted: by the weights of least_squares.
Estimate total_least_squares(const CompressedLog& log, const LeastSquaresOptions& options = {});

enum class RobustLoss : unsigned char {
  huber,  ///< |u| <= 1.345: 1, else 1.345 / |u|
  tukey   ///< |u| <= 4.685: (1 - (u / 4.685)^2)^2, else 0
};

/// Reads all rows of a log again and hands each to its argument: joint, the row with tau last.
using RowSource = std::function<void(const std::function<void(int joint, In<double> row)>&)>;

/// Iteratively reweighted: rows whose residual is large against the joint's spread (1.4826 times
/// the median of its |residual|) count less. Reads the rows once for every iteration and keeps
/// none of them.
Estimate robust_least_squares(const std::vector<std::string>& names,
                              const std::vector<std::string>& joints, const RowSource& rows,
                              RobustLoss loss = RobustLoss::huber,
                              const LeastSquaresOptions& options = {});
/// From factors alone no row can be told from its neighbours: whole blocks count less, a joint at
/// a time, where their residual is large against that of the joint's other blocks. For stretches
/// that went wrong, not for single rows.
Estimate robust_least_squares(const CompressedLog& log, RobustLoss loss = RobustLoss::tukey,
                              const LeastSquaresOptions& options = {});

}  // namespace torsor
