#pragma once
/// A chain of n equal links from the fixed `base` along x, as a load for benchmarks and large
/// examples.
///
/// Link i (`link_1` ...) is a uniform rod of 0.1 m and 0.5 kg along its x, with the moments of a
/// cylinder of radius 0.01 m. Joint i (`joint_1` ...) is revolute, about y for odd i and about z
/// for even i, at the end of the link before; limits +-pi, 50 N m, 10 rad/s. Frame `tip` is the end
/// of the last link. Synthetic.
#include "torsor/model/description.hpp"

namespace torsor::internal {

/// Throws Error unless 1 <= n <= 10000.
RobotDescription chain_robot(int n);

}  // namespace torsor::internal
