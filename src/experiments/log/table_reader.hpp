#pragma once
/// Chosen columns of a large table of numbers, read in pieces.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "torsor/identification/motion_log.hpp"

namespace torsor::internal::logs {

struct NumberTable {
  int columns = 0;
  Array<double> values{};  ///< by rows; NaN where a cell is no number
  Array<int> rows{};       ///< of the file's data, from 1
  int rows_in_file = 0;
  std::vector<LogRepair> repairs{};
};

class TableReader {
 public:
  /// Opens the file and reads the header. `delimiter` 0: found. Throws Error for what is no table.
  explicit TableReader(const std::string& path, char delimiter = 0);
  /// The same for text in memory.
  TableReader(std::string text, const std::string& name, char delimiter);

  const std::string& name() const { return name_; }
  /// Without a header: 1, 2, ...
  const std::vector<std::string>& columns() const { return columns_; }
  /// Of a second line that has the units of all columns; else empty.
  const std::vector<std::string>& units() const { return units_; }

  /// Rows first ... last of the data (0: to the end).
  NumberTable read(const Array<int>& columns, int first = 1, int last = 0);

 private:
  bool fill();  // more text into the buffer; false at the end
  bool next_line(std::string_view& line);
  void read_header(char delimiter);
  void read_units();

  std::string name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::string buffer_;
  std::size_t at_ = 0;
  bool ended_ = false;
  char delimiter_ = 0;
  std::vector<std::string> columns_, units_;
};

}  // namespace torsor::internal::logs
