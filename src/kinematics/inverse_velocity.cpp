#include "torsor/kinematics/inverse_velocity.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

/// lambda_k: zero where sigma_k is not near zero, smooth in between.
double damping_of(const Svd& svd, int k, const InverseVelocityOptions& options) {
  if (!(options.near > 0)) return 0;
  const double near = svd.sigma(k) / (svd.largest() * options.near);
  if (near >= 1) return 0;
  return svd.largest() * options.max_damping * std::sqrt((1 - near) * (1 + near));
}

/// |x'| outside of what the directions with sigma > 0 reach.
double unreachable(const Svd& svd, int rank, In<double> xdot) {
  double rest[6];
  for (int r = 0; r < xdot.size; ++r) rest[r] = xdot[r];
  for (int k = 0; k < rank; ++k) {
    double along = 0;
    for (int r = 0; r < xdot.size; ++r) along += svd.left(r, k) * rest[r];
    for (int r = 0; r < xdot.size; ++r) rest[r] -= svd.left(r, k) * along;
  }
  double sum = 0;
  for (int r = 0; r < xdot.size; ++r) sum += rest[r] * rest[r];
  return std::sqrt(sum);
}

double norm_of(In<double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}
double residual_of(const InMatrix<double>& J, In<double> xdot, Out<double> qd) {
  double sum = 0;
  for (int r = 0; r < J.rows; ++r) {
    double e = xdot[r];
    for (int c = 0; c < J.cols; ++c) e -= J(r, c) * qd[c];
    sum += e * e;
  }
  return std::sqrt(sum);
}

/// Throws Error for sizes that do not fit and for numbers that are not finite.
void check(const InverseVelocityWorkspace& ws, const InMatrix<double>& J, In<double> xdot,
           const InverseVelocityOptions& options, Out<double> qd) {
  const auto size = [](int rows, int cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  };
  const int n = ws.n_v;
  if (J.rows > 6 || J.cols > n)
    throw Error("inverse_velocity: J is " + size(J.rows, J.cols) + ", the workspace is for up to " +
                size(6, n));
  if (xdot.size != J.rows || qd.size != J.cols)
    throw Error("inverse_velocity: J is " + size(J.rows, J.cols) + ", x' has " +
                std::to_string(xdot.size) + " numbers and qd " + std::to_string(qd.size));
  if (options.weight.data && (options.weight.rows != J.cols || options.weight.cols != J.cols))
    throw Error("inverse_velocity: the weight is " +
                size(options.weight.rows, options.weight.cols) + " for " + std::to_string(J.cols) +
                " joints");
  for (int r = 0; r < J.rows; ++r) {
    if (!std::isfinite(xdot[r]))
      throw Error("inverse_velocity: x'[" + std::to_string(r) + "] = " + std::to_string(xdot[r]) +
                  " is not a finite number");
    for (int c = 0; c < J.cols; ++c)
      if (!std::isfinite(J(r, c)))
        throw Error("inverse_velocity: J(" + std::to_string(r) + ", " + std::to_string(c) +
                    ") = " + std::to_string(J(r, c)) + " is not a finite number");
  }
}

}  // namespace

const char* name_of(Solvability solvability) {
  switch (solvability) {
    case Solvability::none:
      return "none";
    case Solvability::unique:
      return "unique";
    case Solvability::infinitely_many:
      return "infinitely many";
  }
  return "";
}

InverseVelocityWorkspace::InverseVelocityWorkspace(const Model<double>& model)
    : kinematics(model),
      velocity(model),
      J(6 * model.n_v()),
      weighted(J.size()),
      n_v(model.n_v()),
      weight(n_v),
      svd(6, n_v) {}

