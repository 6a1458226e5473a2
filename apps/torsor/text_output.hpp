#pragma once
/// Text for people: tables, wrapped lines, numbers; bold and colour only on a terminal.
#include <string>
#include <vector>

namespace torsor::command {

/// Columns as wide as their widest entry. Numbers are set to the right, words to the left.
class Table {
 public:
  enum Align : unsigned char { left, right };
  struct Column {
    std::string title;
    Align align = left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  /// Columns without any entry are left out.
  std::string text(int indent = 2) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters as a terminal shows them: UTF-8 counts once.
std::size_t width_of(const std::string& text);
/// Breaks at blanks; every line but the first begins with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns = 96);
/// Six digits, "-0" as "0"; infinity as "-".
std::string number(double value);

std::string bold(const std::string& text);
/// A blank line, the title, and a remark in brackets.
std::string heading(const std::string& title, const std::string& remark = "");
enum class Colour { red = 31, green = 32, yellow = 33, blue = 34 };
std::string coloured(Colour colour, const std::string& text);

}  // namespace torsor::command
