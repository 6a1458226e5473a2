#pragma once
/// Whether two models are one robot.
#include <string>
#include <vector>

#include "torsor/math/array.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

/// Empty if joints, limits and drives are equal and masses, inertias, centres of mass and link poses agree to
/// `tolerance` (of 1 m or the robot's size, of its largest inertia) at four configurations; otherwise
/// one line that names the largest difference. `link_frames` says where each link of `before` is in `after`.
/// Not `exact`: joints need only have the same coordinates.
std::string disagreement(const Model<double>& before, const Model<double>& after,
                         const std::vector<FrameOnLink>& link_frames, double tolerance,
                         bool exact = true);

}  // namespace torsor::command
