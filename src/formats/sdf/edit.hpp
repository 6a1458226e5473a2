#pragma once
/// RobotFormat::edit of SDF: numbers of inertias, limits, friction and springs.
#include <string>

#include "torsor/model/description.hpp"

namespace torsor::internal::sdf {

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted);

}  // namespace torsor::internal::sdf
