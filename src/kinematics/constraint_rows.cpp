#include "torsor/kinematics/constraint_rows.hpp"

namespace torsor {

TORSOR_CONSTRAINT_ROWS(, double, double)

}  // namespace torsor
