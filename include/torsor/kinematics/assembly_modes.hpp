#pragma once
/// The ways to close the loops of a robot, for as long as somebody wants to wait.
///
///   assembly_modes of assemble.hpp, which says what counts as different and what it costs
#include <functional>

#include "torsor/kinematics/assemble.hpp"

namespace torsor {

/// `progress` is called before every start with the share that is done; false stops, and the
/// configurations found by then are returned. It may be empty.
Array<Array<double>> assembly_modes(const Model<double>& model, const ConstraintSet& set,
                                    View<const double> q, const AssemblyOptions& options,
                                    int samples, std::uint64_t seed,
                                    const std::function<bool(double share)>& progress);

}  // namespace torsor
