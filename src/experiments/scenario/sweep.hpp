#pragma once
/// The sweep of a scenario file. Private to this room.
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor::internal::scenario {

/// `so_far`: what was read before, for the names of links and gains.
SweepPlan read_sweep(const YamlElement& element, const Scenario& so_far);

}  // namespace torsor::internal::scenario
