#pragma once
/// Algebra on the factors of compressed logs that the estimators share.
#include "torsor/identification/estimate.hpp"

namespace torsor::internal {

/// Columns as they stand, but the ten of a link as base parameters keep them.
Array<int> usual_order(const std::vector<std::string>& names);
/// base_parameters_of; an empty order: the usual one.
BaseParameters determined_columns(const Matrix& R, const std::vector<std::string>& names,
                                  In<int> order = {}, double tolerance = 1e-8);

/// All blocks of each joint together.
Array<RowFactor> joint_factors(const CompressedLog& log, In<int> times = {});
/// Joints together, each with its weight (empty: one).
RowFactor weighted_sum(const Array<RowFactor>& joints, In<double> weights = {});

/// The triangular factor of these columns of R, in this order.
Matrix selected(const Matrix& R, In<int> columns);
/// Columns `kept`, then the last of a factor with `last` + 1 columns.
Array<int> with_last(const Array<int>& kept, int last);

/// The first n x n of R, upper triangular: x <- R^-1 x and x <- R^-T x.
void solve_upper(const Matrix& R, int n, Out<double> x);
void solve_upper_transposed(const Matrix& R, int n, Out<double> x);
/// (R^T R)^-1 of the first n x n.
Matrix gram_inverse(const Matrix& R, int n);
/// x with least |R (x, -1)|, n unknowns; the residual's square is R(n, n)^2.
Array<double> solution(const Matrix& R, int n);
/// |R (x, -1)|^2.
double squared_residual(const Matrix& R, In<double> x);
/// Of the columns scaled to length one.
double scaled_condition(const Matrix& R, int n);
double column_length(const Matrix& R, int c);

/// Values, deviations and roles of kept unknowns into those of all.
void spread(Estimate& estimate, In<double> kept_values, const Matrix& kept_covariance);

/// Throws Error where a log has no rows, or numbers that are not finite.
void check_log(const CompressedLog& log);

}  // namespace torsor::internal
