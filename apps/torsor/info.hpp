#pragma once
/// What `torsor info` knows about a robot at a configuration, and its two forms.
#include <string>
#include <vector>

#include "torsor/dynamics/energy.hpp"

namespace torsor::command {

struct RobotReport {
  const Model<double>& model;
  std::vector<double> q;
  KinematicsWorkspace<double> kinematics;  ///< at q
  CentreOfMass<double> moving;
  bool neutral = true;  ///< q is the neutral configuration
  bool degrees = false;
  bool frames = false;  ///< poses of all frames wanted
};

std::string info_json(const RobotReport& report);
std::string info_text(const RobotReport& report);

/// The links as a tree: a line hangs on the one above it, only branches are indented.
std::string tree_text(const RobotDescription& robot);

}  // namespace torsor::command
