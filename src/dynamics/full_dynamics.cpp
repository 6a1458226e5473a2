#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {

TORSOR_FULL_DYNAMICS(, double, double)

}  // namespace torsor
