#pragma once
/// Denavit-Hartenberg tables: link transforms, parameters of two frames, and the robot of a table.
///
///   standard   A_i = Tz(d) Rz(theta) Tx(a) Rx(alpha)    z_{i-1} is the axis of joint i       (1-8)
///   modified   A_i = Tx(a) Rx(alpha) Tz(d) Rz(theta)    z_i is the axis of joint i           (1-9)
///
/// Variable A row's theta and d are the constants at q = 0: a revolute joint turns by theta + q, a
///          prismatic one slides by d + q. There is no other offset.
/// Index    a and alpha of a modified row lead from z_{i-1} to z_i; Craig gives them index i-1.
/// Frames   Frame 0 is fixed to the base, frame i to link i; A_i = T_{i-1,i}.
/// Source   Huo 2005, sec. 1.2, exercises 1-16 and 1-18; Denavit & Hartenberg 1955; Khalil &
///          Kleinfinger 1986.
#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor {

/// One joint and the link behind it. Lengths in m, angles in rad.
struct DhRow {
  double a = 0, alpha = 0, d = 0, theta = 0;
  bool prismatic = false;
  bool continuous = false;  ///< revolute without limits, whose differences wrap
  std::string name;         ///< of the joint; empty: "joint_<i>", counted from 1
  std::string link;         ///< empty: "link_<i>"
  Inertial inertial;        ///< in frame i, products as matrix entries
  bool has_inertial = false;
  Limits limits;  ///< of q
  Friction friction;
  Actuator actuator;
  JointSpring spring;
  Origin origin{};
};

struct DhTable {
  enum class Convention : unsigned char { standard, modified };
  Convention convention = Convention::standard;
  std::string name = "robot";
  std::string source;         ///< where the figures come from
  std::string root = "base";  ///< name of the base link, whose frame is frame 0
  Inertial inertial;          ///< of the base link, in frame 0
  bool has_inertial = false;
  std::vector<DhRow> rows;
  SE3<double> base{};                 ///< T_world_0
  SE3<double> tool{};                 ///< T_n_tool
  Vec3<double> gravity{0, 0, -9.81};  ///< m/s^2, in the world
  Origin origin{};
};

/// "standard" or "modified".
const char* name_of(DhTable::Convention convention);

namespace internal {

/// Tx(a) Rx(alpha): what the two conventions write on different sides of the joint.
template <class Param>
SE3<Param> x_screw(const Param& a, const Param& alpha) {
  return {rotation_x(alpha), {a, Param(0), Param(0)}};
}
/// Tz(d) Rz(theta): the joint.
template <class Real>
SE3<Real> z_screw(const Real& d, const Real& theta) {
  return {rotation_z(theta), {Real(0), Real(0), d}};
}

}  // namespace internal

/// (1-8): pose of frame i in frame i-1.
template <class Param, class Real>
SE3<Prod<Param, Real>> dh_transform(const Param& a, const Param& alpha, const Real& d,
                                    const Real& theta) {
  using P = Prod<Param, Real>;
  const auto [st, ct] = sincos(theta);
  const auto [sa, ca] = sincos(alpha);
  return {{{P(ct), P(st), P(0)}, {-ca * st, ca * ct, P(sa)}, {sa * st, -sa * ct, P(ca)}},
          {a * ct, a * st, P(d)}};
}
/// Pose of frame i-1 in frame i, standard.
template <class Param, class Real>
SE3<Prod<Param, Real>> dh_transform_inverse(const Param& a, const Param& alpha, const Real& d,
                                            const Real& theta) {
  using P = Prod<Param, Real>;
  const auto [st, ct] = sincos(theta);
  const auto [sa, ca] = sincos(alpha);
  return {{{P(ct), -ca * st, sa * st}, {P(st), ca * ct, -sa * ct}, {P(0), P(sa), P(ca)}},
          {P(-a), -(d * sa), -(d * ca)}};
}
/// (1-9): pose of frame i in frame i-1.
template <class Param, class Real>
SE3<Prod<Param, Real>> mdh_transform(const Param& a, const Param& alpha, const Real& d,
                                     const Real& theta) {
  using P = Prod<Param, Real>;
  const auto [st, ct] = sincos(theta);
  const auto [sa, ca] = sincos(alpha);
  return {{{P(ct), ca * st, sa * st}, {P(-st), ca * ct, sa * ct}, {P(0), P(-sa), P(ca)}},
          {P(a), -(d * sa), d * ca}};
}
/// Pose of frame i-1 in frame i, modified.
template <class Param, class Real>
SE3<Prod<Param, Real>> mdh_transform_inverse(const Param& a, const Param& alpha, const Real& d,
                                             const Real& theta) {
  using P = Prod<Param, Real>;
  const auto [st, ct] = sincos(theta);
  const auto [sa, ca] = sincos(alpha);
  return {{{P(ct), P(-st), P(0)}, {ca * st, ca * ct, P(-sa)}, {sa * st, sa * ct, P(ca)}},
          {-(a * ct), a * st, P(-d)}};
}

/// A_i(q) of a row.
template <class Real>
SE3<Real> link_transform(DhTable::Convention convention, const DhRow& row, const Real& q) {
  using Value = typename ScalarTraits<Real>::Value;
  const Value a = Value(row.a), alpha = Value(row.alpha);
  const Value d0 = Value(row.d), theta0 = Value(row.theta);
  const Real d = row.prismatic ? q + d0 : Real(d0);
  const Real theta = row.prismatic ? Real(theta0) : q + theta0;
  return convention == DhTable::Convention::standard ? dh_transform(a, alpha, d, theta)
                                                     : mdh_transform(a, alpha, d, theta);
}

/// The four parameters between two frames, or how far the frames are from having them. Six numbers
/// place a frame; four suffice because X and Z of the two frames are perpendicular and meet
/// (standard: X_i and Z_{i-1}; modified: X_{i-1} and Z_i).
struct [[nodiscard]] DhParameters {
  double a = 0, alpha = 0, d = 0, theta = 0;  ///< angles in (-pi, pi]
  double off_perpendicular = 0;               ///< rad, of X and Z from a right angle
  double gap = 0;                             ///< m, between the lines X and Z
  std::string message;                        ///< empty, or which condition fails and by how much

  bool ok() const { return message.empty(); }
};

/// T_0_previous and T_0_next are the poses of frames i-1 and i in one common frame.
/// `tolerance` is in rad for the right angle and in m for the gap.
DhParameters dh_parameters_from_frames(
    const SE3<double>& T_0_previous, const SE3<double>& T_0_next,
    DhTable::Convention convention = DhTable::Convention::standard, double tolerance = 1e-9);

/// The description of a table, same q, same dynamics.
///
/// Frames   modified: link i's frame is frame i.  standard: a link frame must lie on its joint's
///          axis, and frame i does not. So link i's frame is the modified one,
///          T_{link i, frame i} = Tx(a_i) Rx(alpha_i), and frame i has the name "frame_<i>".
///          In both the root's frame is frame 0, and the last link carries the frame "tool".
/// Throws Error when a row holds a number that is not finite, or there is no row.
RobotDescription from_dh(const DhTable& table);

/// Mass, centre and inertia of a body known in frame b, written in frame a.
Inertial transported(const SE3<double>& T_ab, const Inertial& in_b);

}  // namespace torsor
