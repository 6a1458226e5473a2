#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor {

TORSOR_MOTION_COLUMNS(double, double)

}  // namespace torsor
