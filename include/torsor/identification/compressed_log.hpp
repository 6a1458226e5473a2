#pragma once
/// What identification keeps of measured motions: a triangular factor for each joint and stretch of time.
///
///   rows of joint j in block b:  [ W_j(t) | tau_j(t) ],   t in b         W x = tau, x the unknowns
///
/// Weights of joints, subsets of columns, bootstrap over blocks, folds and residuals are computed from the
/// factors; the samples are read once. Blocks are long against the correlation of the noise.
#include <string>
#include <vector>

#include "torsor/identification/row_factor.hpp"

namespace torsor {

struct CompressedLog {
  std::vector<std::string> names;   ///< of the unknowns, the columns but the last
  std::vector<std::string> joints;  ///< of the torques
  Array<RowFactor> factors{};  ///< block by block, each joint by joint; columns: unknowns, then tau
  Array<int> log_of_block{};   ///< which log a block comes from

  int n_unknowns() const { return static_cast<int>(names.size()); }
  int n_joints() const { return static_cast<int>(joints.size()); }
  int n_blocks() const { return log_of_block.size(); }
  const RowFactor& factor(int block, int joint) const {
    return factors[block * n_joints() + joint];
  }
  RowFactor& factor(int block, int joint) { return factors[block * n_joints() + joint]; }

  /// A further block of a log, without rows.
  void add_block(int log);
  /// Samples of the last block: W as of sample_regressor.hpp (filtered, perhaps), one row of `tau` a
  /// sample.
  void add_rows(InMatrix<double> W, InMatrix<double> tau);
};

/// All rows with weights by joint (empty: one); `times` says how often each block counts (empty: once).
RowFactor stacked(const CompressedLog& log, In<double> weights = {}, In<int> times = {});

}  // namespace torsor
