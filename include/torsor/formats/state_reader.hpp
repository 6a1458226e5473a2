#pragma once
/// States of a robot from CSV, one after the other: memory for one line, however long the file is.
///
///   StateReader states("motion.csv", model);
///   while (states.next()) inverse_dynamics(model, ws, states.q(), states.qd(), ...);
///
/// Columns are those of csv.hpp; q has been checked and its quaternions are of unit norm.
#include <string>
#include <vector>

#include "torsor/formats/csv_reader.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

namespace internal {

/// Where the coordinates of a robot stand among the columns of a table.
struct StateColumns {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t t = none;
  std::vector<std::size_t> q, qd, qdd, tau;  // empty where the table has none of them
  std::vector<std::string> ignored;          // columns of other things, as "q_d.*" each
  std::string missing_q;                     // the first column of q where there is none

  /// Throws Error that begins with `where` for a joint left out and for a misspelt column.
  StateColumns(const std::vector<std::string>& columns, const Model<double>& model,
               const std::string& where);
};
/// "q." + coordinate names, or "qd." + names of the degrees of freedom.
std::vector<std::string> state_column_names(const Model<double>& model, const std::string& word);
/// q.base.qw becomes q.base.6: columns by the names that people have for coordinates.
void count_components(const Model<double>& model, std::vector<std::string>& columns);

}  // namespace internal

class StateReader {
 public:
  /// Throws Error as read_states_csv does. The model outlives the reader.
  StateReader(const std::string& path, const Model<double>& model);

  bool has_t() const { return columns_.t != internal::StateColumns::none; }
  bool has_qd() const { return !columns_.qd.empty(); }
  bool has_qdd() const { return !columns_.qdd.empty(); }
  bool has_tau() const { return !columns_.tau.empty(); }
  /// Columns of other things, as "q_d.*" each.
  const std::vector<std::string>& ignored() const { return columns_.ignored; }

  /// Goes to the next state; false at the end.
  bool next();
  double t() const { return rows_.numbers()[static_cast<int>(columns_.t)]; }
  /// Of sizes n_q and n_v; zero where the file has no column of them.
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& qd() const { return qd_; }
  const std::vector<double>& qdd() const { return qdd_; }
  const std::vector<double>& tau() const { return tau_; }

  /// The table that it is read from: all columns, and the line for messages. Names of columns are
  /// those of csv.hpp.
  const CsvReader& rows() const { return rows_; }
  const std::vector<std::string>& column_names() const { return names_; }

 private:
  const Model<double>& model_;
  CsvReader rows_;
  std::vector<std::string> names_;
  internal::StateColumns columns_;
  std::vector<double> q_, qd_, qdd_, tau_;
  std::string where_;
};

}  // namespace torsor
