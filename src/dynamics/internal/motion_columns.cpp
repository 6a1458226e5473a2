#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor::internal {

TORSOR_MOTION_COLUMNS(, double, double)

}  // namespace torsor::internal
