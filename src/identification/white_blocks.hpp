#pragma once
/// Blocks of a log seen from its estimate.
#include "factor_algebra.hpp"

namespace torsor::internal {

/// In coordinates y = R (x - estimate), R the factor of all blocks: sum_b G_b = 1, sum_b h_b = 0,
/// and block b has the squared residual e_b - 2 h_b . y + y . G_b y.
struct WhiteBlocks {
  Matrix R{};         // kept columns, weighted by 1 / noise
  Array<Matrix> G{};  // lower triangles
  Array<Array<double>> h{};
};

WhiteBlocks whiten(const CompressedLog& log, const Estimate& estimate);

}  // namespace torsor::internal
