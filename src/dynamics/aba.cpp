#include "torsor/dynamics/aba.hpp"

namespace torsor {

TORSOR_ABA(, double, double)
TORSOR_ABA(, float, float)

}  // namespace torsor
