#include "torsor/dynamics/gravity.hpp"

namespace torsor {

TORSOR_GRAVITY(, double, double)
TORSOR_GRAVITY(, float, float)

}  // namespace torsor
