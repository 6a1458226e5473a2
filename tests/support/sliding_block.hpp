#pragma once
/// A block of 2 kg on a slide without weight.
#include "torsor/model/builder.hpp"

namespace torsor::testing {

inline Model<double> block(const Friction& friction, double limit = infinity) {
  ModelBuilder b("block");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).friction(friction).limits(-limit, limit);
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

}  // namespace torsor::testing
