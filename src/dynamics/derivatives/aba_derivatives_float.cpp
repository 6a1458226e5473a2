#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor {

TORSOR_ABA_DERIVATIVES(, float, float)

}  // namespace torsor
