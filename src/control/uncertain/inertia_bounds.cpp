#include "torsor/control/uncertain/inertia_bounds.hpp"

#include "configuration_search.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/dynamics/crba.hpp"

namespace torsor {

InertiaBounds inertia_bounds(const Model<double>& model, int samples, bool within_limits) {
  const int n = model.n_v();
  CrbaWorkspace<double> ws(model);
  Array<double> H(n * n);
  const auto inertia = [&](const Array<double>& q) {
    mass_matrix(model, ws, q, column_major(H.data(), n, n));
    return Gain::full(n, H);
  };
  using control_detail::largest_over_configurations;
  return {-largest_over_configurations(
              model, samples, within_limits,
              [&](const Array<double>& q) { return -inertia(q).smallest_eigenvalue(); }),
          largest_over_configurations(
              model, samples, within_limits,
              [&](const Array<double>& q) { return inertia(q).largest_eigenvalue(); }),
          samples};
}

}  // namespace torsor
