#pragma once
/// What to say of a name that is no parameter of a robot.
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::internal {

/// "; link "tool" is fixed to "wrist_3", whose parameters contain it", or the nearest of the `known`
/// names.
std::string parameter_advice(const Model<double>& model, const std::string& name,
                             const std::vector<std::string>& known);

}  // namespace torsor::internal
