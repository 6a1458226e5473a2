#pragma once
/// As many elements as the type says, with any integer as index: std::array for host and device.
#include <cassert>
#include <concepts>

#include "torsor/math/scalar.hpp"

namespace torsor::internal {

template <class Element, int N>
struct FixedArray {
  static_assert(N > 0);
  Element elements[N]{};

  TORSOR_HD static constexpr int size() { return N; }
  TORSOR_HD constexpr Element* data() { return elements; }
  TORSOR_HD constexpr const Element* data() const { return elements; }
  TORSOR_HD constexpr Element* begin() { return elements; }
  TORSOR_HD constexpr Element* end() { return elements + N; }
  TORSOR_HD constexpr const Element* begin() const { return elements; }
  TORSOR_HD constexpr const Element* end() const { return elements + N; }
  TORSOR_HD constexpr Element& operator[](std::integral auto i) {
    assert(0 <= static_cast<long long>(i) && static_cast<long long>(i) < N);
    return elements[i];
  }
  TORSOR_HD constexpr const Element& operator[](std::integral auto i) const {
    assert(0 <= static_cast<long long>(i) && static_cast<long long>(i) < N);
    return elements[i];
  }
};

}  // namespace torsor::internal
