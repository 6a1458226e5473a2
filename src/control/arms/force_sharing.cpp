#include "torsor/control/arms/force_sharing.hpp"

#include <cmath>

#include "torsor/model/error.hpp"

namespace torsor {

namespace {

/// Inverse of a symmetric positive definite matrix by sweeps of its diagonal.
std::vector<double> inverse_of(std::vector<double> a, int n) {
  const auto at = [&](int r, int c) -> double& { return a[static_cast<std::size_t>(r * n + c)]; };
  for (int k = 0; k < n; ++k) {
    const double pivot = 1 / at(k, k);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c)
        if (r != k && c != k) at(r, c) -= at(r, k) * pivot * at(k, c);
    for (int r = 0; r < n; ++r)
      if (r != k) at(r, k) *= -pivot, at(k, r) *= pivot;
    at(k, k) = pivot;
  }
  return a;
}

}  // namespace

ForceSharing::ForceSharing(int n, const std::vector<Gain>& weights) : n_(n) {
  const auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<std::vector<double>> inverses;
  std::vector<double> sum(size);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string which = "W of arm " + std::to_string(i + 1);
    weights[i].check("force sharing", which.c_str(), n);
    if (!(weights[i].asymmetry() <= 1e-12 * weights[i].largest_eigenvalue()) ||
        !(weights[i].smallest_eigenvalue() > 0))
      throw Error("force sharing: " + which + " is not symmetric positive definite");
    std::vector<double> W(size);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) W[static_cast<std::size_t>(r * n + c)] = weights[i](r, c);
    inverses.push_back(inverse_of(std::move(W), n));
    for (std::size_t k = 0; k < size; ++k) sum[k] += inverses.back()[k];
  }
  sum = inverse_of(std::move(sum), n);
  for (const std::vector<double>& inverse : inverses)
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        double s = 0;
        for (int k = 0; k < n; ++k)
          s += inverse[static_cast<std::size_t>(r * n + k)] *
               sum[static_cast<std::size_t>(k * n + c)];
        shares_.push_back(s);
      }
}

}  // namespace torsor
