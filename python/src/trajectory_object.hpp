#pragma once
/// What a run may be asked to follow: a Trajectory, a configuration, or a function of time.
#include "robot_object.hpp"
#include "torsor/control/reference.hpp"

namespace torsor::python {

/// None: nothing; an array: hold it; a Trajectory: follow it; a function t -> q, (q, qd, qdd) or a
/// dict of q, qd, qdd, pose, x, xd, xdd, f_on_environment: called with the GIL. Throws Error.
ReferenceFunction read_reference_motion(const Model<double>& model, py::handle value);

}  // namespace torsor::python
