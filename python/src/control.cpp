// Control laws of the registry as objects of Python.
#include "errors.hpp"
#include "law_object.hpp"
#include "parts.hpp"
#include "torsor/control/internal/patience.hpp"
#include "torsor/control/run.hpp"
#include "torsor/control/scope.hpp"

namespace torsor::python {

LawParameters read_gains(const py::dict& gains) {
  LawParameters out;
  for (const auto& [key, value] : gains) {
    const std::string name = py::str(key);
    const bool list = py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value);
    if (py::isinstance<py::str>(value))
      out.set(name, py::cast<std::string>(value));
    else if (list && py::len(value) > 0 &&
             py::isinstance<py::str>(py::reinterpret_borrow<py::sequence>(value)[0]))
      out.set(name, read_texts(name.c_str(), value));
    else if (list || py::hasattr(value, "__len__")) {
      const py::object flat = py::module_::import("numpy").attr("ravel")(value);
      out.set(name, std::vector<double>(read_numbers(name.c_str(), flat)));
    } else
      out.set(name, std::vector<double>{read_number(name.c_str(), value)});
  }
  return out;
}

py::object condition_list(const std::vector<Condition>& conditions) {
  static const char* const relations[] = {">", ">=", "<", "<=", "=="};
  py::list list;
  for (const Condition& c : conditions)
    list.append(
        record("Condition", {py::str(c.name), py::str(c.quantity), py::float_(c.value),
                             py::str(relations[static_cast<int>(c.relation)]), py::float_(c.bound),
                             py::str(name_of(c.verdict)), py::str(c.note)}));
  return list;
}

namespace {

py::object law_table(const Args&) {
  py::list list;
  for (const LawEntry& law : laws()) {
    py::list gains;
    for (const GainEntry& g : law.gains)
      gains.append(record("Gain", {py::str(g.name), py::str(name_of(g.kind)), py::bool_(g.required),
                                   py::str(g.value), py::str(g.unit), py::str(g.meaning)}));
    list.append(record("LawEntry",
                       {py::str(law.name), py::str(law.chapter()), py::str(law.claim), gains,
                        py::str(law.reference), py::str(law.source), py::str(example_of(law))}));
  }
  return list;
}

py::object make(const Args& a) {
  PyRobot& robot = robot_of(a[1]);
  const auto gains = py::reinterpret_borrow<py::dict>(a[2]);
  auto law = std::make_unique<PyLaw>();
  law->robot = py::reinterpret_borrow<py::object>(a[1]);
  const std::string name = read_text("name", a[0]);
  const LawParameters parameters = read_gains(gains);
  law->law = unlocked([&] { return make_law(name, robot.model(), parameters); });
  law->gains = gains;
  return py::cast(std::move(law));
}

// A vector of this many numbers; below 0: of any.
Eigen::VectorXd finite(const char* what, py::handle value, int size) {
  Eigen::VectorXd v = size < 0 ? read_vector(what, value) : read_vector(what, value, size);
  if (!v.allFinite()) throw Error(std::string(what) + " has a number that is not finite");
  return v;
}

// The numbers of one instant, by the arguments of torque().
struct Instant {
  Array<double> x_c;
  Eigen::VectorXd q, qd, qdd, q_d, qd_d, qdd_d, x, xd, xdd, f;
  PoseMotion<double> pose;
  ControlInput input;

  Instant(const PyLaw& law, const Args& a) {
    law.check_free();
    const Model<double>& model = law.law->model();
    input.t = read_number("t", a[0]);
    if (!std::isfinite(input.t)) throw Error("t is not finite");
    q = finite("q", a[1], model.n_q());
    qd = finite("qd", a[2], model.n_v());
    input.state.q = q;
    input.state.qd = qd;
    const auto take = [&](const char* what, int k, Eigen::VectorXd& to, In<double>& view, int n) {
      if (!a.has(k)) return;
      to = finite(what, a[k], n);
      view = to;
    };
    take("q_d", 3, q_d, input.reference.q, model.n_q());
    take("qd_d", 4, qd_d, input.reference.qd, model.n_v());
    take("qdd_d", 5, qdd_d, input.reference.qdd, model.n_v());
    x_c.resize(law.law->n_states());
    if (a.has(6)) {
      const Eigen::VectorXd given = finite("x_c", a[6], x_c.size());
      std::copy(given.data(), given.data() + given.size(), x_c.begin());
    } else {
      law.law->reset(x_c);
    }
    input.x_c = x_c;
    take("qdd", 7, qdd, input.state.qdd, model.n_v());
    take("x", 8, x, input.reference.x, -1);
    take("xd", 9, xd, input.reference.xd, -1);
    take("xdd", 10, xdd, input.reference.xdd, -1);
    take("f_on_environment", 11, f, input.reference.f_on_environment, -1);
    if (a.has(12)) {
      const Robot::Pose T = read_pose("pose", a[12]);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) pose.T.R(r, c) = T.matrix()(r, c);
        pose.T.p[r] = T.matrix()(r, 3);
      }
      input.reference.pose = &pose;
    }
    law.law->check_reference(input.reference);
  }
};

