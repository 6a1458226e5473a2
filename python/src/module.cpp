// torsor._torsor: the compiled part of the package.
#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"
#include "torsor/math/instruction_set.hpp"

namespace torsor::python {
namespace {

py::object set_threads(const Args& a) {
  set_state_threads(read_threads(a[0]));
  return py::none();
}
py::object get_threads(const Args&) { return py::int_(state_threads()); }
py::object get_instruction_set(const Args&) { return py::str(instruction_set()); }

using Array64 = py::array_t<double>;
// Yardsticks of tests and benchmarks: what a call of pybind11 with three arrays and a new one costs,
Array64 empty(const Array64& q, const Array64&, const Array64&) { return Array64(q.size()); }
// with so many arrays after a name or none, and answers of the kind of `answer` but for arrays
// without numbers,
py::object empty_like(int arrays, bool named, const py::object& answer) {
  enum Kind { array, number, flag, whole };
  std::vector<std::pair<Kind, std::vector<py::ssize_t>>> parts;
  const bool many = py::isinstance<py::tuple>(answer);
  for (const py::handle part : many ? py::tuple(answer) : py::make_tuple(answer)) {
    if (py::isinstance<py::array>(part)) {
      const auto a = py::reinterpret_borrow<py::array>(part);
      if (a.size() > 0) parts.push_back({array, {a.shape(), a.shape() + a.ndim()}});
    } else {
      parts.push_back({py::isinstance<py::bool_>(part)  ? flag
                       : py::isinstance<py::int_>(part) ? whole
                                                        : number,
                       {}});
    }
  }
  const auto make = [parts, many]() -> py::object {
    const auto one = [](const auto& part) -> py::object {
      if (part.first == array) return Array64(part.second);
      if (part.first == flag) return py::bool_(true);
      if (part.first == whole) return py::int_(6);
      return py::float_(0.5);
    };
    if (!many) return one(parts[0]);
    py::tuple all(parts.size());
    for (std::size_t k = 0; k < parts.size(); ++k) all[k] = one(parts[k]);
    return all;
  };
  using A = const Array64&;
  using Name = const std::string&;
  switch (arrays + (named ? 4 : 0)) {
    case 1:
      return py::cpp_function([make](A) { return make(); });
    case 2:
      return py::cpp_function([make](A, A) { return make(); });
    case 3:
      return py::cpp_function([make](A, A, A) { return make(); });
    case 4:
      return py::cpp_function([make](A, A, A, A) { return make(); });
    case 5:
      return py::cpp_function([make](Name, A) { return make(); });
    case 6:
      return py::cpp_function([make](Name, A, A) { return make(); });
    case 7:
      return py::cpp_function([make](Name, A, A, A) { return make(); });
    default:
      return py::cpp_function([make](Name, A, A, A, A) { return make(); });
  }
}
// and the room batch on the same arrays.
template <class Real>
void batch(PyRobot& self, const std::string& verb, const py::array_t<Real>& q,
           const py::array_t<Real>& qd, const py::array_t<Real>& third, py::array_t<Real>& out) {
  const auto view = [](const py::array_t<Real>& a) {
    return by_state(a.data(), a.shape(0), static_cast<int>(a.size() / a.shape(0)));
  };
  const auto to =
      by_state(out.mutable_data(), q.shape(0), static_cast<int>(out.size() / q.shape(0)));
  Batch<Real>& room = *self.batch<Real>(state_threads());
  const py::gil_scoped_release release;
  if (verb == "inverse_dynamics") {
    (void)room.inverse_dynamics(view(q), view(qd), view(third), to);
  } else if (verb == "forward_dynamics") {
    (void)room.forward_dynamics(view(q), view(qd), view(third), to);
  } else {
    room.mass_matrix(view(q), to);
  }
}

// Objects that __new__ made alone have no value: pybind11 would read memory that nobody filled.
void refuse_unmade(const py::module_& module) {
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(module.attr("__dict__"))) {
    if (!PyType_Check(value.ptr())) continue;
    auto* const type = py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
    if (type)
      type->operator_new = [](std::size_t) -> void* {
        throw py::type_error("the object has no value: its __init__ was not called");
      };
  }
}

// pybind11 before 2.12 reads arrays as NumPy 1 lays them out.
void check_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (std::atoi(version.c_str()) >= 2)
    throw py::import_error("torsor was built with pybind11 " +
                           std::to_string(PYBIND11_VERSION_MAJOR) + "." +
                           std::to_string(PYBIND11_VERSION_MINOR) +
                           ", which knows NumPy 1 alone; this is NumPy " + version);
#endif
}

}  // namespace

PYBIND11_MODULE(_torsor, module) {
  check_numpy();
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
  module.def("_empty_like", &empty_like);
  module.def("_batch_room", &use_batch);
  const auto define_batch = [&](auto function) {
    const auto same = py::arg().noconvert();
    module.def("_batch", function, py::arg(), py::arg(), same, same, same, same);
  };
  define_batch(&batch<double>);
  define_batch(&batch<float>);
  refuse_unmade(module);
}

}  // namespace torsor::python
