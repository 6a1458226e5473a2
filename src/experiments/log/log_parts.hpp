#pragma once
/// Steps of `load_log`.
#include "log/units.hpp"
#include "torsor/experiments/log_file.hpp"

namespace torsor::internal::logs {

/// What the columns of a log must be, for this robot and map.
struct LogShape {
  Array<int> dofs{};                     ///< of the robot, in the order of the columns
  Array<std::string> names{}, labels{};  ///< of these
  Array<bool> angle{};
  int n_motors = 0;
  bool motor_positions = false;
};

/// What the header of a table says; nullptr where it says nothing.
struct HeaderUnits {
  const LogUnit* t = nullptr;
  std::vector<const LogUnit*> of{};  ///< by column of the values
  bool of_messages = false;          ///< stamps as rostopic writes them
};

/// The map with the joints that it leaves open: of a mechanism with loops, those with motors, where the
/// log has no columns for all.
ColumnMap with_joints(const std::string& path, const std::string* text, const Model<double>& model,
                      const ColumnMap& map);
LogShape shape_of(const Model<double>& model, const ColumnMap& map);
/// `text`: the log itself, where it is not to be read from the file.
RawLog read_raw(const std::string& path, const LogShape& shape, const ColumnMap& map,
                HeaderUnits& units, const std::string* text = nullptr);
/// Units of the map count, then those of the header.
void to_si(RawLog& log, const LogShape& shape, const ColumnMap& map, const HeaderUnits& units);
/// From the logged columns to joints in the order of the columns.
void to_joints(MotionLog& log, const LogShape& shape, const ColumnMap& map);
/// Positions beyond what the robot can reach, and drives that hardly move it.
void tell_units(MotionLog& log, const LogShape& shape, const Model<double>& model);
/// From the order of the columns to that of the robot. Joints without columns follow where loops and
/// couplings say so, and stand at 0 where they do not; their torques are 0.
void all_joints(MotionLog& log, const LogShape& shape, const Model<double>& model);
Motors motors_of(const LogShape& shape, const Model<double>& model, const ColumnMap& map);

}  // namespace torsor::internal::logs
