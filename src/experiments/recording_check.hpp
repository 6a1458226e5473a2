#pragma once
/// What every reader of recordings asks of one. Private to this room.
#include <string>

#include "torsor/sim/recording.hpp"

namespace torsor::internal {

/// Throws Error, with the file, for what no recording has: times that go back or are not finite,
/// series of other joints than the rest or without those that figures are computed from, a
/// prediction of a joint that is not there or without its coefficients.
void check_recording(const Recording& recording, const std::string& file);

}  // namespace torsor::internal
