#pragma once
/// The true robot of a simulation: its dynamics with friction that sticks, stops, surfaces and
/// disturbances. Its parameters are its own; a controller may believe others.
///
///   M qdd + C qd + g = tau - friction - springs + disturbances + stops + sum_i J_i^T F_i
///
/// Friction   Dry friction (model/friction.hpp with width 0) has two modes for each degree of
///            freedom. It slips with a fixed sign until its velocity passes zero; then it sticks:
///            its acceleration is zero by hybrid dynamics and friction is whatever holds it, until
///            that exceeds the static limit, which grows with the load. Within a mode the right-hand side is smooth, so
///            integrators keep their order; the simulator finds the ends of modes as events. Joints
///            with several degrees of freedom, and motors that turn with several joints, need a
///            width (smooth friction).
/// Stops      Beyond a joint's limits by d: stiffness d (1 + damping d'), never pulling.
/// Surfaces   A point of a frame on a plane or sphere, touched from one side; touching and leaving
///            are events. Compliant: stiffness d + damping d', never pulling, and along it
///            -friction N v / sqrt(v^2 + slip^2). Rigid (stiffness
///            infinite): the force that keeps the point on the surface, from unit forces through
///            the same forward dynamics; a touch is a strike: by impulses through M the
///            normal velocity v becomes -restitution v (slower than 1 mm/s: 0), and a point in
///            contact separates when the force would pull, or never (bilateral).
/// Loops      Loops and couplings of the model by multipliers (dynamics/constrained.hpp); what
///            integration leaves open closes with a double pole at -20 1/s.
/// Springs    The model's spring-dampers between links.
///
/// Cost       One forward or hybrid dynamics per evaluation, two and one for each touched rigid
///            surface more while there are any; no allocation.
/// Source     Huo 2005, section 2.6; Armstrong-Helouvry, Dupont & Canudas de Wit 1994; Hunt &
///            Crossley 1975.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/spring_dampers.hpp"
#include "torsor/kinematics/velocity.hpp"
#include "torsor/linear/lu.hpp"

namespace torsor {

struct JointStops {
  double stiffness = 0;  ///< N m / rad or N / m; 0: no stops
  double damping = 0;    ///< s / rad or s / m
};

/// A plane through `origin`, or a sphere around it; the robot stays on the side of the normal.
struct Surface {
  std::string name = "surface";
  std::string frame;                       ///< whose point touches
  Vec3<double> point{};                    ///< in the frame
  Vec3<double> origin{}, normal{0, 0, 1};  ///< in the world; the normal is of a plane
  double radius = 0;                       ///< > 0: a sphere, touched from outside
  bool inside = false;                     ///< touched from inside
  double stiffness = infinity;             ///< N / m; infinity: rigid
  double damping = 0;                      ///< N s / m, of a compliant one
  double restitution = 0;                  ///< 0 ... 1, of a rigid one
  bool bilateral = false;                  ///< a rigid one that is never left
  double friction = 0;                     ///< Coulomb coefficient, of a compliant one
  double slip = 1e-3;                      ///< m / s over which friction turns its sign
};

/// tau += disturbance at the joints.
using TorqueFunction =
    std::function<void(double t, View<const double> q, View<const double> qd, View<double> tau)>;
/// F[i] += wrench on body i, in its link frame.
using WrenchFunction = std::function<void(double t, View<const double> q, View<const double> qd,
                                          View<Wrench<double>> F)>;

struct Plant {
  const Model<double>* model;  ///< outlives the plant
  bool friction = true;        ///< false: that of the model is left out
  JointStops stops{};
  std::vector<Surface> surfaces{};
  TorqueFunction disturbance{};
  WrenchFunction wrench{};

  explicit Plant(const Model<double>& robot) : model(&robot) {}
  explicit Plant(Model<double>&&) = delete;  // it would be gone before the plant
};

/// What a mode has left, smooth along the motion: a joint's velocity, a distance, of a sphere the
/// difference of squares.
struct ModeMargin {
  double value = infinity, rate = 0;  ///< per second; infinity: it has no such number
  double distance = 0;                ///< m, of a surface
  /// m/s: the fastest that its point was since forget_speeds(); 0: of a joint.
  double fastest = 0;
};

/// Evaluates a plant. What the last call of `accelerate` met stays readable.
class PlantDynamics {
 public:
  /// Checks the plant: throws Error for a frame, surface or friction that cannot be simulated.
  explicit PlantDynamics(const Plant& plant);

  const Model<double>& model() const { return *plant_.model; }

  /// Wrenches of the environment at a state: before `accelerate` at the same one.
  void meet_environment(double t, View<const double> q, View<const double> qd);
  /// qdd in the present modes. False: `singular()` says what could not be inverted.
  bool accelerate(double t, View<const double> q, View<const double> qd, View<const double> tau,
                  View<double> qdd);

