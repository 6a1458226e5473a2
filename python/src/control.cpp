#include "parts.hpp"
namespace torsor::python {
void bind_control(py::module_&) {}
void bind_simulation(py::module_&) {}
void bind_identification(py::module_&) {}
}
