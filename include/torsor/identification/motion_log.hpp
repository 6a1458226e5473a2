#pragma once
/// A measured motion at the joints: SI units, samples equally spaced within stretches, repaired.
///
/// Logs of the motor side keep what the drives reported beside the joint's torque:
///   q_m = N q,   tau = N^T diag(gain) drive            drive: torques or currents of the motors
#include <string>
#include <vector>

#include "torsor/linear/matrix.hpp"

namespace torsor {

/// What was wrong with rows of a log, and what was done about it. Rows count the file's data from 1.
struct LogRepair {
  std::string log;
  long long first_row = 0, last_row = 0;
  std::string what;
};

struct MotionLog {
  std::string name;   ///< of the file, for messages
  double period = 0;  ///< s, between samples
  Array<double> t{};  ///< s
  Matrix q{}, qd{},
      tau{};  ///< samples x coordinates, velocities; qd has no rows where it was not logged
  Array<char>
      measured{};  ///< per velocity: 0, its torque was not logged and is no torque of zero; empty: all
  Matrix drive{};     ///< samples x motors, as reported; no rows: tau is the joints' own
  Matrix q_ref{};     ///< samples x coordinates: what the arm was asked for; no rows: not logged
  Array<int> rows{};  ///< row of the file that each sample comes from
  Array<int> stretches{0};  ///< first sample of every stretch without a gap, ascending from 0
  std::vector<LogRepair> repairs{};

  int size() const { return t.size(); }
  bool has_torque(int v) const { return measured.empty() || measured[v] != 0; }
  int n_stretches() const { return t.empty() ? 0 : stretches.size(); }
  int stretch_begin(int k) const { return stretches[k]; }
  int stretch_end(int k) const { return k + 1 < stretches.size() ? stretches[k + 1] : size(); }
};

/// Between motors and joints.
struct Motors {
  Matrix N{};                 ///< motors x joints; no rows: every joint has its own, ratio 1
  Array<double> gain{};       ///< N m per unit of `drive`, at the motor; empty: one
  bool unknown_gain = false;  ///< gains are unknowns of the identification
  std::string gain_unit = "N m per unit";
};

/// The loop that drove the arm, at the joints; empty lists: not known.
///
///   tau = kp (q_ref - q) + kd (qd_ref - qd) + ki int (q_ref - q) dt
struct LoopGains {
  Array<double> kp{}, kd{}, ki{};  ///< N m / rad, N m s / rad, N m / (rad s); N and m of sliders
};

/// Samples first ... last - 1, as a stretch or several, without copies of the repairs.
MotionLog part(const MotionLog& log, int first, int last);

}  // namespace torsor
