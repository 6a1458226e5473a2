#include "torsor/identification/power_regressor.hpp"

namespace torsor {

TORSOR_POWER_REGRESSOR(, double, double)

}  // namespace torsor
