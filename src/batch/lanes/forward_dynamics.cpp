#include "forward_lanes.hpp"

namespace torsor::internal {

void lanes_forward_dynamics(LaneJob<double>& job) { forward_lanes(job); }

}  // namespace torsor::internal
