#pragma once
/// The true robot of a simulation: its dynamics with friction that sticks, stops, surfaces and
/// disturbances. Its parameters are its own; a controller may believe others.
///
///   M qdd + C qd + g = tau - friction - springs + disturbances + stops + sum_i J_i^T F_i
///
/// Friction   Dry friction (model/friction.hpp with width 0) has two modes for each degree of
///            freedom. It slips with a fixed sign until its velocity passes zero; then it sticks:
///            its acceleration is zero by hybrid dynamics and friction is whatever holds it, until
///            that exceeds the static limit. Within a mode the right-hand side is smooth, so
///            integrators keep their order; the simulator finds the ends of modes as events. Joints
///            with several degrees of freedom need a width (smooth friction).
/// Stops      Beyond a joint's limits by d: stiffness d (1 + damping d'), never pulling.
/// Surfaces   A point of a frame in a compliant plane or sphere: normal force stiffness d + damping
///            d', never pulling; touching and leaving are events.
///
/// Cost       One forward or hybrid dynamics per evaluation; no allocation.
/// Source     Textbook section 2.6; Armstrong-Helouvry, Dupont & Canudas de Wit 1994; Hunt &
///            Crossley 1975.
#include <functional>
#include <string>
#include <vector>

#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/hybrid.hpp"

namespace torsor {

struct JointStops {
  double stiffness = 0;  ///< N m / rad or N / m; 0: no stops
  double damping = 0;    ///< s / rad or s / m
};

/// A plane through `origin`, or a sphere around it; the robot stays on the side of the normal.
struct CompliantSurface {
  std::string name = "surface";
  std::string frame;                       ///< whose point touches
  Vec3<double> point{};                    ///< in the frame
  Vec3<double> origin{}, normal{0, 0, 1};  ///< in the world; the normal is of a plane
  double radius = 0;                       ///< > 0: a sphere, touched from outside
  double stiffness = 1e4;                  ///< N / m
  double damping = 0;                      ///< N s / m
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
  std::vector<CompliantSurface> surfaces{};
  TorqueFunction disturbance{};
  WrenchFunction wrench{};

  explicit Plant(const Model<double>& robot) : model(&robot) {}
};

/// Evaluates a plant. What the last call of `accelerate` met stays readable.
class PlantDynamics {
 public:
  /// Checks the plant: throws Error for a frame, surface or friction that cannot be simulated.
  explicit PlantDynamics(const Plant& plant);

  const Model<double>& model() const { return *plant_.model; }

  /// Wrenches of the environment at a state: before `accelerate` at the same one.
  void meet_environment(double t, View<const double> q, View<const double> qd);
  /// qdd in the present modes. False: the mass matrix could not be inverted.
  bool accelerate(double t, View<const double> q, View<const double> qd, View<const double> tau,
                  View<double> qdd);

  /// Of the last call: power (W) that friction takes, and that disturbances, wrenches, stops and
  /// surfaces give.
  double friction_power() const { return friction_power_; }
  double external_power() const { return external_power_; }
  /// Normal force of each surface, N, on the robot.
  View<const double> contact_forces() const { return contact_force_; }
  std::size_t contact_forces_size() const { return surfaces_.size(); }
  const std::string& surface_name(std::size_t k) const { return surfaces_[k].surface.name; }
  /// External wrenches on each body, in its link frame; empty where there are none.
  View<const Wrench<double>> wrenches() const {
    return has_wrenches_ ? F_ext_ : View<const Wrench<double>>();
  }

  /// Modes: dry joints first, then surfaces. A mode ends where its number falls below zero.
  int n_modes() const { return static_cast<int>(dry_.size() + surfaces_.size()); }
  void mode_ends(View<const double> qd, View<double> g) const;
  /// Modes for a state that starts: at rest joints stick if they can.
  void start(double t, View<const double> q, View<const double> qd, View<const double> tau,
             View<double> qdd);
  /// After `accelerate` where some mode has ended: changes modes, sets qd of joints that come to
  /// rest to zero.
  void change_modes(double t, View<const double> q, View<double> qd, View<const double> tau,
                    View<double> qdd);
  bool sticks(int dof) const;

 private:
  struct DryJoint {
    int dof, body;
    double direction = 0;  // 0: sticks
    double hold = 0;       // torque that friction takes while it sticks
    double limit = 0;
  };
  struct SurfacePoint {
    CompliantSurface surface;
    Frame frame;
    double distance = 0;
    bool touching = false;
  };
  void add_friction(View<const double> qd);
  void add_stops(View<const double> q, View<const double> qd);
  void add_surfaces();
  void release_overloaded(double t, View<const double> q, View<const double> qd,
                          View<const double> tau, View<double> qdd);

  Plant plant_;
  AbaWorkspace<double> aba_;
  MomentumWorkspace<double> motion_;
  std::vector<DryJoint> dry_;
  std::vector<SurfacePoint> surfaces_;
  std::vector<char> stuck_;    // per body
  std::vector<double> left_;   // torque that moves bodies and rotors
  std::vector<double> extra_;  // disturbances and stops
  std::vector<Wrench<double>> F_ext_;
  std::vector<double> contact_force_;
  double friction_power_ = 0, external_power_ = 0;
  bool has_wrenches_ = false;
};

}  // namespace torsor
