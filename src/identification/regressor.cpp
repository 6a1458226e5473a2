#include "torsor/identification/regressor.hpp"

namespace torsor {

TORSOR_REGRESSOR(, double, double)
TORSOR_REGRESSOR(, float, float)

}  // namespace torsor
