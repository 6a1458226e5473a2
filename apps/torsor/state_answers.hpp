#pragma once
/// Answers of state verbs, one state after the other: rows of CSV, entries of JSON, text of one state.
/// A number that is not finite is a Failure that names it.
#include <string>
#include <string_view>
#include <vector>

#include "json_output.hpp"
#include "states.hpp"
#include "torsor/formats/state_reader.hpp"

namespace torsor::command {

/// One row for each state, a header before the first. A number that the table has under the same name
/// is copied as it is written there: that takes a tenth of the time of its digits.
class CsvAnswers {
 public:
  /// `table`: what the states are read from; may be nullptr.
  CsvAnswers(const Reporter& reporter, const StateReader* table)
      : report_(reporter), table_(table) {}
  void add(const State& state, std::string& out);
  void end(std::string&) {}

 private:
  void compute(const State& state, std::string& out);
  void begin(const std::vector<Quantity>& all, std::string& out);
  std::string_view copied(std::size_t c, const std::vector<std::string_view>& cells) const;

  const Reporter& report_;
  const StateReader* table_;
  bool begun_ = false;
  std::vector<int> sources_;  // the table's column of each; -1: none
  std::vector<double> row_;
};

/// {"robot", "joints", "n_q", "n_v", "results": [...]}
class JsonAnswers {
 public:
  JsonAnswers(const Model<double>& model, const Reporter& reporter, const StateReader* table);
  void add(const State& state, std::string& out);
  void end(std::string& out) { list_.end(out); }

 private:
  const Reporter& report_;
  const StateReader* table_;
  JsonList list_;
};

std::string text_answer(const Model<double>& model, const State& state, const Reporter& reporter,
                        bool degrees);

}  // namespace torsor::command
