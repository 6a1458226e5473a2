#pragma once
/// What every coordinate and every velocity of a robot measures.
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

std::vector<Measure> coordinate_measures(const Model<double>& model);
std::vector<Measure> velocity_measures(const Model<double>& model);

}  // namespace torsor
