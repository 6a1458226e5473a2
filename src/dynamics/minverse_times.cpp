#include "torsor/dynamics/minverse_times.hpp"

namespace torsor {

TORSOR_MINVERSE_TIMES(, double, double)
TORSOR_MINVERSE_TIMES(, float, float)

}  // namespace torsor
