#include "torsor/formats/csv_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "torsor/formats/internal/csv_cells.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

constexpr std::size_t read_at_once = std::size_t{1} << 18;  // bytes

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Answers of inverse kinematics have rows without q, of poses out of reach.
bool not_reached(const std::vector<std::string>& cells, const std::vector<std::string>& columns) {
  const auto at = std::find(columns.begin(), columns.end(), "reached") - columns.begin();
  return static_cast<std::size_t>(at) < cells.size() && cells[static_cast<std::size_t>(at)] == "0";
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

}  // namespace

std::vector<std::string> internal::csv_cells(std::string_view line, const std::string& where) {
  std::vector<std::string> cells;
  std::string cell;
  bool inside = false;
  const auto end_cell = [&] {
    cells.emplace_back(trimmed(cell));
    cell.clear();
  };
  for (std::size_t k = 0; k < line.size(); ++k) {
    const char c = line[k];
    if (c == '"' && inside && k + 1 < line.size() && line[k + 1] == '"') {
      cell += c;
      ++k;
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      end_cell();
    } else {
      cell += c;
    }
  }
  if (inside) throw Error(where + "a quote is not closed");
  end_cell();
  return cells;
}

CsvReader::CsvReader(const std::string& path) : file_name_(path) {
  const std::string name = one_line(path);
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found) throw Error(name + ": no such file");
  if (status.type() == std::filesystem::file_type::directory)
    throw Error(name + ": is a folder, not a file");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw Error(name + ": cannot read: " + std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // buffer_ is one
  read_header();
}

CsvReader::CsvReader(std::string_view text, const std::string& file_name)
    : file_name_(file_name), rest_(text) {
  read_header();
}

std::string CsvReader::place() const {
  return one_line(file_name_) + ":" + std::to_string(line_) + ": ";
}

/// More of the file behind the rest; false at its end.
bool CsvReader::read_more() {
  if (!file_) return false;
  const std::size_t kept = rest_.size();
  if (kept > text_file_limit)
    throw Error(one_line(file_name_) + ":" + std::to_string(line_ + 1) + ": the line has no end");
  if (kept > 0) std::memmove(buffer_.data(), rest_.data(), kept);
  // A line that is longer than the buffer doubles it: each of its bytes is moved a few times only.
  if (buffer_.size() < 2 * kept + read_at_once) buffer_.resize(2 * kept + read_at_once);
  const std::size_t n = std::fread(buffer_.data() + kept, 1, buffer_.size() - kept, file_.get());
  if (n == 0 && std::ferror(file_.get()) != 0)
    throw Error(one_line(file_name_) + ": cannot read: " + std::strerror(errno));
  rest_ = {buffer_.data(), kept + n};
  return n > 0;
}

bool CsvReader::next_line(std::string_view& line) {
  std::size_t searched = 0, end = 0;
  while ((end = rest_.find('\n', searched)) == rest_.npos) {
    searched = rest_.size();
    if (read_more()) continue;
    if (rest_.empty()) return false;
    end = rest_.size();
    break;
  }
  line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return true;
}

void CsvReader::read_header() {
  std::string_view line;
  bool found = next_line(line);
  if (!found) throw Error(one_line(file_name_) + ":1: file is empty");
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  while (trimmed(line).empty())
    if (!next_line(line)) throw Error(one_line(file_name_) + ":1: file is blank");
  check_is_text(line, file_name_, text_file_limit, line_);
  columns_ = internal::csv_cells(line, place());
  check_header(columns_, place());
  numbers_.resize(columns_.size());
}

bool CsvReader::next() {
  std::string_view line;
  do {
    if (!next_line(line)) return false;
  } while (trimmed(line).empty());
  if (!read_plain(line)) read_any(line);
  return true;
}

/// Numbers, commas and blanks. False for everything else, be it right or wrong.
bool CsvReader::read_plain(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  cells_.resize(columns_.size());
  for (std::size_t c = 0; c < numbers_.size(); ++c) {
    while (at != end && is_blank(*at)) ++at;
    const auto [stop, code] = std::from_chars(at, end, numbers_[c]);
    if (code != std::errc() || !std::isfinite(numbers_[c])) return false;
    cells_[c] = {at, static_cast<std::size_t>(stop - at)};
    at = stop;
    while (at != end && is_blank(*at)) ++at;
    const bool last = c + 1 == numbers_.size();
    if (last ? at != end : at == end || *at != ',') return false;
    if (!last) ++at;
  }
  return true;
}

/// With quotes and plus signs, and what is refused.
void CsvReader::read_any(std::string_view line) {
  cells_.clear();
  check_is_text(line, file_name_, text_file_limit, line_);
  const std::string where = place();
  const std::vector<std::string> cells = internal::csv_cells(line, where);
  if (cells.size() != columns_.size())
    throw Error(where + "has " + std::to_string(cells.size()) + " cells, the header " +
                std::to_string(columns_.size()));
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::string why;
    const std::optional<double> value = parse_number(cells[c], &why);
    if (cells[c].empty() && not_reached(cells, columns_))
      throw Error(where + in_quotes(columns_[c]) +
                  " is blank: the pose was out of reach (reached is 0); leave such rows out");
    if (!value) throw Error(where + "column " + in_quotes(columns_[c]).append(": ").append(why));
    numbers_[c] = *value;
  }
}

}  // namespace torsor
