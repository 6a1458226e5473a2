#pragma once
/// The dynamics verbs of full_dynamics.hpp on a robot with loops and couplings.
///
/// The state has to close the loops, and what is given has to fit them; else the status names the
/// row at fault and nothing is computed:
///
///   q      |phi|            <= 1e-6 m or rad
///   qd     |A qd|           <= 1e-6 max(1, |qd|) m/s or rad/s
///   qdd    |A qdd + A' qd|  <= 1e-6 max(1, |qdd|, |qd|^2) m/s^2 or rad/s^2       inverse dynamics
///
/// (largest entries): what a few printed digits leave, far above the 1e-12 of assemble.
///
/// Inverse dynamics drives the joints that have an actuator in the robot's description, all where
/// none has one, by the least torques; the other joints get 0 and bear their own friction and
/// springs (constrained_inverse.hpp).
///
/// Cost     Those of the constrained verbs and of the rows; no allocation.
#include <string>

#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {

/// What loops and couplings have against a state, or against what is asked of it.
struct [[nodiscard]] LoopStatus {
  enum class Fault : unsigned char {
    none,
    position,      ///< q leaves a loop open
    velocity,      ///< qd does
    acceleration,  ///< qdd does
    contradicted,  ///< no acceleration satisfies all rows
    undriven,      ///< no torque of the actuated joints makes the motion
  };
  Fault fault = Fault::none;
  int row = -1;               ///< the one that is furthest off
  double by = 0;              ///< how far, m or rad and their rates; N m or N where undriven
  int passive = 0, rank = 0;  ///< where undriven: passive velocities, and the rank of their rows

  bool closed() const { return fault == Fault::none || fault >= Fault::contradicted; }
  explicit operator bool() const { return fault == Fault::none; }
};

template <class Param>
bool has_loops(const Model<Param>& model) {
  return !model.description().loops.empty() || !model.description().couplings.empty();
}

/// Whether a state closes the loops, within the tolerances above. Empty qd or qdd are not looked at.
LoopStatus closure(const Model<double>& model, const ConstraintSet& set, AssemblyWorkspace& ws,
                   In<double> q, In<double> qd = {}, In<double> qdd = {});

/// One line, such as four_bar: loop "pin" is open by 0.42 m at this q; ... "" where all is well.
std::string message(const Model<double>& model, const LoopStatus& status);

namespace internal {

/// What a verb on a robot with loops found.
struct [[nodiscard]] LoopDynamicsResult {
  LoopStatus loops{};
  double pivot_ratio = 1;
  bool regular = true;
};

/// Constraints of a robot and workspaces of their verbs. `joint` is what joints take of tau:
/// add_joint_torques without friction of the load; F all wrenches. Of `effects` the verbs read
/// rotors, and friction for that of the load.
struct LoopDynamics {
  AssemblyWorkspace assembly;
  ConstrainedWorkspace forward;
  ConstrainedInverseWorkspace inverse;
  Array<char> actuated;  // per velocity
  int passive = 0;       // velocities without an actuator
  Array<double> lambda;  // of the last call, as the set's rows
  Array<double> left;

  explicit LoopDynamics(const Model<double>& model);
  const ConstraintSet& set() const { return forward.set; }

  LoopDynamicsResult inverse_dynamics(const Model<double>& model, In<double> q, In<double> qd,
                                      In<double> qdd, In<double> joint, In<Wrench<double>> F,
                                      const Effects& effects, Out<double> tau);
  /// An empty `prescribed` means none: forward dynamics, where tau is only read.
  LoopDynamicsResult hybrid_dynamics(const Model<double>& model, In<char> prescribed, In<double> q,
                                     In<double> qd, Out<double> qdd, Out<double> tau,
                                     In<double> joint, In<Wrench<double>> F,
                                     const Effects& effects);
};

}  // namespace internal

}  // namespace torsor
