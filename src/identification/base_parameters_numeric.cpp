#include <algorithm>
#include <cmath>
#include <random>

#include "base_parameter_ways.hpp"
#include "column_elimination.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_units.hpp"

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

/// A column this much shorter than the longest is what rounding left of zero.
constexpr double zero_column = 1e-13;

double column_length(InMatrix<double> R, int c) {
  double square = 0;
  for (int r = 0; r < R.rows; ++r) square += R(r, c) * R(r, c);
  return std::sqrt(square);
}
double longest_column(InMatrix<double> R, int columns) {
  double longest = 0;
  for (int c = 0; c < columns; ++c) longest = std::max(longest, column_length(R, c));
  return longest;
}

/// Coefficients below `dust`, between columns measured in their units, are none.
template <class Unit>
void set_regrouping(BaseParameters& base, const ColumnElimination& columns, double dust,
                    const Unit& unit) {
  base.kept = columns.kept;
  base.regrouping = Matrix(columns.x.rows(), columns.x.cols());
  for (int k = 0; k < columns.x.rows(); ++k)
    for (int c = 0; c < columns.x.cols(); ++c)
      if (std::abs(columns.x(k, c)) > dust)
        base.regrouping(k, c) = columns.x(k, c) * unit(base.kept[k]) / unit(c);
}

}  // namespace

BaseParameters base_parameters_of(InMatrix<double> R, std::vector<std::string> names, In<int> order,
                                  double tolerance) {
  const int N = static_cast<int>(names.size());
  if (R.cols < N)
    throw Error("base parameters: " + std::to_string(N) + " names for " + std::to_string(R.cols) +
                " columns");
  Array<char> seen(N, 0);
  for (const int c : order) {
    if (c < 0 || c >= N || seen[c])
      throw Error("base parameters: column " + std::to_string(c) + " of the order is " +
                  (c < 0 || c >= N ? "none of " + std::to_string(N) : "there twice"));
    seen[c] = 1;
  }
  for (int r = 0; r < R.rows; ++r)
    for (int c = 0; c < N; ++c)
      if (!std::isfinite(R(r, c)))
        throw Error("base parameters: row " + std::to_string(r) + " of column \"" +
                    names[static_cast<std::size_t>(c)] + "\" is not a finite number");
  // Every column at length one, so that units do not matter; rounding's columns at zero.
  const double longest = longest_column(R, N);
  Array<double> scale(N, 0.0);
  Matrix scaled(R.rows, N);
  for (int c = 0; c < N; ++c) {
    const double length = column_length(R, c);
    if (length <= zero_column * longest) continue;
    scale[c] = 1 / length;
    for (int r = 0; r < R.rows; ++r) scaled(r, c) = R(r, c) / length;
  }
  BaseParameters base;
  base.names = std::move(names);
  set_regrouping(base, eliminate_columns(scaled, order, tolerance), tolerance,
                 [&](int c) { return scale[c] > 0 ? scale[c] : 1; });
  finish(base);
  return base;
}

BaseParameters base_parameters_of(const RowFactor& rows, std::vector<std::string> names,
                                  In<int> order, double tolerance) {
  return base_parameters_of(rows.R(), std::move(names), order, tolerance);
}

BaseParameters numeric_base_parameters(const Model<double>& model,
                                       const BaseParameterOptions& options, int states,
                                       unsigned seed) {
  BaseParameters base = all_named(model, options);
  const int N = static_cast<int>(base.names.size()), n_v = model.n_v();
  const int n_inertial = parameters_per_body * (model.n_bodies() - 1);
  const double size = size_of(model);
  const Array<double> units = parameter_units(model, options, size);
  const auto unit = [&](int k) { return units[k]; };
  if (states <= 0) states = 20 + 4 * N / std::max(1, n_v);

  const Array<int> rotors = rotor_velocities(model, options);
  const ConstraintSet set(model);
  AssemblyWorkspace assembly(model, set);
  OrthogonalDecomposition constraints(std::max(1, set.n_rows()), std::max(1, n_v));
  RegressorWorkspace<double> ws(model);
  // The robot's own second: what falls by its size takes about that long. So weights and forces of
  // inertia are of one size, whatever the robot's.
  const double g = norm(model.gravity()), second = g > 0 ? std::sqrt(size / g) : 1;
  Array<double> rates;
  for (const Measure measure : velocity_measures(model))
    rates.push_back(measure == Measure::length ? size : 1);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Array<double> q(model.n_q()), home(model.n_q()), qd(n_v), qdd(n_v), direction(n_v);
  neutral(model, home);
  Matrix Y(n_v, n_inertial), A(set.n_rows(), n_v);
  RowFactor stack(N);
  int found = 0;
  for (int tries = 0; found < states && tries < 20 * states; ++tries) {
    if (set.n_rows() > 0) {
      random_configuration(model, random(), q);  // within limits, where loops may close
    } else {
      for (int k = 0; k < n_v; ++k) direction[k] = 2 * rates[k] * normal(random);
      integrate(model, home, direction, q);
    }
    for (int k = 0; k < n_v; ++k) {
      qd[k] = rates[k] / second * normal(random);
      qdd[k] = rates[k] / (second * second) * normal(random);
    }
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
        direction[m] = rates[m] * (second * second) / (size * size);
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
      stack.add(row);
    }
  }
  if (found == 0)
    throw Error("robot \"" + model.name() + "\": no configuration was found that closes its loops");

  const Matrix& R = stack.R();
  const double least = std::max(1e-9, options.tolerance) * longest_column(R, N);
  const ColumnElimination columns = eliminate_columns(R, column_order(model, N), least);
  set_regrouping(base, columns, 1e2 * options.tolerance, unit);
  finish(base);
  return base;
}

}  // namespace torsor
