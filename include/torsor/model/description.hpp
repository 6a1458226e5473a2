#pragma once
/// A robot as its author wrote it: links, joints, loops, couplings, springs, geometry, in file frames.
///
/// This is plain data that anybody may edit. Files are read into it and written from it; `Model`
/// (model.hpp) checks it, compiles it once for the algorithms and keeps it unchanged. Everything is SI.
///
/// Frames   A joint's placement is the pose of its joint frame in the parent link's frame; at q = 0 (the
///          neutral configuration) the child link's frame coincides with the joint frame.
#include <limits>
#include <string>
#include <vector>

#include "torsor/math/inertia.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Mass, centre of mass and inertia matrix about the centre of mass, in the link's axes.
struct Inertial {
  double mass = 0;           ///< kg
  Vec3<double> com{};        ///< m, in the link frame
  Sym3<double> about_com{};  ///< kg m^2, matrix entries, axes parallel to the link frame
};

/// A shape for pictures or collision; kept, never used by the algorithms.
struct Geometry {
  enum class Shape : unsigned char { box, cylinder, sphere, capsule, mesh };
  Shape shape = Shape::box;
  bool collision = false;  ///< collision geometry, otherwise visual
  std::string name, mesh_file, material;
  Vec3<double> size{
      1, 1, 1};  ///< box: edges; cylinder, capsule: radius, length; sphere: radius; mesh: scale
  SE3<double> placement{};   ///< in the link frame
  std::vector<double> rgba;  ///< four numbers, or none
};

struct Link {
  std::string name;
  Inertial inertial;
  bool has_inertial = false;  ///< false: the file gave none
  std::vector<Geometry> geometry;
  Origin origin{};
};

/// Of one degree of freedom. Angles in rad, lengths in m.
struct Limits {
  double lower = -infinity, upper = infinity;
  double velocity = infinity, acceleration = infinity, jerk = infinity, effort = infinity;
};

/// Torque that the joint's bearing and transmission take, at joint velocity v (friction.hpp):
///   viscous v + damping v + viscous_asymmetry |v| + offset
///   + sign(v) (coulomb + (stiction - coulomb) exp(-(v / stribeck)^2)) + coulomb_asymmetry sign(v)^2
///   + sign(v) load |torque that the joint transmits to bodies and rotors|
/// `stiction` is the largest torque held at v = 0; `width` > 0 replaces sign(v) by tanh(v / width).
/// Asymmetries are half of what friction in the positive direction takes more than in the negative
/// one; they are not larger than what they add to, so that neither direction drives the joint.
struct Friction {
  double viscous = 0;            ///< N m s/rad
  double damping = 0;            ///< N m s/rad, of the structure (URDF's `damping`)
  double coulomb = 0;            ///< N m
  double stiction = 0;           ///< N m, at least `coulomb` or 0 for "as coulomb"
  double stribeck = 0;           ///< rad/s over which stiction decays to coulomb; 0: only at rest
  double width = 0;              ///< rad/s, of the smooth sign; 0: exact sign
  double offset = 0;             ///< N m, at any velocity
  double viscous_asymmetry = 0;  ///< N m s/rad
  double coulomb_asymmetry = 0;  ///< N m
  double load = 0;               ///< below 1; of joints with one degree of freedom
};

/// Motor behind one degree of freedom.
struct Actuator {
  double rotor_inertia = 0;    ///< kg m^2, at the motor
  double gear_ratio = 1;       ///< motor turns per joint turn
  double motor_viscous = 0;    ///< N m s/rad, at the motor
  double torque_constant = 0;  ///< N m/A; 0: not known
  double disturbance = 0;      ///< N m, constant torque on the joint besides the commanded one
};

/// Linear spring on one degree of freedom: torque -stiffness (q - rest).
struct JointSpring {
  double stiffness = 0, rest = 0;
};

/// A factor of a composite joint: any kind but fixed and composite, with its own constant placement before it.
struct JointPart {
  JointKind kind = JointKind::revolute;
  SE3<double> placement{};
  Vec3<double> axis{0, 0, 1};
  double pitch = 0;
  EulerOrder order = EulerOrder::zyx;
};

