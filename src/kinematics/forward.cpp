#include "torsor/kinematics/forward.hpp"

namespace torsor {

TORSOR_FORWARD_KINEMATICS(, double, double)
TORSOR_FORWARD_KINEMATICS(, float, float)

}  // namespace torsor
