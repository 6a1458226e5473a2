#include "torsor/dynamics/derivatives/directional_derivatives.hpp"

namespace torsor {

TORSOR_DIRECTIONAL_JOINTS(, double, double)

}  // namespace torsor

#undef TORSOR_DIRECTIONAL_JOINTS