  /// Why the last call was false: a pivot of the mass matrix below `least_pivot` of its largest, with
  /// the degree of freedom that moves no mass; or touched surfaces whose forces are not determined.
  std::string singular() const;
  static constexpr double least_pivot = 1e-13;
  /// The degree of freedom of the least pivot of the mass matrix in the last call, of those that do
  /// not stick, and the pivot over the largest one; -1: all stick.
  struct LeastMass {
    int dof = -1;
    double ratio = 1;
  };
  LeastMass least_mass() const;
  /// Of the last call: power (W) that friction takes, and that disturbances, wrenches, stops and
  /// surfaces give.
  double friction_power() const { return friction_power_; }
  double external_power() const { return external_power_; }
  /// Normal force of each surface, N, on the robot.
  View<const double> contact_forces() const { return contact_force_; }
  int contact_forces_size() const { return surfaces_.size(); }
  bool touches(int k) const { return surfaces_[k].touching; }
  const std::string& surface_name(int k) const { return surfaces_[k].surface.name; }
  /// What a force sensor could see: wrenches of surfaces (of rigid ones from `accelerate` on) and of
  /// the plant's function on each body, in its link frame; empty where there are none.
  View<const Wrench<double>> contact_wrenches() const { return F_contact_; }
  /// Whether some of them depend on the torque of the same instant.
  bool touches_rigid() const;
  /// All external wrenches; empty where there are none.
  View<const Wrench<double>> wrenches() const {
    return has_wrenches_ ? F_ext_ : View<const Wrench<double>>();
  }

  /// Modes: dry joints first, then surfaces. A mode ends where its number falls below zero.
  int n_modes() const { return dry_.size() + surfaces_.size(); }
  void mode_ends(View<const double> qd, View<double> g) const;
  /// Of modes that may end and begin again unseen, at the last state; `qdd` of the joints there.
  void mode_margins(View<const double> qd, View<const double> qdd, View<ModeMargin> margins) const;
  void forget_speeds();
  /// Modes for a state that starts: at rest joints stick if they can. Throws Error for a robot that
  /// does not start on a bilateral surface.
  void start(double t, View<const double> q, View<const double> qd, View<const double> tau,
             View<double> qdd);
  /// After `accelerate` where some mode has ended: changes modes, and qd where joints come to rest
  /// or points strike rigid surfaces.
  void change_modes(double t, View<const double> q, View<double> qd, View<const double> tau,
                    View<double> qdd);
  /// Joints at rest that slip get the least velocity in their direction, so that what acts by the
  /// sign of the velocity (a law that compensates friction) acts as within the mode.
  void leave_rest(View<double> qd) const;
  bool sticks(int dof) const;
  /// Multipliers of loops and couplings, of the last call of `accelerate`.
  View<const double> loop_forces() const { return loop_force_; }
  const ConstraintSet* loops() const { return loops_ ? &loops_->set : nullptr; }

 private:
  struct DryJoint {
    int dof, body;
    double direction = 0;          // 0: sticks
    double hold = 0;               // torque that friction takes while it sticks
    double limit = 0, middle = 0;  // it holds middle - limit ... middle + limit while it sticks
    double excess() const { return std::abs(hold - middle) - limit; }
  };
  struct SurfacePoint {
    Surface surface;
    Frame frame;
    Vec3<double> arm{};                 // of the point, in its body
    Vec3<double> normal{}, velocity{};  // in the world
    double distance = 0, speed = 0;
    double fastest = 0;  // largest squared velocity since forget_speeds
    double bend = 0;     // second derivative of the distance at no acceleration of the point
    bool touching = false, struck = false;
    double floor = 0;  // of the distance, where a rigid one is struck
    bool rigid() const { return surface.stiffness == infinity; }
  };
  void add_friction(View<const double> qd);
  void subtract_load(View<const double> qd);
  void add_stops(View<const double> q, View<const double> qd);
  void look_at_surfaces();
  void add_compliant_forces();
  void add_force(int body, const Vec3<double>& arm, const Vec3<double>& force);
  bool solve(View<const double> q, View<const double> qd, View<double> qdd);
  bool solve_loops(View<const double> q, View<const double> qd, View<double> qdd);
  bool solve_contacts(View<const double> q, View<const double> qd, View<double> qdd);
  /// x of Omega x = b, in place; false: singular.
  bool solve_omega(View<double> b);
  double normal_acceleration(const SurfacePoint& p) const;
  void check_closed(View<const double> q, View<const double> qd) const;
  void strike(View<double> qd);
  void settle(double t, View<const double> q, View<const double> qd, View<const double> tau,
              View<double> qdd);

  Plant plant_;
  AbaWorkspace<double> aba_;
  VelocityWorkspace<double> motion_;
  Array<internal::SpringEnds> springs_;
  std::unique_ptr<ConstrainedWorkspace> loops_;  // null: the robot is a tree
  Array<double> loop_force_;
  Array<DryJoint> dry_;
  Array<SurfacePoint> surfaces_;
  Array<int> rigid_;      // surfaces that are touched and rigid
  Array<char> stuck_;     // per body
  Array<double> left_;    // torque that moves bodies and rotors
  Array<double> extra_;   // disturbances and stops
  Array<double> column_;  // per touched rigid surface: M^-1 J^T
  Array<double> omega_, lambda_;
  Lu factors_;
  Array<Wrench<double>> F_ext_, F_contact_;
  Array<double> contact_force_;
  double friction_power_ = 0, external_power_ = 0;
  bool has_wrenches_ = false, any_stuck_ = false;
  bool joints_add_ = false;  // springs or disturbances
  bool loaded_ = false;      // friction of the load
  bool rubs_ = false;        // friction
  bool bare_ = false;        // bodies, rotors and wrenches alone
};

}  // namespace torsor
