#include "torsor/dynamics/aba_derivatives.hpp"

namespace torsor {

TORSOR_RELEASED_DERIVATIVES(double, double);
TORSOR_ABA_DERIVATIVES(double, double);

}  // namespace torsor
