#include "torsor/dynamics/derivatives/energy_derivatives.hpp"

namespace torsor {

TORSOR_ENERGY_DERIVATIVES(double, double);

}  // namespace torsor
