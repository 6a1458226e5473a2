#include "joint_instances.hpp"

namespace torsor {

TORSOR_LANE_SLOPES(, double)
TORSOR_LANE_SLOPES(, float)

}  // namespace torsor
