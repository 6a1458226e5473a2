#include "torsor/dynamics/internal/task_inverse.hpp"

namespace torsor::internal {

void TaskInverse::look_at_lane(int rows, int columns, OperationalResult& result) {
  svd_.factorise(column_major(static_cast<const double*>(lane_.data()), rows, columns));
  result.smallest_singular_value = columns < rows ? 0 : svd_.smallest();
  result.largest_singular_value = svd_.largest();
}

int TaskInverse::invert_lane(int m, double damping, double tolerance, double* X, double* P) {
  inverse_.factorise(column_major(static_cast<const double*>(lane_.data()), m, m));
  const int rank = inverse_.largest() > 0 ? inverse_.rank(tolerance) : 0;
  std::fill_n(X, m * m, 0.0), std::fill_n(P, m * m, 0.0);
  for (int k = 0; k < m; ++k) {
    const double damped = (k < rank ? inverse_.sigma(k) : 0) + damping * damping;
    // Left and right vectors agree but for rounding, and where sigma is zero: one of them serves.
    for (int c = 0; c < m; ++c)
      for (int r = 0; r < m; ++r) {
        const int at = c * m + r;
        const double uu = inverse_.left(r, k) * inverse_.left(c, k);
        if (damped > 0)
          X[at] += uu / damped;
        else
          P[at] += uu;
      }
  }
  return rank;
}

}  // namespace torsor::internal
