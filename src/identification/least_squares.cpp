#include "torsor/identification/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "factor_algebra.hpp"
#include "joint_weights.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace internal {

JointFit::JointFit(Array<RowFactor> factors, const std::vector<std::string>& names,
                   const std::vector<std::string>& joint_names, const LeastSquaresOptions& from)
    : joints(std::move(factors)), options(from) {
  const int N = static_cast<int>(names.size());
  const bool prior = !options.prior.empty();
  if (prior && (options.prior.size() != N || options.width.size() != N))
    throw Error("least squares: prior and width have " + std::to_string(options.prior.size()) +
                " and " + std::to_string(options.width.size()) + " numbers for " +
                std::to_string(N) + " unknowns");
  if (!options.weights.empty() && options.weights.size() != joints.size())
    throw Error("least squares: " + std::to_string(options.weights.size()) + " weights for " +
                std::to_string(joints.size()) + " joints");
  // Length one each, so that no joint's columns are lost beside another's.
  Array<double> unit;
  for (const RowFactor& joint : joints) {
    double square = 0;
    for (int k = 0; k <= N; ++k) square += std::pow(column_length(joint.R(), k), 2);
    unit.push_back(square > 0 ? 1 / std::sqrt(square) : 1);
  }
  estimate.base = determined_columns(weighted_sum(joints, unit).R(), names, options.order,
                                     prior ? 0 : options.tolerance);
  if (prior) {  // which decides where the data does not
    estimate.base.kept.resize(N);
    for (int k = 0; k < N; ++k) {
      if (!(options.width[k] > 0) || !std::isfinite(options.prior[k]))
        throw Error("least squares: prior of " + names[static_cast<std::size_t>(k)] +
                    ": its width must be positive");
      estimate.base.kept[k] = k;
    }
    estimate.base.regrouping = Matrix::identity(N);
    estimate.base.roles.assign(N, ParameterRole::alone);
  }
  if (estimate.base.size() == 0)
    throw Error("least squares: no unknown moves any torque of the log");
  columns = with_last(estimate.base.kept, N);
  for (int j = 0; j < joints.size(); ++j) {
    kept.push_back(selected(joints[j].R(), columns));
    estimate.rows += joints[j].rows();
    if (joints[j].rows() == 0)
      estimate.notes.push_back("joint " + joint_names[static_cast<std::size_t>(j)] +
                               " has no rows");
  }
  if (!prior && estimate.rows < estimate.base.size())
    throw Error("least squares: " + std::to_string(estimate.rows) + " rows for " +
                std::to_string(estimate.base.size()) + " unknowns");
}

void JointFit::solve(In<double> weights) {
  const int n = estimate.base.size();
  RowFactor all(n + 1);
  for (int j = 0; j < kept.size(); ++j)
    if (joints[j].rows() > 0) {
      Matrix rows = kept[j];
      for (int r = 0; r <= n; ++r)
        for (int c = 0; c <= n; ++c) rows(r, c) = c < r ? 0 : rows(r, c) * weights[j];
      all.add(rows);
    }
  if (!options.prior.empty())
    for (int k = 0; k < n; ++k) {
      Array<double> row(n + 1, 0.0);
      row[k] = 1 / options.width[k];
      row[n] = options.prior[k] / options.width[k];
      all.add(row);
    }
  R = all.R();
  b = solution(R, n);
}

void JointFit::measure(In<double> weights) {
  const int n = estimate.base.size();
  double pooled = 0, pooled_rows = 0;
  estimate.noise.assign(kept.size(), 0.0);
  for (int j = 0; j < kept.size(); ++j) {
    // Share of the unknowns: |W_j R^-1|^2, W_j weighted.
    double share = 0;
    Array<double> row(n);
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) row[c] = c < r ? 0 : weights[j] * kept[j](r, c);
      solve_upper_transposed(R, n, row);
      for (const double x : row) share += x * x;
    }
    const double square = squared_residual(kept[j], b);
    const auto rows = static_cast<double>(joints[j].rows());
    const double tau = column_length(kept[j], n);
    const double least = rows > 0 ? 1e-7 * tau / std::sqrt(rows) : 0;  // exact data
    estimate.noise[j] = rows > share ? std::sqrt(square / (rows - share)) : 0;
    estimate.noise[j] = std::max(estimate.noise[j], least);
    if (estimate.noise[j] == 0) estimate.noise[j] = 1;  // a joint without torque, or rows
    pooled += weights[j] * weights[j] * square, pooled_rows += rows;
  }
  const double free_rows = pooled_rows - (options.prior.empty() ? n : 0);
  spread_ = free_rows > 0 ? std::sqrt(pooled / free_rows) : 0;
}

