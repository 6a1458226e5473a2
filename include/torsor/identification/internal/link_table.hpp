#pragma once
/// The modified DH table whose frames are those of a robot's links.
///
///   placement of joint i in link i-1  =  Tx(a_i) Rx(alpha_i) Tz(d_i) Rz(theta_i),   axis z
///
/// Robots of a DH table are such, standard ones too: their links' frames lie on the joints' axes, where modified
/// frames do. Base parameters in its letters are then of the inertias as the file's links have them.
#include <optional>

#include "torsor/model/dh.hpp"

namespace torsor::internal {

/// Nothing where the robot is no chain of hinges and slides, has fixed links, or frames that are no DH frames.
std::optional<DhTable> link_table(const RobotDescription& robot);

}  // namespace torsor::internal
