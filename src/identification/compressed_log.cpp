#include "torsor/identification/compressed_log.hpp"

#include <cmath>

namespace torsor {

void CompressedLog::add_block(int log) {
  log_of_block.push_back(log);
  for (int j = 0; j < n_joints(); ++j) factors.push_back(RowFactor(n_unknowns() + 1));
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
