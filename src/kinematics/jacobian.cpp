#include "torsor/kinematics/jacobian.hpp"

namespace torsor {

TORSOR_JACOBIAN(double, double);
TORSOR_JACOBIAN(float, float);
TORSOR_JACOBIAN_DOT(double, double);
TORSOR_JACOBIAN_DOT(float, float);

}  // namespace torsor
