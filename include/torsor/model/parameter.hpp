#pragma once
/// A scalar that the motion of a robot depends on: part of the state, of the robot, or of its load.
///
///   Parameter::mass(model, "forearm")          Parameter::dh(model, standard, 3, DhEntry::a)
///
/// A Parameter is its name and the changes that one unit of it makes to what the algorithms read: a
/// coordinate, an inertia, a pose. dynamics/parameter_derivatives.hpp differentiates along them;
/// model/parameter_name.hpp reads the names. A sum of changes is a direction, so any other scalar
/// (a length that two joints share) can be put together by hand.
///
///   q.JOINT  qd.JOINT  qdd.JOINT  tau.JOINT     one per degree of freedom; q along its tangent
///   LINK.m, mx, my, mz, xx, ... zz              the ten of model/parameters.hpp, in the link's frame
///   LINK.mass                                   centre of mass and inertia about it stay
///   LINK.com_x, com_y, com_z                    mass and inertia about it stay
///   LINK.principal_1, _2, _3                    principal moments about the centre, ascending; axes stay
///   LINK.density                                factor 1 on all of the link's inertia
///   placement.JOINT.rx ... z                    T_parent_joint exp(x): joint frame's axes; fixed joints too
///   axis.JOINT.x, y, z                          of the file's axis, which is then normalised
///   pitch.JOINT                                 m/rad
///   dh.ROW.a, alpha, d, theta  mdh.ROW....      mass, tool and load of link i stay with the table's frame i
///   gravity.x, y, z
///   wrench.FRAME.mx ... fz                      of the external wrench, at the frame in its axes
///   tool.FRAME.rx ... z                         pose of the frame in which the body's wrench is held
///   point.FRAME.x, y, z                         point at which the body's wrench acts, frame's axes
///   JOINT.viscous, damping, coulomb, stiction, stribeck, width, offset, viscous_asymmetry,
///         coulomb_asymmetry, load
///   rotor.JOINT  gear.JOINT  motor_viscous.JOINT  disturbance.JOINT
///   spring.JOINT.stiffness, rest                joint springs
///   spring_damper.NAME.stiffness, rest_length, damping, a_x ... b_z, preload
///   motor.NAME.rotor, viscous, ... coulomb_asymmetry    of a motor of several joints, at the motor
///
/// JOINT of one degree of freedom of several is "joint.0", "joint.1", ...
/// Frames   Links and joints are the file's. A link fixed to a body counts with its own frame.
/// Source   Kim 2012, (89)-(92).
#include <string>
#include <vector>

#include "torsor/math/fixed_array.hpp"
#include "torsor/model/dh.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

/// One thing that the algorithms read, and by how much it changes per unit of a parameter.
struct Change {
  enum class Of : unsigned char {
    coordinate,     ///< index: velocity; along the tangent of q
    velocity,       ///< index: velocity
    acceleration,   ///< index: velocity
    torque,         ///< index: velocity
    inertia,        ///< index: body; m, h, J as parameters_of, in the body's frame
    parent_side,    ///< index: body; twist X in the parent's frame, T becomes exp(X) T
    child_side,     ///< index: body; twist Y in the body's frame, T becomes T exp(Y), S with it
    pitch,          ///< index: body
    gravity,        ///< x, y, z
    wrench,         ///< index: body; m, f in the body's frame
    wrench_pose,    ///< index: body; twist X in the body's frame that carries its wrench along
    dof,            ///< index: velocity; the members of DofConstants in their order
    spring_damper,  ///< index: spring; stiffness, rest length, damping, points a and b (bodies'
                    ///< axes), preload
    motor,          ///< index: motor of several joints; as dof, at the motor
    loop_frame  ///< index: 2 loop + (0: a, 1: b); twist X in the body's frame, T becomes exp(X) T
  };
  Of what = Of::coordinate;
  int index = 0;
  FixedArray<double, 13> by{};

