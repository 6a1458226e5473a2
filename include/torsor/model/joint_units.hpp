#pragma once
/// What every coordinate and every velocity of a robot measures, and what people call it.
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

std::vector<Measure> coordinate_measures(const Model<double>& model);
std::vector<Measure> velocity_measures(const Model<double>& model);

/// Names for people: the joint's, and of a joint with several coordinates what each of them is:
/// base.x y z qx qy qz qw, arm.angle. A velocity that is a coordinate's rate is named after it;
/// others are base.wx wy wz vx vy vz in the child's axes. Files have Model::coordinate_name and
/// Model::dof_name, which count from .0; CSV is read with either.
std::vector<std::string> coordinate_labels(const Model<double>& model);
std::vector<std::string> velocity_labels(const Model<double>& model);

}  // namespace torsor
