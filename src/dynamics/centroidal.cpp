#include "torsor/dynamics/centroidal.hpp"

namespace torsor {

TORSOR_CENTROIDAL(, double, double)

}  // namespace torsor
