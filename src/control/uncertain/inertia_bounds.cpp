#include "torsor/control/uncertain/inertia_bounds.hpp"

#include "configuration_search.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor {

InertiaBounds inertia_bounds(const Model<double>& model, int samples) {
  const int n = model.n_v();
  CrbaWorkspace<double> ws(model);
  std::vector<double> H(static_cast<std::size_t>(n * n));
  const auto inertia = [&](const std::vector<double>& q) {
    mass_matrix(model, ws, q, column_major(H.data(), n, n));
    return Gain::full(n, H);
  };
  using control_detail::largest_over_configurations;
  return {-largest_over_configurations(
              model, samples,
              [&](const std::vector<double>& q) { return -inertia(q).smallest_eigenvalue(); }),
          largest_over_configurations(
              model, samples,
              [&](const std::vector<double>& q) { return inertia(q).largest_eigenvalue(); }),
          samples};
}

}  // namespace torsor
