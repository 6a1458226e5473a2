#include "torsor/identification/output_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/linear/cholesky.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

double squared(const Array<double>& r) {
  double sum = 0;
  for (const double v : r) sum += v * v;
  return sum;
}

class Search {
 public:
  Search(const OutputErrorProblem& problem, const OutputErrorOptions& options)
      : problem_(problem), options_(options), n_(problem.start.size()) {
    const bool bounded = !problem.low.empty() || !problem.high.empty();
    if (static_cast<int>(problem.names.size()) != n_ || n_ == 0 || !problem.residual ||
        (bounded && (problem.low.size() != n_ || problem.high.size() != n_)))
      throw Error("output error: " + std::to_string(problem.names.size()) + " names, a start of " +
                  std::to_string(n_) + " and bounds of " + std::to_string(problem.low.size()) +
                  " and " + std::to_string(problem.high.size()));
    for (int k = 0; k < n_ && bounded; ++k)
      if (!(problem.low[k] <= problem.start[k] && problem.start[k] <= problem.high[k]))
        throw Error("output error: " + name(k) + " starts at " + std::to_string(problem.start[k]) +
                    ", out of bounds");
    estimate_.p = problem.start;
    if (!evaluate(estimate_.p, r_)) throw Error("output error: the start cannot be evaluated");
    if (r_.size() < n_)
      throw Error("output error: " + std::to_string(r_.size()) + " residuals for " +
                  std::to_string(n_) + " parameters");
  }

  OutputErrorEstimate run() {
    double damping = 1e-3, error = squared(r_);
    for (; estimate_.iterations < options_.iterations && !estimate_.converged;
         ++estimate_.iterations) {
      derivatives();
      bool better = false;
      while (!better && damping < 1e12) {
        Array<double> next = estimate_.p, r;
        const Array<double> step = solve(damping);
        for (int k = 0; k < n_; ++k) next[k] = clamp(k, next[k] + step[k]);
        const bool valid = evaluate(next, r);
        const double value = valid ? squared(r) : error;
        better = valid && value < error;
        if (better) {
          double moved = 0, size = 0;
          for (int k = 0; k < n_; ++k)
            moved = std::max(moved, std::abs(next[k] - estimate_.p[k])),
            size = std::max(size, std::abs(next[k]));
          estimate_.converged = error - value <= options_.tolerance * error &&
                                moved <= std::sqrt(options_.tolerance) * size;
          estimate_.p = next, r_ = r, error = value;
          damping = std::max(1e-12, 0.2 * damping);
        } else {
          damping *= 4;
        }
      }
      if (!better) estimate_.converged = true;  // no step lowers it
    }
    derivatives();
    estimate_.squared_residual = error;
    deviations(error);
    if (!estimate_.converged)
      estimate_.notes.push_back("not settled after " + std::to_string(estimate_.iterations) +
                                " iterations");
    return estimate_;
  }

 private:
  const std::string& name(int k) const { return problem_.names[static_cast<std::size_t>(k)]; }
  double clamp(int k, double value) const {
    return problem_.low.empty() ? value : std::clamp(value, problem_.low[k], problem_.high[k]);
  }
  bool evaluate(const Array<double>& p, Array<double>& r) const {
    if (!problem_.residual(p, r)) return false;
    for (const double v : r)
      if (!std::isfinite(v)) return false;
    return true;
  }
  void derivatives() {
    const int m = r_.size();
    Matrix J(m, n_);
    if (problem_.jacobian) {
      if (!problem_.jacobian(estimate_.p, J) || J.rows() != m || J.cols() != n_)
        throw Error("output error: no Jacobian of " + std::to_string(m) + " x " +
                    std::to_string(n_));
    } else {
      for (int k = 0; k < n_; ++k) {
        Array<double> up = estimate_.p, down = estimate_.p, r_up, r_down;
        const double h = 1e-5 * std::max(1e-3, std::abs(estimate_.p[k]));
        up[k] = clamp(k, up[k] + h), down[k] = clamp(k, down[k] - h);
        if (!evaluate(up, r_up)) up = estimate_.p, r_up = r_;
        if (!evaluate(down, r_down)) down = estimate_.p, r_down = r_;
        const double span = up[k] - down[k];
        for (int i = 0; span > 0 && i < m; ++i) J(i, k) = (r_up[i] - r_down[i]) / span;
      }
    }
    gram_ = Matrix(n_, n_);
    gradient_.assign(n_, 0.0);
    for (int i = 0; i < m; ++i)
      for (int r = 0; r < n_; ++r) {
        gradient_[r] += J(i, r) * r_[i];
        for (int c = 0; c <= r; ++c) gram_(r, c) += J(i, r) * J(i, c);
      }
  }
  Array<double> solve(double damping) const {
    Matrix A = gram_;
    for (int k = 0; k < n_; ++k) A(k, k) = gram_(k, k) > 0 ? gram_(k, k) * (1 + damping) : 1;
    Cholesky factor(n_);
    Array<double> step(n_, 0.0);
    if (!factor.factorise(A)) return step;
    for (int k = 0; k < n_; ++k) step[k] = -gradient_[k];
    factor.solve(step);
    return step;
  }
  void deviations(double error) {
    estimate_.sigma.assign(n_, std::numeric_limits<double>::infinity());
    Array<int> seen;
    for (int k = 0; k < n_; ++k)
      if (gram_(k, k) > 0)
        seen.push_back(k);
      else
        estimate_.notes.push_back("the residual does not depend on " + name(k));
    Matrix A(seen.size(), seen.size()), inverse(seen.size(), seen.size());
    for (int r = 0; r < seen.size(); ++r)
      for (int c = 0; c <= r; ++c) A(r, c) = A(c, r) = gram_(seen[r], seen[c]);
    Cholesky factor(std::max(1, seen.size()));
    if (seen.empty() || !factor.factorise(A, 1e-12)) return;
    factor.inverse(inverse);
    const double variance = error / std::max(1, r_.size() - n_);
    for (int k = 0; k < seen.size(); ++k)
      estimate_.sigma[seen[k]] = std::sqrt(variance * inverse(k, k));
  }

  const OutputErrorProblem& problem_;
  OutputErrorOptions options_;
  int n_;
  OutputErrorEstimate estimate_{};
  Array<double> r_{}, gradient_{};
  Matrix gram_{};
};

}  // namespace

OutputErrorEstimate output_error(const OutputErrorProblem& problem,
                                 const OutputErrorOptions& options) {
  return Search(problem, options).run();
}

}  // namespace torsor
