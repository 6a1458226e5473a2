#pragma once
/// Link frames of a chain from its joint axes, by the rules of Huo 2005, sec. 1.2.
///
/// Standard frames 0..n, each step for all i before the next:
///   Z_i   along joint i+1. A prismatic joint has a direction only: its line is put through the
///         origin of the next one, so runs of prismatic axes all meet the next revolute axis; a run
///         that ends the chain meets the last revolute axis before it. Z_n = Z_{n-1}.
///   O_i   foot on Z_i of the common normal of Z_{i-1} and Z_i. Parallel or coincident: the normal
///         through O_{i-1}, so d_i = 0; behind a prismatic joint the foot of the next normal,
///         so d_{i+1} = 0 instead (d_i is the variable). O_0 is on the normal of Z_0 and Z_1; where
///         these are parallel, at the height of the first normal that is not free.
///   X_i   along the normal, from Z_{i-1} to Z_i. Coincident: X_{i-1}. Intersecting: the sense of
///         +-(Z_{i-1} x Z_i) that agrees with X_{i-1}, or, perpendicular to it, whose first
///         non-zero coordinate is positive. X_0 = X_1.
/// So a_i >= 0 for axes that do not meet, and a_n = alpha_n = 0, sigma_1 a_1 = 0; d_1, d_n of a
/// revolute and theta_1, theta_n of a prismatic joint are 0 at the reference posture.
/// The modified frames are the standard ones written with (1-9): the same normals, O_i on joint i.
///
/// Source   Huo 2005, sec. 1.2 (four steps, corrected), tables 1-2 and 2-4.
#include "torsor/model/dh.hpp"

namespace torsor {

/// The axis of a joint at the reference posture, in a common frame.
struct JointAxis {
  bool prismatic = false;
  Vec3<double> point{};             ///< on the axis, m; a prismatic joint's point hardly matters
  Vec3<double> direction{0, 0, 1};  ///< sense of positive q; any length but zero
  double q = 0;                     ///< the joint variable at the reference posture
};

struct FrameAssignmentOptions {
  DhTable::Convention convention = DhTable::Convention::standard;
  bool same_sense =
      false;  ///< turn an axis that is antiparallel to the one before it; q changes sign
  double parallel = 1e-8;  ///< rad, axes closer than this count as parallel
  double meeting = 1e-9;   ///< m, lines closer than this count as intersecting or coincident
};

struct FrameAssignment {
  DhTable table;                    ///< base = pose of frame 0 in the common frame
  std::vector<SE3<double>> frames;  ///< 0..n at the reference posture, in the common frame
  std::vector<int> sign;            ///< of each joint: -1 where same_sense turned its axis
  double direction_error = 0;       ///< rad, of the table's axes from the given ones
  double position_error = 0;        ///< m, of a revolute axis from its given point
};

/// Throws Error when there is no axis, a number is not finite or a direction is zero.
FrameAssignment assign_dh_frames(const std::vector<JointAxis>& axes,
                                 const FrameAssignmentOptions& options = {});

}  // namespace torsor
