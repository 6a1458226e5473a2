#pragma once
/// What `torsor info` knows about a robot at a configuration, and its two forms.
#include <optional>
#include <string>
#include <vector>

#include "json_output.hpp"
#include "long_output.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/formats/loss_report.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor::command {

/// What loops and couplings leave of the robot's motions, at q or the nearest closed configuration.
struct LoopReport {
  Assembly assembly;  ///< from q
  double open = 0;    ///< m or rad, at q
  Mobility mobility;
};

struct RobotReport {
  const Model<double>& model;
  std::vector<double> q;
  KinematicsWorkspace<double> kinematics;  ///< at q
  CentreOfMass<double> moving;
  bool neutral = true;  ///< q is the neutral configuration
  bool degrees = false;
  bool frames = false;  ///< poses of all frames wanted
  std::optional<LoopReport> loops{};
  LossReport losses{};  ///< of its file
};

std::optional<LoopReport> loop_report(const Model<double>& model, const std::vector<double>& q);

/// A table, and its link transforms A_i at q with their product T.
struct DhReport {
  DhTable table;
  std::vector<SE3<double>> A;
  SE3<double> T{};
  double size = 0;  ///< m, the longest of its lengths
};
/// Throws Error where the robot is no chain of revolute and prismatic joints.
DhReport dh_report(const RobotReport& report, DhTable::Convention convention);
std::string dh_text(const RobotReport& report, const DhReport& dh);
Json dh_json(const DhReport& dh);

void info_json(const RobotReport& report, LongOutput& to);
std::string info_text(const RobotReport& report);

/// The links as a tree: a line hangs on the one above it, only branches are indented.
std::string tree_text(const RobotDescription& robot);

}  // namespace torsor::command
