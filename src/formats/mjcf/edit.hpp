#pragma once
/// RobotFormat::edit of MJCF: numbers of inertias, joints and sites.
#include <string>

#include "torsor/model/description.hpp"

namespace torsor::internal::mjcf {

std::string edit(const std::string& text, const RobotDescription& read,
                 const RobotDescription& wanted);

}  // namespace torsor::internal::mjcf
