#include "torsor/identification/instrumental.hpp"

#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "joint_weights.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace {

constexpr int most_halvings = 6;

struct Step {
  Array<double> x{};
  Matrix covariance{};
};

/// One column set beside another, weighted by joint: factor of [Z | W | tau].
Matrix stacked_rows(const Matrix& Z, const RegressorRows& rows, In<double> weights) {
  const int N = rows.W.cols();
  RowFactor factor(2 * N + 1);
  Array<double> row(2 * N + 1);
  for (int r = 0; r < rows.W.rows(); ++r) {
    const double w = weights[rows.joint_of(r, weights.size)];
    for (int c = 0; c < N; ++c) row[c] = w * Z(r, c), row[N + c] = w * rows.W(r, c);
    row[2 * N] = w * rows.tau[r];
    factor.add(row);
  }
  return factor.R();
}

/// x = (Z^T W)^-1 Z^T tau with Z = Q [R_zz], W = Q [R_zw; R_ww]: (R_zw) x = r_z.
Step solve_with_instruments(const Matrix& R, int N) {
  for (int k = 0; k < N; ++k)
    if (!(std::abs(R(k, k)) > 1e-10 * column_length(R, k)))
      throw Error("instrumental variables: instruments depend on each other at unknown " +
                  std::to_string(k + 1));
  Matrix A(N, N);
  Step step;
  for (int r = 0; r < N; ++r) {
    step.x.push_back(R(r, 2 * N));
    for (int c = 0; c < N; ++c) A(r, c) = R(r, N + c);
  }
  Lu lu(N);
  if (!lu.factorise(A, 1e-13))
    throw Error("instrumental variables: the simulated motion does not determine the unknowns");
  lu.solve(View<double>(step.x));
  Matrix inverse(N, N);
  lu.inverse(inverse);
  step.covariance = Matrix(N, N);  // A^-1 A^-T
  for (int r = 0; r < N; ++r)
    for (int c = 0; c < N; ++c)
      for (int k = 0; k < N; ++k) step.covariance(r, c) += inverse(r, k) * inverse(c, k);
  return step;
}

Step solve_plain(const Matrix& W, const RegressorRows& rows, In<double> weights) {
  const int N = W.cols();
  RowFactor factor(N + 1);
  Array<double> row(N + 1);
  for (int r = 0; r < W.rows(); ++r) {
    const double w = weights[rows.joint_of(r, weights.size)];
    for (int c = 0; c < N; ++c) row[c] = w * W(r, c);
    row[N] = w * rows.tau[r];
    factor.add(row);
  }
  const Matrix& R = factor.R();
  for (int k = 0; k < N; ++k)
    if (!(std::abs(R(k, k)) > 1e-10 * column_length(R, k)))
      throw Error(
          "direct and inverse identification: the simulated motion does not determine "
          "unknown " +
          std::to_string(k + 1));
  return {solution(R, N), gram_inverse(R, N)};
}

/// Deviation of tau - W x, joint by joint.
Array<double> noise_of(const Matrix& W, const RegressorRows& measured, In<double> x, int n_joints) {
  Array<double> square(n_joints, 0.0), rows(n_joints, 0.0);
  for (int r = 0; r < W.rows(); ++r) {
    double e = measured.tau[r];
    for (int c = 0; c < W.cols(); ++c) e -= W(r, c) * x[c];
    const int j = measured.joint_of(r, n_joints);
    square[j] += e * e;
    ++rows[j];
  }
  const double own = static_cast<double>(W.cols()) / n_joints;
  for (int j = 0; j < n_joints; ++j)
    square[j] = std::max(std::sqrt(square[j] / std::max(1.0, rows[j] - own)), 1e-12);
  return square;
}

