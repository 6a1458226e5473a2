#include "torsor/formats/csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "torsor/formats/internal/csv_cells.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

std::string place(const std::string& file, int line) {
  return one_line(file) + ":" + std::to_string(line) + ": ";
}

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

void check_header(const std::vector<std::string>& columns, const std::string& where) {
  std::set<std::string> seen;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].empty()) throw Error(where + "column " + std::to_string(c + 1) + " has no name");
    if (parse_number(columns[c]))
      throw Error(where + "the first line holds names of columns, not numbers like " +
                  in_quotes(columns[c]));
    if (!seen.insert(columns[c]).second)
      throw Error(where + "column " + in_quotes(columns[c]) + " is there twice");
  }
}

std::vector<double> numbers_of(const std::vector<std::string>& cells,
                               const std::vector<std::string>& columns, const std::string& where) {
  if (cells.size() != columns.size())
    throw Error(where + "has " + std::to_string(cells.size()) + " cells, the header " +
                std::to_string(columns.size()));
  std::vector<double> row;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::string why;
    const std::optional<double> value = parse_number(cells[c], &why);
    if (!value) throw Error(where + "column " + in_quotes(columns[c]).append(": ").append(why));
    row.push_back(*value);
  }
  return row;
}

/// "q." + coordinate names, or "qd." + names of the degrees of freedom.
std::vector<std::string> names_of(const Model<double>& model, const std::string& word) {
  std::vector<std::string> names;
  const bool coordinates = word == "q";
  for (int k = 0; k < (coordinates ? model.n_q() : model.n_v()); ++k)
    names.push_back(word + "." + (coordinates ? model.coordinate_name(k) : model.dof_name(k)));
  return names;
}

/// The places of names among the columns of a table.
using Columns = std::unordered_map<std::string, std::size_t>;

/// The table's column of each name; empty where there is none of them.
std::vector<std::size_t> find_columns(const Columns& columns, const std::vector<std::string>& names,
                                      const std::string& where) {
  std::vector<std::size_t> found;
  std::string missing, present;
  for (const std::string& name : names) {
    const auto at = columns.find(name);
    if (at == columns.end()) {
      if (missing.empty()) missing = name;
    } else {
      if (present.empty()) present = name;
      found.push_back(at->second);
    }
  }
  if (!missing.empty() && !present.empty())
    throw Error(where + "column " + in_quotes(missing) + " is missing, though " +
                in_quotes(present) + " is there");
  return found;
}

const std::vector<std::string> state_words = {"q", "qd", "qdd", "tau"};

/// Whether somebody may have meant the word by `head`, as with qd_, QD, qdot and tua. What Torsor's
/// own files call references and errors is something else.
bool may_mean(const std::string& head, const std::string& word) {
  for (const char* own : {"q_d", "qd_d", "qdd_d", "e", "edot", "task_e", "s"})
    if (head == own) return false;
  std::string letters;
  for (const char c : head)
    if (c >= 'A' && c <= 'Z')
      letters += static_cast<char>(c + 32);
    else if (c != '_' && c != '-' && c != ' ')
      letters += c;
  return letters == word || (letters.size() > 2 && internal::nearest_name(letters, {word}) == word);
}

/// Refuses what looks like a misspelt column of the robot; returns what to call one of other things.
std::string other_column(const std::string& name, const std::set<std::string>& known,
                         const Columns& columns, const std::string& where,
                         const Model<double>& model) {
  const std::size_t dot = name.find('.');
  const std::string head = name.substr(0, dot);
  const std::string tail = dot == std::string::npos ? "" : name.substr(dot);
  const auto refuse = [&](const std::string& advice) {
    throw Error(where + "unknown column " + in_quotes(name) + " for robot " +
                in_quotes(model.name()) + advice);
  };
  for (const std::string& word : state_words) {
    if (!tail.empty() && head == word) refuse(did_you_mean(name, {known.begin(), known.end()}));
    if (known.contains(word + tail) && !columns.contains(word + tail) && may_mean(head, word))
      refuse("; did you mean " + in_quotes(word + tail) + "?");
  }
  return dot == std::string::npos ? name : head + ".*";
}

}  // namespace

