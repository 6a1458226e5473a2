#include "joint_instances.hpp"

namespace torsor {

TORSOR_LANE_JOINTS(, double)
TORSOR_LANE_JOINTS(, float)

}  // namespace torsor
