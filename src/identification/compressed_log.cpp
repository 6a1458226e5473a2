#include "torsor/identification/compressed_log.hpp"

#include <cassert>
#include <cmath>

namespace torsor {

void CompressedLog::add_block(int log) {
  log_of_block.push_back(log);
  for (int j = 0; j < n_joints(); ++j) factors.push_back(RowFactor(n_unknowns() + 1));
}

void CompressedLog::add_rows(InMatrix<double> W, InMatrix<double> tau) {
  const int m = tau.rows;
  assert(n_blocks() > 0 && W.rows == m * n_joints() && W.cols == n_unknowns() &&
         tau.cols == n_joints());
  for (int v = 0; v < n_joints(); ++v)
    factor(n_blocks() - 1, v)
        .add(InMatrix<double>(W.data + v * m * W.row_stride, m, W.cols, W.row_stride, W.col_stride),
             InMatrix<double>(tau.data + v * tau.col_stride, m, 1, tau.row_stride, 1));
}

RowFactor stacked(const CompressedLog& log, In<double> weights, In<int> times) {
  RowFactor all(log.n_unknowns() + 1);
  for (int b = 0; b < log.n_blocks(); ++b) {
    const int count = times.empty() ? 1 : times[b];
    for (int j = 0; count > 0 && j < log.n_joints(); ++j)
      all.add(log.factor(b, j), (weights.empty() ? 1 : weights[j]) * std::sqrt(count));
  }
  return all;
}

}  // namespace torsor
