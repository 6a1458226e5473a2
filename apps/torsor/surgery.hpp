#pragma once
/// The options of the command that change a robot: parts of it, locked joints, other robots on top.
#include <string>
#include <vector>

#include "command.hpp"
#include "robot_argument.hpp"

namespace torsor::command {

struct SurgeryOptions {
  std::string root, tip, scale;
  std::vector<std::string> locks, attached, names;  ///< as they are written: joint=value, ...
  bool merge_fixed = false;

  bool empty() const {
    return root.empty() && tip.empty() && scale.empty() && locks.empty() && attached.empty() &&
           names.empty() && !merge_fixed;
  }
};

void add_surgery(Arguments& app, SurgeryOptions& options);

/// In this order: lock, root and tip, attach, scale, merge-fixed, rename. Throws Error with the word that
/// cannot be followed.
Model<double> operated(Model<double> model, const SurgeryOptions& options,
                       const RobotArgument& robot);

}  // namespace torsor::command
