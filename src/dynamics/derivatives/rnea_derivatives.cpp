#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"

namespace torsor {

TORSOR_RNEA_DERIVATIVES(, double, double)
TORSOR_RNEA_DERIVATIVES(, float, float)

}  // namespace torsor
