/// Gains of drives that nobody knows. What is measured then, with noise, are currents i, and rows of torque
///
///   W x - sum_m N_mj g_m i_m = -known
///
/// have them as columns: least squares would shrink the gains, since that shrinks the noise. Measured in
/// currents it does not:
///
///   min over x, g of  sum_j |W_j x - sum_m N_mj g_m i_m + known|^2 / s_j^2,    s_j^2 = sum_m (N_mj g_m |i_m|)^2
///
/// by Gauss-Newton on the factors of the joints, each weighted by what it leaves.
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"

namespace torsor::internal {

Estimate Identifying::gain_fit(const CompressedLog& log) const {
  Estimate e = least_squares(log, {.weighted = true});
  const Array<int>& kept = e.base.kept;
  const int n = kept.size();
  const Array<RowFactor> joints = joint_factors(log);
  Array<Matrix> R;
  Matrix current(joints.size(), n);  // lengths of the columns of currents
  for (int j = 0; j < joints.size(); ++j) {
    R.push_back(selected(joints[j].R(), with_last(kept, log.n_unknowns())));
    for (int k = 0; k < n; ++k)
      if (base_.kept[fitted_[kept[k]]] >= problem_.n_columns())
        current(j, k) = column_length(R[j], k);
  }
  Array<double> z(n), left(n + 1);
  for (int k = 0; k < n; ++k) z[k] = e.x[kept[k]];
  Matrix rows(n + 1, n + 1);
  int rounds = 0;
  for (double step = 1; rounds < 50 && step > 1e-10; ++rounds) {
    RowFactor all(n + 1);
    for (int j = 0; j < joints.size(); ++j) {
      double s = 0, square = 0;
      for (int k = 0; k < n; ++k) s = std::hypot(s, z[k] * current(j, k));
      if (joints[j].rows() == 0) continue;
      if (s == 0) s = 1;
      for (int r = 0; r <= n; ++r) {
        left[r] = -R[j](r, n);
        for (int k = r; k < n; ++k) left[r] += R[j](r, k) * z[k];
        square += left[r] * left[r];
      }
      const double w = std::sqrt(static_cast<double>(joints[j].rows()) / std::max(square, 1e-300));
      for (int r = 0; r <= n; ++r) {
        for (int k = 0; k < n; ++k)
          rows(r, k) = w * ((k < r ? 0 : R[j](r, k)) -
                            left[r] * z[k] * current(j, k) * current(j, k) / (s * s));
        rows(r, n) = -w * left[r];
      }
      all.add(InMatrix<double>(rows));
    }
    const Array<double> d = solution(all.R(), n);
    step = 0;
    for (int k = 0; k < n; ++k) {
      z[k] += d[k];
      step = std::max(step, std::abs(d[k]) / (std::abs(z[k]) + 1e-3));
    }
  }
  for (int k = 0; k < n; ++k) {
    if (!std::isfinite(z[k])) return e;
    e.x[kept[k]] = z[k];
  }
  e.method = "least squares weighted by joint, noise counted at the currents, " +
             std::to_string(rounds) + " rounds";
  return e;
}

}  // namespace torsor::internal
