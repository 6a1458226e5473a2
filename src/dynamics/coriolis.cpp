#include "torsor/dynamics/coriolis.hpp"

namespace torsor {

TORSOR_CORIOLIS(, double, double)
TORSOR_CORIOLIS(, float, float)

}  // namespace torsor