py::object torque(PyLaw& self, const Args& a) {
  Instant now(self, a);
  py::object tau = new_array(-1, Shape::vector(self.law->model().n_v()));
  self.law->torque(now.input, View<double>(data_of(tau), self.law->model().n_v()));
  return tau;
}
py::object state_derivative(PyLaw& self, const Args& a) {
  Instant now(self, a);
  const int n = self.law->n_states();
  py::object out = new_array(-1, Shape::vector(n));
  if (n > 0) self.law->state_derivative(now.input, View<double>(data_of(out), n));
  return out;
}
py::object initial_state(PyLaw& self, const Args&) {
  self.check_free();
  const int n = self.law->n_states();
  py::object out = new_array(-1, Shape::vector(n));
  self.law->reset(View<double>(data_of(out), n));
  return out;
}
py::object conditions(PyLaw& self, const Args&) {
  const InUse in_use(&self);
  Interrupt interrupt;
  std::vector<Condition> found;
  try {
    found = unlocked([&] {
      const control_detail::Patience patience([&] { return interrupt.go_on(); });
      return certificate(*self.law, ideal_run(self.law->model()));
    });
  } catch (const control_detail::NotWanted&) {
    interrupt.rethrow();
  }
  return condition_list(found);
}

constexpr const char* instant =
    "(t, q, qd, q_d=None, qd_d=None, qdd_d=None, x_c=None, *, qdd=None, x=None, xd=None, xdd=None, "
    "f_on_environment=None, pose=None)";

}  // namespace

void bind_control(py::module_& module) {
  function<&law_table>(module, "_laws()", "The registry of control laws.");
  function<&make>(module, "_make_law(name, robot, gains)", "A law of the registry.");
  py::class_<PyLaw> cls(module, "Law",
                        R"(A control law of the library. torsor.control has a function for each.

Held level, 0.1 rad below what is desired: 100 * 0.1 beside the weight of 37.278 N m.

>>> law = torsor.control.PdGravity(torsor.Robot("pointmass2r"), Kp=100, Kd=20)
>>> law.torque(0, [0, 0], [0, 0], [0.1, 0])
array([47.278,  7.848]))");
  cls.def_property_readonly(
      "name", [](const PyLaw& l) { return std::string(l.law->name()); }, "As scenarios call it.");
  cls.def_property_readonly(
      "robot", [](const PyLaw& l) { return l.robot; }, "The robot that the law believes in.");
  cls.def_property_readonly(
      "gains", [](const PyLaw& l) { return py::dict(l.gains.attr("copy")()); },
      "As they were given.");
  cls.def_property_readonly(
      "n_states", [](const PyLaw& l) { return l.law->n_states(); },
      "Of its own: estimates, integrals, filters.");
  cls.def_property_readonly(
      "state_names",
      [](const PyLaw& l) {
        std::vector<std::string> names;
        for (int k = 0; k < l.law->n_states(); ++k) names.push_back(l.law->state_name(k));
        return to_list(names);
      },
      "What its states are called in recordings.");
  cls.def("__repr__", [](const PyLaw& l) {
    return "<torsor law " + std::string(l.law->name()) + " of \"" + l.law->model().name() + "\">";
  });
  cls.def("__reduce__", [](const PyLaw& l) {
    return py::make_tuple(py::module_::import("torsor._torsor").attr("_make_law"),
                          py::make_tuple(std::string(l.law->name()), l.robot, l.gains));
  });
  static const std::string torque_line = std::string("torque") + instant;
  static const std::string rate_line = std::string("state_derivative") + instant;
  method<&torque>(
      cls, torque_line.c_str(),
      R"(The torque of one instant. x_c: the law's states; those of the start where not given.

Computed torque with the error (0.1, 0) at rest is M (Kp e) + g.

>>> robot = torsor.Robot("pointmass2r")
>>> law = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
>>> law.torque(0, [0, 0], [0, 0], [0.1, 0], [0, 0], [0, 0])
array([89.678, 22.248]))");
  method<&state_derivative>(cls, rate_line.c_str(), R"(Rates of the law's own states at one instant.

>>> robot = torsor.Robot("pointmass2r")
>>> torsor.control.ComputedTorque(robot, Kp=1, Kd=1).state_derivative(0, [0, 0], [0, 0], [0, 0])
array([], dtype=float64))");
  method<&initial_state>(cls, "initial_state()", R"(The law's own states as a run starts.

>>> robot = torsor.Robot("pointmass2r")
>>> torsor.control.ComputedTorque(robot, Kp=1, Kd=1).initial_state()
array([], dtype=float64))");
  method<&conditions>(cls, "conditions()",
                      R"(The conditions of its proof with their numbers, for the run of the theorem.

>>> robot = torsor.Robot("pointmass2r")
>>> law = torsor.control.ComputedTorque(robot, Kp=-1, Kd=1)
>>> any(c.verdict == "violated" for c in law.conditions())
True)");
}

}  // namespace torsor::python
