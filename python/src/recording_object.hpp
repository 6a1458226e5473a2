#pragma once
/// Recordings as objects of Python.
#include "law_object.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor::python {

void bind_recording(py::module_& module);

}  // namespace torsor::python
