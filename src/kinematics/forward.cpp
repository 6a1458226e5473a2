#include "torsor/kinematics/forward.hpp"

namespace torsor {

TORSOR_FORWARD_KINEMATICS(double, double);
TORSOR_FORWARD_KINEMATICS(float, float);
TORSOR_FORWARD_KINEMATICS_OF_BODY(double, double);
TORSOR_FORWARD_KINEMATICS_OF_BODY(float, float);

}  // namespace torsor