SimulatedEstimate iterate(const char* method, bool instruments,
                          const std::vector<std::string>& names,
                          const std::vector<std::string>& joints, const RegressorRows& measured,
                          In<double> start, const MotionSimulator& simulate,
                          const MotionRegressor& regressor, const SimulatedOptions& options) {
  const int N = static_cast<int>(names.size()), n_joints = static_cast<int>(joints.size());
  const int rows = measured.tau.size();
  const bool all_joints = measured.joint.empty();
  if (start.size != N || n_joints == 0 ||
      (all_joints ? rows % n_joints != 0 : measured.joint.size() != rows) ||
      (instruments && (measured.W.rows() != rows || measured.W.cols() != N)))
    throw Error(std::string(method) + ": " + std::to_string(N) + " unknowns and " +
                std::to_string(rows) + " torques of " + std::to_string(n_joints) +
                " joints do not fit the regressor or the start");
  SimulatedEstimate result;
  Estimate& e = result.estimate;
  e.base = determined_columns(Matrix::identity(N), names);
  e.method = method;
  e.rows = rows;
  Array<double> x(start.begin(), start.end()), before = x;
  Matrix q, qd, qdd, W(rows, N);
  Step step;
  double last = 0;
  while (result.iterations < options.iterations && !result.converged) {
    bool simulated = simulate(x, q, qd, qdd);
    // A step beyond what can be simulated is shortened.
    for (int half = 0; !simulated && result.iterations > 0 && half < most_halvings; ++half) {
      for (int k = 0; k < N; ++k) x[k] = 0.5 * (x[k] + before[k]);
      simulated = simulate(x, q, qd, qdd);
    }
    if (!simulated)
      throw Error(std::string(method) + ": the simulation of iteration " +
                  std::to_string(result.iterations + 1) +
                  " went astray; start from better parameters or hold the robot more stiffly");
    regressor(q, qd, qdd, W);
    if (W.rows() != rows || W.cols() != N)
      throw Error(std::string(method) + ": the regressor gives " + std::to_string(W.rows()) +
                  " x " + std::to_string(W.cols()) + ", " + std::to_string(rows) + " x " +
                  std::to_string(N) + " are needed");
    const Matrix& fitted = instruments ? measured.W : W;
    Array<double> weights;
    for (const double s : noise_of(fitted, measured, x, n_joints)) weights.push_back(1 / s);
    step = instruments ? solve_with_instruments(stacked_rows(W, measured, weights), N)
                       : solve_plain(W, measured, weights);
    double change = 0, size = 0, error = 0;
    for (int k = 0; k < N; ++k) {
      if (!std::isfinite(step.x[k]))
        throw Error(std::string(method) + ": " + names[static_cast<std::size_t>(k)] +
                    " is not finite in iteration " + std::to_string(result.iterations + 1));
      const double unit = std::sqrt(step.covariance(k, k));
      change += std::pow((step.x[k] - x[k]) / unit, 2), size += std::pow(step.x[k] / unit, 2);
    }
    before = x;
    x = step.x;
    e.noise = noise_of(fitted, measured, x, n_joints);
    for (const double s : e.noise) error += s * s;
    ++result.iterations;
    result.converged = std::sqrt(change) < options.tolerance * std::sqrt(size) ||
                       (last > 0 && std::abs(error - last) < 1e-3 * options.tolerance * last);
    last = error;
  }
  spread(e, x, step.covariance);
  double square = 0, tau = 0;
  const Matrix& fitted = instruments ? measured.W : W;
  Array<double> joint_square(n_joints, 0.0), joint_tau(n_joints, 0.0);
  for (int r = 0; r < rows; ++r) {
    double residual = measured.tau[r];
    for (int c = 0; c < N; ++c) residual -= fitted(r, c) * x[c];
    joint_square[measured.joint_of(r, n_joints)] += residual * residual;
    joint_tau[measured.joint_of(r, n_joints)] += measured.tau[r] * measured.tau[r];
  }
  for (int j = 0; j < n_joints; ++j) {
    e.residual.joints.push_back(joint_tau[j] > 0 ? 100 * std::sqrt(joint_square[j] / joint_tau[j])
                                                 : 0);
    square += joint_square[j], tau += joint_tau[j];
  }
  e.residual.all = tau > 0 ? 100 * std::sqrt(square / tau) : 0;
  if (!result.converged)
    e.notes.push_back("not settled after " + std::to_string(result.iterations) + " iterations");
  return result;
}

}  // namespace

SimulatedEstimate instrumental_variables(const std::vector<std::string>& names,
                                         const std::vector<std::string>& joints,
                                         const RegressorRows& measured, In<double> x,
                                         const MotionSimulator& simulate,
                                         const MotionRegressor& regressor,
                                         const SimulatedOptions& options) {
  return iterate("instrumental variables", true, names, joints, measured, x, simulate, regressor,
                 options);
}

SimulatedEstimate direct_inverse_identification(const std::vector<std::string>& names,
                                                const std::vector<std::string>& joints,
                                                const RegressorRows& measured, In<double> x,
                                                const MotionSimulator& simulate,
                                                const MotionRegressor& regressor,
                                                const SimulatedOptions& options) {
  return iterate("direct and inverse identification", false, names, joints, measured, x, simulate,
                 regressor, options);
}

}  // namespace torsor
