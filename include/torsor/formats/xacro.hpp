#pragma once
/// xacro files without ROS: macros, properties, conditions and ${expressions}, expanded to plain XML.
///
/// The semantics are those of ros/xacro (ROS Noetic and ROS 2); docs/xacro.md says what is supported and
/// where it differs. Expansion is bounded in depth, steps and size, and reads only the files that the
/// document names. load_robot expands by itself: this is for the text.
#include <string>

#include "torsor/formats/finding.hpp"
#include "torsor/formats/packages.hpp"

namespace torsor {

/// The expansion of a file. Throws Error "file:line: what is wrong; in macro ... called at file:line".
/// `findings`, if there are any, receives xacro.message(), xacro.warning() and what looks mistaken.
std::string expand_xacro(const std::string& path, const LoadOptions& options = {},
                         Findings* findings = nullptr);

}  // namespace torsor
