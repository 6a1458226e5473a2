#pragma once
/// A std::array that is counted and indexed by int: `Array` for lengths that the compiler knows.
///
///   FixedArray<double, 6> q{};  // no cast where a joint's index is the subscript
///
/// Elements start as Element{}; subscripts are checked in debug builds.
#include "torsor/math/internal/fixed_array.hpp"

namespace torsor {

using internal::FixedArray;

}  // namespace torsor
