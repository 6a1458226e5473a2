#pragma once
/// Words that the sources of this room share.
#include <cstddef>
#include <limits>

namespace torsor::sim_detail {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace torsor::sim_detail
