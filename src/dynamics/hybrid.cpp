#include "torsor/dynamics/hybrid.hpp"

namespace torsor {

TORSOR_HYBRID(, double, double)
TORSOR_HYBRID(, float, float)

}  // namespace torsor
