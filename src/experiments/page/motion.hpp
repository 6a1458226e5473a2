#pragma once
/// Where every body was during a run. Private to this room.
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/sim/plant.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor::report {

/// At instants spread evenly over the rows of a recording.
struct Motion {
  std::vector<float> t;
  std::vector<float> poses;    ///< 7 of each body but the world (internal::append_poses)
  std::vector<float> desired;  ///< x y z of the tool under the reference; may be empty
  /// x y z, in the world, of the force of the parent on each body but the world: of loops whose rows
  /// repeat each other the least ones, NaN where recorded torques do not explain the motion; empty of
  /// recordings without velocities and accelerations.
  std::vector<float> forces;
  std::vector<float> contact;  ///< x y z, in the world, of each surface's force on the robot
  double largest_force = 0, largest_contact = 0;
};

Motion motion_of(const Model<double>& robot, const std::vector<Surface>& surfaces,
                 const Frame& tool, const Recording& recording, int instants);

}  // namespace torsor::report
