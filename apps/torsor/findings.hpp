#pragma once
/// What the reader of a robot and the doctor have to say, in one list.
#include "robot_argument.hpp"
#include "torsor/formats/check_model.hpp"

namespace torsor::command {

/// The doctor's findings with the reader's lines, which are more exact, and what only the reader
/// saw; most severe first.
Findings all_findings(const LoadedRobot& loaded, const CheckOptions& how);

/// The first that no robot can be made with, though it could be read; nullptr if there is none.
const Finding* unusable(const Findings& found);

}  // namespace torsor::command
