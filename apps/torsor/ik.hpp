#pragma once
/// What the parts of `torsor ik` share: poses to reach, and what a method answers about one.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "json_output.hpp"
#include "robot_argument.hpp"

namespace torsor::command {

struct IkOptions {
  RobotArgument robot;
  std::string frame, xyz, rpy, quaternion, pose, csv, near, start, prefer, output;
  int restarts = -1;  ///< as the library has it
  bool numeric = false, follow = false, ignore_limits = false;
  bool degrees = false, json = false, force = false;
};

/// A pose for the frame, from the options or a line of CSV.
struct IkPose {
  SE3<double> T{};
  bool oriented = true;  ///< otherwise the position alone counts
  int line = 0;          ///< of the CSV
};
struct IkPoses {
  std::vector<IkPose> poses;
  std::vector<double> t;  ///< as many as poses, or none
};
/// Throws Error for a pose that is not rigid, not finite, incomplete or given twice.
IkPoses read_ik_poses(const IkOptions& o, const Model<double>& model);

struct IkSolution {
  std::string name;                 ///< of the branch; empty where there is no choice
  Array<double> q;                  ///< of the whole robot
  std::vector<int> outside_limits;  ///< coordinates
  double position_error = 0, rotation_error = 0;
  double distance = 0;  ///< from --near or the solution before
  std::string family;   ///< empty: an isolated solution
  Json family_json = nullptr;
};
struct IkAnswer {
  bool solved = false;
  std::string summary;  ///< one line
  std::string remark;   ///< below the table
  bool show_errors = false;
  std::vector<IkSolution> solutions;
  Json json;  ///< status and figures of the method
};

/// A way to solve, prepared for the model and frame.
struct IkMethod {
  std::string name;
  std::vector<int> coordinates;  ///< that it moves
  /// `near`: the configuration to be near to, or to start at.
  std::function<IkAnswer(const IkPose& pose, const std::vector<double>& near)> solve;
};
/// Throws Error where the chain of joints is not one that the method takes.
IkMethod analytic_method(const IkOptions& o, const Model<double>& model);
IkMethod numeric_method(const IkOptions& o, const Model<double>& model);

/// Coordinates whose value is beyond its limits.
std::vector<int> outside_limits(const Model<double>& model, In<double> q,
                                const std::vector<int>& coordinates);
/// For one pose.
std::string ik_text(const Model<double>& model, const IkMethod& method, const IkOptions& o,
                    const IkPose& pose, const IkAnswer& answer);
Json ik_json(const Model<double>& model, const IkPose& pose, const IkAnswer& answer,
             bool with_distance);

}  // namespace torsor::command
