#pragma once
/// Inverse kinematics in closed form: every configuration that puts a frame at a pose.
///
///   const AnalyticIkSolver solver(model, "tool");   // finds the method from the geometry, once
///   AnalyticIkResult result;
///   solver.solve(T_world_tool, result);             // no allocation
///   for (const AnalyticIkSolution& s : result) ...  // s.q, s.inside_limits(), branch_name(s)
///
/// Methods, tried in this order on the chain of joints between the world and the frame:
///   planar            all turning axes parallel: 2R, 3R, SCARA and their mixes with slides
///   parallel axes     axes 2, 3, 4 parallel, 5 and 6 meet (Universal Robots); also seen backwards
///   spherical wrist   the last (or first) three axes meet: arm by (1-22) or a quartic, then wrist
///   three slides      turning joints give the orientation, slides the position
///   elimination       any other six joints: 14 equations of the axis line, a 16 x 16 eigenproblem,
///                     up to 16 solutions, each refined by Newton's method
///   numeric search    what is left, such as general arms with two slides: many starts, and no
///                     proof that all solutions are found
/// Fewer than six joints: the chain is completed by joints that do not exist; where they would have
/// to move, the target is met in part only, and the result says how far off it is (`reduced`).
///
/// Every solution has been put back into forward kinematics. Where a wrist or arm is singular, a
/// solution stands for a one-parameter family (`family`).
///
/// Frames   T is the pose of the frame in the world. q of a solution lists the chain's joints from
///          the base outwards; turning joints are in (-pi, pi], or a turn away where only that is
///          inside the limits.
/// Cost     PUMA and UR5 under 2 us for all eight branches, elimination 30 to 50 us; preparing it
///          about 10 ms. benchmarks/kinematics_analytic_ik.cpp measures.
/// Source   Huo 2005, sec. 1.3, example 1-4, exercises 1-19 to 1-25; Pieper 1968; Raghavan & Roth
///          1993; Manocha & Canny 1994 (the reduction to 16 x 16 is in analytic_ik_general.cpp).
#include <array>
#include <memory>
#include <string>

#include "torsor/model/model.hpp"

namespace torsor {

inline constexpr int max_ik_joints = 6;
inline constexpr int max_ik_solutions = 16;
inline constexpr int max_ik_families = 8;

/// Which of the two ways each part of the arm takes; `none` where the arm has no such choice.
struct AnalyticIkBranch {
  enum class Side : unsigned char { none, first, second };
  Side shoulder = Side::none, elbow = Side::none, wrist = Side::none;
  int number = 0;  ///< of the arm's posture where it has more than these (quartic, elimination)
};

struct AnalyticIkSolution {
  std::array<double, max_ik_joints> q{};
  AnalyticIkBranch branch;
  int family = -1;              ///< index in the result's families; -1: an isolated solution
  unsigned outside_limits = 0;  ///< bit i: joint i of the chain is beyond its limits
  double position_error = 0;    ///< m, of the pose that q gives
  double rotation_error = 0;    ///< rad
  bool inside_limits() const { return outside_limits == 0; }
};

/// A solution that may be moved along one parameter without moving the frame.
struct AnalyticIkFamily {
  int free_joint = 0;  ///< may be chosen; the solution has it at 0 (or inside its limits)
  /// sum_i combination[i] q[i] = value stays, in a singular wrist. All zero where the other joints
  /// follow the free one by no linear rule (a singular arm): fix that joint and solve again.
  std::array<double, max_ik_joints> combination{};
  double value = 0;
};

enum class AnalyticIkStatus : unsigned char {
  solved,      ///< each solution reproduces the pose
  reduced,     ///< fewer than six joints: as much of the pose as they can; see the errors
  unreachable  ///< no solution; see distance
};

struct [[nodiscard]] AnalyticIkResult {
  AnalyticIkStatus status = AnalyticIkStatus::unreachable;
  int n_joints = 0, n_solutions = 0, n_families = 0;
  std::array<AnalyticIkSolution, max_ik_solutions> solutions{};
  std::array<AnalyticIkFamily, max_ik_families> families{};
  /// Unreachable: m from the wrist centre to the arm's workspace where the arm decouples, else of
  /// the nearest pose found by search, whose rotation is off by `rotation_distance` rad.
  double distance = 0, rotation_distance = 0;
  bool distance_of_wrist_centre = false;
  const char* solver = "";

  const AnalyticIkSolution* begin() const { return solutions.data(); }
  const AnalyticIkSolution* end() const { return solutions.data() + n_solutions; }
  bool empty() const { return n_solutions == 0; }
};

class AnalyticIkSolver {
 public:
  /// Throws Error: unknown frame (with the nearest name), a frame that no joint moves, a joint that
  /// is not revolute, continuous or prismatic, or more than six of them.
  AnalyticIkSolver(const Model<double>& model, const std::string& frame)
      : AnalyticIkSolver(model, model.frame(frame)) {}
  AnalyticIkSolver(const Model<double>& model, const Frame& frame);

  /// Throws Error for a pose that is not rigid to 1e-6 or not finite.
  void solve(const SE3<double>& T_world_frame, AnalyticIkResult& result) const;

  /// "three parallel axes", "spherical wrist", ...
  const char* method() const;
  int n_joints() const;
  /// Coordinate of the model that entry i of a solution is.
  int coordinate(int i) const;
  /// Writes a solution into a configuration of the whole model.
  void write(const AnalyticIkSolution& solution, View<double> q) const;
  /// "left shoulder, elbow up, wrist flip", or "solution 3" where the parts have no such names.
  /// Left: the arm's plane passes left of the line from axis 1 to the wrist centre, seen from above
  /// (axis 1). Up: the elbow is above the line from shoulder to wrist centre. Flip: sin(q5) < 0 by
  /// the DH angle.
  std::string branch_name(const AnalyticIkSolution& solution) const;

  struct Plan;

 private:
  std::shared_ptr<const Plan> plan_;
};

/// The same in one call; prepares a solver each time.
AnalyticIkResult analytic_ik(const Model<double>& model, const std::string& frame,
                             const SE3<double>& T_world_frame);

/// Whether the last three axes of the chain to `frame` are turning ones that meet in one point
/// (Pieper's condition).
bool has_spherical_wrist(const Model<double>& model, const std::string& frame);

}  // namespace torsor
