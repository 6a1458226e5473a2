#pragma once
/// What `torsor identify` is asked, and what that means for the library.
#include <optional>
#include <string>
#include <vector>

#include "robot_argument.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::command {

struct IdentifyArguments {
  RobotArgument robot;
  std::vector<std::string> logs, validate, payloads, link_masses, link_ellipsoids;
  std::string columns, estimator = "automatic", output, page, unknowns;
  std::string filter = "butterworth", motion_period, cutoff, decimate, least_speed, width, split,
              block, mass, gamma;
  int bootstrap = 200, seed = 1;
  bool no_rotors = false, no_friction = false, asymmetry = false, stiction = false, load = false,
       springs = false, payload_only = false, no_velocities = false, keep_delay = false;
  bool json = false, force = false;
};

/// Throws Error with the nearest name.
Estimator estimator_of(const std::string& word);
/// Throws Error, one line with the option and the value, for what is out of bounds.
IdentifyOptions identify_options(const IdentifyArguments& arguments, const Motors& motors);

}  // namespace torsor::command
