#include "white_blocks.hpp"

namespace torsor::internal {

WhiteBlocks whiten(const CompressedLog& log, const Estimate& e) {
  const int N = log.n_unknowns(), n = e.base.size();
  WhiteBlocks white;
  Array<double> weights;
  for (const double s : e.noise) weights.push_back(1 / s);
  white.R = selected(weighted_sum(joint_factors(log), weights).R(), with_last(e.base.kept, N));
  Array<double> row(n);
  for (int b = 0; b < log.n_blocks(); ++b) {
    Matrix G(n, n);
    Array<double> h(n, 0.0);
    for (int j = 0; j < log.n_joints(); ++j) {
      const Matrix& R = log.factor(b, j).R();
      for (int r = 0; r <= N; ++r) {
        double residual = R(r, N);
        bool empty = true;
        for (int k = 0; k < n; ++k) {
          const int c = e.base.kept[k];
          row[k] = c >= r ? weights[j] * R(r, c) : 0;
          empty = empty && row[k] == 0;
          if (c >= r) residual -= R(r, c) * e.x[c];
        }
        if (empty) continue;
        solve_upper_transposed(white.R, n, row);
        for (int k = 0; k < n; ++k) {
          h[k] += row[k] * weights[j] * residual;
          double* const of = G.data() + k * n;
          for (int i = 0; i <= k; ++i) of[i] += row[k] * row[i];
        }
      }
    }
    white.G.push_back(std::move(G));
    white.h.push_back(std::move(h));
  }
  return white;
}

}  // namespace torsor::internal
