#include "torsor/dynamics/energy_derivatives.hpp"

namespace torsor {

TORSOR_ENERGY_DERIVATIVES(double, double);

}  // namespace torsor
