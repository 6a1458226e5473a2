#include "torsor/identification/column_regressor.hpp"

namespace torsor {

TORSOR_COLUMN_REGRESSOR(, double, double)

}  // namespace torsor
