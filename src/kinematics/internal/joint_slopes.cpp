#include "torsor/kinematics/internal/joint_slopes.hpp"

namespace torsor::internal {

TORSOR_JOINT_SLOPES(, double, double)
TORSOR_JOINT_SLOPES(, float, float)

}  // namespace torsor::internal
