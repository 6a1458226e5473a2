#include "torsor/dynamics/derivatives/directional_inverse.hpp"

namespace torsor {

TORSOR_DIRECTIONAL_INVERSE(, double, double)

}  // namespace torsor
