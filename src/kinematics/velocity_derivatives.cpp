#include "torsor/kinematics/velocity_derivatives.hpp"

namespace torsor {

TORSOR_FRAME_VELOCITY_DERIVATIVES(double, double);
TORSOR_FRAME_ACCELERATION_DERIVATIVES(double, double);

}  // namespace torsor
