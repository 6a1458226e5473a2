#pragma once
/// Control laws in Python: those of the registry as objects, and Python objects as laws.
#include "errors.hpp"
#include "robot_object.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/control/reference.hpp"

namespace torsor::python {

/// A law of the registry, and the robot that it believes in.
struct PyLaw {
  py::object robot;  // keeps the model
  std::unique_ptr<ControlLaw> law;
  py::object gains;
  bool busy = false;  ///< a run uses it: its workspaces are of one thread

  /// Throws Error where it is busy.
  void check_free() const {
    if (busy)
      throw Error("the law \"" + std::string(law->name()) +
                  "\" is used by a run already; make another one for another thread");
  }
};

/// A law of the library while something uses it; the GIL is held where it begins and ends.
class InUse {
 public:
  /// Null: nothing to do. Throws Error where the law is busy.
  explicit InUse(PyLaw* law) : law_(law) {
    if (!law_) return;
    law_->check_free();
    law_->busy = true;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() {
    if (law_) law_->busy = false;
  }

 private:
  PyLaw* law_;
};

/// An object of Python with a method torque(input); it may have n_states, state_derivative,
/// initial_state, state_names, lyapunov, filtered_error and conditions.
class PythonLaw final : public ControlLaw {
 public:
  /// The GIL is held. `model` outlives the law. Throws Error for an object without torque.
  PythonLaw(const Model<double>& model, py::object object);
  ~PythonLaw() override;
  PythonLaw(const PythonLaw&) = delete;
  PythonLaw& operator=(const PythonLaw&) = delete;

  void torque(const ControlInput& input, Out<double> tau) override;
  int n_states() const override { return n_states_; }
  std::string state_name(int k) const override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override;
  void reset(Out<double> x_c) override;
  Hypotheses hypotheses() const override;
  std::vector<Condition> conditions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;
  bool filtered_error(const ControlInput& input, Out<double> s) override;
  void check_reference(const ControlReference&) const override {}

  /// Where Ctrl-C in the object's own code is remembered: the torque is then no number, which ends
  /// the run.
  void watch(Interrupt* interrupt) { interrupt_ = interrupt; }

 private:
  /// Calls code of the object's; false where Ctrl-C came in there.
  bool passes(const std::function<void()>& function) const;
  void call(const char* method, const ControlInput& input, Out<double> out) const;

  py::object object_;
  Interrupt* interrupt_ = nullptr;
  int n_states_ = 0;
  bool has_lyapunov_ = false, has_filtered_ = false, has_conditions_ = false;
  std::vector<std::string> state_names_;
};

/// The law behind an argument: a PyLaw's own, or a new PythonLaw (then kept in `made`).
ControlLaw& law_of(py::handle value, const Model<double>& model, std::unique_ptr<ControlLaw>& made);
/// Gains of Python: numbers, lists, matrices (by rows), words.
LawParameters read_gains(const py::dict& gains);
py::object input_record(const ControlInput& input);
py::object condition_list(const std::vector<Condition>& conditions);

}  // namespace torsor::python
