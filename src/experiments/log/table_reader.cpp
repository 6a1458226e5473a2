#include "log/table_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "log/units.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal::logs {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20, longest_line = std::size_t{1} << 20;
/// Numbers of one log, 4 GiB.
constexpr long long most_numbers = 1LL << 29;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The next cell of a line; blanks separate in any number.
std::string_view take_cell(std::string_view& rest, char delimiter) {
  if (delimiter == ' ')
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  std::size_t end = 0;
  if (!rest.empty() && rest.front() == '"') {
    end = rest.find('"', 1);
    end = end == rest.npos ? rest.size() : end;
  }
  if (delimiter == ' ')
    while (end < rest.size() && !is_blank(rest[end])) ++end;
  else
    end = std::min(rest.find(delimiter, end), rest.size());
  const std::string_view cell = rest.substr(0, end);
  rest.remove_prefix(end);
  if (delimiter == ' ')
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  return cell;
}
/// Steps over the delimiter after a cell; false at the end of the line.
bool step_over(std::string_view& rest, char delimiter) {
  if (rest.empty()) return false;
  if (delimiter != ' ') rest.remove_prefix(1);
  return true;
}

double number_in(std::string_view cell) {
  if (cell.empty() || is_blank(cell.front()) || is_blank(cell.back())) cell = trimmed(cell);
  if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
    cell = trimmed(cell.substr(1, cell.size() - 2));
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, code] = std::from_chars(cell.data(), end, value);
  if (code == std::errc() && stop == end) return std::isfinite(value) ? value : none;
  if (cell.size() < 64 && std::count(cell.begin(), cell.end(), ',') == 1) {
    std::string point(cell);  // 0,5 between semicolons
    std::replace(point.begin(), point.end(), ',', '.');
    return number_in(point);
  }
  return none;
}

std::vector<std::string> cells_of(std::string_view line, char delimiter) {
  std::vector<std::string> cells;
  do {
    std::string_view cell = trimmed(take_cell(line, delimiter));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.emplace_back(trimmed(cell));
  } while (step_over(line, delimiter));
  return cells;
}

char delimiter_in(std::string_view line) {
  bool quoted = false;
  std::size_t count[3] = {};
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    count[0] += c == ';', count[1] += c == '\t', count[2] += c == ',';
  }
  return count[0] > 0 ? ';' : count[1] > 0 ? '\t' : count[2] > 0 ? ',' : ' ';
}

/// What a remark says, without its mark; rostopic's name of its stamps begins with one.
std::string_view name_of_remark(std::string_view remark) {
  if (remark.starts_with("%time")) return remark;
  while (!remark.empty() &&
         (remark.front() == '#' || remark.front() == '%' || is_blank(remark.front())))
    remark.remove_prefix(1);
  return remark;
}

/// One entry for neighbouring rows with one finding, not more than anybody reads.
void tell(std::vector<LogRepair>& repairs, const std::string& log, int row,
          const std::string& what) {
  constexpr std::size_t most = 100;
  if (!repairs.empty() && repairs.back().last_row + 1 == row && repairs.back().what == what) {
    repairs.back().last_row = row;
  } else if (repairs.size() < most) {
    repairs.push_back({log, row, row, what});
  } else if (repairs.size() == most) {
    repairs.push_back({log, row, row, "further rows are left out for the same reasons"});
  } else {
    repairs.back().last_row = row;
  }
}

}  // namespace

TableReader::TableReader(const std::string& path, char delimiter) : name_(one_line(path)) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw Error(name_ + ": no such file");
  if (status.type() == fs::file_type::directory) throw Error(name_ + ": is a folder, not a file");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw Error(name_ + ": cannot read: " + std::strerror(errno));
  read_header(delimiter);
}

TableReader::TableReader(std::string text, const std::string& name, char delimiter)
    : name_(one_line(name)), buffer_(std::move(text)) {
  read_header(delimiter);
}

bool TableReader::fill() {
  if (!file_ || ended_) return false;
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + piece);
  const std::size_t n = std::fread(buffer_.data() + before, 1, piece, file_.get());
  buffer_.resize(before + n);
  if (std::ferror(file_.get()) != 0) throw Error(name_ + ": cannot read: " + std::strerror(errno));
  ended_ = n == 0;
  return n > 0;
}

bool TableReader::next_line(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_ + searched);
    if (end != buffer_.npos) {
      line = std::string_view(buffer_).substr(at_, end - at_);
      at_ = end + 1;
      return true;
    }
    searched = buffer_.size() - at_;
    if (searched > longest_line)
      throw Error(name_ + ": a line of more than 1 MiB: not a table of numbers");
    if (fill()) continue;
    if (at_ >= buffer_.size()) return false;
    line = std::string_view(buffer_).substr(at_);
    at_ = buffer_.size();
    return true;
  }
}

