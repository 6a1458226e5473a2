// Objects of Python as control laws, and what a run may be asked to follow.
#include "errors.hpp"
#include "law_object.hpp"
#include "trajectory_object.hpp"

namespace torsor::python {
namespace {

py::object array_or_none(In<double> x) {
  if (x.empty()) return py::none();
  return to_array(std::vector<double>(x.begin(), x.end()));
}
py::object twist_array(const Twist<double>& V) {
  return to_array(std::vector<double>{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z});
}
void fill(const char* what, py::handle value, Out<double> out) {
  if (out.size == 1 && PyFloat_Check(value.ptr())) {
    out[0] = PyFloat_AS_DOUBLE(value.ptr());
    return;
  }
  const std::string expected = std::to_string(out.size) + " numbers";
  const Rows rows = read_rows(what, value, expected.c_str());
  if (rows.count >= 0)
    throw Error(std::string(what) + " gave an array with two axes, expected " + expected);
  if (rows.size != out.size)
    throw Error(std::string(what) + " gave " + std::to_string(rows.size) + " numbers, expected " +
                expected.substr(0, expected.find(' ')));
  std::copy(rows.data, rows.data + rows.size, out.begin());
}

// An attribute, or null where there is none; what else goes wrong comes through.
py::object attribute(const py::object& object, const char* name) {
  PyObject* const value = PyObject_GetAttrString(object.ptr(), name);
  if (value) return py::reinterpret_steal<py::object>(value);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw py::error_already_set();
  PyErr_Clear();
  return {};
}

void set_nan(Out<double> out) {
  for (double& x : out) x = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

py::object input_record(const ControlInput& input) {
  const ControlReference& r = input.reference;
  py::object pose = py::none();
  if (r.pose)
    pose = record("PoseMotion",
                  {to_pose(r.pose->T), twist_array(r.pose->V), twist_array(r.pose->Vdot)});
  return record("ControlInput",
                {py::float_(input.t), array_or_none(input.state.q), array_or_none(input.state.qd),
                 array_or_none(r.q), array_or_none(r.qd), array_or_none(r.qdd),
                 to_array(std::vector<double>(input.x_c.begin(), input.x_c.end())),
                 array_or_none(input.state.qdd), array_or_none(r.x), array_or_none(r.xd),
                 array_or_none(r.xdd), array_or_none(r.f_on_environment), pose});
}

PythonLaw::PythonLaw(const Model<double>& model, py::object object)
    : ControlLaw("python", model), object_(std::move(object)) {
  if (!attribute(object_, "torque"))
    throw Error(std::string(py::repr(object_)) +
                " is no law: it has no method torque(input) (torsor.ControlLaw)");
  if (PyType_Check(object_.ptr()))
    throw Error("the law is the class " + std::string(py::str(object_.attr("__name__"))) +
                ", expected an object of it");
  if (py::object n = attribute(object_, "n_states")) {
    if (py::hasattr(n, "__call__")) n = n();
    n_states_ = read_whole<int>("n_states", n);
    if (n_states_ < 0) throw Error("n_states is " + std::to_string(n_states_));
  }
  if (n_states_ > 0 && !attribute(object_, "state_derivative"))
    throw Error(std::string(py::repr(object_)) + " has states and no state_derivative(input)");
  if (const py::object names = attribute(object_, "state_names"))
    state_names_ = read_texts("state_names", names);
  for (auto name = state_names_.begin(); name != state_names_.end(); ++name)
    if (std::find(state_names_.begin(), name, *name) != name)
      throw Error("state_names has \"" + *name + "\" twice");
  // What torsor.ControlLaw itself has says nothing.
  const py::object base = py::module_::import("torsor").attr("ControlLaw");
  const auto overrides = [&](const char* method) {
    const py::object type = py::type::of(object_);
    return py::hasattr(type, method) &&
           !(py::hasattr(base, method) && type.attr(method).is(base.attr(method)));
  };
  has_lyapunov_ = overrides("lyapunov");
  has_filtered_ = overrides("filtered_error");
  has_conditions_ = overrides("conditions");
}
PythonLaw::~PythonLaw() {
  const py::gil_scoped_acquire gil;
  object_ = py::object();
}

bool PythonLaw::passes(const std::function<void()>& function) const {
  if (interrupt_) return interrupt_->passes(function);
  function();
  return true;
}
void PythonLaw::call(const char* method, const ControlInput& input, Out<double> out) const {
  const py::gil_scoped_acquire gil;
  if (!passes([&] { fill(method, object_.attr(method)(input_record(input)), out); })) set_nan(out);
}
void PythonLaw::torque(const ControlInput& input, Out<double> tau) { call("torque", input, tau); }
std::string PythonLaw::state_name(int k) const {
  return k < static_cast<int>(state_names_.size()) ? state_names_[static_cast<std::size_t>(k)]
                                                   : std::to_string(k);
}
void PythonLaw::state_derivative(const ControlInput& input, Out<double> xdot_c) {
  call("state_derivative", input, xdot_c);
}
void PythonLaw::reset(Out<double> x_c) {
  const py::gil_scoped_acquire gil;
  for (double& x : x_c) x = 0;
  const py::object make = attribute(object_, "initial_state");
  if (!make) return;
  const py::object start = make();
  if (!start.is_none()) fill("initial_state", start, x_c);
}
Hypotheses PythonLaw::hypotheses() const {  // it claims what its own conditions say
  return {.reference = Hypotheses::Reference::none,
          .knowledge = Hypotheses::Knowledge::nothing,
          .friction = Hypotheses::Friction::any,
          .surface = Hypotheses::Surface::any,
          .disturbance = true,
          .loops = true,
          .closes_loop = false};
}
std::vector<Condition> PythonLaw::conditions(const Run&) {
  if (!has_conditions_) return {};
  const py::gil_scoped_acquire gil;
  static const std::vector<std::string> relations{">", ">=", "<", "<=", "=="};
  std::vector<Condition> out;
  const char* const expected = "a list of (name, value, \">\", bound)";
  for (const py::object& item : read_items("conditions", object_.attr("conditions")(), expected)) {
    const auto c = read_items("a condition", item, expected);
    if (c.size() < 4)
      throw Error("a condition is " + std::string(py::repr(item)) +
                  ", expected (name, value, \">\", bound)");
    out.push_back(condition(
        read_text("name", c[0]), read_text("name", c[0]), read_number("value", c[1]),
        static_cast<Relation>(read_word("relation", c[2], relations)), read_number("bound", c[3])));
  }
  return out;
}
LyapunovValue PythonLaw::lyapunov(const ControlInput& input, const Model<double>&) {
  if (!has_lyapunov_) return {.given = false};
  const py::gil_scoped_acquire gil;
  LyapunovValue answer{.given = false};
  passes([&] {
    const py::object v = object_.attr("lyapunov")(input_record(input));
    if (v.is_none()) return;
    const auto parts = read_items("lyapunov", v, "(V, rate)");
    if (parts.size() < 2)
      throw Error("lyapunov gave " + std::string(py::repr(v)) + ", expected (V, rate)");
    answer = {.value = read_number("V", parts[0]),
              .rate = read_number("rate", parts[1]),
              .rate_is_bound = parts.size() > 2 && read_flag("rate_is_bound", parts[2])};
  });
  return answer;
}
bool PythonLaw::filtered_error(const ControlInput& input, Out<double> s) {
  if (!has_filtered_) return false;
  call("filtered_error", input, s);
  return true;
}

ControlLaw& law_of(py::handle value, const Model<double>& model,
                   std::unique_ptr<ControlLaw>& made) {
  if (py::isinstance<PyLaw>(value)) {
    ControlLaw& law = *py::cast<PyLaw&>(value).law;
    if (law.model().n_q() != model.n_q() || law.model().n_v() != model.n_v())
      throw Error("the law is of \"" + law.model().name() + "\", which has other joints than \"" +
                  model.name() + "\"");
    return law;
  }
  made = std::make_unique<PythonLaw>(model, py::reinterpret_borrow<py::object>(value));
  return *made;
}

namespace {

// What a function of time gave: q, (q, qd, qdd), or a dict.
void read_point(const Model<double>& model, py::handle value, ReferencePoint& point) {
  const auto take = [&](const char* what, py::handle from, Array<double>& to, int n) {
    const Eigen::VectorXd v = n < 0 ? read_vector(what, from) : read_vector(what, from, n);
    to.assign(v.data(), v.data() + v.size());
  };
  const auto zero = [&](Array<double>& to) { to.assign(model.n_v(), 0.0); };
  if (py::isinstance<py::dict>(value)) {
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      const std::string word = py::str(key);
      if (word == "q")
        take("q", item, point.q, model.n_q());
      else if (word == "qd")
        take("qd", item, point.qd, model.n_v());
      else if (word == "qdd")
        take("qdd", item, point.qdd, model.n_v());
      else if (word == "x")
        take("x", item, point.x, -1);
      else if (word == "xd")
        take("xd", item, point.xd, -1);
      else if (word == "xdd")
        take("xdd", item, point.xdd, -1);
      else if (word == "f_on_environment")
        take("f_on_environment", item, point.f_on_environment, -1);
      else if (word == "pose") {
        const bool moves = py::isinstance<py::tuple>(item) || py::isinstance<py::list>(item);
        const py::tuple parts = moves && py::len(item) == 3
                                    ? py::tuple(py::reinterpret_borrow<py::object>(item))
                                    : py::make_tuple(item);
        const Robot::Pose T = read_pose("pose", parts[0]);
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) point.pose.T.R(r, c) = T.matrix()(r, c);
          point.pose.T.p[r] = T.matrix()(r, 3);
        }
        point.pose.V = point.pose.Vdot = {};
        for (std::size_t k = 1; k < parts.size(); ++k) {
          const Eigen::VectorXd v = read_vector("pose", parts[k], 6);
          (k == 1 ? point.pose.V : point.pose.Vdot) = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
        }
        point.has_pose = true;
      } else
        throw Error("the reference has \"" + word +
                    "\", expected q, qd, qdd, pose, x, xd, xdd or f_on_environment");
    }
    return;
  }
  if (py::isinstance<py::tuple>(value)) {
    const auto parts = py::reinterpret_borrow<py::tuple>(value);
    if (parts.size() > 3 || parts.size() == 0)
      throw Error("the reference gave " + std::to_string(parts.size()) +
                  " parts, expected (q, qd, qdd)");
    take("q", parts[0], point.q, model.n_q());
    zero(point.qd);
    zero(point.qdd);
    if (parts.size() > 1) take("qd", parts[1], point.qd, model.n_v());
    if (parts.size() > 2) take("qdd", parts[2], point.qdd, model.n_v());
    return;
  }
  take("q", value, point.q, model.n_q());
  zero(point.qd);
  zero(point.qdd);
}

}  // namespace

