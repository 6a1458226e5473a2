#pragma once
/// Internal: the chain in two forms, and the solver families that analytic_ik.cpp chooses from.
///
///   chain   T = link[0] J(q_0) link[1] J(q_1) ... J(q_n-1) link[n],  J = Rz(q) or Tz(q)
///   DH      T = base [Rz(theta_0) Tz(d_0) X_0] [Rz(theta_1) Tz(d_1) X_1] ... tool,
///           X_i = Tx(a_i) Rx(alpha_i),  theta = q + o (turning), d = q + d (sliding)
///
/// z screws commute with the joint on the same axis, so any chain has the second form.
#include "torsor/math/fixed_array.hpp"

#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/math/se3.hpp"

namespace torsor::ik {

using Pose = SE3<double>;
using Vector = Vec3<double>;
using Joints = FixedArray<double, max_ik_joints>;

struct Chain {
  int n = 0;
  FixedArray<bool, max_ik_joints> slides{};
  FixedArray<Pose, max_ik_joints + 1> link{};
};
/// The same chain from the frame to the world: solves for T^-1, joints in reverse order, same q.
Chain reversed(const Chain& chain);

struct Dh {
  int n = 0;
  double scale = 1;  ///< m, the size of the arm
  FixedArray<bool, max_ik_joints> slides{};
  FixedArray<double, max_ik_joints> turns{}, moves{};  ///< 1 or 0: what q adds to theta and d
  FixedArray<double, max_ik_joints> a{}, ca{}, sa{}, d{}, o{};
  Pose base{}, tool{};
};
/// a, ca, sa of the last joint are 0, 1, 0: what follows it is in `tool`.
Dh dh_form(const Chain& chain);

/// q has room for six numbers, those beyond the joints finite.
Pose forward(const Dh& dh, const double* q);
/// Columns of the Jacobian at the frame's origin, in world axes: turning and moving part.
Pose forward(const Dh& dh, const double* q, Vector* turning, Vector* moving);
struct PoseError {
  double position = 0, rotation = 0;
};
PoseError pose_error(const Pose& T, const Pose& target);
/// Errors of up to eight configurations at once, one in each lane.
void pose_errors(const Dh& dh, const Pose& target, const Joints* q, int n, PoseError* errors);
/// Newton's method; returns the error reached. Leaves q at the best one. Fewer than six joints, or
/// `least_squares`: by an orthogonal factorisation, which sees directions down to 1e-10 of the
/// largest.
PoseError refine(const Dh& dh, const Pose& target, double* q, int steps,
                 bool least_squares = false);
/// Damped least squares from one start; with `point`, only the position of that point of the last
/// link is wanted and T's rotation is not looked at.
PoseError approach(const Dh& dh, const Pose& target, const Vector* point, double* q, int steps);

/// One configuration of the (completed, perhaps reversed) chain that a family proposes.
struct Proposal {
  Joints q{};
  AnalyticIkBranch branch;
  int free_joint = -1;
  Joints combination{};
};

/// What solve() carries through the families: where proposals go.
struct Sink {
  const AnalyticIkSolver::Plan& plan;
  const Pose& target;  ///< of the frame, in the world
  AnalyticIkResult& result;
  bool position_only = false;  ///< the orientation does not count
  int reached_arm = 0;         ///< postures of the arm that were found, whatever the wrist says
  void propose(const Proposal& proposal);
  /// Up to eight at once: forward kinematics of all in one sweep.
  void propose(const Proposal* proposals, int n);
  /// A configuration of the robot's own joints, from the base outwards.
  void propose_own(const Joints& q);

