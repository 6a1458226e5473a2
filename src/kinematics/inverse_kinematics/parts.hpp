#pragma once
/// Internal: what inverse_kinematics prepares once, and the steps it is made of.
///
///   x   coordinates of the joints that move a target, packed
///   u   steps of them: rates of coordinates, or body angular velocities of quaternions
///   e   weighted errors, six rows a target (angular first);  J = -de/du by columns
///
/// Poses of joints have z along the axis: T_j = T_parent link_j J(x_j). A joint that a coupling ties to
/// another has a coordinate and no step: x = factor x_master + offset, and its column of J is added to
/// the master's.
#include "torsor/kinematics/inverse_kinematics.hpp"
#include "torsor/math/array.hpp"

namespace torsor::numeric_ik {

/// Where an error of 1 rad counts as much as this part of the reach in position.
inline constexpr double length_by_reach = 0.4;

/// By couplings: q = factor q_master + offset; master 0: a constant.
struct Tie {
  int body = 0, master = 0;
  double factor = 1, offset = 0;
};
/// Of the bodies that move a target and of all that are tied to them; what is tied to nothing has
/// none. Masters are there, too, tied to themselves. Throws for what is not solved: loops,
/// couplings of three joints and more.
Array<Tie> find_ties(const Model<double>& model, const Array<int>& moving);

struct PathJoint {
  enum class Type : unsigned char { turn, slide, general };
  Type type = Type::turn;
  int parent = -1;  ///< among the path's joints
  int body = 0;
  int x = 0, u = 0, n_x = 0, n_u = 0;
  bool tied = false;  ///< follows another or stands still; u is the master's
  int x_master = -1;  ///< -1: stands still
  double factor = 0, offset = 0;
  SE3<double> link{};
};

struct PathFrame {
  std::string name;
  int joint = 0;      ///< that carries it
  SE3<double> end{};  ///< from that joint
  Array<int> joints;  ///< from the frame to the world, those that are not tied
  Array<int> tied;    ///< those that follow another
  Array<int> steps;   ///< numbers of the u that move it, ascending
};

/// One target as it is iterated on.
struct Task {
  SE3<double> T{};
  Vec3<double> w_rotation{}, w_position{};  ///< the latter by the robot's length
  bool isotropic = true;                    ///< weights equal: axes of the world do
  bool has_rotation = true;
  int level = 0;
};

/// How one descent ended.
enum class Ending : unsigned char { reached, minimum, given_up, out_of_budget };

/// Of a monotonic clock.
std::int64_t nanoseconds();

struct Budget {
  int iterations = 0, used = 0;
  bool timed = false;
  std::int64_t end = 0;  ///< ns
  const std::function<bool()>* go_on = nullptr;

  bool spent() const {
    return used >= iterations || (timed && nanoseconds() >= end) || (go_on && !(*go_on)());
  }
};

/// Which targets a descent is about, and when it stops.
struct Descent {
  int first_level = 0, last_level = 0;  ///< the targets of these levels
  bool hold = false;                    ///< towards e = held instead of 0
  bool patient = false;                 ///< goes on to the minimum instead of giving up early
  int iterations = 0;
};

}  // namespace torsor::numeric_ik

namespace torsor {

struct InverseKinematicsWorkspace::Plan {
  Array<numeric_ik::PathJoint> joints;
  Array<numeric_ik::PathFrame> frames;
  Array<int> tied;  ///< joints
  int n_targets = 0, n_x = 0, n_u = 0, n_rows = 0, n_model = 0;
  double length = 1;

  // Of coordinates.
  Array<int> coordinate;       ///< in the model
  Array<double> lower, upper;  ///< infinite where there are none
  Array<double> draw_low, draw_high;
  Array<unsigned char> wraps;                ///< a whole turn changes nothing and fits
  Array<double> unit;                        ///< 1 rad, or the robot's length
  Array<int> quaternions, quaternion_steps;  ///< where they and their steps begin
  // Of steps.
  Array<int> coordinate_of_step;         ///< -1: of a quaternion
  Array<double> unit_of_step, per_unit;  ///< and 1 by it

  // The question.
  Array<numeric_ik::Task> tasks;
  double position_tolerance = 0, orientation_tolerance = 0;
  int levels = 1;

  // Scratch. `good` is what a stage must not lose, `best` what the starts have found so far.
  Array<double> x, x_try, x_best, x_good, x_start, reference, sine, cosine;
  Array<SE3<double>> T, T_frame;
  Array<double> e, held, J, A, factor, g, rhs, step, low, high;
  Array<int> free;
  Array<signed char> at_bound;
  Array<double> cost, cost_best, cost_good;  ///< of each level; 0 where it is reached
  Array<double> basis, reduced, gram, secant, slope_now, slope_before, moved;
  Array<signed char> held_before;
  int n_directions = 0;

  // The answer.
  Array<IkResidual> residuals;
  Array<ActiveLimit> active;
};

}  // namespace torsor

namespace torsor::numeric_ik {

using Plan = InverseKinematicsWorkspace::Plan;

[[noreturn]] void refuse(const std::string& why);
/// Throws for questions that have no answer.
void check(const Model<double>& model, const Plan& plan, View<const IkTarget> targets,
           In<double> q_start, const InverseKinematicsOptions& options, Out<double> q);
void prepare(const Model<double>& model, View<const Frame> frames, Plan& plan);

/// Poses of joints and frames.
void forward(const Model<double>& model, Plan& plan, const double* x);
/// After forward: e and residuals of the targets of these levels; |e|^2.
double errors(Plan& plan, int first_level, int last_level);
/// After forward: J of the targets of these levels.
void jacobian(const Model<double>& model, Plan& plan, const double* x, int first_level,
              int last_level);
/// out = x (+) u, inside the limits.
void advance(const Model<double>& model, const Plan& plan, const double* x, const double* u,
             double* out);

/// Coordinates of tied joints, from their masters'.
void follow_masters(const Plan& plan, double* x);

/// From plan.x towards the targets of the descent's levels. Leaves the best one in plan.x.
Ending descend(const Model<double>& model, Plan& plan, const Descent& descent, Budget& budget);
/// How far each step may go from x; a joint that may wrap has no bounds unless `every`.
void set_box(Plan& plan, const double* x, bool every);

/// The step from g, A and secant that the bounds allow without moving the levels before `level`;
/// false where nothing may move. What pushes against its bound is held. What has some room goes to
/// its bound while the others go on (`apart`), or all stop where the first one does. Raises the
/// damping where the curvature asks for it.
bool bounded_step(Plan& plan, int level, bool apart, double& damping);
/// Into secant, after a step plan.moved from where the projected slope was plan.slope_before.
void learn_curvature(Plan& plan, int level);

/// From plan.x, where higher levels are as they should stay: lessens the errors of `level` by steps
/// that leave those alone. level == plan.levels: the objective.
void refine(const Model<double>& model, Plan& plan, int level, IkObjective objective,
            Budget& budget);
/// Its value at x.
double objective_value(const Model<double>& model, Plan& plan, IkObjective objective,
                       const double* x);
/// g and A of it at plan.x, in z = u / unit. Overwrites step and x_try.
void objective_slope(const Model<double>& model, Plan& plan, IkObjective objective);
/// Errors at plan.x, into cost: those of each level that is not reached, else 0.
void judge_levels(const Model<double>& model, Plan& plan);
/// The turn of each joint that may wrap that is nearest to x_near, in place.
void nearest_turns(const Plan& plan, const double* x_near, double* x);

}  // namespace torsor::numeric_ik