ReferenceFunction read_reference_motion(const Model<double>& model, py::handle value,
                                        Interrupt& interrupt) {
  if (!value || value.is_none()) return [](double, ReferencePoint&) {};
  if (py::isinstance<PyTrajectory>(value)) {
    const JointTrajectory motion = py::cast<PyTrajectory&>(value);
    if (motion.n_q() != model.n_q())
      throw Error("the trajectory has " + std::to_string(motion.n_q()) + " coordinates, \"" +
                  model.name() + "\" has " + std::to_string(model.n_q()));
    return [motion](double t, ReferencePoint& point) {
      point.q.resize(motion.n_q());
      point.qd.resize(motion.n_v());
      point.qdd.resize(motion.n_v());
      motion.sample(t, Eigen::Map<Eigen::VectorXd>(point.q.data(), motion.n_q()),
                    Eigen::Map<Eigen::VectorXd>(point.qd.data(), motion.n_v()),
                    Eigen::Map<Eigen::VectorXd>(point.qdd.data(), motion.n_v()));
    };
  }
  if (py::hasattr(value, "__call__")) {
    // Copies of the function may die where the GIL is not held: they share one reference.
    const std::shared_ptr<py::object> function(
        new py::object(py::reinterpret_borrow<py::object>(value)), [](py::object* o) {
          const py::gil_scoped_acquire gil;
          delete o;
        });
    return [function, &model, &interrupt](double t, ReferencePoint& point) {
      const py::gil_scoped_acquire gil;
      if (interrupt.passes([&] { read_point(model, (*function)(t), point); })) return;
      const double nan = std::numeric_limits<double>::quiet_NaN();
      point.q.assign(model.n_q(), nan);
      point.qd.assign(model.n_v(), nan);
      point.qdd.assign(model.n_v(), nan);
    };
  }
  ReferencePoint fixed;
  read_point(model, value, fixed);
  return [fixed](double, ReferencePoint& point) { point = fixed; };
}

}  // namespace torsor::python
