#include "torsor/dynamics/internal/motion_columns.hpp"

namespace torsor {

TORSOR_MOTION_COLUMNS(float, float)

}  // namespace torsor
