#include "torsor/identification/joint_by_joint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factor_algebra.hpp"
#include "joint_weights.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace {

/// Empty where the blocks are triangular and of full rank; otherwise what is not.
std::string obstacle(const CompressedLog& log, const Array<RowFactor>& joints,
                     const Array<Array<int>>& columns, double tolerance, JointByJoint& result) {
  const int n = joints.size();
  const auto joint = [&](int j) { return log.joints[static_cast<std::size_t>(j)]; };
  std::string found;
  for (int i = 0; i < n; ++i) {
    const Matrix block = selected(joints[i].R(), columns[i]);
    std::vector<std::string> names;
    for (const int c : columns[i]) names.push_back(log.names[static_cast<std::size_t>(c)]);
    result.sizes.push_back(columns[i].size());
    result.ranks.push_back(
        columns[i].empty() ? 0 : determined_columns(block, names, {}, tolerance).size());
    for (int below = i + 1; below < n; ++below)
      for (const int c : columns[i]) {
        const double length = column_length(joints[below].R(), c);
        if (found.empty() && length > 1e-10 * column_length(joints[i].R(), c) && length > 0)
          found = log.names[static_cast<std::size_t>(c)] + " of joint " + joint(i) +
                  " moves the torque of joint " + joint(below);
      }
  }
  for (int i = n - 1; found.empty() && i >= 0; --i)
    if (result.ranks[i] < result.sizes[i])
      found = "the block of joint " + joint(i) + " has " + std::to_string(result.sizes[i]) +
              " columns but rank " + std::to_string(result.ranks[i]);
  return found;
}

}  // namespace

JointByJoint joint_by_joint_least_squares(const CompressedLog& log, In<int> joint_of_column,
                                          double tolerance) {
  check_log(log);
  const int N = log.n_unknowns(), n = log.n_joints();
  if (joint_of_column.size != N)
    throw Error("joint by joint: " + std::to_string(joint_of_column.size) + " joints for " +
                std::to_string(N) + " columns");
  Array<Array<int>> columns(n);
  for (int c = 0; c < N; ++c) {
    if (joint_of_column[c] < 0 || joint_of_column[c] >= n)
      throw Error("joint by joint: " + log.names[static_cast<std::size_t>(c)] + " is of joint " +
                  std::to_string(joint_of_column[c]) + " of " + std::to_string(n));
    columns[joint_of_column[c]].push_back(c);
  }
  const Array<RowFactor> joints = joint_factors(log);
  JointByJoint result;
  const std::string why = obstacle(log, joints, columns, tolerance, result);
  if (!why.empty()) {
    result.estimate = least_squares(log, {.weighted = false, .tolerance = tolerance});
    result.estimate.notes.push_back(why + ": all joints were solved together");
    return result;
  }
  result.sequential = true;
  Estimate& e = result.estimate;
  e.method = "least squares joint by joint, from the last to the first";
  e.base = determined_columns(Matrix::identity(N), log.names);
  e.noise.assign(n, 0.0);
  Array<double> x(N, 0.0);
  Matrix C(N, N);
  Array<int> solved;
  for (int i = n - 1; i >= 0; --i) {
    const Matrix& R = joints[i].R();
    const int own = columns[i].size();
    // Columns of the joint, tau less what is known, and the columns of what is known.
    Matrix rows(N + 1, own + 1 + solved.size());
    const auto entry = [&](int r, int c) { return c >= r ? R(r, c) : 0; };
    for (int r = 0; r <= N; ++r) {
      for (int k = 0; k < own; ++k) rows(r, k) = entry(r, columns[i][k]);
      for (int k = 0; k < solved.size(); ++k) rows(r, own + 1 + k) = entry(r, solved[k]);
      rows(r, own) = R(r, N);
      for (const int c : solved) rows(r, own) -= entry(r, c) * x[c];
    }
    RowFactor factor(rows.cols());
    factor.add(rows);
    const Matrix& T = factor.R();
    const Array<double> p = solution(T, own);
    const auto count = static_cast<double>(joints[i].rows());
    e.noise[i] = count > own ? std::abs(T(own, own)) / std::sqrt(count - own) : 0;
    e.rows += joints[i].rows();
    const Matrix inverse = gram_inverse(T, own);
    Matrix carry(own, solved.size());  // Y_ii^+ Y_i,behind
    Array<double> column(own);
    for (int k = 0; k < solved.size(); ++k) {
      for (int r = 0; r < own; ++r) column[r] = T(r, own + 1 + k);
      solve_upper(T, own, column);
      for (int r = 0; r < own; ++r) carry(r, k) = column[r];
    }
    for (int a = 0; a < own; ++a) {
      x[columns[i][a]] = p[a];
      for (int k = 0; k < solved.size(); ++k) {
        double sum = 0;
        for (int l = 0; l < solved.size(); ++l) sum -= carry(a, l) * C(solved[l], solved[k]);
        C(columns[i][a], solved[k]) = C(solved[k], columns[i][a]) = sum;
      }
    }
    for (int a = 0; a < own; ++a)
      for (int b = 0; b < own; ++b) {
        double sum = e.noise[i] * e.noise[i] * inverse(a, b);
        for (int k = 0; k < solved.size(); ++k) sum -= C(columns[i][a], solved[k]) * carry(b, k);
        C(columns[i][a], columns[i][b]) = sum;
      }
    solved.insert(solved.end(), columns[i].begin(), columns[i].end());
  }
  spread(e, x, C);
  e.condition = scaled_condition(weighted_sum(joints).R(), N);
  e.residual = residual_of(joints, e.x);
  return result;
}

}  // namespace torsor