 private:
  void judge(const Proposal& proposal, Joints q, PoseError error);
  /// Newton's method, and damped steps where it is lost at a singularity.
  void polish(Joints& q, PoseError& error) const;
};

/// What of a solution may move while the frame stays. `first_free` is preferred as the joint that may
/// be chosen, -1: none is.
struct SelfMotion {
  int dimension = 0;  ///< 0: an isolated solution
  FixedArray<int, max_ik_joints> free_joints{};
  Joints combination{};  ///< as in AnalyticIkFamily
};
SelfMotion self_motion(const Dh& dh, const Joints& q, int first_free);
/// Of six joints: whether a direction is lost, by the pivots of J. Quick.
bool may_be_singular(const Dh& dh, const Joints& q);
/// Of almost every configuration: more than 0 where the arm is singular everywhere.
int generic_freedom(const Dh& dh);

/// Wrist centre of a decoupled arm: the point in the frame, and its arm of three joints.
struct Decoupled {
  Dh dh;                 ///< of six joints
  Dh arm;                ///< of the first three, whose tool is the wrist centre
  Vector centre{};       ///< of the wrist, in the target frame
  SO3<double> R_tool{};  ///< of the frame in the last joint's axes
  bool zyz = false;      ///< both wrist angles are right angles
};
bool has_meeting_wrist(const Dh& dh);
Decoupled decouple(const Dh& dh);
/// Arms for which the three-joint equations determine something.
bool arm_is_solvable(const Dh& arm);
void solve_decoupled(const Decoupled& arm, const Pose& target, Sink& sink);

/// Up to eight postures that put the tool point of a three-joint arm at p.
struct ArmPosture {
  FixedArray<double, 3> q{}, sin{}, cos{};  ///< sine and cosine of the DH angle
  AnalyticIkBranch branch;
  int free_joint = -1;
};
int solve_arm(const Dh& arm, const Vector& p, FixedArray<ArmPosture, 8>& postures);

bool has_three_parallel(const Dh& dh);
void solve_three_parallel(const Dh& dh, const Pose& target, Sink& sink);

bool is_planar(const Chain& chain);
/// A planar chain whose position in space fixes every joint.
bool position_fixes_planar(const Chain& chain);
void solve_planar(const Chain& chain, const Dh& dh, const Pose& target, Sink& sink);

/// Orientation by three turning joints, position by three slides.
bool has_three_slides(const Chain& chain);
void solve_three_slides(const Chain& chain, const Pose& target, Sink& sink);

/// Elimination. `shift` joints of the loop come last instead of first; 3 and 6 of the shifted loop
/// must turn.
bool can_eliminate(const Chain& chain, int shift);
/// Returns the reciprocal condition of the pencil it solved; 0: gave up.
double solve_by_elimination(const Chain& chain, int shift, const Pose& target, Sink& sink);

/// Ends early with `enough` solutions. Returns the least error met: m, a radian counting as the arm's
/// size.
double solve_by_search(const Dh& dh, const Pose& target, int starts, int steps, int enough,
                       Sink& sink);

}  // namespace torsor::ik

namespace torsor {

struct AnalyticIkSolver::Plan {
  enum class Method : unsigned char {
    planar,
    three_parallel,
    decoupled,
    three_slides,
    elimination,
    search
  };
  Method method = Method::search;
  const char* name = "";
  bool backwards = false;
  int n = 0;  ///< joints of the robot; the solved chain may have virtual ones behind
  int shift = 0, second_shift = -1;
  bool disturbed = false;       ///< `chain` is a little off on purpose (elimination)
  int freedom = 0;              ///< of almost every configuration, while the frame stays
  bool position_alone = false;  ///< the position of the frame's origin fixes every joint
  ik::Chain chain;              ///< what the method solves
  ik::Dh chain_dh;
  ik::Dh dh;  ///< of the robot, forwards, n joints: every solution is verified with it
  ik::Decoupled decoupled;
  FixedArray<int, max_ik_joints> coordinate{};
  FixedArray<double, max_ik_joints> lower{}, upper{};

  void run(const ik::Pose& target, bool position_only, AnalyticIkResult& result) const;
  void search_near(const ik::Pose& target, ik::Sink& sink) const;
};

}  // namespace torsor
