#include "torsor/kinematics/jacobian.hpp"

namespace torsor {

TORSOR_JACOBIAN(, double, double)
TORSOR_JACOBIAN(, float, float)

}  // namespace torsor
