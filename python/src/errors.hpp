#pragma once
/// torsor.Error in Python, and Ctrl-C in work that takes long.
#include <atomic>
#include <chrono>
#include <thread>

#include "binding.hpp"
#include "torsor/math/error.hpp"

namespace torsor::python {

/// torsor.Error, a ValueError.
PyObject* error_type();
/// Makes it; registers it with the module.
void bind_errors(py::module_& module);

/// Asks Python now and then whether a signal has come. Made with the GIL held and used without.
///
///   Interrupt interrupt;
///   { py::gil_scoped_release release;  ...  if (!interrupt.go_on()) stop; }
///   interrupt.rethrow();      // throws what the signal's handler raised
class Interrupt {
 public:
  /// False once a signal's handler has raised. Any thread may ask; the one that made it looks, at
  /// most every 20 ms, and sees signals where it is Python's main thread.
  bool go_on();
  bool stopped() const { return stopped_.load(); }
  const std::atomic<bool>& flag() const { return stopped_; }
  /// Calls what runs code of the user's, with the GIL: false where Ctrl-C came in there, which is
  /// remembered, and from then on without a call. Other exceptions come through.
  template <class Function>
  bool passes(const Function& function) {
    if (stopped_) return false;
    try {
      function();
      return true;
    } catch (py::error_already_set& e) {
      if (!e.matches(PyExc_KeyboardInterrupt)) throw;
      e.restore();
      remember();
      return false;
    }
  }
  /// Remembers the Python exception that is set; the GIL is held.
  void remember();
  /// Throws KeyboardInterrupt, or what else was raised. The GIL is held.
  void rethrow();
  /// The same with what was done by then: torsor.Interrupted, a KeyboardInterrupt, with `result`.
  void rethrow(const py::object& result);

 private:
  std::thread::id owner_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_{false};
  py::object raised_{};
};

/// Tells a function of Python how far work is, at once and then at most every 100 ms, and looks for
/// signals.
class Progress {
 public:
  /// `function` may be None: then nobody is told.
  explicit Progress(py::handle function);
  /// With a bar beside `what` in a terminal or a notebook, as torsor.simulate shows it for `option`.
  Progress(py::handle option, const char* what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// False where the work shall stop.
  bool go_on(double share);
  Interrupt& interrupt() { return interrupt_; }
  const std::atomic<bool>& stop() const { return interrupt_.flag(); }

 private:
  py::object function_, shown_;
  Interrupt interrupt_;
  std::chrono::steady_clock::time_point told_{};
};

}  // namespace torsor::python