std::vector<std::string> internal::csv_cells(std::string_view line, const std::string& where) {
  std::vector<std::string> cells;
  std::string cell;
  bool inside = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && inside && k + 1 < line.size() && line[k + 1] == '"') {
      cell += c;
      ++k;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  if (inside) throw Error(where + "a quote is not closed");
  cells.push_back(trimmed(cell));
  return cells;
}

CsvTable parse_csv(const std::string& text, const std::string& file_name) {
  check_is_text(text, file_name);
  std::string_view rest(text);
  if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
  CsvTable table;
  for (int line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view content = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (trimmed(content).empty()) continue;
    const std::string where = place(file_name, line);
    const std::vector<std::string> cells = internal::csv_cells(content, where);
    if (table.columns.empty()) {
      check_header(cells, where);
      table.columns = cells;
    } else {
      table.rows.push_back(numbers_of(cells, table.columns, where));
      table.lines.push_back(line);
    }
  }
  return table;
}

CsvTable read_csv(const std::string& path) { return parse_csv(read_text_file(path), path); }

std::string csv_text(const CsvTable& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    (out += c == 0 ? "" : ",") += csv_cell(table.columns[c]);
  out += "\n";
  for (const std::vector<double>& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      (out += c == 0 ? "" : ",") += std::isnan(row[c]) ? "" : format_number(row[c]);
    out += "\n";
  }
  return out;
}

StateTable states_of(const CsvTable& table, const Model<double>& model,
                     const std::string& file_name) {
  const std::string where = one_line(file_name) + ": ";
  StateTable states;
  states.lines = table.lines;
  Columns columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) columns.emplace(table.columns[c], c);
  std::set<std::string> known{"t"};
  const auto take = [&](const std::string& word, std::vector<std::vector<double>>& out) {
    const std::vector<std::string> names = names_of(model, word);
    known.insert(names.begin(), names.end());
    const std::vector<std::size_t> found = find_columns(columns, names, where);
    if (found.empty()) return;
    for (const std::vector<double>& row : table.rows) {
      out.emplace_back();
      for (const std::size_t c : found) out.back().push_back(row[c]);
    }
  };
  take("q", states.q);
  take("qd", states.qd);
  take("qdd", states.qdd);
  take("tau", states.tau);
  std::set<std::string> ignored;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    if (name == "t")
      for (const std::vector<double>& row : table.rows) states.t.push_back(row[c]);
    if (known.contains(name)) continue;
    const std::string other = other_column(name, known, columns, where, model);
    if (ignored.insert(other).second) states.ignored.push_back(other);
  }
  if (states.q.empty() && !table.rows.empty()) {
    if (model.n_q() > 0)
      throw Error(where + "no column " + in_quotes(names_of(model, "q").front()));
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

namespace {

/// q.base.qw becomes q.base.6: columns by the names that people have for coordinates.
void count_components(const Model<double>& model, std::vector<std::string>& columns) {
  for (const std::string word : {"q", "qd", "qdd", "tau"}) {
    const std::vector<std::string> names = names_of(model, word);
    std::vector<std::string> labels =
        word == "q" ? coordinate_labels(model) : velocity_labels(model);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (word + "." + labels[k] == names[k]) continue;
      std::replace(columns.begin(), columns.end(), word + "." + labels[k], names[k]);
    }
  }
}

}  // namespace

StateTable read_states_csv(const std::string& path, const Model<double>& model) {
  CsvTable table = read_csv(path);
  count_components(model, table.columns);
  return states_of(table, model, path);
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
    const std::vector<std::string> names = names_of(model, word);
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
