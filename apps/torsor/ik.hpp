#pragma once
/// What the parts of `torsor ik` share: the robot, poses to reach, and what a method answers.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "json_output.hpp"
#include "robot_argument.hpp"

namespace torsor::command {

struct IkOptions {
  RobotArgument robot;
  std::vector<std::string> frames, xyz, rpy, quaternion, pose, axis, lock;
  std::string root, csv, near, start, prefer, output;
  int restarts = -1;  ///< as the library has it
  bool numeric = false, position_only = false, follow = false, ignore_limits = false;
  bool degrees = false, json = false, force = false;
  /// Options as they were written: those of a target follow its --frame.
  std::vector<std::pair<std::string, std::string>> written;
};

/// The robot with what the question holds still: --lock, and what is before --root.
class IkRobot {
 public:
  explicit IkRobot(const IkOptions& o);

  /// What is solved: the locked joints are fixed in it.
  const Model<double>& model() const { return model_; }
  const Array<std::string>& frames() const { return frames_; }
  const std::string& root() const { return root_; }
  /// Of poses relative to --root: the root's pose in the world; else the identity.
  const SE3<double>& T_world_root() const { return T_world_root_; }
  /// A configuration that the user wrote for the whole robot, in the model's coordinates. Empty:
  /// neutral.
  std::vector<double> configuration(const std::string& option, const std::string& text,
                                    bool degrees) const;
  /// The whole robot's, with the locked joints where they are.
  Array<double> whole(In<double> q) const;
  /// The robot as it was loaded.
  const Model<double>& robot() const { return robot_; }

 private:
  void place_root(const IkOptions& o, std::vector<std::string>& locked);

  Model<double> robot_, model_;
  Array<std::string> frames_;
  std::string root_;
  Array<double> rest_;      ///< of the whole robot: locked joints, and others at neutral or --near
  Array<int> coordinates_;  ///< of the robot, for each of the model
  SE3<double> T_world_root_{};
};

/// How much of a frame's orientation is asked for.
enum class IkOrientation : unsigned char { all, axis, none };

/// A pose for a frame, in the world.
struct IkPose {
  std::string frame;
  SE3<double> T{};
  IkOrientation orientation = IkOrientation::all;
  int axis = 2;  ///< of the frame, whose direction is asked for: 0, 1, 2 for x, y, z
};
/// One question: a pose for each frame.
struct IkQuestion {
  std::vector<IkPose> poses;
  int line = 0;  ///< of the CSV
};
struct IkQuestions {
  std::vector<IkQuestion> list;
  std::vector<double> t;  ///< as many as questions, or none
};
/// Throws Error for a pose that is not rigid, not finite, incomplete or given twice.
IkQuestions read_ik_questions(const IkOptions& o, const IkRobot& robot);

struct IkSolution {
  std::string name;                 ///< of the branch; empty where there is no choice
  Array<double> q;                  ///< of the model
  std::vector<int> outside_limits;  ///< coordinates
  double position_error = 0, rotation_error = 0;
  double distance = 0;  ///< from --near or the solution before
  std::string family;   ///< empty: an isolated solution
  Json family_json = nullptr;
};
struct IkAnswer {
  bool solved = false;
  std::string summary;   ///< one line
  std::string remark;    ///< below the table
  bool in_part = false;  ///< of a pose that fewer than six joints meet as far as they can
  double distance = 0, rotation_distance = 0;  ///< m, rad: how far off, where not solved
  std::vector<IkSolution> solutions;
  Json json;  ///< status and figures of the method
};

/// A way to solve, prepared for the model and its frames.
struct IkMethod {
  std::string name;
  bool numeric = false;
  std::vector<int> coordinates;  ///< that it moves
  /// `near`: the configuration to be near to, or to start at.
  std::function<IkAnswer(const IkQuestion& question, const std::vector<double>& near)> solve;
};
/// The closed form where there is one for these questions, else iteration where that was asked for
/// or is all there is. Throws Error where the user has to choose.
IkMethod ik_method(const IkOptions& o, const IkRobot& robot, const IkQuestions& questions);
/// Throws Error where the chain of joints is not one that the method takes.
IkMethod analytic_method(const IkOptions& o, const Model<double>& model, const std::string& frame);
IkMethod numeric_method(const IkOptions& o, const IkRobot& robot);
/// Whether the closed form of the chain to the frame finds all configurations for a position alone.
bool position_has_closed_form(const Model<double>& model, const std::string& frame);

/// Coordinates whose value is beyond its limits.
std::vector<int> outside_limits(const Model<double>& model, In<double> q,
                                const std::vector<int>& coordinates);
/// For one question.
std::string ik_text(const IkRobot& robot, const IkMethod& method, const IkOptions& o,
                    const IkQuestion& question, const IkAnswer& answer);
Json ik_json(const IkRobot& robot, const IkQuestion& question, const IkAnswer& answer,
             bool with_distance);

}  // namespace torsor::command
