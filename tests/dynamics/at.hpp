#pragma once
/// Subscripts of standard containers from ints.
#include <cstddef>

namespace torsor::testing {

inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

}  // namespace torsor::testing