int JointFit::iterate() {
  Array<double> weights = options.weights;
  if (weights.empty()) weights.assign(kept.size(), 1.0);
  solve(weights), measure(weights);
  int rounds = 1;
  if (options.weighted && options.weights.empty())
    for (double change = 1; change > 1e-9 && rounds < 100; ++rounds) {
      change = 0;
      for (int j = 0; j < weights.size(); ++j) {
        const double next = 1 / estimate.noise[j];
        change = std::max(change, std::abs(next - weights[j]) / next);
        weights[j] = next;
      }
      solve(weights), measure(weights);
    }
  final_weights = weights;
  return rounds;
}

void JointFit::finish() {
  const int n = estimate.base.size();
  Matrix covariance = gram_inverse(R, n);
  // Weights 1 / s_j give unit noise; others are scaled by what is left over. A prior's rows are in
  // units of their own.
  const bool unit_noise = options.weighted && options.weights.empty();
  const double scale = unit_noise || !options.prior.empty() ? 1 : spread_ * spread_;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) covariance(r, c) *= scale;
  spread(estimate, b, covariance);
  estimate.condition = scaled_condition(R, n);
  estimate.residual = residual_of(joints, estimate.x);
}

Residual residual_of(const Array<RowFactor>& joints, In<double> x) {
  Residual result;
  double all = 0, all_tau = 0;
  for (const RowFactor& joint : joints) {
    const double square = squared_residual(joint.R(), x), tau = column_length(joint.R(), x.size);
    result.joints.push_back(tau > 0 ? 100 * std::sqrt(square) / tau : 0);
    all += square, all_tau += tau * tau;
  }
  result.all = all_tau > 0 ? 100 * std::sqrt(all / all_tau) : 0;
  return result;
}

}  // namespace internal

Estimate least_squares(const CompressedLog& log, const LeastSquaresOptions& options) {
  check_log(log);
  JointFit fit(joint_factors(log), log.names, log.joints, options);
  const int rounds = fit.iterate();
  fit.finish();
  fit.estimate.method = !options.weighted          ? "ordinary least squares"
                        : !options.weights.empty() ? "least squares with given weights"
                                                   : "least squares weighted by joint, " +
                                                         std::to_string(rounds) + " rounds";
  if (!options.prior.empty()) fit.estimate.method += ", with a prior";
  return std::move(fit.estimate);
}

Estimate total_least_squares(const CompressedLog& log, const LeastSquaresOptions& options) {
  if (!options.prior.empty()) throw Error("total least squares take no prior");
  check_log(log);
  JointFit fit(joint_factors(log), log.names, log.joints, options);
  fit.iterate();
  const int n = fit.estimate.base.size();
  Array<double> length(n + 1);
  Matrix scaled(n + 1, n + 1);
  for (int c = 0; c <= n; ++c) {
    length[c] = column_length(fit.R, c);
    if (length[c] == 0) throw Error("total least squares: the log has no torque");
    for (int r = 0; r <= c; ++r) scaled(r, c) = fit.R(r, c) / length[c];
  }
  Svd svd(n + 1, n + 1);
  svd.factorise(scaled);
  const double last = svd.right(n, n);
  if (std::abs(last) < 1e-8)
    throw Error(
        "total least squares: no solution, the columns alone are nearer to dependent than "
        "the torque is to them");
  for (int k = 0; k < n; ++k) fit.b[k] = -svd.right(k, n) / last * length[n] / length[k];
  fit.measure(fit.final_weights);
  fit.finish();
  fit.estimate.method = "total least squares, columns scaled to length one";
  return std::move(fit.estimate);
}

}  // namespace torsor
