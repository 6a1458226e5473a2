#pragma once
/// Logs and identifications as objects of Python.
#include "arrays.hpp"
#include "torsor/identification/base_parameters.hpp"

namespace torsor::python {

void bind_logs(py::module_& module);
/// `p`: all parameters, for values; empty: zeros.
py::object base_record(const BaseParameters& base, const Array<double>& p);

}  // namespace torsor::python
