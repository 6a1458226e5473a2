#include "torsor/dynamics/rnea.hpp"

namespace torsor {

TORSOR_RNEA(, double, double)
TORSOR_RNEA(, float, float)

}  // namespace torsor
