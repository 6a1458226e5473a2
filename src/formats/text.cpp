#include "torsor/formats/text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "torsor/model/error.hpp"

namespace torsor {
namespace {

namespace fs = std::filesystem;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string size_in_words(std::uintmax_t bytes) {
  if (bytes < 10'000) return std::to_string(bytes) + " bytes";
  if (bytes < std::uintmax_t{10} << 20) return std::to_string((bytes + 512) >> 10) + " KiB";
  return std::to_string((bytes + (std::uintmax_t{1} << 19)) >> 20) + " MiB";
}

[[noreturn]] void refuse_size(const std::string& name, std::uintmax_t bytes, std::size_t limit,
                              bool at_least = false) {
  throw Error(name + ": file has " + (at_least ? "more than " : "") + size_in_words(bytes) +
              ", the limit is " + size_in_words(limit));
}

}  // namespace

std::string one_line(std::string_view text) { return internal::without_controls(text); }

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return '"' + one_line(text) + '"';
  std::size_t end = longest;  // the cut must not leave half a UTF-8 character behind
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return '"' + one_line(text.substr(0, end)) + "...\"";
}

std::string listed(const std::vector<std::string>& words, std::string_view before_last) {
  std::string out;
  for (std::size_t k = 0; k < words.size(); ++k)
    out.append(k == 0 ? "" : k + 1 == words.size() ? before_last : ", ").append(words[k]);
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : one_line(text)) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

void check_is_text(std::string_view text, const std::string& file_name, std::size_t limit,
                   int line) {
  const std::string name = one_line(file_name);
  if (text.size() > limit) refuse_size(name, text.size(), limit);
  bool blank = true;
  for (const char c : text) {
    if (is_control(c) && !is_blank(c))
      throw Error(name + ":" + std::to_string(line) + ": not a text file (it holds the byte " +
                  std::to_string(static_cast<unsigned char>(c)) + ")");
    line += c == '\n';
    blank = blank && is_blank(c);
  }
  if (text.empty()) throw Error(name + ":1: file is empty");
  if (blank) throw Error(name + ":1: file is blank");
}

std::string read_text_file(const std::string& path, std::size_t limit) {
  const std::string name = one_line(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw Error(name + ": no such file");
  if (status.type() == fs::file_type::directory) throw Error(name + ": is a folder, not a file");
  if (status.type() == fs::file_type::regular) {
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!error && bytes > limit) refuse_size(name, bytes, limit);
  }
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw Error(name + ": cannot read: " + std::strerror(errno));

  std::string text;
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, n);
    if (text.size() > limit)
      refuse_size(name, limit, limit, true);  // pipes have no size to ask for
  }
  if (std::ferror(file.get()) != 0) throw Error(name + ": cannot read: " + std::strerror(errno));
  check_is_text(text, path, limit);
  return text;
}

std::optional<double> parse_number(std::string_view text, std::string* why) {
  std::string_view number = text;
  while (!number.empty() && is_blank(number.front())) number.remove_prefix(1);
  while (!number.empty() && is_blank(number.back())) number.remove_suffix(1);

  const auto refuse = [&](const std::string& reason) {
    if (why != nullptr) *why = in_quotes(text) + " " + reason;
    return std::nullopt;
  };
  if (number.empty()) return refuse("is blank, not a number");

  // from_chars takes no plus sign, which C and YAML do.
  std::string_view digits = number;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-' && digits[1] != '+')
    digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  double value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), end, value);
  if (code == std::errc::invalid_argument) return refuse("is not a number");
  if (stop != end) {
    if (*stop == ',') {
      std::string with_point(number);
      if (const std::size_t comma = with_point.find(','); comma != std::string::npos)
        with_point[comma] = '.';
      if (parse_number(with_point)) return refuse("has a comma; write " + with_point);
    }
    return refuse("is not a number");
  }
  if (code == std::errc::result_out_of_range) return refuse("is out of the range of a number");
  if (!std::isfinite(value)) return refuse("is not finite");
  return value;
}

std::string format_number(double value) {
  std::string out;
  append_number(value, out);
  return out;
}

void append_number(double value, std::string& out) {
  char buffer[32];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  if (code == std::errc())
    out.append(buffer, end);
  else
    out += "nan";
}

}  // namespace torsor
