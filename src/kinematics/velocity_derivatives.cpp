#include "torsor/kinematics/velocity_derivatives.hpp"

namespace torsor {

TORSOR_VELOCITY_DERIVATIVES(, double, double)

}  // namespace torsor
