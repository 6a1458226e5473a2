#include "torsor/dynamics/gravity.hpp"

namespace torsor {

TORSOR_GRAVITY(double, double);
TORSOR_GRAVITY(float, float);
TORSOR_BIAS(double, double);
TORSOR_BIAS(float, float);

}  // namespace torsor
