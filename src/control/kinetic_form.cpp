#include "torsor/control/kinetic_form.hpp"

namespace torsor {

double kinetic_form(const Model<double>& plant, MomentumWorkspace<double>& ws, View<const double> q,
                    View<const double> u) {
  double twice = 2 * kinetic_energy(plant, ws, q, u);
  for (int k = 0; k < u.size; ++k) twice += plant.dof(k).armature * u[k] * u[k];
  return twice / 2;
}

}  // namespace torsor
