#include "quantity.hpp"

#include <algorithm>
#include <cmath>

#include "text_output.hpp"

namespace torsor::command {
namespace {

/// A vector of a robot without joints has no rows either, but no value.
bool is_scalar(const Quantity& x) { return x.rows.empty() && x.values.size() == 1; }

/// What rounding leaves of zero, beside the other numbers of its column, is shown as zero.
std::string entry(const Quantity& x, std::size_t r, std::size_t c) {
  double largest = 0;
  for (std::size_t k = c; k < x.values.size(); k += x.columns.size())
    largest = std::max(largest, std::abs(x.values[k]));
  const double value = x.values[r * x.columns.size() + c];
  return number(std::abs(value) < 1e-14 * largest ? 0.0 : value);
}
/// A matrix that is much wider than high stands on its side.
std::string matrix_text(const Quantity& x) {
  const bool turned = x.columns.size() > 8 && x.columns.size() > 2 * x.rows.size();
  std::vector<Table::Column> titles{{"", Table::left}};
  for (const std::string& title : turned ? x.rows : x.columns)
    titles.push_back({title, Table::right});
  Table table(titles);
  const std::vector<std::string>& lines = turned ? x.columns : x.rows;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::vector<std::string> row{lines[line]};
    for (std::size_t k = 0; k + 1 < titles.size(); ++k)
      row.push_back(turned ? entry(x, k, line) : entry(x, line, k));
    table.add(std::move(row));
  }
  const std::string title = x.name.empty() ? "\n" : heading(x.name, turned ? "transposed" : "");
  return title + table.text();
}

}  // namespace

Quantity scalar(const std::string& name, double value) { return {name, {}, {}, {value}}; }
std::vector<std::string> dof_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (int k = 0; k < model.n_v(); ++k) names.push_back(model.dof_name(k));
  return names;
}
Quantity coordinates(const std::string& name, const Model<double>& model,
                     std::vector<double> values) {
  std::vector<std::string> names;
  for (int k = 0; k < model.n_q(); ++k) names.push_back(model.coordinate_name(k));
  return {name, std::move(names), {}, std::move(values)};
}
Quantity velocities(const std::string& name, const Model<double>& model,
                    std::vector<double> values) {
  return {name, dof_names(model), {}, std::move(values)};
}
Quantity matrix(const std::string& name, std::vector<std::string> rows,
                std::vector<std::string> columns, const std::vector<double>& by_columns) {
  Quantity out{name, std::move(rows), std::move(columns), {}};
  const std::size_t n = out.rows.size(), m = out.columns.size();
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < m; ++c) out.values.push_back(by_columns[c * n + r]);
  return out;
}
Json json_of(const Quantity& x) {
  if (is_scalar(x)) return x.values[0];
  Json list = Json::array();
  if (x.columns.empty()) {
    for (const double value : x.values) list.push_back(value);
    return list;
  }
  for (std::size_t r = 0; r < x.rows.size(); ++r) {
    Json row = Json::array();
    for (std::size_t c = 0; c < x.columns.size(); ++c)
      row.push_back(x.values[r * x.columns.size() + c]);
    list.push_back(std::move(row));
  }
  return list;
}

std::vector<std::string> column_names(const Quantity& x) {
  std::vector<std::string> names;
  if (is_scalar(x)) names.push_back(x.name);
  for (const std::string& row : x.rows) {
    const std::string name = x.name + "." + row, of_row = name + ".";
    if (x.columns.empty()) names.push_back(name);
    for (const std::string& column : x.columns) names.push_back(of_row + column);
  }
  return names;
}

std::string text_of(const std::vector<Quantity>& quantities) {
  std::string out;
  Table numbers({{"", Table::left}, {"", Table::right}});
  for (std::size_t k = 0; k < quantities.size();) {
    const Quantity& x = quantities[k];
    if (is_scalar(x)) {
      numbers.add({x.name, number(x.values[0])});
      ++k;
      continue;
    }
    if (!x.columns.empty()) {
      out += matrix_text(x);
      ++k;
      continue;
    }
    std::size_t end = k;
    while (end < quantities.size() && quantities[end].rows == x.rows &&
           quantities[end].columns.empty())
      ++end;
    Quantity side{"", x.rows, {}, {}};
    for (std::size_t c = k; c < end; ++c) side.columns.push_back(quantities[c].name);
    for (std::size_t r = 0; r < x.rows.size(); ++r)
      for (std::size_t c = k; c < end; ++c) side.values.push_back(quantities[c].values[r]);
    out += matrix_text(side);
    k = end;
  }
  return numbers.empty() ? out : out + numbers.text();
}

}  // namespace torsor::command
