#include "torsor/formats/csv.hpp"

#include <cmath>

#include "torsor/formats/csv_reader.hpp"
#include "torsor/formats/state_reader.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

std::string place(const std::string& file, int line) {
  return one_line(file) + ":" + std::to_string(line) + ": ";
}

}  // namespace

CsvTable parse_csv(const std::string& text, const std::string& file_name) {
  CsvReader reader(text, file_name);
  CsvTable table{reader.columns(), {}, {}};
  while (reader.next()) {
    table.rows.emplace_back(reader.numbers().begin(), reader.numbers().end());
    table.lines.push_back(reader.line());
  }
  return table;
}

CsvTable read_csv(const std::string& path) { return parse_csv(read_text_file(path), path); }

void append_csv_header(const std::vector<std::string>& columns, std::string& out) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    (out += c == 0 ? "" : ",") += csv_cell(columns[c]);
  out += "\n";
}

std::string csv_text(const CsvTable& table) {
  std::string out;
  append_csv_header(table.columns, out);
  for (const std::vector<double>& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ',';
      if (!std::isnan(row[c])) append_number(row[c], out);
    }
    out += '\n';
  }
  return out;
}

StateTable states_of(const CsvTable& table, const Model<double>& model,
                     const std::string& file_name) {
  const std::string where = one_line(file_name) + ": ";
  const internal::StateColumns columns(table.columns, model, where);
  StateTable states;
  states.lines = table.lines;
  states.ignored = columns.ignored;
  const auto take = [&](const std::vector<std::size_t>& from,
                        std::vector<std::vector<double>>& out) {
    if (from.empty()) return;
    for (const std::vector<double>& row : table.rows) {
      out.emplace_back();
      for (const std::size_t c : from) out.back().push_back(row[c]);
    }
  };
  take(columns.q, states.q);
  take(columns.qd, states.qd);
  take(columns.qdd, states.qdd);
  take(columns.tau, states.tau);
  if (columns.t != internal::StateColumns::none)
    for (const std::vector<double>& row : table.rows) states.t.push_back(row[columns.t]);
  if (states.q.empty() && !table.rows.empty()) {
    if (!columns.missing_q.empty())
      throw Error(where + "no column " + in_quotes(columns.missing_q));
    states.q.resize(table.rows.size());
  }
  for (std::size_t r = 0; r < states.q.size(); ++r) try {
      check_configuration(model, states.q[r]);
    } catch (const Error& refused) {
      throw Error((r < table.lines.size() ? place(file_name, table.lines[r]) : where) +
                  refused.what());
    }
  return states;
}

StateTable read_states_csv(const std::string& path, const Model<double>& model) {
  StateReader reader(path, model);
  StateTable states;
  states.ignored = reader.ignored();
  while (reader.next()) {
    if (reader.has_t()) states.t.push_back(reader.t());
    states.q.push_back(reader.q());
    if (reader.has_qd()) states.qd.push_back(reader.qd());
    if (reader.has_qdd()) states.qdd.push_back(reader.qdd());
    if (reader.has_tau()) states.tau.push_back(reader.tau());
    states.lines.push_back(reader.rows().line());
  }
  return states;
}

CsvTable table_of(const StateTable& states, const Model<double>& model) {
  CsvTable table;
  table.rows.resize(states.size());
  if (!states.t.empty()) {
    table.columns.emplace_back("t");
    for (std::size_t r = 0; r < states.size(); ++r) table.rows[r].push_back(states.t[r]);
  }
  const auto add = [&](const std::string& word, const std::vector<std::vector<double>>& list) {
    if (list.empty()) return;
    const std::vector<std::string> names = internal::state_column_names(model, word);
    table.columns.insert(table.columns.end(), names.begin(), names.end());
    for (std::size_t r = 0; r < list.size(); ++r)
      table.rows[r].insert(table.rows[r].end(), list[r].begin(), list[r].end());
  };
  add("q", states.q);
  add("qd", states.qd);
  add("qdd", states.qdd);
  add("tau", states.tau);
  return table;
}

}  // namespace torsor
