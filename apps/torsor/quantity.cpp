#include "quantity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "command.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

/// A vector of a robot without joints has no rows either, but no value.
bool is_scalar(const Quantity& x) { return x.rows.empty() && x.values.size() == 1; }
bool is_vector(const Quantity& x) { return !is_scalar(x) && x.columns.empty(); }
const std::vector<std::string>& shown_rows(const Quantity& x) {
  return x.row_labels.empty() ? x.rows : x.row_labels;
}
const std::vector<std::string>& shown_columns(const Quantity& x) {
  return x.column_labels.empty() ? x.columns : x.column_labels;
}
std::string unit_of(const Quantity& x, std::size_t row) {
  return x.units.empty() ? "" : x.units[x.units.size() == 1 ? 0 : row];
}

/// A number of text and its unit, in degrees where that is wanted.
struct Shown {
  double value;
  std::string unit;
};
Shown shown(double value, const std::string& unit, bool degrees) {
  if (!degrees || !unit.starts_with("rad")) return {value, unit};
  return {value * 180 / std::numbers::pi, "deg" + unit.substr(3)};
}

/// What rounding leaves of zero, beside the other numbers of its column, is shown as zero.
std::string tidy(double value, double largest) {
  return number(std::abs(value) < 1e-14 * largest ? 0.0 : value);
}

/// A matrix that is much wider than high stands on its side.
std::string matrix_text(const Quantity& x) {
  const std::size_t rows = x.rows.size(), columns = x.columns.size();
  const bool turned = columns > 8 && columns > 2 * rows;
  std::vector<double> largest(columns, 0);
  for (std::size_t k = 0; k < x.values.size(); ++k)
    largest[k % columns] = std::max(largest[k % columns], std::abs(x.values[k]));
  std::vector<Table::Column> titles{{"", Table::left}};
  for (const std::string& title : turned ? shown_rows(x) : shown_columns(x))
    titles.push_back({title, Table::right});
  Table table(std::move(titles));
  const std::vector<std::string>& lines = turned ? shown_columns(x) : shown_rows(x);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::vector<std::string> row{lines[line]};
    for (std::size_t k = 0; k < (turned ? rows : columns); ++k) {
      const std::size_t r = turned ? k : line, c = turned ? line : k;
      row.push_back(tidy(x.values[r * columns + c], largest[c]));
    }
    table.add(std::move(row));
  }
  const std::string apart = turned && !x.remark.empty() ? "; " : "";
  return heading(x.name, (turned ? "transposed" : "") + apart + x.remark) + table.text();
}

/// Vectors with the same rows, side by side. A unit that all rows have stands in the title,
/// otherwise each number has its own.
std::string vectors_text(const Quantity* begin, const Quantity* end, bool degrees) {
  std::vector<Table::Column> titles{{"", Table::left}};
  std::vector<std::vector<std::string>> rows;
  for (const std::string& label : shown_rows(*begin)) rows.push_back({label});
  for (const Quantity* x = begin; x != end; ++x) {
    double largest = 0;
    std::size_t widest = 0;
    bool alike = true;
    const std::string first = rows.empty() ? "" : shown(0, unit_of(*x, 0), degrees).unit;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Shown s = shown(x->values[r], unit_of(*x, r), degrees);
      largest = std::max(largest, std::abs(s.value));
      widest = std::max(widest, s.unit.size());
      alike = alike && s.unit == first;
    }
    titles.push_back(
        {alike && !first.empty() ? x->name + " [" + first + "]" : x->name, Table::right});
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Shown s = shown(x->values[r], unit_of(*x, r), degrees);
      std::string cell = tidy(s.value, largest);
      s.unit.resize(widest, ' ');
      rows[r].push_back(alike ? cell : cell + " " + s.unit);
    }
  }
  if (rows.empty()) return "";
  Table table(std::move(titles));
  for (std::vector<std::string>& row : rows) table.add(std::move(row));
  return "\n" + table.text();
}

bool stand_side_by_side(const Quantity& a, const Quantity& b) {
  return is_vector(b) && a.rows == b.rows && shown_rows(a) == shown_rows(b);
}

}  // namespace

