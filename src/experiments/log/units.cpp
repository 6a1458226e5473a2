#include "log/units.hpp"

#include <array>
#include <numbers>
#include <string_view>

namespace torsor::internal::logs {
namespace {

constexpr double degree = std::numbers::pi / 180, turn = 2 * std::numbers::pi;

/// Other ways of writing units, longest first: what is left of a name is looked up.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> other_ways = {
    {{"degrees", "deg"},  {"radians", "rad"}, {"seconds", "s"},    {"degree", "deg"},
     {"radian", "rad"},   {"second", "s"},    {"\xc2\xb0", "deg"}, {"rad_s", "rad/s"},
     {"deg_s", "deg/s"},  {"m_s", "m/s"},     {"sec", "s"},        {"N m", "Nm"},
     {"N.m", "Nm"},       {"N*m", "Nm"},      {"N-m", "Nm"},       {"nm", "Nm"},
     {"\xc2\xb5s", "us"}, {"\xc2\xb7", ""},   {"Rad", "rad"},      {"Deg", "deg"},
     {"amps", "A"}}};

std::string trimmed(std::string text) {
  while (!text.empty() && text.front() == ' ') text.erase(0, 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

const std::vector<LogUnit>& log_units() {
  using enum UnitKind;
  static const std::vector<LogUnit> units = {
      {"s", time, 1},          {"ms", time, 1e-3},     {"us", time, 1e-6},
      {"ns", time, 1e-9},      {"rad", angle, 1},      {"deg", angle, degree},
      {"mrad", angle, 1e-3},   {"turn", angle, turn},  {"rad/s", rate, 1},
      {"deg/s", rate, degree}, {"mrad/s", rate, 1e-3}, {"rpm", rate, turn / 60},
      {"turn/s", rate, turn},  {"m", length, 1},       {"mm", length, 1e-3},
      {"m/s", speed, 1},       {"mm/s", speed, 1e-3},  {"Nm", torque, 1},
      {"mNm", torque, 1e-3},   {"kNm", torque, 1e3},   {"N", torque, 1},
      {"A", current, 1},       {"mA", current, 1e-3}};
  return units;
}

const LogUnit* unit_called(std::string text) {
  text = trimmed(std::move(text));
  for (const auto& [from, to] : other_ways)
    if (const std::size_t at = text.find(from); at != std::string::npos)
      text.replace(at, from.size(), to);
  for (const LogUnit& unit : log_units())
    if (text == unit.name) return &unit;
  return nullptr;
}

std::pair<std::string, const LogUnit*> split_unit(const std::string& column, bool marks) {
  if (column.empty()) return {column, nullptr};
  const char open = column.back() == ']' ? '[' : column.back() == ')' ? '(' : '\0';
  if (open != '\0') {
    const std::size_t at = column.rfind(open);
    if (at == std::string::npos || at == 0) return {column, nullptr};
    const LogUnit* const unit = unit_called(column.substr(at + 1, column.size() - at - 2));
    return {unit != nullptr ? trimmed(column.substr(0, at)) : column, unit};
  }
  // After a mark, from the left: "qd1_rad/s" is rad/s and not s.
  for (const std::string_view mark : {" in ", "/", "_", " "}) {
    if (!marks && (mark == "_" || mark == " ")) break;
    for (std::size_t at = column.find(mark, 1); at != std::string::npos;
         at = column.find(mark, at + 1))
      if (const LogUnit* const unit = unit_called(column.substr(at + mark.size())))
        return {trimmed(column.substr(0, at)), unit};
  }
  return {column, nullptr};
}

}  // namespace torsor::internal::logs
