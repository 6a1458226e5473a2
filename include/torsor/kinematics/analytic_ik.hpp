#pragma once
/// Inverse kinematics from the geometry of the arm: the configurations that put a frame at a pose.
///
///   const AnalyticIkSolver solver(model, "tool");   // finds the method from the geometry, once
///   AnalyticIkResult result;
///   solver.solve(T_world_tool, result);             // no allocation
///   for (const AnalyticIkSolution& s : result) ...  // s.q, s.inside_limits(); branch_names(result)
///
/// Methods, tried in this order on the chain of joints between the world and the frame:
///   planar            all turning axes parallel: 2R, 3R, SCARA and their mixes with slides
///   parallel axes     axes 2, 3, 4 parallel, 5 and 6 meet (Universal Robots); also seen backwards
///   spherical wrist   the last (or first) three axes meet: arm by (1-22) or a quartic, then wrist
///   three slides      turning joints give the orientation, slides the position
///   elimination       any other six joints: 14 equations of the axis line, a 16 x 16 eigenproblem,
///                     up to 16 solutions, each refined by Newton's method
///   numeric search    what is left, such as general arms with two slides: many starts
/// The first four are closed forms and give every isolated solution (`finds_all`). Elimination gives
/// every one where its pencil is regular, which is not certified; a search may miss some.
/// Fewer than six joints: the chain is completed by joints that do not exist; where they would have
/// to move, the target is met in part only, and the result says how far off it is (`reduced`).
///
/// Every solution has been put back into forward kinematics and meets the pose to 1e-9 m and rad. A
/// pose that the arm itself has is not called unreachable: where rounding at a singularity hides it
/// from the closed form, damped steps and a search find it (tested near singularities of every kind
/// of arm, not proven). Where the arm can move while the frame stays, a solution stands for a family of one or more parameters (`family`); an arm that can do so
/// everywhere, such as one with four parallel axes among six, has nothing but families (`continuum`).
///
/// Frames   T is the pose of the frame in the world. q of a solution lists the chain's joints from
///          the base outwards; turning joints are in (-pi, pi], or a turn away where only that is
///          inside the limits.
/// Cost     PUMA and UR5 under 2 us for all eight branches, elimination 30 to 50 us; a family some
///          20 us more; preparing it about 10 ms. benchmarks/kinematics_analytic_ik.cpp measures.
/// Source   Huo 2005, sec. 1.3, (1-22), example 1-4, exercises 1-19 to 1-25; Pieper 1968; Raghavan &
///          Roth 1993; Manocha & Canny 1994 (the reduction to 16 x 16 is in analytic_ik/general.cpp).
#include <memory>
#include <string>
#include "torsor/math/fixed_array.hpp"

#include "torsor/math/array.hpp"
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
  FixedArray<double, max_ik_joints> q{};
  AnalyticIkBranch branch;
  int family = -1;              ///< index in the result's families; -1: an isolated solution
  unsigned outside_limits = 0;  ///< bit i: joint i of the chain is beyond its limits
  double position_error = 0;    ///< m, of the pose that q gives
  double rotation_error = 0;    ///< rad
  bool inside_limits() const { return outside_limits == 0; }
};

/// A solution that may be moved without moving the frame.
struct AnalyticIkFamily {
  int dimension = 1;  ///< of the self-motion: so many joints may be chosen (near the solution)
  /// Which ones: the first `dimension` entries. The solution has the first of them at 0 (or inside
  /// its limits).
  FixedArray<int, max_ik_joints> free_joints{};
  /// sum_i combination[i] q[i] = value stays, where axes lie in one line (a singular wrist). All zero
  /// where the other joints follow by no linear rule (a singular arm): fix the free joints and solve
  /// again.
  FixedArray<double, max_ik_joints> combination{};
  double value = 0;
};

enum class AnalyticIkStatus : unsigned char {
  solved,      ///< each solution reproduces the pose
  continuum,   ///< so it does, but the arm moves while the frame stays, everywhere: a few members
  reduced,     ///< fewer than six joints: as much of the pose as they can; see the errors
  unreachable  ///< no solution; see distance
};

struct [[nodiscard]] AnalyticIkResult {
  AnalyticIkStatus status = AnalyticIkStatus::unreachable;
  int n_joints = 0, n_solutions = 0, n_families = 0;
  FixedArray<AnalyticIkSolution, max_ik_solutions> solutions{};
  FixedArray<AnalyticIkFamily, max_ik_families> families{};
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
  /// Every configuration that puts the frame's origin at a point, whatever its orientation. Throws
  /// Error unless `solves_position`: the point must determine the joints, two or three of them.
  void solve_position(const Vec3<double>& p_world, AnalyticIkResult& result) const;
  bool solves_position() const;

  /// "three parallel axes", "spherical wrist", ...
  const char* method() const;
  /// Whether it gives every isolated solution: true of the closed forms.
  bool finds_all() const;
  /// Directions in which the chain moves at almost every configuration while the frame stays.
  int freedom() const;
  int n_joints() const;
  /// Coordinate of the model that entry i of a solution is.
  int coordinate(int i) const;
  /// Writes a solution into a configuration of the whole model.
  void write(const AnalyticIkSolution& solution, View<double> q) const;
  /// One name for each solution, no name twice: "left shoulder, elbow up, wrist flip", or "solution
  /// 3" where the parts have no such names.
  /// Left: the arm's plane passes left of the line from axis 1 to the wrist centre, seen from above
  /// (axis 1). Up: the elbow is above the line from shoulder to wrist centre; front, before it, where
  /// that line is upright. Flip: sin(q5) < 0 by the DH angle.
  Array<std::string> branch_names(const AnalyticIkResult& result) const;

  struct Plan;

 private:
  void prepare(AnalyticIkResult& result) const;

  std::shared_ptr<const Plan> plan_;
};

/// The same in one call; prepares a solver each time.
AnalyticIkResult analytic_ik(const Model<double>& model, const std::string& frame,
                             const SE3<double>& T_world_frame);

/// Whether the last three axes of the chain to `frame` are turning ones that meet in one point
/// (Pieper's condition).
bool has_spherical_wrist(const Model<double>& model, const std::string& frame);

}  // namespace torsor
