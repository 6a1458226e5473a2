#include "torsor/identification/parameter_dynamics.hpp"

namespace torsor {

TORSOR_PARAMETER_DYNAMICS(, double, double)
TORSOR_PARAMETER_DYNAMICS(, float, float)

}  // namespace torsor
