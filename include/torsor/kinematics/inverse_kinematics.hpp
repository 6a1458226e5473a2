#pragma once
/// Inverse kinematics by iteration: a configuration that puts frames at poses, for any tree.
///
///   InverseKinematicsWorkspace ws(model, {"tool"});            // allocates; names are checked here
///   const IkTarget target{T_world_tool};
///   const auto result = inverse_kinematics(model, ws, {&target, 1}, q_start, {}, q);
///   if (!result.converged) puts(describe(model, result).c_str());
///
/// Each start runs Levenberg-Marquardt steps on the poses' errors inside the joint limits,
///
///   least  |W (e - J u)|^2 + lambda |D u|^2   with  lower <= q (+) u <= upper,   lambda ~ |W e|^2
///   e = (log(R_frame^T R_target), R_target^T (p_target - p_frame)),
///
/// solved by an active set: what runs into a limit is held there, the rest is solved again, and what
/// would move inwards is released. A start that stagnates is given up; the next one is the best of a
/// few random configurations inside the limits.
///
/// Priorities   Targets of priority 0 are met first; those of 1 move only what leaves the former
///              where they are (the null space of their Jacobian), and so on. No lower one ever
///              worsens a higher one.
/// Objective    Where targets leave freedom: nearest to a configuration, away from limits, or most
///              manipulable. It comes after every target, in the null space of them all.
/// Limits       Always respected. Revolute joints with a turn or more of range are wrapped inside
///              theirs instead of being stopped; the turn nearest to the start (or `reference`) is
///              returned. Directions of free and planar joints count in the axes of their
///              coordinates, steps of joints with several degrees of freedom are those of
///              `integrate`.
/// Frames       Poses are in the world; errors and weights are along and about the target's axes.
/// Coordinates  Those that move no target stay as in q_start. A joint that a coupling ties to another
///              (mimic) follows it, and the limits of both count.
/// Cost         About 0.5 us an iteration for seven joints, 5 to 15 iterations a start. No
///              allocation. benchmarks/kinematics_numeric_ik.cpp measures.
/// Source       Levenberg 1944, Marquardt 1963; Sugihara 2011 (damping by the error); Nakamura,
///              Hanafusa & Yoshikawa 1987 (priorities); Lawson & Hanson 1974, ch. 23 (active set).
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

/// Where a frame should be. Weights multiply the error's components (rad, and m by the robot's
/// length, so that 1 and 1 are balanced) and are at least 0; 0 drops the component.
struct IkTarget {
  SE3<double> T_world_frame{};
  Vec3<double> orientation_weight{1, 1, 1};  ///< about the target's x, y, z
  Vec3<double> position_weight{1, 1, 1};     ///< along the target's x, y, z
  int priority = 0;                          ///< 0 comes first
};

/// What to do with freedom that the targets leave.
enum class IkObjective : unsigned char {
  none,
  nearest,           ///< least |q (-) reference|^2, lengths by the robot's length
  away_from_limits,  ///< least sum of ((q - middle) / half range)^2 over coordinates with two limits
  manipulability     ///< largest sqrt(det J J^T) of the first target's weighted rows
};
/// "none", "nearest", "away_from_limits", "manipulability".
const char* name_of(IkObjective objective);

struct InverseKinematicsOptions {
  double position_tolerance = 1e-8;     ///< m
  double orientation_tolerance = 1e-8;  ///< rad
  int max_iterations = 5000;            ///< of all starts together
  int max_restarts = 100;               ///< random starts after q_start
  double time_limit = infinity;         ///< s; a finite one makes the answer depend on the machine
  std::uint64_t seed = 1;               ///< of the random starts
  IkObjective objective = IkObjective::none;
  View<const double> reference{};  ///< n_q numbers: what to be nearest to; empty: q_start
  std::function<bool()> go_on{};   ///< asked before every step; false: out of budget
};

enum class IkStatus : unsigned char {
  reached,       ///< every target, within the tolerances
  unreachable,   ///< every start ended at some distance; q is the closest one
  out_of_budget  ///< iterations or time ran out; q is the closest one so far
};

/// Distance of a frame from its target, over the components with nonzero weight.
struct IkResidual {
  double position = 0;     ///< m
  double orientation = 0;  ///< rad
  bool reached = false;
};

/// A coordinate that stands at a bound.
struct ActiveLimit {
  int coordinate = 0;
  bool upper = false;
  double value = 0;  ///< of the bound
};

struct [[nodiscard]] InverseKinematicsResult {
  bool converged = false;  ///< every target is reached
  IkStatus status = IkStatus::unreachable;
  int iterations = 0;                       ///< of all starts
  int restarts = 0;                         ///< random starts that were made
  double position_residual = 0;             ///< m, the largest of the targets'
  double orientation_residual = 0;          ///< rad, the largest of the targets'
  int levels = 0, levels_reached = 0;       ///< of priority; reached: counted from the first
  double objective = 0;                     ///< its value at q; 0 without one
  View<const IkResidual> targets{};         ///< in the order given; lies in the workspace
  View<const ActiveLimit> active_limits{};  ///< of the coordinates that move targets; likewise
};

class InverseKinematicsWorkspace {
 public:
  /// One frame for each target, in their order; a frame may come twice. Throws Error: no frame, an
  /// unknown one (with the nearest name), one that no joint moves, or one moved by a joint of a loop
  /// or of a coupling of three joints or more.
  InverseKinematicsWorkspace(const Model<double>& model, const std::vector<std::string>& frames);
  /// Frames that need no name in the model.
  InverseKinematicsWorkspace(const Model<double>& model, View<const Frame> frames);
  InverseKinematicsWorkspace(InverseKinematicsWorkspace&&) noexcept;
  InverseKinematicsWorkspace& operator=(InverseKinematicsWorkspace&&) noexcept;
  ~InverseKinematicsWorkspace();

  int n_targets() const;
  /// Of the model: those that move a target, and those that couplings tie to them.
  View<const int> coordinates() const;
  /// m: the length that makes a position error comparable with an angle.
  double length() const;

  struct Plan;
  Plan& plan() { return *plan_; }

 private:
  std::unique_ptr<Plan> plan_;
};

/// Fills q (n_q numbers, may be q_start itself) with the configuration found, inside the limits.
/// A q_start beyond a limit counts as at it. Throws Error: wrong sizes, numbers that are not finite,
/// poses that are not rigid to 1e-6, negative weights or none at all, tolerances that are not
/// positive.
InverseKinematicsResult inverse_kinematics(const Model<double>& model,
                                           InverseKinematicsWorkspace& ws,
                                           View<const IkTarget> targets, In<double> q_start,
                                           const InverseKinematicsOptions& options, Out<double> q);

/// One line: "reached in 9 iterations", or "unreachable: the closest pose is 0.12 m and 0.3 rad
/// away; joint \"elbow\" is at its upper limit 0.785398".
std::string describe(const Model<double>& model, const InverseKinematicsResult& result);

}  // namespace torsor
