#include "torsor/identification/consistency.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "consistency_newton.hpp"
#include "factor_algebra.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace {

/// Least squared residual of a factor whose columns may depend on each other: rows of columns that
/// add nothing are turned into the rows below.
double least_squared_residual(Matrix R) {
  const int N = R.cols() - 1;
  Array<double> row(N + 1);
  for (int k = 0; k < N; ++k) {
    if (std::abs(R(k, k)) > 1e-10 * column_length(R, k)) continue;
    for (int c = 0; c <= N; ++c) row[c] = c > k ? R(k, c) : 0;
    for (int c = k; c <= N; ++c) R(k, c) = 0;
    for (int j = k + 1; j <= N; ++j) {
      if (row[j] == 0) continue;
      const double length = std::hypot(R(j, j), row[j]), c = R(j, j) / length, s = row[j] / length;
      for (int i = j; i <= N; ++i) {
        const double upper = R(j, i);
        R(j, i) = c * upper + s * row[i];
        row[i] = c * row[i] - s * upper;
      }
    }
  }
  return R(N, N) * R(N, N);
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

void certify(ConsistentEstimate& e, ConsistencyNewton& newton, const ConsistencyProblem& problem) {
  e.newton_steps = newton.steps;
  e.decrement = newton.decrement;
  e.converged = newton.converged();
  e.gap = e.gamma * (problem.n_bounds + newton.decrement);
  e.gradient = newton.relative_gradient(e.gamma);
  e.squared_residual = squared_residual(problem.R, e.x);
  e.least_squared_residual = least_squared_residual(problem.R);
  std::string border;
  for (const ConsistentBody& body : problem.bodies) {
    std::array<double, 10> p;
    for (std::size_t k = 0; k < 10; ++k) p[k] = e.x[body.columns[k]];
    const Matrix4 P = pseudo_inertia_matrix(p.data());
    Matrix4 L;
    (void)cholesky4(pseudo_inertia_matrix(body.prior.data()), L);
    e.bodies.push_back(body.name);
    e.smallest_eigenvalue.push_back(eigenvalues4(P)[0]);
    e.margin.push_back(eigenvalues4(congruent(L, P))[0]);
    e.mass += p[0];
    if (e.margin[e.margin.size() - 1] < 1e-3) border += (border.empty() ? "" : ", ") + body.name;
  }
  const double excess = e.squared_residual - e.least_squared_residual;
  if (!border.empty())
    e.notes.push_back(
        "the data asks for links that cannot exist; at the border of those that can: " + border +
        "; the squared residual is " +
        number(100 * excess / std::max(e.least_squared_residual, 1e-300)) + " % above the least");
  if (!e.converged) e.notes.emplace_back("Newton's method did not converge");
}

}  // namespace

std::array<double, 16> pseudo_inertia(In<double> p) {
  if (p.size != 10)
    throw Error("pseudo-inertia: ten parameters are needed, " + std::to_string(p.size) +
                " were given");
  const Matrix4 P = pseudo_inertia_matrix(p.data);
  std::array<double, 16> all{};
  for (std::size_t k = 0; k < 16; ++k) all[k] = P[k / 4][k % 4];
  return all;
}

ConsistentEstimate consistent_estimate(const RowFactor& factor,
                                       const std::vector<std::string>& names, In<double> prior,
                                       const ConsistencyOptions& options) {
  ConsistentEstimate e;
  const ConsistencyProblem problem = consistency_problem(factor, names, prior, options, e.notes);
  ConsistencyNewton newton(problem);
  newton.solve(options.gamma);
  e.gamma = options.gamma;
  e.x = newton.x;
  certify(e, newton, problem);
  return e;
}

GammaChoice choose_gamma(const CompressedLog& log, In<double> weights, In<double> prior,
                         const ConsistencyOptions& options, int folds, bool by_log) {
  GammaChoice choice;
  for (int k = 12; k >= -8; --k) choice.gammas.push_back(std::pow(10.0, 0.5 * k));
  Array<int> fold(log.n_blocks());
  if (by_log) {
    folds = 0;
    for (int b = 0; b < fold.size(); ++b)
      folds = std::max(folds, fold[b] = log.log_of_block[b] + 1);
    for (int& f : fold) --f;
  } else {
    folds = std::min(folds, log.n_blocks());
    for (int b = 0; b < fold.size(); ++b) fold[b] = b * folds / log.n_blocks();
  }
  if (folds < 2)
    throw Error("cross-validation needs at least two " + std::string(by_log ? "logs" : "blocks"));
  const int n = choice.gammas.size();
  Matrix errors(folds, n);
  Array<double> torques(folds, 0.0);
  for (int f = 0; f < folds; ++f) {
    Array<int> train(fold.size()), test(fold.size());
    for (int b = 0; b < fold.size(); ++b) test[b] = fold[b] == f, train[b] = fold[b] != f;
    const RowFactor left_out = stacked(log, weights, test);
    std::vector<std::string> notes;
    const ConsistencyProblem problem =
        consistency_problem(stacked(log, weights, train), log.names, prior, options, notes);
    ConsistencyNewton newton(problem);
    torques[f] = std::pow(column_length(left_out.R(), log.n_unknowns()), 2);
    for (int k = 0; k < n; ++k) {
      newton.solve(choice.gammas[k]);
      errors(f, k) = squared_residual(left_out.R(), newton.x);
    }
  }
  int best = 0;
  double all = 0;
  for (const double t : torques) all += t;
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int f = 0; f < folds; ++f) sum += errors(f, k);
    choice.errors.push_back(100 * std::sqrt(sum / all));
    if (choice.errors[k] < choice.errors[best]) best = k;
  }
  // One standard error of the difference from the best, fold by fold.
  int pick = best;
  for (int k = 0; k < best; ++k) {
    double mean = 0, square = 0;
    for (int f = 0; f < folds; ++f) mean += (errors(f, k) - errors(f, best)) / folds;
    for (int f = 0; f < folds; ++f)
      square += std::pow(errors(f, k) - errors(f, best) - mean, 2) / (folds - 1);
    if (mean <= std::sqrt(square / folds) || choice.errors[k] <= 1.01 * choice.errors[best]) {
      pick = k;
      break;
    }
  }
  choice.gamma = choice.gammas[pick];
  return choice;
}

}  // namespace torsor
