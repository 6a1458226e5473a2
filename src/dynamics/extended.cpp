#include "torsor/dynamics/extended.hpp"

namespace torsor {

TORSOR_EXTENDED(, double, double)

}  // namespace torsor