  Twist<double> twist() const { return {{by[0], by[1], by[2]}, {by[3], by[4], by[5]}}; }
  Wrench<double> wrench() const { return {{by[0], by[1], by[2]}, {by[3], by[4], by[5]}}; }
};

enum class DhEntry : unsigned char { a, alpha, d, theta };

namespace internal {

inline constexpr FixedArray<const char*, 4> dh_words = {"a", "alpha", "d", "theta"};
/// Directions of a placement: turns about, then shifts along the axes.
inline constexpr FixedArray<const char*, 6> placement_words = {"rx", "ry", "rz", "x", "y", "z"};
inline constexpr FixedArray<const char*, 6> wrench_words = {"mx", "my", "mz", "fx", "fy", "fz"};
inline constexpr FixedArray<const char*, 3> axis_words = {"x", "y", "z"};
/// Parameters of a link besides the ten of parameter_words.
inline constexpr FixedArray<const char*, 8> link_words = {
    "mass", "com_x", "com_y", "com_z", "principal_1", "principal_2", "principal_3", "density"};
inline constexpr FixedArray<const char*, 10> friction_words = {
    "viscous", "damping", "coulomb",           "stiction",          "stribeck",
    "width",   "offset",  "viscous_asymmetry", "coulomb_asymmetry", "load"};
/// Of a motor of several joints: its rotor, then friction_words but the last.
inline constexpr FixedArray<const char*, 10> motor_words = {
    "rotor",    "viscous", "damping", "coulomb",           "stiction",
    "stribeck", "width",   "offset",  "viscous_asymmetry", "coulomb_asymmetry"};
inline constexpr FixedArray<const char*, 2> spring_words = {"stiffness", "rest"};
inline constexpr FixedArray<const char*, 10> spring_damper_words = {
    "stiffness", "rest_length", "damping", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "preload"};

}  // namespace internal

/// Every maker throws Error for a name that the robot does not have (with the nearest one), a number
/// out of range, or a parameter that the element does not have (the pitch of a revolute joint).
/// Numbers k count the words above from 0.
struct Parameter {
  std::string name;
  std::vector<Change> changes;

  // The state: `dof` is a velocity.
  static Parameter coordinate(const Model<double>& model, int dof);
  static Parameter velocity(const Model<double>& model, int dof);
  static Parameter acceleration(const Model<double>& model, int dof);
  static Parameter torque(const Model<double>& model, int dof);

  /// Number k of the ten, of a link.
  static Parameter inertial(const Model<double>& model, const std::string& link, int k);
  /// Number k of link_words.
  static Parameter of_link(const Model<double>& model, const std::string& link, int k);
  static Parameter mass(const Model<double>& model, const std::string& link) {
    return of_link(model, link, 0);
  }

  static Parameter placement(const Model<double>& model, const std::string& joint, int k);
  static Parameter axis(const Model<double>& model, const std::string& joint, int k);
  static Parameter pitch(const Model<double>& model, const std::string& joint);
  /// Rows count from 1. The table is the file's where its frames are those of a table, else the one
  /// that to_dh finds; Error where there is none.
  static Parameter dh(const Model<double>& model, DhTable::Convention convention, int row,
                      DhEntry entry);

  static Parameter gravity(const Model<double>& model, int k);
  static Parameter wrench(const Model<double>& model, const std::string& frame, int k);
  static Parameter tool(const Model<double>& model, const std::string& frame, int k);
  static Parameter point(const Model<double>& model, const std::string& frame, int k);

  static Parameter friction(const Model<double>& model, int dof, int k);
  static Parameter rotor(const Model<double>& model, int dof);
  static Parameter gear(const Model<double>& model, int dof);
  static Parameter motor_viscous(const Model<double>& model, int dof);
  static Parameter disturbance(const Model<double>& model, int dof);
  static Parameter spring(const Model<double>& model, int dof, int k);
  static Parameter spring_damper(const Model<double>& model, const std::string& spring, int k);
  static Parameter motor(const Model<double>& model, const std::string& motor, int k);
};

}  // namespace torsor
