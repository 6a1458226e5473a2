#include "text_output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "torsor/experiments/internal/ranks.hpp"
#include "torsor/model/text.hpp"

namespace torsor::command {
namespace {

bool is_terminal() {
  static const bool answer = [] {
    const char* term = std::getenv("TERM");
    // mpirun gives its ranks a terminal of its own, whatever it writes to itself.
    return isatty(STDOUT_FILENO) != 0 && torsor::internal::launch().size <= 1 &&
           std::getenv("NO_COLOR") == nullptr && (term == nullptr || std::string(term) != "dumb");
  }();
  return answer;
}

std::string escaped(int code, const std::string& text) {
  if (!is_terminal()) return text;
  std::string out = "\x1b[";
  return out.append(std::to_string(code)).append("m").append(text).append("\x1b[0m");
}

void trim_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::string bold(const std::string& text) { return escaped(1, text); }
std::string heading(const std::string& title, const std::string& remark) {
  std::string line = bold(title);
  if (!remark.empty()) ((line += " (") += remark) += ")";
  return "\n" + fitted(line, 2) + "\n";
}
std::string coloured(Colour colour, const std::string& text) {
  return escaped(static_cast<int>(colour), text);
}

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (text[k] == '\x1b')
      k = std::min(text.find('m', k), text.size());
    else if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80)
      ++width;
  return width;
}

std::size_t line_columns() {
  static const std::size_t answer = [] {
    const char* said = std::getenv("COLUMNS");
    if (const long columns = said != nullptr ? std::atol(said) : 0; columns > 0)
      return static_cast<std::size_t>(columns);
    winsize size{};
    const bool known = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return known ? std::size_t{size.ws_col} : std::size_t{0};
  }();
  return answer;
}

std::size_t reading_columns() { return line_columns() == 0 ? 80 : line_columns(); }

const char* symbol(const char* utf8, const char* ascii) {
  static const bool has_utf8 = [] {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value == nullptr || *value == '\0') continue;
      std::string locale(value);
      for (char& c : locale) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    }
    return false;
  }();
  return has_utf8 ? utf8 : ascii;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> all(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) all[c] = std::max(all[c], width_of(row[c]));
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (all[c] > 0) all[c] = std::max(all[c], width_of(columns_[c].title));
  return all;
}

/// `room` for the last column, which is wrapped to it; 0: as wide as it is.
std::string Table::block(const std::vector<std::size_t>& widths,
                         const std::vector<std::size_t>& shown, std::size_t indent,
                         std::size_t room) const {
  std::string out;
  const auto add_line = [&](const auto& entry) {
    std::string line(indent, ' ');
    std::size_t at = indent;
    for (const std::size_t c : shown) {
      const std::string& cell = entry(c);
      const bool last = c == shown.back();
      if (last && room > 0) {
        line += wrapped(cell, at, at + room);
        break;
      }
      const std::size_t gap = widths[c] - width_of(cell);
      if (columns_[c].align == right) line.append(gap, ' ');
      line += cell;
      if (last) break;
      line.append((columns_[c].align == right ? 0 : gap) + 2, ' ');
      at += widths[c] + 2;
    }
    trim_end(line);
    return line;
  };
  static const std::string blank;
  out += bold(add_line([&](std::size_t c) -> const std::string& { return columns_[c].title; }));
  out += '\n';
  for (const auto& row : rows_) {
    out += add_line(
        [&](std::size_t c) -> const std::string& { return c < row.size() ? row[c] : blank; });
    out += '\n';
  }
  return out;
}

std::string Table::text(int indent, std::size_t limit) const {
  constexpr std::size_t readable = 24;  // columns of words
  const std::vector<std::size_t> width = widths();
  const std::size_t margin = static_cast<std::size_t>(indent);
  std::vector<std::size_t> shown;
  std::size_t total = margin;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (width[c] == 0) continue;
    total += width[c] + (shown.empty() ? 0 : 2);
    shown.push_back(c);
  }
  if (limit == 0 || total <= limit || shown.empty()) return block(width, shown, margin, 0);
  const std::size_t last = shown.back();
  if (columns_[last].align == left && total - width[last] + readable <= limit)
    return block(width, shown, margin, limit - (total - width[last]));

  std::size_t repeated = 1;
  while (repeated + 1 < shown.size() && columns_[shown[repeated - 1]].align == right) ++repeated;
  if (columns_[shown[repeated - 1]].align == right) repeated = 1;  // numbers alone
  const std::vector<std::size_t> key(shown.begin(),
                                     shown.begin() + static_cast<std::ptrdiff_t>(repeated));
  std::size_t begin = margin;
  for (const std::size_t c : key) begin += width[c] + 2;
  std::string out;
  for (std::size_t k = repeated; k < shown.size();) {
    std::vector<std::size_t> some = key;
    std::size_t at = begin, room = 0;
    for (; k < shown.size(); ++k) {
      if (some.size() > repeated && at + width[shown[k]] > limit) break;
      if (at + width[shown[k]] > limit && columns_[shown[k]].align == left)  // alone, and too wide
        room = at + readable < limit ? limit - at : readable;
      at += width[shown[k]] + 2;
      some.push_back(shown[k]);
    }
    if (!out.empty()) out += '\n';
    out += block(width, some, margin, room);
  }
  return out;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
  constexpr std::size_t longest = 80;
  if (columns == 0) columns = std::min(longest, reading_columns());
  std::string out;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + width_of(word) > columns) {
      out.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += width_of(word);
    begin = end + 1;
  }
  return out;
}

std::string fitted(const std::string& text, std::size_t indent) {
  return line_columns() == 0 ? text : wrapped(text, indent, line_columns());
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "%+,-./:=@_";
  const auto is_plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           plain.find(c) != std::string_view::npos;
  };
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  if (std::none_of(word.begin(), word.end(), is_control)) {
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
  }
  std::string out = "$'";  // as bash, ksh and zsh read it
  for (const char c : word) {
    char code[8];
    std::snprintf(code, sizeof code, "\\%03o", static_cast<unsigned char>(c));
    if (is_control(c))
      out += code;
    else
      out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "'";
}

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  return short_number(value == 0 ? 0.0 : value);
}

}  // namespace torsor::command