Quantity scalar(const std::string& name, double value, const std::string& unit) {
  return {name, {}, {}, {value}, {unit}};
}
std::vector<std::string> dof_names(const Model<double>& model) {
  std::vector<std::string> names;
  for (int k = 0; k < model.n_v(); ++k) names.push_back(model.dof_name(k));
  return names;
}
Quantity coordinates(const std::string& name, const Model<double>& model,
                     std::vector<double> values) {
  Quantity out{name, {}, {}, std::move(values)};
  for (int k = 0; k < model.n_q(); ++k) out.rows.push_back(model.coordinate_name(k));
  for (const Measure measure : coordinate_measures(model))
    out.units.emplace_back(measure == Measure::angle    ? "rad"
                           : measure == Measure::length ? "m"
                                                        : "");
  out.row_labels = coordinate_labels(model);
  return out;
}
Quantity velocities(const std::string& name, const Model<double>& model, std::vector<double> values,
                    Rate rate) {
  Quantity out{name, dof_names(model), {}, std::move(values)};
  const std::string per = rate == Rate::velocity ? "/s" : "/s^2";
  for (const Measure measure : velocity_measures(model)) {
    const bool angle = measure == Measure::angle;
    if (rate == Rate::torque)
      out.units.emplace_back(angle ? "N m" : "N");
    else
      out.units.push_back((angle ? "rad" : "m") + per);
  }
  out.row_labels = velocity_labels(model);
  return out;
}
Quantity matrix(const std::string& name, std::vector<std::string> rows,
                std::vector<std::string> columns, const std::vector<double>& by_columns) {
  Quantity out{name, std::move(rows), std::move(columns), {}};
  const std::size_t n = out.rows.size(), m = out.columns.size();
  out.values.reserve(n * m);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < m; ++c) out.values.push_back(by_columns[c * n + r]);
  return out;
}
Quantity matrix_of_velocities(const std::string& name, const Model<double>& model,
                              std::vector<std::string> columns,
                              const std::vector<double>& by_columns) {
  Quantity out = matrix(name, dof_names(model), std::move(columns), by_columns);
  out.row_labels = velocity_labels(model);
  return out;
}
Quantity square_matrix(const std::string& name, const Model<double>& model,
                       const std::vector<double>& by_columns,
                       const std::vector<std::string>& units) {
  Quantity out = matrix_of_velocities(name, model, dof_names(model), by_columns);
  out.column_labels = out.row_labels;
  const std::vector<Measure> measures = velocity_measures(model);
  const auto lengths = std::count(measures.begin(), measures.end(), Measure::length);
  if (lengths == 0)
    out.remark = units[0];
  else if (lengths == static_cast<std::ptrdiff_t>(measures.size()))
    out.remark = units[2];
  else
    out.remark = units[0] + " of two angles, " + units[1] + " of an angle and a length, " +
                 units[2] + " of two lengths";
  return out;
}

void require_finite(const std::vector<Quantity>& quantities) {
  for (const Quantity& x : quantities)
    for (std::size_t k = 0; k < x.values.size(); ++k) {
      if (std::isfinite(x.values[k])) continue;
      std::string name = x.name;
      if (!x.columns.empty())
        name += " of " + shown_rows(x)[k / x.columns.size()] + ", " +
                shown_columns(x)[k % x.columns.size()];
      else if (!x.rows.empty())
        name += " of " + shown_rows(x)[k];
      throw Failure(name + " is too large for a number here; look at the size of the state");
    }
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

std::string text_of(const std::vector<Quantity>& quantities, bool degrees) {
  std::string out;
  Table numbers({{"", Table::left}, {"", Table::right}, {"", Table::left}});
  bool empty = true;  // a robot without joints
  for (std::size_t k = 0; k < quantities.size();) {
    const Quantity& x = quantities[k];
    empty = empty && x.values.empty();
    if (is_scalar(x)) {
      const Shown s = shown(x.values[0], unit_of(x, 0), degrees);
      numbers.add({x.name, number(s.value), s.unit});
      ++k;
      continue;
    }
    if (!x.columns.empty()) {
      out += matrix_text(x);
      ++k;
      continue;
    }
    std::size_t end = k + 1;
    while (end < quantities.size() && stand_side_by_side(x, quantities[end])) ++end;
    out += vectors_text(&quantities[k], quantities.data() + end, degrees);
    k = end;
  }
  if (empty) return "  no joint moves\n";
  return numbers.empty() ? out : out + numbers.text();
}

}  // namespace torsor::command
