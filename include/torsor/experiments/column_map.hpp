#pragma once
/// What the columns of a log mean: MAP.yaml of `torsor identify` (docs/logs.md has every key).
///
///   t: time                       # or rate: 1000
///   q: [m1, m2, m3]               # names, numbers from 1, or one name with * for 1, 2, 3
///   current: [i1, i2, i3]
///   units: {t: ms, q: deg}
///   motor: {N: [100, 100, 50], gain: unknown}
///
/// With a motor, q = sign (N^-1 q_m) + offset and tau = sign (N^T (gain drive)), q_m and drive as logged.
#include <map>
#include <string>
#include <vector>

#include "torsor/identification/motion_log.hpp"

namespace torsor {

struct ColumnMap {
  std::string t{};                       ///< empty: a column called t, time or stamp
  std::vector<std::string> q{}, qd{};    ///< empty: recognised
  std::vector<std::string> reference{};  ///< the motion that was asked for, as q
  bool find_reference = false;           ///< recognised, where it is not said
  std::vector<std::string> tau{};        ///< torques or currents
  bool current = false;                  ///< `tau` are currents
  double rate = 0;                       ///< Hz, where there are no stamps; else 0
  std::vector<std::string> joints{};     ///< of the columns, in order; empty: all of the robot
  std::map<std::string, std::string>
      files{};        ///< t, q, qd, tau, reference that stand in another file, beside the log
  double t_unit = 0;  ///< s; 0: not said
  double q_unit = 0, qd_unit = 0;  ///< rad, of angles; 0 here and below: the header's, else SI
  double length_unit = 0;          ///< m, of prismatic joints
  double tau_unit = 0;             ///< N m or A
  Motors motors{};
  LoopGains controller{};           ///< of the joints
  bool joint_positions = false;     ///< q and qd are of the joints though torques are of motors
  Array<double> offset{}, sign{};   ///< of the joints; empty: 0, 1
  char delimiter = 0;               ///< 0: found
  int first_row = 1, last_row = 0;  ///< of the data; 0: the last
  double delay = 0;                 ///< s by which torques come late; they are moved back
};

/// Throws Error with file, line, key and value.
ColumnMap read_column_map(const std::string& text, const std::string& file_name);
ColumnMap load_column_map(const std::string& path);

}  // namespace torsor
