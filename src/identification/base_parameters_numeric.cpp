#include <algorithm>
#include <cmath>
#include <random>

#include "base_parameter_ways.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using namespace internal;

/// Columns of the numeric way, from the base to the tips: what is kept of a body is independent of all
/// before it, which is what its own joint can tell.
Array<int> column_order(const Model<double>& model, int N) {
  Array<int> order;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (const int k : kept_first) order.push_back(parameters_per_body * (i - 1) + k);
  for (int k = order.size(); k < N; ++k) order.push_back(k);
  return order;
}

/// Rows of a tall matrix, kept as the triangular factor of those so far.
class StackedRows {
 public:
  explicit StackedRows(int columns) : n_(columns), R_(columns, columns) {}
  void add(Array<double> row) {  // Givens
    for (int k = 0; k < n_; ++k) {
      if (row[k] == 0) continue;
      const double length = std::hypot(R_(k, k), row[k]);
      const double c = R_(k, k) / length, s = row[k] / length;
      for (int j = k; j < n_; ++j) {
        const double upper = R_(k, j), lower = row[j];
        R_(k, j) = c * upper + s * lower;
        row[j] = c * lower - s * upper;
      }
    }
  }
  const Matrix& factor() const { return R_; }

 private:
  int n_;
  Matrix R_;
};

}  // namespace

BaseParameters numeric_base_parameters(const Model<double>& model,
                                       const BaseParameterOptions& options, int states,
                                       unsigned seed) {
  BaseParameters base = all_named(model, options);
  const int N = static_cast<int>(base.names.size()), n_v = model.n_v();
  const int n_inertial = parameters_per_body * (model.n_bodies() - 1);
  const double size = size_of(model);
  const auto unit = [&](int k) { return parameter_unit(k, n_inertial, size); };
  if (states <= 0) states = 20 + 4 * N / std::max(1, n_v);

  const Array<int> rotors = rotor_velocities(model, options);
  const ConstraintSet set(model);
  AssemblyWorkspace assembly(model, set);
  OrthogonalDecomposition constraints(std::max(1, set.n_rows()), std::max(1, n_v));
  RegressorWorkspace<double> ws(model);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Array<double> q(model.n_q()), qd(n_v), qdd(n_v), direction(n_v);
  Matrix Y(n_v, n_inertial), A(set.n_rows(), n_v);
  StackedRows stack(N);
  int found = 0;
  for (int tries = 0; found < states && tries < 20 * states; ++tries) {
    random_configuration(model, random(), q);
    for (double& x : qd) x = normal(random);
    for (double& x : qdd) x = normal(random);
    if (set.n_rows() > 0) {
      if (!assemble(model, set, assembly, q)) continue;
      project_velocity(model, set, assembly, q, qd);
      project_acceleration(model, set, assembly, q, qd, qdd);
      constraint_jacobian<double, double>(model, set, assembly.rows, q, A);
      constraints.factorise(A, 1e-9);
    }
    ++found;
    torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
    // Along every motion that the constraints allow: multipliers do no work there.
    const int motions = set.n_rows() > 0 ? n_v - constraints.rank() : n_v;
    for (int m = 0; m < motions; ++m) {
      if (set.n_rows() > 0) {
        constraints.null_vector(m, direction);
      } else {
        direction.assign(n_v, 0.0);
        direction[m] = 1;
      }
      Array<double> row(N, 0.0);
      for (int k = 0; k < n_v; ++k) {
        if (direction[k] == 0) continue;
        for (int c = 0; c < n_inertial; ++c) row[c] += direction[k] * Y(k, c) * unit(c);
      }
      for (int c = n_inertial; c < N; ++c) {
        const int k = rotors[c - n_inertial];
        row[c] = direction[k] * qdd[k] * unit(c);
      }
      stack.add(std::move(row));
    }
  }
  if (found == 0)
    throw Error("robot \"" + model.name() + "\": no configuration was found that closes its loops");

  // Columns in order: what the ones before it leave of a column decides whether it is kept.
  const Matrix& R = stack.factor();
  double largest = 0;
  for (int c = 0; c < N; ++c) {
    double square = 0;
    for (int r = 0; r < N; ++r) square += R(r, c) * R(r, c);
    largest = std::max(largest, square);
  }
  const double least = std::max(1e-9, options.tolerance) * std::sqrt(largest);
  Array<Array<double>> basis;         // orthonormal, of the kept columns
  Array<Array<double>> coefficients;  // of the kept columns in the basis, lower triangular
  Array<Array<double>> columns(N);    // regrouping, column by column, over the kept ones
  for (const int c : column_order(model, N)) {
    Array<double> rest(N), along(basis.size(), 0.0);
    for (int r = 0; r < N; ++r) rest[r] = R(r, c);
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < basis.size(); ++k) {
        double part = 0;
        for (int r = 0; r < N; ++r) part += basis[k][r] * rest[r];
        for (int r = 0; r < N; ++r) rest[r] -= part * basis[k][r];
        along[k] += part;
      }
    double left = 0;
    for (const double x : rest) left += x * x;
    left = std::sqrt(left);
    if (left > least) {
      for (double& x : rest) x /= left;
      along.push_back(left);
      base.kept.push_back(c);
      basis.push_back(std::move(rest));
      coefficients.push_back(std::move(along));
      continue;
    }
    // Back substitution: the column as a sum of kept ones.
    Array<double> x = std::move(along);
    for (int k = x.size() - 1; k >= 0; --k) {
      x[k] /= coefficients[k][k];
      for (int j = 0; j < k; ++j) x[j] -= coefficients[k][j] * x[k];
    }
    columns[c] = std::move(x);
  }
  base.regrouping = Matrix(base.size(), N);
  for (int c = 0; c < N; ++c)
    for (int k = 0; k < columns[c].size(); ++k)
      if (std::abs(columns[c][k]) > 1e2 * options.tolerance)
        base.regrouping(k, c) = columns[c][k] * unit(base.kept[k]) / unit(c);
  for (int k = 0; k < base.size(); ++k) base.regrouping(k, base.kept[k]) = 1;
  finish(base);
  return base;
}

}  // namespace torsor