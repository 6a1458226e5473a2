// torsor._torsor: the compiled part of the package.
#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"
#include "torsor/math/instruction_set.hpp"

namespace torsor::python {
namespace {

py::object set_threads(const Args& a) {
  const long n = read_integer("threads", a[0]);
  if (n < 0) throw Error("threads is " + std::to_string(n) + ", expected 0 (all cores) or more");
  set_state_threads(static_cast<int>(n));
  return py::none();
}
py::object get_threads(const Args&) { return py::int_(state_threads()); }
py::object get_instruction_set(const Args&) { return py::str(instruction_set()); }

// What a call of pybind11 with three arrays and a new one costs: the yardstick of the benchmark.
py::array_t<double> empty(const py::array_t<double>& q, const py::array_t<double>&,
                          const py::array_t<double>&) {
  return py::array_t<double>(q.size());
}

}  // namespace

PYBIND11_MODULE(_torsor, module) {
  py::options options;
  options.disable_function_signatures();
  bind_errors(module);
  const py::object robot = bind_robot(module);
  bind_kinematics(robot);
  bind_inverse_kinematics(robot);
  bind_loops(robot);
  bind_dynamics(robot);
  bind_energies(robot);
  bind_forms(robot);
  bind_derivatives(robot);
  bind_parameters(robot);
  bind_surgery(robot);
  bind_trajectories(module, robot);
  bind_formats(module);
  bind_control(module);
  bind_simulation(module);
  bind_identification(module);
#ifdef TORSOR_WITH_VIEW
  bind_view(module);
#endif
  function<&set_threads>(module, "set_threads(threads)",
                         "How many threads many states are shared out to; 0: all cores.\n\n"
                         ">>> torsor.set_threads(0)");
  function<&get_threads>(module, "get_threads()",
                         "How many threads many states are shared out to; 0: all cores.\n\n"
                         ">>> torsor.get_threads()\n0");
  function<&get_instruction_set>(module, "instruction_set()",
                                 "The instructions that the sweeps use on this machine.\n\n"
                                 ">>> isinstance(torsor.instruction_set(), str)\nTrue");
  module.def("_empty", &empty);
}

}  // namespace torsor::python
