#include "torsor/dynamics/crba.hpp"

namespace torsor {

TORSOR_CRBA(, double, double)
TORSOR_CRBA(, float, float)

}  // namespace torsor
