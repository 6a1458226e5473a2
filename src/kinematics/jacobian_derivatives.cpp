#include "torsor/kinematics/jacobian_derivatives.hpp"

namespace torsor {

TORSOR_JACOBIAN_DERIVATIVES(, double, double)

}  // namespace torsor