struct Joint {
  std::string name;
  JointKind kind = JointKind::revolute;
  std::string parent, child;  ///< link names
  SE3<double> placement{};    ///< T_parent_joint
  Vec3<double> axis{
      0, 0, 1};      ///< unit, in the joint frame; revolute ... helical, cylindrical, planar normal
  double pitch = 0;  ///< m/rad, helical
  EulerOrder order = EulerOrder::zyx;  ///< spherical_euler, free_euler
  std::vector<JointPart> parts;        ///< composite
  // One entry per degree of freedom, or empty for defaults.
  std::vector<Limits> limits;
  std::vector<Friction> friction;
  std::vector<Actuator> actuator;
  std::vector<JointSpring> spring;
  Origin origin{};
};

/// Another pose fixed to a link, addressable by name.
struct FrameOnLink {
  std::string name, link;
  SE3<double> placement{};  ///< T_link_frame
  Origin origin{};
};

/// A joint that closes a loop between two links; it adds constraint rows, not coordinates.
struct LoopJoint {
  /// Rows of each kind: weld 6, revolute 5, prismatic 5, universal 4, cylindrical 4, spherical 3, distance 1.
  enum class Kind : unsigned char {
    weld,
    revolute,
    prismatic,
    universal,
    cylindrical,
    spherical,
    distance
  };
  std::string name;
  Kind kind = Kind::weld;
  std::string link_a, link_b;
  SE3<double> placement_a{}, placement_b{};  ///< the loop's frame on each link
  Vec3<double> axis{0, 0, 1};                ///< in the loop's frame
  double distance = 0;                       ///< m, kind distance
  Origin origin{};
};

/// sum_k factor_k q(joint_k) = offset: mimic joints, gears, differentials.
struct Coupling {
  struct Term {
    std::string joint;
    double factor = 1;
  };
  std::string name;
  std::vector<Term> terms;
  double offset = 0;
  Origin origin{};
};

/// A motor that several joints turn: q_m = sum_k ratio_k q(joint_k), a row of a coupling matrix, as
/// of coupled wrists. Its rotor adds rotor_inertia n n^T to the mass matrix, n the ratios, and its
/// friction takes n^T friction(n qd). The motor of a single joint is that joint's `actuator`.
struct Motor {
  std::string name;
  std::vector<Coupling::Term> ratios;  ///< motor turns per turn of the joint
  double rotor_inertia = 0;            ///< kg m^2, at the motor
  Friction friction{};                 ///< at the motor
  Origin origin{};
};

/// Spring and damper between points of two links ("" or the root link's name for the ground):
///   tension = preload + stiffness (length - rest_length) + damping length'
struct SpringDamper {
  std::string name, link_a, link_b;
  Vec3<double> point_a{}, point_b{};                   ///< in the link frames, m
  double stiffness = 0, rest_length = 0, damping = 0;  ///< N/m, m, N s/m
  Origin origin{};
  double preload = 0;  ///< N, positive where it pulls; a constant force, as of a gas spring
};

/// Coordinates under a name, as "home": of the joints that it mentions, the others are neutral.
struct NamedConfiguration {
  struct Entry {
    std::string joint;
    std::vector<double> q;  ///< as many as the joint has coordinates; quaternions x, y, z, w
  };
  std::string name;
  std::vector<Entry> entries;
  Origin origin{};
};

struct RobotDescription {
  std::string name = "robot";
  std::string source;  ///< where the figures come from
  std::string root;    ///< the link fixed to the world (or floating by a free joint from "world")
  std::vector<Link> links;    ///< includes the root
  std::vector<Joint> joints;  ///< any order; children in this order
  std::vector<FrameOnLink> frames;
  std::vector<LoopJoint> loops;
  std::vector<Coupling> couplings;
  std::vector<SpringDamper> springs;
  std::vector<Motor> motors;  ///< of several joints each
  std::vector<NamedConfiguration> configurations;
  Vec3<double> gravity{0, 0, -9.81};  ///< m/s^2
  SE3<double> base{};                 ///< pose of the root link in the world
  Origin origin{};

  const Link* find_link(const std::string& link) const;
  const Joint* find_joint(const std::string& joint) const;
};

/// Numbers of coordinates and of velocities, parts included.
int n_q(const Joint& joint);
int n_v(const Joint& joint);

/// The kind of that name; throws Error with the nearest known name.
JointKind joint_kind(const std::string& name);
const char* name_of(EulerOrder order);
const char* name_of(LoopJoint::Kind kind);

namespace internal {

/// For "did you mean ...?": the nearest known name, or "" if each differs in over half its letters.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

}  // namespace internal

/// The end of a message about an unknown name: `; did you mean "..."?`, or nothing where none is
/// near. Names that nobody would type (over 60 bytes, control characters) are left out.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known,
                         const char* before = "; ");

}  // namespace torsor
