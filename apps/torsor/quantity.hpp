#pragma once
/// What a verb computes of a state: named numbers, vectors and matrices with their units, as JSON,
/// CSV and text.
#include <string>
#include <vector>

#include "json_output.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

/// A number (no rows), a vector (rows), or a matrix (rows and columns, stored by rows).
struct Quantity {
  std::string name;
  std::vector<std::string> rows, columns;
  std::vector<double> values;
  /// Of a number or vector, in SI: one for each row, or one for all. Text shows what begins with
  /// "rad" in degrees where that is wanted.
  std::vector<std::string> units{};
  /// Of a matrix, its units; said in its heading.
  std::string remark{};
  /// What people call the rows and columns, where that differs.
  std::vector<std::string> row_labels{}, column_labels{};
};
Quantity scalar(const std::string& name, double value, const std::string& unit = "");
/// Of a robot. Rows are the names of coordinates (n_q) or degrees of freedom (n_v).
Quantity coordinates(const std::string& name, const Model<double>& model,
                     std::vector<double> values);
enum class Rate : unsigned char { velocity, acceleration, torque };
Quantity velocities(const std::string& name, const Model<double>& model, std::vector<double> values,
                    Rate rate);
/// `by_columns` is how the library stores matrices.
Quantity matrix(const std::string& name, std::vector<std::string> rows,
                std::vector<std::string> columns, const std::vector<double>& by_columns);
/// n_v x n_v. `units`: of an entry of two angles, of an angle and a length, of two lengths.
Quantity square_matrix(const std::string& name, const Model<double>& model,
                       const std::vector<double>& by_columns,
                       const std::vector<std::string>& units);
/// n_v rows, labelled as velocities() are.
Quantity matrix_of_velocities(const std::string& name, const Model<double>& model,
                              std::vector<std::string> columns,
                              const std::vector<double>& by_columns);
std::vector<std::string> dof_names(const Model<double>& model);

/// Throws Failure, naming the entry, for a number that is not finite: the state was too large.
void require_finite(const std::vector<Quantity>& quantities);
/// A number, a list, or a list of rows.
Json json_of(const Quantity& quantity);
/// Of its values in a CSV: name, name.row, name.row.column.
std::vector<std::string> column_names(const Quantity& quantity);
/// Vectors with the same rows stand side by side; numbers get a line each.
std::string text_of(const std::vector<Quantity>& quantities, bool degrees = false);

}  // namespace torsor::command
