#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor {

TORSOR_ABA_DERIVATIVES(, double, double)

}  // namespace torsor
