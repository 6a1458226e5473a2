#pragma once
/// What a run may be asked to follow: a Trajectory, a configuration, or a function of time; motions at
/// many times.
#include <functional>

#include "errors.hpp"
#include "robot_object.hpp"
#include "torsor/control/reference.hpp"

namespace torsor::python {

/// With what makes it again, for pickle: a method of Robot and its arguments.
struct PyTrajectory : JointTrajectory {
  py::object robot;
  const char* verb = nullptr;
  py::tuple arguments;
};

/// None: nothing; an array: hold it; a Trajectory: follow it; a function t -> q, (q, qd, qdd) or a
/// dict of q, qd, qdd, pose, x, xd, xdd, f_on_environment: called with the GIL. Throws Error.
/// Ctrl-C in the function is remembered in `interrupt`, which outlives the motion.
ReferenceFunction read_reference_motion(const Model<double>& model, py::handle value,
                                        Interrupt& interrupt);

/// Writes q, qd and qdd of a time.
using PointAt = std::function<void(double t, double* q, double* qd, double* qdd)>;
/// The named tuple Sample(q, qd, qdd) at one time or many.
py::object sampled(py::handle t, int n_q, int n_v, const PointAt& point);

}  // namespace torsor::python
