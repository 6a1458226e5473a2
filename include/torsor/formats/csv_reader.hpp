#pragma once
/// CSV row by row: memory for one line, however long the file is.
///
///   CsvReader rows("motion.csv");
///   while (rows.next()) use(rows.numbers());
///
/// The header is read when the reader is made. csv.hpp says what a table may hold, and refuses with
/// the same words: it reads through this one.
/// Cost     About 25 ns per number; no allocation in a row without quotes.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/math/view.hpp"

namespace torsor {

class CsvReader {
 public:
  /// A file or a pipe. Throws Error where it cannot be read, is blank or has no good header.
  explicit CsvReader(const std::string& path);
  /// Of a text that outlives the reader; `file_name` is for messages.
  CsvReader(std::string_view text, const std::string& file_name);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Goes to the next line that is not blank; false at the end. Throws Error with file, line and
  /// column for a row of another length and a cell that is not a finite number.
  bool next();
  /// Of the row, one for each column, until the next one.
  View<const double> numbers() const { return numbers_; }
  /// The same as they were written, without blanks; empty where the row has quotes or plus signs.
  const std::vector<std::string_view>& cells() const { return cells_; }
  int line() const { return line_; }
  /// "motion.csv:12: " of the row, for messages.
  std::string place() const;

 private:
  bool next_line(std::string_view& line);
  bool read_more();
  bool read_plain(std::string_view line);
  void read_any(std::string_view line);
  void read_header();

  std::string file_name_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  std::string buffer_;     // of a file: what was read and is not a row yet
  std::string_view rest_;  // of the buffer or the text
  std::vector<std::string> columns_;
  std::vector<double> numbers_;
  std::vector<std::string_view> cells_;
  int line_ = 0;
};

}  // namespace torsor
