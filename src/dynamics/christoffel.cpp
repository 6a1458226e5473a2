#include "torsor/dynamics/christoffel.hpp"

#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

template <class Param>
void internal::require_coordinate_rates(const Model<Param>& model) {
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.joint(i).n_v; ++k)
      if (internal::coordinate_of_dof(model.joint(i), k) < 0)
        throw Error("robot '" + model.name() + "': joint '" + model.joint_name(i) +
                    "' has velocities that are not rates of its coordinates, so there are no "
                    "Christoffel symbols; coriolis_matrix and configuration_space_form need none");
}

template void internal::require_coordinate_rates(const Model<double>&);
template void internal::require_coordinate_rates(const Model<float>&);

}  // namespace torsor
