#include "torsor/formats/state_reader.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

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

namespace internal {

std::vector<std::string> state_column_names(const Model<double>& model, const std::string& word) {
  std::vector<std::string> names;
  const bool coordinates = word == "q";
  for (int k = 0; k < (coordinates ? model.n_q() : model.n_v()); ++k)
    names.push_back(word + "." + (coordinates ? model.coordinate_name(k) : model.dof_name(k)));
  return names;
}

void count_components(const Model<double>& model, std::vector<std::string>& columns) {
  for (const std::string word : {"q", "qd", "qdd", "tau"}) {
    const std::vector<std::string> names = state_column_names(model, word);
    std::vector<std::string> labels =
        word == "q" ? coordinate_labels(model) : velocity_labels(model);
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (word + "." + labels[k] == names[k]) continue;
      std::replace(columns.begin(), columns.end(), word + "." + labels[k], names[k]);
    }
  }
}

StateColumns::StateColumns(const std::vector<std::string>& columns, const Model<double>& model,
                           const std::string& where) {
  Columns places;
  for (std::size_t c = 0; c < columns.size(); ++c) places.emplace(columns[c], c);
  std::set<std::string> known{"t"};
  const auto find = [&](const std::string& word) {
    const std::vector<std::string> names = state_column_names(model, word);
    known.insert(names.begin(), names.end());
    return find_columns(places, names, where);
  };
  q = find("q");
  qd = find("qd");
  qdd = find("qdd");
  tau = find("tau");
  if (q.empty() && model.n_q() > 0) missing_q = state_column_names(model, "q").front();
  std::set<std::string> seen;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "t") t = c;
    if (known.contains(columns[c])) continue;
    const std::string other = other_column(columns[c], known, places, where, model);
    if (seen.insert(other).second) ignored.push_back(other);
  }
}

}  // namespace internal

namespace {

std::vector<std::string> counted(std::vector<std::string> columns, const Model<double>& model) {
  internal::count_components(model, columns);
  return columns;
}

}  // namespace

StateReader::StateReader(const std::string& path, const Model<double>& model)
    : model_(model),
      rows_(path),
      names_(counted(rows_.columns(), model)),
      columns_(names_, model, one_line(path) + ": "),
      q_(static_cast<std::size_t>(model.n_q())),
      qd_(static_cast<std::size_t>(model.n_v())),
      qdd_(qd_),
      tau_(qd_),
      where_(one_line(path) + ": ") {}

bool StateReader::next() {
  if (!rows_.next()) return false;
  if (!columns_.missing_q.empty())
    throw Error(where_ + "no column " + in_quotes(columns_.missing_q));
  const double* const row = rows_.numbers().data;
  const auto pick = [&](const std::vector<std::size_t>& from, std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) to[k] = row[from[k]];
  };
  pick(columns_.q, q_);
  pick(columns_.qd, qd_);
  pick(columns_.qdd, qdd_);
  pick(columns_.tau, tau_);
  try {
    check_configuration(model_, q_);
  } catch (const Error& refused) {
    throw Error(rows_.place() + refused.what());
  }
  return true;
}

}  // namespace torsor
