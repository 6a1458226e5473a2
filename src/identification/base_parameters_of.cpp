#include <algorithm>
#include <cmath>

#include "base_parameter_ways.hpp"
#include "column_elimination.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

/// A column this much shorter than the longest is what rounding left of zero.
constexpr double zero_column = 1e-13;

void check(InMatrix<double> R, const std::vector<std::string>& names, In<int> order) {
  const int N = static_cast<int>(names.size());
  if (R.cols < N)
    throw Error("base parameters: " + std::to_string(N) + " names for " + std::to_string(R.cols) +
                " columns");
  Array<char> seen(N, 0);
  for (const int c : order) {
    const bool stranger = c < 0 || c >= N;
    if (stranger || seen[c])
      throw Error("base parameters: column " + std::to_string(c) + " of the order is " +
                  (stranger ? "none of " + std::to_string(N) : "there twice"));
    seen[c] = 1;
  }
  for (int r = 0; r < R.rows; ++r)
    for (int c = 0; c < N; ++c)
      if (!std::isfinite(R(r, c)))
        throw Error("base parameters: row " + std::to_string(r) + " of column \"" +
                    names[static_cast<std::size_t>(c)] + "\" is not a finite number");
}

}  // namespace

namespace internal {

double column_length(InMatrix<double> R, int c) {
  double largest = 0, square = 0;
  for (int r = 0; r < R.rows; ++r) largest = std::max(largest, std::abs(R(r, c)));
  if (!(largest > 0)) return 0;
  for (int r = 0; r < R.rows; ++r) square += (R(r, c) / largest) * (R(r, c) / largest);
  return largest * std::sqrt(square);
}
double longest_column(InMatrix<double> R, int columns) {
  double longest = 0;
  for (int c = 0; c < columns; ++c) longest = std::max(longest, column_length(R, c));
  return longest;
}

void set_regrouping(BaseParameters& base, const ColumnElimination& columns, double dust,
                    const Array<double>& units) {
  base.kept = columns.kept;
  base.regrouping = Matrix(columns.x.rows(), columns.x.cols());
  for (int k = 0; k < columns.x.rows(); ++k)
    for (int c = 0; c < columns.x.cols(); ++c)
      if (std::abs(columns.x(k, c)) > dust)
        base.regrouping(k, c) = columns.x(k, c) * units[base.kept[k]] / units[c];
  finish(base);
}

}  // namespace internal

BaseParameters base_parameters_of(InMatrix<double> R, std::vector<std::string> names, In<int> order,
                                  double tolerance) {
  using namespace internal;
  check(R, names, order);
  const int N = static_cast<int>(names.size());
  // Every column at length one, so that units do not matter; rounding's columns at zero.
  const double longest = longest_column(R, N);
  Array<double> units(N, 1.0);
  Matrix scaled(R.rows, N);
  for (int c = 0; c < N; ++c) {
    const double length = column_length(R, c);
    if (length <= zero_column * longest) continue;
    units[c] = 1 / length;
    for (int r = 0; r < R.rows; ++r) scaled(r, c) = R(r, c) / length;
  }
  BaseParameters base;
  base.names = std::move(names);
  set_regrouping(base, eliminate_columns(scaled, order, tolerance), tolerance, units);
  return base;
}

BaseParameters base_parameters_of(const RowFactor& rows, std::vector<std::string> names,
                                  In<int> order, double tolerance) {
  return base_parameters_of(rows.R(), std::move(names), order, tolerance);
}

}  // namespace torsor
