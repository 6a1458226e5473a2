#include "torsor/dynamics/derivatives/directional_derivatives.hpp"

namespace torsor {

TORSOR_DIRECTIONAL_DERIVATIVES(, double, double)

}  // namespace torsor
