#pragma once
/// Text files and numbers in text, shared by all file formats.
///
/// Numbers never depend on the locale: "1.5" is read and written alike under a German one. Reading
/// is strict (the whole text must be one finite decimal number); writing gives the shortest text
/// that reads back as the same double.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/math/error.hpp"

namespace torsor {

/// Larger model files are refused before they are read.
inline constexpr std::size_t text_file_limit = std::size_t{64} << 20;  // bytes

/// The whole file. Throws Error for a missing, unreadable or binary file, a folder, and a file of
/// more than `limit` bytes.
std::string read_text_file(const std::string& path, std::size_t limit = text_file_limit);

/// Throws Error if `text` is empty or blank, longer than `limit`, or holds bytes that no text has.
/// `line`: its first one, for the message.
void check_is_text(std::string_view text, const std::string& file_name,
                   std::size_t limit = text_file_limit, int line = 1);

/// The input was right and the disk did not take the output: full, protected, broken.
class WriteError : public Error {
 public:
  using Error::Error;
};

/// Writes beside `path`, waits for the disk and renames: a reader sees the old file or the new one,
/// never half of it, after a power cut too. Throws Error for a folder, else WriteError. A killed
/// process may leave `path`.<process>.part behind.
void write_text_file_atomically(const std::string& path, std::string_view text);

/// One finite decimal number and nothing else (blanks around it are allowed); otherwise nothing,
/// and the reason in `why`, as in "\"1,5\" has a comma; write 1.5".
std::optional<double> parse_number(std::string_view text, std::string* why = nullptr);

/// The shortest text that parse_number reads back as `value`; "inf", "-inf" and "nan" for the rest.
std::string format_number(double value);
/// The same at the end of `out`: for tables, without a text of its own for each number.
void append_number(double value, std::string& out);

/// `text` in double quotes for a message: control characters escaped and long values cut, so that a
/// message stays one short line whatever the file holds.
std::string in_quotes(std::string_view text);

/// `text` with control characters escaped; for file names in messages.
std::string one_line(std::string_view text);

/// "a, b, c"; `before_last` may be " or ".
std::string listed(const std::vector<std::string>& words, std::string_view before_last = ", ");
/// What stands between the separators, blanks and all: "a,,b" has three parts, "" has one.
std::vector<std::string> split(std::string_view text, char separator = ',');
/// A name as a cell of CSV: in double quotes where it holds a comma, a quote or a new line.
std::string csv_cell(const std::string& text);

}  // namespace torsor
