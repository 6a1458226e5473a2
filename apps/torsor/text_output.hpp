#pragma once
/// Text for people: tables, wrapped lines, numbers; bold and colour only on a terminal.
///
/// Lines are as long as the terminal is wide (or as the variable COLUMNS says): tables that are
/// wider are set in blocks of columns. Into a pipe tables are as wide as they are; sentences and what
/// is read as a text (helps, manual pages, lists of words) keep to 80 columns there, too.
#include <cstddef>
#include <string>
#include <vector>

namespace torsor::command {

/// Of a line; 0: no limit.
std::size_t line_columns();
/// Of what is read as a text: the same, 80 into a pipe.
std::size_t reading_columns();

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
  /// Columns without any entry are left out. A table that is too wide has its last column wrapped
  /// where that is words, else its columns in blocks that each begin with those up to the first one
  /// of words, or with the first where all are numbers.
  std::string text(int indent = 2) const { return text(indent, line_columns()); }
  /// Of words: keeps to `reading_columns`.
  std::string words(int indent = 2) const { return text(indent, reading_columns()); }

 private:
  std::string text(int indent, std::size_t limit) const;
  std::vector<std::size_t> widths() const;
  std::string block(const std::vector<std::size_t>& widths, const std::vector<std::size_t>& shown,
                    std::size_t indent, std::size_t room) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Characters as a terminal shows them: UTF-8 counts once, bold and colour nothing.
std::size_t width_of(const std::string& text);
/// `utf8` where the locale has it, else the ASCII that stands for it.
const char* symbol(const char* utf8, const char* ascii);
/// Breaks at blanks; every line but the first begins with `indent` blanks. Columns 0: those of a
/// line, 80 at most.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns = 0);
/// The same where a line has a limit; into a pipe it stays as long as it is.
std::string fitted(const std::string& text, std::size_t indent);
/// A word that a shell reads as it stands: in quotes where it needs them, control characters escaped.
std::string shell_word(const std::string& word);
/// Six digits, "-0" as "0"; infinity as "-".
std::string number(double value);

std::string bold(const std::string& text);
/// A blank line, the title, and a remark in brackets.
std::string heading(const std::string& title, const std::string& remark = "");
enum class Colour { red = 31, green = 32, yellow = 33, blue = 34 };
std::string coloured(Colour colour, const std::string& text);

}  // namespace torsor::command
