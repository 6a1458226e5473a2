#pragma once
/// CSV: tables of numbers with named columns, and states of a robot as one.
///
///   t, q.shoulder, q.elbow, qd.shoulder, qd.elbow, tau.shoulder, tau.elbow
///   0, 0.5, -1, 0, 0, 3.1, 0.2
///
/// Columns may come in any order; those of q, qd, qdd, tau are given for every joint or not at all.
/// Other columns (q_d.<joint>, V, ...) are ignored, so that every verb reads what another one wrote.
/// A joint with several coordinates or velocities has columns q.<joint>.0, q.<joint>.1, ... Numbers
/// are SI and radians and never depend on the locale. Names with a comma or a quote are written in
/// double quotes.
///
/// These hold whole tables. csv_reader.hpp and state_reader.hpp go through files of any length.
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;  ///< each as long as `columns`
  std::vector<int> lines;                 ///< of the file, for messages; may be empty
};

/// Throws Error with file and line: no header, a name twice or empty, a row of another length, a
/// cell that is not a finite number. Blank lines are skipped.
CsvTable parse_csv(const std::string& text, const std::string& file_name);
CsvTable read_csv(const std::string& path);
/// Header and rows; numbers read back as the same doubles.
std::string csv_text(const CsvTable& table);
/// The first line of one, for writers that add rows as they come.
void append_csv_header(const std::vector<std::string>& columns, std::string& out);

/// States over time. A list is empty where the file has no column of it.
struct StateTable {
  std::vector<double> t;
  std::vector<std::vector<double>> q, qd, qdd, tau;
  std::vector<int> lines;
  std::vector<std::string> ignored{};  ///< columns of other things, as "q_d.*" each

  std::size_t size() const { return q.size(); }
};

/// Throws Error: a joint left out, a column that looks like a misspelt one (with the nearest name), no
/// q, q that is no configuration (quaternions off unit norm by up to 1e-6 are normalised).
StateTable states_of(const CsvTable& table, const Model<double>& model,
                     const std::string& file_name);
StateTable read_states_csv(const std::string& path, const Model<double>& model);
/// The columns of whatever lists are there.
CsvTable table_of(const StateTable& states, const Model<double>& model);

}  // namespace torsor
