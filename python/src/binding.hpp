#pragma once
/// How a C++ function becomes a method or function of the module.
///
///   py::object gravity_torque(PyRobot& self, const Args& a);
///   method<&gravity_torque>(cls, "gravity_torque(q, *, out=None)", "Torques that ...");
///
/// The line of the signature is all there is: it names the arguments, says which are by keyword
/// alone and which may be left out, and is what inspect.signature, help() and the stubs show. A
/// function takes its arguments by their place in that line; one that was left out is a null
/// handle.
///
/// They are method descriptors of CPython with the vector calling convention, beside the classes
/// and array types of pybind11: a call does not pass pybind11's dispatcher, and
/// none of its templates is compiled for each verb.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <vector>

namespace torsor::python {

namespace py = pybind11;

inline constexpr int max_arguments = 40;

/// The arguments of one call, in the order of the signature.
class Args {
 public:
  py::handle operator[](int k) const { return values_[static_cast<std::size_t>(k)]; }
  /// Whether it was given and is not None.
  bool has(int k) const { return (*this)[k] && !(*this)[k].is_none(); }

 private:
  friend struct Signature;
  std::array<PyObject*, max_arguments> values_;
};

struct Signature {
  PyMethodDef definition{};
  std::string name, doc, line;   ///< the line as it was given
  std::vector<PyObject*> names;  ///< interned
  int positional = 0, required = 0;

  /// Throws for a line that is not of the form "name(a, b, c=1, *, d=None)".
  Signature(const char* given, const char* doc_text, bool is_method);
  /// False, with a Python exception set, for arguments that do not fit.
  bool take(PyObject* const* given, Py_ssize_t count, PyObject* keywords, Args& args) const;
};

/// The answer of a function that touches no object of Python; other threads run meanwhile.
template <class Function>
auto unlocked(const Function& function) {
  const py::gil_scoped_release release;
  return function();
}

/// What is being handled becomes a Python exception.
PyObject* raise_current() noexcept;
/// The C++ object in an instance of a class of pybind11.
template <class Object>
Object& object_of(PyObject* self) {
  void* value = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().value_ptr();
  if (!value) throw py::type_error("__init__ of the base class was not called");
  return *static_cast<Object*>(value);
}

template <auto Function>
struct Bound {
  static inline Signature* signature = nullptr;
};

template <class Object, py::object (*Function)(Object&, const Args&)>
PyObject* call_method(PyObject* self, PyObject* const* given, Py_ssize_t count,
                      PyObject* keywords) {
  Args args;
  if (!Bound<Function>::signature->take(given, count, keywords, args)) return nullptr;
  try {
    return Function(object_of<Object>(self), args).release().ptr();
  } catch (...) {
    return raise_current();
  }
}

template <py::object (*Function)(const Args&)>
PyObject* call_function(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  Args args;
  if (!Bound<Function>::signature->take(given, count, keywords, args)) return nullptr;
  try {
    return Function(args).release().ptr();
  } catch (...) {
    return raise_current();
  }
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
void add_method(py::handle cls, Signature& signature, FastCall call);
void add_function(py::module_& module, Signature& signature, FastCall call);

template <class Function>
struct ObjectOf;
template <class Object>
struct ObjectOf<py::object (*)(Object&, const Args&)> {
  using type = Object;
};

/// Signatures live as long as the process.
template <auto Function>
void method(py::handle cls, const char* line, const char* doc) {
  using Object = typename ObjectOf<decltype(Function)>::type;
  Bound<Function>::signature = new Signature(line, doc, true);
  add_method(cls, *Bound<Function>::signature, &call_method<Object, Function>);
}
template <auto Function>
void function(py::module_& module, const char* line, const char* doc) {
  Bound<Function>::signature = new Signature(line, doc, false);
  add_function(module, *Bound<Function>::signature, &call_function<Function>);
}

}  // namespace torsor::python
