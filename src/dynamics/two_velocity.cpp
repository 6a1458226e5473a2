#include "torsor/dynamics/two_velocity.hpp"

namespace torsor {

TORSOR_TWO_VELOCITY(, double, double)
TORSOR_TWO_VELOCITY(, float, float)

}  // namespace torsor
