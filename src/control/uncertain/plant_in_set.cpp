#include "uncertain/plant_in_set.hpp"

#include <cmath>

#include "draws.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/model/friction.hpp"

namespace torsor::internal {

namespace {
constexpr int states = 16;
}

PlantInSet plant_in_set(const ParameterSet& set, const Run& run) {
  const Model<double>& plant = *run.plant;
  const int n = plant.n_v();
  PlantInSet found{set.values_of(plant)};
  ParameterSet own = set;  // whose workspaces are free
  RneaWorkspace<double> rnea(plant);
  Array<double> q(plant.n_q()), qd(n), qdd(n), tau(n), said(n);
  Draws draw;
  double worst = 0, scale = 0;
  for (int s = 0; s < states; ++s) {
    random_configuration(plant, static_cast<std::uint64_t>(s + 101), q);
    for (int k = 0; k < n; ++k) {
      // Friction has other laws near rest: every second state is slow.
      const double speed = s % 2 == 1 ? 1e-3 : run.range ? std::fmax(1, run.range->speed[k]) : 1;
      qd[k] = speed * draw(), qdd[k] = draw();
    }
    rigid_inverse_dynamics(plant, rnea, q, qd, qdd, {}, tau);
    add_joint_torques(plant, q, qd, tau, Effects{.friction = run.friction});
    own.torque(q, qd, qd, qdd, found.p, said);
    for (int k = 0; k < n; ++k) {
      worst = std::fmax(worst, std::abs(tau[k] - said[k]));
      scale = std::fmax(scale, std::abs(tau[k]));
    }
  }
  found.unexplained = scale > 0 ? worst / scale : 0;
  return found;
}

Condition PlantInSet::condition() const {
  return hypothesis("the plant differs in the stated parameters alone",
                    "largest torque that they cannot say, as a share", unexplained,
                    Relation::at_most, 1e-9, std::to_string(states) + " states sampled");
}

}  // namespace torsor::internal
