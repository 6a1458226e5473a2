#pragma once
/// The parts of the module, one source each.
#include "binding.hpp"

namespace torsor::python {

py::object bind_robot(py::module_& module);  ///< the class
void bind_configurations(py::handle cls);
void bind_kinematics(py::handle cls);
void bind_inverse_kinematics(py::handle cls);
void bind_loops(py::handle cls);
void bind_dynamics(py::handle cls);
void bind_energies(py::handle cls);
void bind_forms(py::handle cls);
void bind_derivatives(py::handle cls);
void bind_parameters(py::handle cls);
void bind_surgery(py::handle cls);
void bind_trajectories(py::module_& module, py::handle cls);
void bind_formats(py::module_& module);
void bind_control(py::module_& module);
void bind_simulation(py::module_& module);
void bind_identification(py::module_& module);
void bind_view(py::module_& module);

}  // namespace torsor::python
