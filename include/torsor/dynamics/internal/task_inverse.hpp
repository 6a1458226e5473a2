#pragma once
/// The inverse of J M^-1 J^T of up to six rows, also where there is none, for every scalar.
///
///   X = sum_k u_k u_k^T / (sigma_k + d^2)     over the sigma that are not zero, all of them if d > 0
///   P = sum_k u_k u_k^T                       over the others, if d = 0
///   dX = -X dA X + X^2 dA P + P dA X^2        at constant rank
///
/// The decomposition runs on values, lane by lane; duals get their derivatives from dX.
///
/// Cost     A singular value problem of size m per lane; no allocation.
/// Source   Golub & Pereyra 1973 (derivative of the pseudo-inverse).
#include <algorithm>

#include "torsor/dynamics/operational_result.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/math/pack.hpp"

namespace torsor::internal {

class TaskInverse {
 public:
  explicit TaskInverse(int n_v) : svd_(6, n_v), inverse_(6, 6), lane_(6 * std::max(n_v, 6)) {}

  /// Singular values of J, of the worst lane.
  template <class Real>
  void look_at(MatrixView<const Real> J, OperationalResult& result);
  /// A, symmetric and not negative, becomes its (damped or pseudo-) inverse; the rank of the worst
  /// lane.
  template <class Real>
  void invert(MatrixView<Real> A, double damping, OperationalResult& result);

 private:
  /// X and P of the numbers in lane_, m x m; returns the rank.
  int invert_lane(int m, double damping, double tolerance, double* X, double* P);
  void look_at_lane(int rows, int columns, OperationalResult& result);

  template <class Real>
  static double lane_of(const Real& x, int lane) {
    if constexpr (ScalarTraits<Real>::lanes > 1)
      return static_cast<double>(value_of(x)[lane]);
    else
      return static_cast<double>(value_of(x));
  }

  Svd svd_, inverse_;
  Array<double> lane_;  // column by column
};

template <class Real>
void TaskInverse::look_at(MatrixView<const Real> J, OperationalResult& result) {
  for (int lane = 0; lane < ScalarTraits<Real>::lanes; ++lane) {
    int at = 0;
    for (int c = 0; c < J.cols; ++c)
      for (int r = 0; r < J.rows; ++r) lane_[at++] = lane_of(J(r, c), lane);
    OperationalResult here;
    look_at_lane(J.rows, J.cols, here);
    const bool first = lane == 0;
    result.smallest_singular_value =
        first ? here.smallest_singular_value
              : std::min(result.smallest_singular_value, here.smallest_singular_value);
    result.largest_singular_value =
        std::max(result.largest_singular_value, here.largest_singular_value);
  }
}

template <class Real>
void TaskInverse::invert(MatrixView<Real> A, double damping, OperationalResult& result) {
  using Value = typename ScalarTraits<Real>::Value;
  using Lanes = decltype(value_of(Real()));
  const int m = A.rows;
  const double tolerance = std::max(1e-12, 64 * static_cast<double>(ScalarTraits<Real>::epsilon));
  double x[36], p[36];
  Lanes X[36], P[36];
  const auto at = [m](int r, int c) { return c * m + r; };
  result.rank = m;
  for (int lane = 0; lane < ScalarTraits<Real>::lanes; ++lane) {
    for (int c = 0; c < m; ++c)
      for (int r = 0; r < m; ++r) lane_[at(r, c)] = lane_of(A(r, c), lane);
    result.rank = std::min(result.rank, invert_lane(m, damping, tolerance, x, p));
    for (int k = 0; k < m * m; ++k) {
      if constexpr (ScalarTraits<Real>::lanes > 1) {
        X[k].set(lane, static_cast<Value>(x[k]));
        P[k].set(lane, static_cast<Value>(p[k]));
      } else {
        X[k] = static_cast<Value>(x[k]);
        P[k] = static_cast<Value>(p[k]);
      }
    }
  }
  if constexpr (is_dual<Real>) {
    Real dA[36], left[36], inner[36];
    const auto product = [&](const auto* a, const auto* b, Real* out) {
      for (int r = 0; r < m; ++r)
        for (int c = 0; c < m; ++c) {
          Real sum(0);
          for (int k = 0; k < m; ++k) sum = sum + a[at(r, k)] * b[at(k, c)];
          out[at(r, c)] = sum;
        }
    };
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c) dA[at(r, c)] = A(r, c) - value_of(A(r, c));
    // Y = X dA: dX = -Y X + X (Y P) + (X (Y P))^T
    product(X, dA, left);
    product(left, P, inner);
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c) {
        Real sum(X[at(r, c)]);
        for (int k = 0; k < m; ++k)
          sum = sum - left[at(r, k)] * X[at(k, c)] + X[at(r, k)] * inner[at(k, c)] +
                inner[at(k, r)] * X[at(k, c)];
        A(r, c) = sum;
      }
  } else {
    for (int r = 0; r < m; ++r)
      for (int c = 0; c < m; ++c) A(r, c) = X[at(r, c)];
  }
}

}  // namespace torsor::internal