void TableReader::read_header(char delimiter) {
  std::string_view line;
  std::string remark;  // the last one before the table
  std::size_t start = 0;
  for (;;) {
    if (!next_line(line)) throw Error(name_ + ": file is empty");
    start = static_cast<std::size_t>(line.data() - buffer_.data());
    if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    for (const char c : line)
      if (static_cast<unsigned char>(c) < 0x20 && !is_blank(c))
        throw Error(name_ + ": not a text file (it holds the byte " +
                    std::to_string(static_cast<unsigned char>(c)) + ")");
    line = trimmed(line);
    if (line.empty()) continue;
    if (line.size() == 5 && line.starts_with("sep=")) {  // of spreadsheets
      if (delimiter == 0) delimiter = line[4];
      continue;
    }
    if (line.front() != '#' && line.front() != '%') break;
    remark = line;
  }
  delimiter_ = delimiter != 0 ? delimiter : delimiter_in(line);
  columns_ = cells_of(line, delimiter_);
  if (columns_.size() < 2)
    throw Error(name_ + ": one column, " + in_quotes(columns_[0]) + ": not a log of a robot");
  const auto is_number = [](const std::string& cell) { return std::isfinite(number_in(cell)); };
  const auto count = [&](const std::vector<std::string>& cells) {
    return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), is_number));
  };
  const std::size_t n_numbers = count(columns_);
  const bool numbers = n_numbers == columns_.size();
  // "# t, q1, q2" above numbers is their header, and so is "%time,field.name0,..." above rows that hold
  // numbers among texts.
  std::vector<std::string> names = cells_of(name_of_remark(remark), delimiter_);
  const bool named = names.size() == columns_.size() && n_numbers > 0 &&
                     (numbers ? count(names) < names.size() : count(names) == 0);
  if (!numbers && !named) {
    read_units();
    return;
  }
  at_ = start;  // the line is read again, as data
  if (named) {
    columns_ = std::move(names);
    return;
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c] = std::to_string(c + 1);
}

void TableReader::read_units() {
  std::string_view line;
  if (!next_line(line)) return;
  const auto start = static_cast<std::size_t>(line.data() - buffer_.data());
  std::vector<std::string> cells = cells_of(trimmed(line), delimiter_);
  std::size_t units = 0;
  bool all = cells.size() == columns_.size();
  for (std::string& cell : cells) {
    if (cell.size() > 1 && (cell.front() == '[' || cell.front() == '('))
      cell = cell.substr(1, cell.size() - 2);
    if (cell.empty() || cell == "-" || cell == "1" || cell == "%") continue;
    all = all && unit_called(cell) != nullptr;
    ++units;
  }
  if (all && units > 0)
    units_ = std::move(cells);
  else
    at_ = start;
}

NumberTable TableReader::read(const Array<int>& columns, int first, int last) {
  NumberTable table;
  table.columns = columns.size();
  // Where each column of the file goes to; a column may be used once.
  Array<int> place(static_cast<int>(columns_.size()), -1);
  for (int c = 0; c < columns.size(); ++c) place[columns[c]] = c;
  const int width = place.size();
  int row = 0, wrong = 0;
  std::string_view line;
  Array<double> numbers(columns.size(), none);
  while (next_line(line)) {
    std::string_view rest = line;
    if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
    if (rest.empty() || rest.front() == '#' || trimmed(rest).empty()) continue;
    if (row == std::numeric_limits<int>::max() - 1) throw Error(name_ + ": more than 2^31 rows");
    ++row;
    if (row < first) continue;
    if (last > 0 && row > last) break;
    int cells = 0;
    bool more = true, ends_empty = false;
    while (more) {
      const std::string_view cell = take_cell(rest, delimiter_);
      if (cells < width && place[cells] >= 0) numbers[place[cells]] = number_in(cell);
      ends_empty = cell.empty();
      ++cells;
      more = step_over(rest, delimiter_);
    }
    if (cells != width && !(cells == width + 1 && ends_empty)) {
      ++wrong;
      tell(table.repairs, name_, row,
           std::to_string(cells) + " cells instead of " + std::to_string(width) + ": left out");
      continue;
    }
    if (static_cast<long long>(table.values.size()) + columns.size() > most_numbers)
      throw Error(name_ + ": more than " + std::to_string(most_numbers) +
                  " numbers: choose rows: {from, to}");
    table.values.insert(table.values.end(), numbers.begin(), numbers.end());
    table.rows.push_back(row);
  }
  table.rows_in_file = row;
  if (wrong > 10 && wrong > row / 2)
    throw Error(name_ + ": " + std::to_string(wrong) + " of " + std::to_string(row) +
                " rows do not have the " + std::to_string(width) + " cells of the first line");
  return table;
}

}  // namespace torsor::internal::logs
