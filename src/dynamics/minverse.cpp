#include "torsor/dynamics/minverse.hpp"

namespace torsor {

TORSOR_MINVERSE(, double, double)
TORSOR_MINVERSE(, float, float)

}  // namespace torsor
