#include "factor_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/linear/svd.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal {

Array<RowFactor> joint_factors(const CompressedLog& log, In<int> times) {
  Array<RowFactor> joints;
  for (int j = 0; j < log.n_joints(); ++j) {
    RowFactor sum(log.n_unknowns() + 1);
    for (int b = 0; b < log.n_blocks(); ++b) {
      const int count = times.empty() ? 1 : times[b];
      if (count > 0) sum.add(log.factor(b, j), std::sqrt(count));
    }
    joints.push_back(std::move(sum));
  }
  return joints;
}

RowFactor weighted_sum(const Array<RowFactor>& joints, In<double> weights) {
  RowFactor all(joints[0].columns());
  for (int j = 0; j < joints.size(); ++j) all.add(joints[j], weights.empty() ? 1 : weights[j]);
  return all;
}

Matrix selected(const Matrix& R, In<int> columns) {
  Matrix rows(R.rows(), columns.size);
  for (int r = 0; r < R.rows(); ++r)
    for (int c = 0; c < columns.size; ++c) rows(r, c) = columns[c] >= r ? R(r, columns[c]) : 0;
  RowFactor factor(columns.size);
  factor.add(rows);
  return factor.R();
}

Array<int> with_last(const Array<int>& kept, int last) {
  Array<int> columns = kept;
  columns.push_back(last);
  return columns;
}

void solve_upper(const Matrix& R, int n, Out<double> x) {
  for (int r = n - 1; r >= 0; --r) {
    double sum = x[r];
    for (int c = r + 1; c < n; ++c) sum -= R(r, c) * x[c];
    x[r] = sum / R(r, r);
  }
}
void solve_upper_transposed(const Matrix& R, int n, Out<double> x) {
  for (int r = 0; r < n; ++r) {
    const double value = x[r] /= R(r, r);
    for (int c = r + 1; c < n; ++c) x[c] -= R(r, c) * value;
  }
}

Matrix gram_inverse(const Matrix& R, int n) {
  Matrix inverse(n, n), product(n, n);  // R^-1 by columns, then R^-1 R^-T
  Array<double> column(n);
  for (int c = 0; c < n; ++c) {
    column.assign(n, 0.0);
    column[c] = 1;
    solve_upper(R, n, column);
    for (int r = 0; r <= c; ++r) inverse(r, c) = column[r];
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = 0;
      for (int k = r; k < n; ++k) sum += inverse(r, k) * inverse(c, k);
      product(r, c) = product(c, r) = sum;
    }
  return product;
}

Array<double> solution(const Matrix& R, int n) {
  Array<double> x(n);
  for (int r = 0; r < n; ++r) x[r] = R(r, n);
  solve_upper(R, n, x);
  return x;
}

double squared_residual(const Matrix& R, In<double> x) {
  double square = 0;
  for (int r = 0; r <= x.size; ++r) {
    double sum = R(r, x.size);
    for (int c = r; c < x.size; ++c) sum -= R(r, c) * x[c];
    square += sum * sum;
  }
  return square;
}

double scaled_condition(const Matrix& R, int n) {
  if (n == 0) return 1;
  Matrix scaled(n, n);
  for (int c = 0; c < n; ++c) {
    const double length = column_length(R, c);
    for (int r = 0; r <= c; ++r) scaled(r, c) = length > 0 ? R(r, c) / length : 0;
  }
  Svd svd(n, n);
  svd.factorise(scaled);
  return svd.smallest() > 0 ? svd.largest() / svd.smallest()
                            : std::numeric_limits<double>::infinity();
}

double column_length(const Matrix& R, int c) {
  double square = 0;
  for (int r = 0; r <= c && r < R.rows(); ++r) square += R(r, c) * R(r, c);
  return std::sqrt(square);
}

void spread(Estimate& e, In<double> values, const Matrix& covariance) {
  const int N = e.base.n_parameters();
  e.x.assign(N, 0.0);
  e.sigma.assign(N, std::numeric_limits<double>::infinity());
  for (int k = 0; k < e.base.size(); ++k) {
    e.x[e.base.kept[k]] = values[k];
    e.sigma[e.base.kept[k]] = std::sqrt(std::max(0.0, covariance(k, k)));
  }
  e.covariance = covariance;
}

void check_log(const CompressedLog& log) {
  long long rows = 0;
  for (int b = 0; b < log.n_blocks(); ++b)
    for (int j = 0; j < log.n_joints(); ++j) {
      rows += log.factor(b, j).rows();
      const Matrix& R = log.factor(b, j).R();
      for (const double x : R.entries())
        if (!std::isfinite(x))
          throw Error("identification: joint " + log.joints[static_cast<std::size_t>(j)] +
                      ", block " + std::to_string(b + 1) + ": a number is not finite");
    }
  if (rows == 0) throw Error("identification: the log has no rows");
}

}  // namespace torsor::internal