InverseVelocity inverse_velocity(InverseVelocityWorkspace& ws, InMatrix<double> J, In<double> xdot,
                                 const InverseVelocityOptions& options, Out<double> qd) {
  check(ws, J, xdot, options, qd);
  InverseVelocity result;
  const int n = J.cols;
  const bool has_weight = options.weight.data != nullptr;
  for (double& x : qd) x = 0;
  InMatrix<double> A = J;
  if (has_weight) {  // A = J L^-T
    result.weight_ok = ws.weight.factorise(options.weight);
    if (!result.weight_ok) return result;
    const MatrixView<double> weighted = row_major(ws.weighted.data(), J.rows, n);
    for (int r = 0; r < J.rows; ++r) {
      for (int c = 0; c < n; ++c) weighted(r, c) = J(r, c);
      ws.weight.solve_lower({&weighted(r, 0), n});
    }
    A = weighted;
  }
  ws.svd.factorise(A);
  result.rank = ws.svd.rank(options.rank_tolerance);
  result.smallest = ws.svd.smallest();
  result.largest = ws.svd.largest();
  const bool exact = unreachable(ws.svd, result.rank, xdot) <= 1e-9 * norm_of(xdot);
  result.solvability = !exact            ? Solvability::none
                       : result.rank < n ? Solvability::infinitely_many
                                         : Solvability::unique;
  for (int k = 0; k < result.rank; ++k) {
    const double sigma = ws.svd.sigma(k), lambda = damping_of(ws.svd, k, options);
    result.damping = std::max(result.damping, lambda);
    double along = 0;
    for (int r = 0; r < J.rows; ++r) along += ws.svd.left(r, k) * xdot[r];
    // sigma / (sigma^2 + lambda^2), without squares that underflow
    const double gain = lambda > 0 ? 1 / (sigma + lambda / sigma * lambda) : 1 / sigma;
    for (int c = 0; c < n; ++c) qd[c] += ws.svd.right(c, k) * (along * gain);
  }
  if (has_weight) ws.weight.solve_upper(qd);
  result.residual = residual_of(J, xdot, qd);
  return result;
}

InverseVelocity inverse_velocity(const Model<double>& model, InverseVelocityWorkspace& ws,
                                 In<double> q, const Frame& frame, Reference reference,
                                 const Twist<double>& V, const InverseVelocityOptions& options,
                                 Out<double> qd) {
  internal::require_configuration(model, q, "inverse_velocity");
  jacobian(model, ws.kinematics, q, frame, reference, column_major(ws.J.data(), 6, model.n_v()));
  const double xdot[] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  return inverse_velocity(ws, column_major<const double>(ws.J.data(), 6, model.n_v()), xdot,
                          options, qd);
}

InverseVelocity inverse_acceleration(const Model<double>& model, InverseVelocityWorkspace& ws,
                                     In<double> q, In<double> qd, const Frame& frame,
                                     Reference reference, const Twist<double>& Vdot,
                                     const InverseVelocityOptions& options, Out<double> qdd) {
  internal::require_configuration(model, q, "inverse_acceleration");
  check_velocity(model, qd, "qd");
  const Twist<double> bias =
      jacobian_dot_times_velocity(model, ws.velocity, q, qd, frame, reference);
  return inverse_velocity(model, ws, q, frame, reference, Vdot - bias, options, qdd);
}

namespace {

/// Of the leading n x n block.
double determinant(internal::SmallMatrix<6, 6>& a, int n) {
  int exchange[6];
  if (!(internal::eliminate(a, n, exchange).ratio() > 0)) return n == 0 ? 1 : 0;
  double result = 1;
  for (int k = 0; k < n; ++k) result *= exchange[k] == k ? a(k, k) : -a(k, k);
  return result;
}

}  // namespace

DeterminantMethod inverse_velocity_by_determinants(InMatrix<double> J, In<double> xdot,
                                                   Out<double> qd) {
  DeterminantMethod result;
  auto& [singular, normals, pivots] = result;
  const int m = J.rows, n = J.cols;
  double gram[6][6]{};
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int r = 0; r < m; ++r) gram[a][b] += J(r, a) * J(r, b);
  for (int i = 0; i < n; ++i) {
    auto& normal = normals[i];
    auto& pivot = pivots[i];
    double sign = 1, size = 0;
    for (int skip = 0; skip <= i; ++skip, sign = -sign) {  // along the row of vectors
      internal::SmallMatrix<6, 6> minor;
      for (int r = 0; r < i; ++r)
        for (int c = 0; c < i; ++c) minor[r][c] = gram[r][c + (c >= skip)];
      const double cofactor = sign * determinant(minor, i);
      for (int r = 0; r < m; ++r) normal[r] += J(r, skip) * cofactor;
      size += std::abs(cofactor) * std::sqrt(gram[skip][skip] * gram[i][i]);
    }
    for (int r = 0; r < m; ++r) pivot += J(r, i) * normal[r];
    // What is left of J_i is no more than the rounding errors of the sum that should be n_i.
    singular = singular || std::abs(pivot) <= 1e-13 * size;
  }
  for (int k = 0; k < n; ++k) qd[k] = 0;
  for (int i = n - 1; i >= 0 && !singular; --i) {
    double sum = 0;
    for (int r = 0; r < m; ++r) {
      double rest = xdot[r];
      for (int j = i + 1; j < n; ++j) rest -= J(r, j) * qd[j];
      sum += rest * normals[i][r];
    }
    qd[i] = sum / pivots[i];
  }
  return result;
}

}  // namespace torsor
