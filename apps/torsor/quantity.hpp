#pragma once
/// What a verb computes of a state: named numbers, vectors and matrices, as JSON, CSV and text.
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
};
Quantity scalar(const std::string& name, double value);
/// Rows are the names of coordinates (n_q) or degrees of freedom (n_v).
Quantity coordinates(const std::string& name, const Model<double>& model,
                     std::vector<double> values);
Quantity velocities(const std::string& name, const Model<double>& model,
                    std::vector<double> values);
/// n_v rows; `by_columns` is how the library stores matrices.
Quantity matrix(const std::string& name, std::vector<std::string> rows,
                std::vector<std::string> columns, const std::vector<double>& by_columns);
std::vector<std::string> dof_names(const Model<double>& model);
/// A number, a list, or a list of rows.
Json json_of(const Quantity& quantity);
/// Of its values in a CSV: name, name.row, name.row.column.
std::vector<std::string> column_names(const Quantity& quantity);
/// Vectors with the same rows stand side by side; numbers get a line each.
std::string text_of(const std::vector<Quantity>& quantities);

}  // namespace torsor::command
