#pragma once
/// The journal of a sweep: a CSV file to which every finished run adds one line at once.
///
///   # torsor sweep 2, scenario 0123456789abcdef, seed 1
///   sample,seed,stop,stopped_at,<values>,<figures>,reason,checksum
///   3,1234567890,finished,4,0.93,...,,fedcba9876543210
///   4,2345678901,impossible,0,-0.02,nan,...,friction_factor = -0.02 is negative,...
///
/// A killed sweep loses the runs in flight and nothing else: the next one reads what is there,
/// drops a last line that was cut, and goes on. Once a second what is written is forced to the
/// disk, so that a power cut takes the runs of the last second. Rows stand in the order in which
/// runs ended; each has a checksum, and its seed and values are those that its number draws.
#include <chrono>
#include <string>
#include <vector>

#include "torsor/batch/sweep.hpp"

namespace torsor {

class SweepJournal {
 public:
  /// Opens the file or makes it; `restart` empties one that is there. Throws Error for a file that
  /// is no journal (a device or a pipe, too), is of another scenario (`fingerprint`) or seed, is
  /// written by another process, or holds a row that is not as it was written. `scenario` outlives
  /// the journal.
  SweepJournal(const std::string& path, const std::string& fingerprint, const Scenario& scenario,
               bool restart = false);
  ~SweepJournal();
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;

  /// What was in the file, by index.
  const std::vector<SweepRow>& rows() const { return rows_; }
  /// Written when the call returns; throws WriteError (formats/text.hpp) where it cannot be.
  void append(const SweepRow& row);

 private:
  void read(const std::string& text, const std::string& first, const std::string& header);
  SweepRow parsed(const std::string& line, int number) const;
  void write(const std::string& text);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void cannot_write(int code) const;

  std::string path_;
  const Scenario* scenario_;
  std::vector<std::string> names_;
  int file_ = -1;
  bool appended_ = false;
  std::chrono::steady_clock::time_point synced_{};
  std::vector<SweepRow> rows_;
};

}  // namespace torsor
