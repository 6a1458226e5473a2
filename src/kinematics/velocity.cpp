#include "torsor/kinematics/velocity.hpp"

namespace torsor {

TORSOR_FORWARD_ACCELERATION(double, double);
TORSOR_FORWARD_ACCELERATION(float, float);

}  // namespace torsor
