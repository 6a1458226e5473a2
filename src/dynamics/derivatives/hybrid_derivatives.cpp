#include "torsor/dynamics/derivatives/hybrid_derivatives.hpp"

namespace torsor {

TORSOR_HYBRID_DERIVATIVES(, double, double)
TORSOR_HYBRID_DERIVATIVES(, float, float)

}  // namespace torsor
