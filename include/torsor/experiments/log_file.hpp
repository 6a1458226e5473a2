#pragma once
/// Logs of real robots as they are: CSV with any names, in any units, of joints or motors.
///
/// Without a map, columns are t, q.<joint>, qd.<joint>, tau.<joint>, or t, q1 ..., qd1 ..., tau1 ...
/// (also with _ . [] before the number, numbers from 0, and pos, vel, torque). Commas, semicolons, tabs or
/// blanks separate; a first line of numbers is no header; lines that begin with # are skipped. What is
/// wrong with rows is repaired and told (identification/log_repair.hpp).
///
/// Cost     a file is read once in pieces; of its numbers those that are used are kept.
#include "torsor/experiments/column_map.hpp"
#include "torsor/identification/log_repair.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// Throws Error with the file, and the row or column: not a table of numbers, columns that are missing,
/// a robot with joints whose velocities are no rates of coordinates, nothing left after repair.
MotionLog load_log(const std::string& path, const Model<double>& model, const ColumnMap& map = {},
                   const RepairOptions& options = {});

struct LoadedLogs {
  std::vector<MotionLog> logs;
  Motors motors{};         ///< as the map says, signs of joints included
  LoopGains controller{};  ///< as the map says, of the robot's joints; 0 where it says nothing
};
LoadedLogs load_logs(const std::vector<std::string>& paths, const Model<double>& model,
                     const ColumnMap& map = {}, const RepairOptions& options = {});

namespace internal {

/// load_log of a text in memory; files that a map names are read.
MotionLog read_log_text(const std::string& text, const std::string& name,
                        const Model<double>& model, const ColumnMap& map = {},
                        const RepairOptions& options = {});

}  // namespace internal

}  // namespace torsor
