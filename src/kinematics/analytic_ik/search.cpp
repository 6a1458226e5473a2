// The fallback: damped least squares from starts spread over the torus. It may miss solutions.
#include <cmath>

#include "analytic_ik/parts.hpp"

namespace torsor::ik {

double solve_by_search(const Dh& dh, const Pose& target, int starts, int steps, int enough,
                       Sink& sink) {
  // Additive recurrence with irrational steps: even cover of the torus, the same on every machine.
  constexpr double strides[max_ik_joints] = {0.8566748838545029, 0.7338918566271260,
                                             0.6287067210378087, 0.5385972572236101,
                                             0.4614020430020200, 0.3952704862500000};
  AnalyticIkResult& result = sink.result;
  double nearest = infinity;
  const Vector origin{};
  const Vector* const point = sink.position_only ? &origin : nullptr;
  for (int start = 1; start <= starts; ++start) {
    Joints q{};
    for (int i = 0; i < dh.n; ++i) {
      const double turn = start * strides[i] - std::floor(start * strides[i]);  // [0, 1)
      q[i] = dh.slides[i] ? (2 * turn - 1) * dh.scale : (2 * turn - 1) * 3.14159265358979;
    }
    const PoseError error = approach(dh, target, point, q.data(), steps);
    const double cost = error.position + dh.scale * error.rotation;
    if (cost < nearest) {
      nearest = cost;
      result.distance = error.position;
      result.rotation_distance = error.rotation;
    }
    if (error.position + error.rotation < 1e-4) sink.propose_own(q);
    if (result.n_solutions >= enough) break;
  }
  return nearest;
}

}  // namespace torsor::ik
