#pragma once
/// Units of logs, as a map or the header of a table says them.
///
///   q1 [deg]    q1 (deg)    q1/deg    q1 in deg    q1_deg        name and unit
#include <string>
#include <utility>
#include <vector>

namespace torsor::internal::logs {

enum class UnitKind : unsigned char { time, angle, rate, length, speed, torque, current };

struct LogUnit {
  const char* name;
  UnitKind kind;
  double si;
};

/// In the order in which a refusal lists them.
const std::vector<LogUnit>& log_units();
/// Nothing where the text is no unit: "degrees", "N m" and "°" are those of deg, Nm and deg.
const LogUnit* unit_called(std::string text);

/// The name of a column without its unit; nullptr where it ends in none. `marks`: after _ and a blank, too.
std::pair<std::string, const LogUnit*> split_unit(const std::string& column, bool marks = true);

}  // namespace torsor::internal::logs
