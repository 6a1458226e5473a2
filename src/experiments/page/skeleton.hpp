#pragma once
/// A body for a robot whose file draws none. Private to this room.
#include "torsor/experiments/internal/robot_picture.hpp"

namespace torsor::internal {

/// The path from the base to the tip that is longest, in m, slides out to their limits.
double reach_of(const Model<double>& model);
/// The frame whose path tells most: a tool, or the end of the longest chain.
Frame tool_of(const Model<double>& model);
/// Appends shapes of the roles link, joint, tool and base. `picture` has up, size and tool.
void add_skeleton(const Model<double>& model, RobotPicture& picture);

}  // namespace torsor::internal
