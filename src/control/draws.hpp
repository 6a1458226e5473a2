#pragma once
/// Numbers that conditions are sampled with: the same ones on every machine and in every call.
#include <cmath>
#include <cstdint>

#include "torsor/math/view.hpp"

namespace torsor::internal {

/// Marsaglia's xorshift.
class Draws {
 public:
  /// In [-1, 1).
  double operator()() {
    word_ ^= word_ << 13, word_ ^= word_ >> 7, word_ ^= word_ << 17;
    return static_cast<double>(word_ >> 11) * 0x1p-52 - 1;
  }
  /// A vector of this length in any direction.
  void direction(double length, Out<double> x) {
    double squares = 0;
    for (double& y : x) {
      y = (*this)();
      squares += y * y;
    }
    for (double& y : x) y *= length / std::sqrt(squares);
  }

 private:
  std::uint64_t word_ = 88172645463325252u;
};

}  // namespace torsor::internal
