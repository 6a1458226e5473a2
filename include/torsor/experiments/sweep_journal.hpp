#pragma once
/// The journal of a sweep: a CSV file to which every finished run adds one line at once.
///
///   # torsor sweep 1, scenario 0123456789abcdef, seed 1
///   sample,seed,stop,stopped_at,<values>,<figures>
///   3,1234567890,finished,4,0.93,...
///
/// A killed sweep loses the runs in flight and nothing else: the next one reads what is there,
/// drops a last line that was cut, and goes on. Rows stand in the order in which runs ended.
#include <string>
#include <vector>

#include "torsor/sim/sweep.hpp"

namespace torsor {

class SweepJournal {
 public:
  /// Opens the file or makes it; `restart` empties one that is there. Throws Error for a file that
  /// is no journal, is of another scenario (`fingerprint`) or seed, or is written by another
  /// process.
  SweepJournal(const std::string& path, const std::string& fingerprint, const Scenario& scenario,
               bool restart = false);
  ~SweepJournal();
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;

  /// What was in the file, by index.
  const std::vector<SweepRow>& rows() const { return rows_; }
  /// Written when the call returns; throws Error where it cannot be.
  void append(const SweepRow& row);

 private:
  void read(const std::string& text, const std::string& first, const std::string& header);
  SweepRow parsed(const std::string& line, int number) const;
  void write(const std::string& text);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  int file_ = -1;
  std::size_t n_values_ = 0;
  std::vector<SweepRow> rows_;
};

}  // namespace torsor
