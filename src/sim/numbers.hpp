#pragma once
/// Words that the sources of this room share.
#include <limits>

namespace torsor::sim_detail {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace torsor::sim_detail
