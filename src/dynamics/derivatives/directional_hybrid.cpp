#include "torsor/dynamics/derivatives/directional_hybrid.hpp"

namespace torsor {

TORSOR_DIRECTIONAL_HYBRID(, double, double)

}  // namespace torsor
