#include "errors.hpp"

namespace torsor::python {
namespace {

PyObject* the_error = nullptr;

}  // namespace

PyObject* error_type() { return the_error; }

void bind_errors(py::module_& module) {
  the_error = PyErr_NewExceptionWithDoc(
      "torsor.Error",
      "What could have been known before: a wrong size, an unknown name, a file that cannot be\n"
      "read. One line that names the file, line, joint and value. It is a ValueError.\n\n"
      ">>> import torsor\n"
      ">>> try:\n"
      "...     torsor.Robot(\"pandaa\")\n"
      "... except torsor.Error as e:\n"
      "...     print(isinstance(e, ValueError))\n"
      "True",
      PyExc_ValueError, nullptr);
  module.attr("Error") = py::reinterpret_borrow<py::object>(the_error);
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Error& e) {
      PyErr_SetString(the_error, e.what());
    }
  });
}

bool Interrupt::go_on() {
  if (stopped_ || std::this_thread::get_id() != owner_) return !stopped_;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(20)) return true;
  last_ = now;
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return true;
  remember();
  return false;
}

void Interrupt::remember() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  raised_ = py::reinterpret_steal<py::object>(value);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  stopped_ = true;
}

void Interrupt::rethrow() {
  if (!stopped_) return;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised_.ptr())), raised_.ptr());
  throw py::error_already_set();
}

void Interrupt::rethrow(const py::object& result) {
  if (!stopped_) return;
  if (PyErr_GivenExceptionMatches(raised_.ptr(), PyExc_KeyboardInterrupt)) {
    const py::object type = py::module_::import("torsor.progress").attr("Interrupted");
    PyErr_SetObject(type.ptr(), type(result).ptr());
    throw py::error_already_set();
  }
  rethrow();
}

Progress::Progress(py::handle function) {
  if (function && !function.is_none()) function_ = py::reinterpret_borrow<py::object>(function);
}
Progress::Progress(py::handle option, const char* what)
    : shown_(py::module_::import("torsor.progress")
                 .attr("Shown")(option ? option : py::none(), what)) {
  function_ = shown_.attr("__enter__")();
  if (function_.is_none()) function_ = {};
}
Progress::~Progress() {
  if (!shown_) return;
  try {
    shown_.attr("__exit__")();
  } catch (py::error_already_set& e) {
    e.discard_as_unraisable("the line of progress");
  }
}
bool Progress::go_on(double share) {
  if (!interrupt_.go_on()) return false;
  if (!function_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < std::chrono::milliseconds(100)) return true;
  told_ = now;
  const py::gil_scoped_acquire gil;
  PyObject* answer = PyObject_CallFunction(function_.ptr(), "d", share);
  if (answer) {
    Py_DECREF(answer);
    return true;
  }
  interrupt_.remember();  // what the function raised ends the work
  return false;
}

}  // namespace torsor::python
