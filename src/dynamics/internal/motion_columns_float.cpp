#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor::internal {

TORSOR_MOTION_COLUMNS(, float, float)

}  // namespace torsor::internal
