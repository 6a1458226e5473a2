#pragma once
/// Options that name a frame of the robot and how its motion is written.
#include <string>
#include <vector>

#include "torsor/kinematics/velocity.hpp"

namespace torsor::command {

/// The frame of that name. An empty name or an unknown one is an Error that says which there are.
const Frame& frame_of_option(const Model<double>& model, const std::string& name);
/// "body", "world", "world-aligned"; `others` are further words that the option takes.
Reference parse_reference(const std::string& name, const std::vector<std::string>& others = {});
/// How a twist of that reference reads: "in the frame's axes", ...
const char* explained(Reference reference);
/// Links and further frames: what fk lists.
std::vector<const Frame*> listed_frames(const Model<double>& model);

}  // namespace torsor::command
