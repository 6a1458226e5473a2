#include "torsor/kinematics/velocity.hpp"

namespace torsor {

TORSOR_VELOCITY(, double, double)
TORSOR_VELOCITY(, float, float)

}  // namespace torsor
