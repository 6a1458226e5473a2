#include "torsor/dynamics/moving_base.hpp"

namespace torsor {

TORSOR_JOINT_WRENCHES(, double, double)
TORSOR_MOVING_BASE(, double, double)

}  // namespace torsor
