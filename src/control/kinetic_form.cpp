#include "torsor/control/kinetic_form.hpp"

namespace torsor {

double kinetic_form(const Model<double>& plant, MomentumWorkspace<double>& ws, View<const double> q,
                    View<const double> u) {
  return kinetic_energy(plant, ws, q, u);
}

}  // namespace torsor
