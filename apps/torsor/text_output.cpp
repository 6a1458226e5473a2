#include "text_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "torsor/model/text.hpp"

namespace torsor::command {
namespace {

bool is_terminal() {
  static const bool answer = [] {
    const char* term = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr &&
           (term == nullptr || std::string(term) != "dumb");
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
  std::string out = "\n";
  out += bold(title);
  if (!remark.empty()) ((out += " (") += remark) += ")";
  return out += "\n";
}
std::string coloured(Colour colour, const std::string& text) {
  return escaped(static_cast<int>(colour), text);
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string Table::text(int indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (widths[c] > 0) widths[c] = std::max(widths[c], width_of(columns_[c].title));

  const auto line = [&](const auto& entry) {
    std::string out(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (widths[c] == 0) continue;
      const std::string cell = entry(c);
      const std::string gap(widths[c] - width_of(cell), ' ');
      out += (columns_[c].align == right ? gap + cell : cell + gap) + "  ";
    }
    trim_end(out);
    return out;
  };
  std::string out = bold(line([&](std::size_t c) { return columns_[c].title; })) + "\n";
  for (const auto& row : rows_)
    out += line([&](std::size_t c) { return c < row.size() ? row[c] : std::string(); }) + "\n";
  return out;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
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

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  return short_number(value == 0 ? 0.0 : value);
}

}  // namespace torsor::command
