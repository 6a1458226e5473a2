// "%5.2f" % x, without the locale of the machine.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"

namespace torsor::internal::xacro {
namespace {

/// %-05.2f: flags, width, precision, kind.
struct Spec {
  bool left = false, zeros = false, plus = false, blank = false;
  int width = 0, precision = -1;
  char kind = 's';
};

int small_number(const std::string& format, std::size_t& at) {
  int n = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at) {
    n = 10 * n + (format[at] - '0');
    if (n > 1000) throw Refusal("a format asks for more than 1000 letters");
  }
  return n;
}

Spec read_spec(const std::string& format, std::size_t& at) {
  Spec spec;
  for (; at < format.size() && std::string("-0+ #").find(format[at]) != std::string::npos; ++at) {
    spec.left = spec.left || format[at] == '-';
    spec.zeros = spec.zeros || format[at] == '0';
    spec.plus = spec.plus || format[at] == '+';
    spec.blank = spec.blank || format[at] == ' ';
  }
  spec.width = small_number(format, at);
  if (at < format.size() && format[at] == '.') spec.precision = small_number(format, ++at);
  if (at == format.size()) throw Refusal("a format ends in %");
  spec.kind = format[at++];
  return spec;
}

std::string padded(const Spec& spec, std::string text, bool number) {
  if (number && text[0] != '-') text.insert(0, spec.plus ? "+" : spec.blank ? " " : "");
  const auto width = static_cast<std::size_t>(spec.width);
  if (text.size() >= width) return text;
  const std::size_t missing = width - text.size();
  if (spec.left) return text + std::string(missing, ' ');
  if (!spec.zeros || !number) return std::string(missing, ' ') + text;
  const bool sign = text[0] == '-' || text[0] == '+' || text[0] == ' ';
  return text.insert(sign ? 1 : 0, missing, '0');
}

std::string integer_text(const Spec& spec, const Value& value) {
  const double cut = std::trunc(value.number());
  if (!(std::abs(cut) < 9e18)) throw Refusal("an integer needs more than 64 bits");
  const auto n = value.is_int() ? value.integer() : static_cast<std::int64_t>(cut);
  const int base = spec.kind == 'x' || spec.kind == 'X' ? 16 : spec.kind == 'o' ? 8 : 10;
  char buffer[80];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, n, base).ptr);
  if (spec.kind == 'X')
    for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
  return text;
}

std::string real_text(const Spec& spec, double x) {
  const char kind = static_cast<char>(spec.kind | 32);
  const auto layout = kind == 'e'   ? std::chars_format::scientific
                      : kind == 'f' ? std::chars_format::fixed
                                    : std::chars_format::general;
  char buffer[1500];  // 309 digits and a precision of up to 1000
  const auto written = std::to_chars(buffer, buffer + sizeof buffer, x, layout,
                                     spec.precision < 0 ? 6 : spec.precision);
  if (written.ec != std::errc()) throw Refusal("a format makes too long a text");
  return {buffer, written.ptr};
}

std::string value_text(const Spec& spec, const Value& value, Budget& budget) {
  if (spec.kind == 's' || spec.kind == 'r') {
    std::string text = spec.kind == 's' ? text_of(value, budget) : repr_of(value, budget);
    if (spec.precision >= 0) text = text.substr(0, static_cast<std::size_t>(spec.precision));
    return padded(spec, std::move(text), false);
  }
  if (std::string("dixXoeEfFgG").find(spec.kind) == std::string::npos)
    throw Refusal("no format %" + one_line(std::string(1, spec.kind)));
  if (!value.is_number())
    throw Refusal(std::string("%") + spec.kind + " of a " + value.type_name());
  if (std::string("dixXo").find(spec.kind) != std::string::npos)
    return padded(spec, integer_text(spec, value), true);
  return padded(spec, real_text(spec, value.number()), true);
}

}  // namespace

std::string formatted(const std::string& format, const Value& values, Budget& budget) {
  const bool many = values.list() != nullptr && values.list()->is_tuple;
  const std::vector<Value> all = many ? values.list()->items : std::vector<Value>{values};
  std::string out;
  std::size_t used = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    const Spec spec = read_spec(format, ++at);
    if (spec.kind == '%') {
      out += '%';
      continue;
    }
    if (used == all.size()) throw Refusal("not enough values for the format");
    const std::string text = value_text(spec, all[used++], budget);
    budget.spend_text(out.size() + text.size());
    out += text;
  }
  if (used < all.size() && (many || used > 0 || values.dict() == nullptr))
    throw Refusal("too many values for the format");
  return out;
}

}  // namespace torsor::internal::xacro
