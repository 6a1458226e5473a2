#pragma once
/// One robot, other tables: standard to modified DH and back, and any chain to DH.
///
///   prod_i DH(a_i, alpha_i, d_i, theta_i) = [prod_i MDH(a_{i-1}, alpha_{i-1}, d_i, theta_i)]
///                                           Tx(a_n) Rx(alpha_n),   a_0 = alpha_0 = 0
///
/// The x screw that has no row in the other convention moves into the tool (to modified) or into
/// the base (to standard). q, poses, torques and names stay; inertias are written in the new
/// frames.
///
/// Frames   T_mdh_i,dh_i = Tx(a_i) Rx(alpha_i) with the standard row's numbers.
/// Source   Huo 2005, sec. 1.2 (relation of the two conventions), corrected index.
#include "torsor/model/dh.hpp"

namespace torsor {

/// Throws Error when the table is in the other convention.
DhTable dh_to_mdh(const DhTable& standard);
DhTable mdh_to_dh(const DhTable& modified);

struct [[nodiscard]] DhConversion {
  std::string message;  ///< empty, or one line naming what a DH table cannot say
  DhTable table;        ///< same q as the description's
  /// Every link of the description by its name: `link` is the table's link that carries it,
  /// `placement` its pose in that link's DH frame (frame 0 for the base).
  std::vector<FrameOnLink> link_frames;
  /// How far the table's axes are from the description's at q = 0. Rounding, except where axes are
  /// parallel to 1e-8 but not exactly: DH has no well-conditioned number for that.
  double direction_error = 0;  ///< rad
  double position_error = 0;   ///< m, at the joint's origin

  bool ok() const { return message.empty(); }
};

/// The DH table of an unbranched chain of revolute, continuous and prismatic joints with fixed
/// links between and beside them. Inertias of fixed links are merged. The tool is the link or
/// frame of that name; with none given the one called "tool", else the outermost link that is
/// fixed to the last moving one.
DhConversion to_dh(const RobotDescription& robot, DhTable::Convention convention,
                   const std::string& tool = "");

}  // namespace torsor
