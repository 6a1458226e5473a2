#pragma once
/// An estimate as a robot: a description whose torques are those of the fit.
///
/// All parameters p of a robot move as tau = W p. An estimate gives some of them by name, or the
/// combinations b = regrouping p that its log can tell (base parameters). Then of all p with exactly
/// these b the one nearest to the model's own p0 is taken, in the sense of mass distributions:
///
///   minimise  sum_i [ tr(P0_i^-1 P_i) - log det(P0_i^-1 P_i) - 4 ] + sum_r [ x_r - log x_r - 1 ]
///   such that regrouping p = b,  P_i > 0
///
///   P_i = [ Sigma  h ; h^T  m ],  Sigma = 1/2 tr(J) 1 - J      the pseudo-inertia of body i
///   x_r = rotor inertia over its prior
///
/// P_i > 0 is what a body of positive density everywhere has: physically consistent. Newton's method on
/// the null space of `regrouping`, damped by the decrement; before it, from the nearest exact p in
/// scaled numbers, the same on P_i + t 1 with t pressed below zero. Where t stays positive there is no
/// consistent p with these b, and the result says so.
///
/// Names    Those of model/parameter.hpp. LINK.m ... zz of the link that a joint carries count every
///          link fixed to it that the estimate does not name, as model/inertial_parameters.hpp does.
/// Links    What a body's numbers change goes to the link that its joint carries, the links fixed to
///          it stay; where that would leave an impossible link, all of them share the body in
///          proportion to their masses. Notes say which.
/// Joints   JOINT.viscous is the whole at the joint: the bearing's is what damping and motor leave of
///          it, beside what motors of several joints add. rotor.JOINT is at the joint: rotor_inertia =
///          value / gear_ratio^2. motor.NAME.rotor, viscous, ... are at the motor.
/// Drives   gain.MOTOR is no number of the robot and is left out.
/// Prior    A body of the model that is itself impossible, or has no extent, is pulled towards one with
///          eigenvalues of at least 1e-5 of its largest.
/// Cost     O(k^3) for each of about 20 steps, k the number of parameters less that of b.
/// Source   Lee, Wensing & Park 2020 (divergence of pseudo-inertias); Wensing, Kim & Slotine 2018;
///          Boyd & Vandenberghe 2004, sec. 9.6 and 11.4.
#include "torsor/identification/base_parameters.hpp"

namespace torsor {

/// Values of parameters by name, as any estimator gives them.
struct ParameterValues {
  std::vector<std::string> names;
  Array<double> values{};
};

struct WriteBackOptions {
  /// Where no consistent robot has these torques: the nearest exact one in scaled numbers.
  bool inconsistent = false;
};

struct BodyConsistency {
  std::string link;              ///< that carries the body
  double smallest_eigenvalue{};  ///< of its pseudo-inertia, SI
  bool consistent = true;        ///< not below zero by more than rounding
};

struct [[nodiscard]] WriteBack {
  std::string message;     ///< empty, or one line that says why `robot` is not the estimate
  RobotDescription robot;  ///< the estimate; where there is a message, the model's own
  bool consistent = true;  ///< of all bodies that the estimate speaks of
  std::vector<BodyConsistency> bodies;
  /// Ten for each body, in the order of parameters(model).
  Array<double> inertial{};
  /// False where only memory can hold a body (first moments without mass): the exact robot is then
  /// with_parameters(Model(robot), inertial).
  bool described = true;
  double divergence = 0;           ///< from the prior; of base parameters
  std::vector<std::string> notes;  ///< where numbers went that had a choice

  bool ok() const { return message.empty(); }
};

/// Parameters that are not named stay. Throws Error for an unknown name (with the nearest), one that is
/// there twice and a number that is not finite; a value that no robot can have (negative friction, an
/// asymmetry above what it adds to) is a message.
WriteBack write_back(const Model<double>& model, const ParameterValues& estimate,
                     const WriteBackOptions& options = {});
/// Base parameters, distributed as above. base.names may hold any of the names.
WriteBack write_back(const Model<double>& model, const BaseParameters& base, In<double> values,
                     const WriteBackOptions& options = {});

}  // namespace torsor
