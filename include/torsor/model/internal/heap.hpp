#pragma once
/// Storage of workspaces on the heap: arrays of any length, allocated once.
#include "torsor/math/array.hpp"

namespace torsor::internal {

struct Heap {
  template <class Element>
  using PerBody = Array<Element>;
  template <class Element>
  using PerCoordinate = Array<Element>;
  template <class Element>
  using PerVelocity = Array<Element>;
};

}  // namespace torsor::internal
