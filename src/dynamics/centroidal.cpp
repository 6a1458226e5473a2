#include "torsor/dynamics/centroidal.hpp"

#include "torsor/dynamics/generalised_force.hpp"

namespace torsor {

TORSOR_ENERGY(, double, double)
TORSOR_CENTROIDAL(, double, double)
TORSOR_GENERALISED_FORCE(, double, double)

}  // namespace torsor
