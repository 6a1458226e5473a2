// torsor.Robot: making one, names, limits, configurations, files, copies; Frame and Joint.
#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"
#include "torsor/formats/internal/robot_checks.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using Class = py::class_<PyRobot>;

// {"side": "left"} or "side:=left" as the words of a xacro file.
std::vector<std::string> read_arguments(py::handle given) {
  if (!py::isinstance<py::dict>(given)) return read_texts("arguments", given);
  std::vector<std::string> words;
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(given)) {
    const bool truth = PyBool_Check(value.ptr());
    const std::string text = py::str(value);
    words.push_back(read_text("arguments", name) +
                    ":=" + (truth ? (text == "True" ? "true" : "false") : text));
  }
  return words;
}
py::object finding_list(const Findings& findings) {
  py::list list;
  for (const Finding& f : findings)
    list.append(record(
        "Finding", {py::str(name_of(f.severity)), py::str(f.origin.file), py::int_(f.origin.line),
                    py::str(f.element), py::str(f.message), py::str(f.why), py::str(f.fix)}));
  return list;
}

// The text of a file, with what reader and check_model have to say about it.
std::unique_ptr<PyRobot> read_text_of_robot(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  const bool xml = begin != std::string::npos && text[begin] == '<';
  Findings findings;
  auto made = unlocked([&] {
    const RobotFormat* const format = robot_format_of(xml ? "text.xml" : "text.yaml", text);
    if (!format) throw Error("the text is of no known format");
    const RobotDescription robot =
        format->read(text, xml ? "<text.xml>" : "<text.yaml>", &findings);
    findings = torsor::internal::merged(findings, check_model(robot, {.meshes = false}));
    return std::make_unique<PyRobot>(Robot(Model<double>(robot)));
  });
  made->findings = finding_list(findings);
  return made;
}
// A file, a built-in name, or the text of a file.
std::unique_ptr<PyRobot> load(const py::object& source, const LoadOptions& options) {
  if (py::isinstance<PyRobot>(source)) return std::make_unique<PyRobot>(py::cast<PyRobot&>(source));
  const std::string text = read_text("robot", source);
  if (text.find('\n') == std::string::npos && !text.starts_with("<")) {
    std::string name = text;
    for (const std::string& word : options.arguments) name += " " + word;
    return unlocked([&] { return std::make_unique<PyRobot>(Robot(text, options), name); });
  }
  if (!options.arguments.empty()) throw Error("a text takes no arguments; a xacro file does");
  return read_text_of_robot(text);
}

// The arguments of torsor.Robot(robot, *, arguments=None, package_folders=None).
std::unique_ptr<PyRobot> made_from(const py::args& given, const py::kwargs& words) {
  py::object robot = given.size() == 1 ? py::object(given[0]) : py::object();
  LoadOptions options;
  bool known = given.size() < 2;
  for (const auto& [key, value] : words) {
    const std::string word = py::str(key);
    if (word == "robot" && !robot)
      robot = py::reinterpret_borrow<py::object>(value);
    else if (word == "arguments" && !value.is_none())
      options.arguments = read_arguments(value);
    else if (word == "package_folders" && !value.is_none())
      options.package_folders = read_texts("package_folders", value);
    else
      known = known && (word == "arguments" || word == "package_folders");
  }
  if (!robot || !known)
    throw py::type_error(
        "Robot() takes one argument, Robot(robot): a built-in name, a file or a file's text; and "
        "arguments= and package_folders= by keyword");
  return load(robot, options);
}

py::object findings_of(const PyRobot& self) {
  return self.findings ? py::list(self.findings) : finding_list(self.robot().findings());
}

py::object neutral(PyRobot& self, const Args&) { return to_array(self.robot().neutral()); }
py::object random_configuration(PyRobot& self, const Args& a) {
  const unsigned seed = a[0] ? read_whole<unsigned>("seed", a[0]) : 1;
  if (!a.has(1)) return to_array(self.robot().random_configuration(seed));
  const long count = read_whole<long>("count", a[1]);
  if (count < 0) throw Error("count is " + std::to_string(count) + ", expected 0 or more");
  py::object out = new_array(count, Shape::vector(self.n_q()));
  double* const rows = data_of(out);
  Interrupt interrupt;
  {
    const py::gil_scoped_release release;
    for (long k = 0; k < count && (k % 256 != 0 || interrupt.go_on()); ++k)
      Map(rows + k * self.n_q(), self.n_q()) =
          self.robot().random_configuration(seed + static_cast<unsigned>(k));
  }
  interrupt.rethrow();
  return out;
}
py::object integrate(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"v", a[1]}}, Shape::vector(self.n_q()), {},
                    [](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], r.n_q()) = r.integrate(x[0].vector(), x[1].vector());
                    });
}
py::object difference(PyRobot& self, const Args& a) {
  return map_states(self, {{"q0", a[0]}, {"q1", a[1]}}, Shape::vector(self.n_v()), {},
                    [](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], r.n_v()) = r.difference(x[0].vector(), x[1].vector());
                    });
}
py::object frame(PyRobot& self, const Args& a) {
  if (!a.has(1)) {
    if (!py::isinstance<py::str>(a[0])) return py::reinterpret_borrow<py::object>(a[0]);
    return py::cast(self.robot().frame(read_text("frame", a[0])));
  }
  return py::cast(self.robot().frame(read_frame("frame", a[0]), read_pose("pose", a[1]),
                                     a[2] ? read_text("name", a[2]) : ""));
}
py::object joint(PyRobot& self, const Args& a) {
  return py::cast(self.robot().joint(read_text("name", a[0])));
}
py::object check(PyRobot& self, const Args& a) {
  CheckOptions options{.meshes = a[0] && read_flag("meshes", a[0])};
  if (a.has(1)) options.package_folders = read_texts("package_folders", a[1]);
  return finding_list(unlocked([&] { return check_model(self.model().description(), options); }));
}
py::object to_urdf(PyRobot& self, const Args& a) {
  const std::string path = a.has(0) ? read_text("path", a[0]) : "";
  const std::string text = unlocked([&] {
    std::string urdf = self.robot().to_urdf();
    if (!path.empty()) write_text_file_atomically(path, urdf);
    return urdf;
  });
  return py::str(text);
}
py::object save(PyRobot& self, const Args& a) {
  const std::string path = read_text("path", a[0]);
  return to_list(unlocked([&] { return self.robot().save(path); }));
}
py::object parse_parameters(PyRobot& self, const Args& a) {
  py::list names;
  for (const Parameter& p : self.robot().parse_parameters(read_text("names", a[0])))
    names.append(py::str(p.name));
  return names;
}

// With what a subclass has beside the robot.
py::tuple pickled(const py::object& object) {
  const PyRobot& self = robot_of(object);
  const std::string file = unlocked([&] { return write_robot_file(self.model().description()); });
  return py::make_tuple(file, to_array(self.robot().parameters()), self.source(), findings_of(self),
                        py::getattr(object, "__dict__", py::dict()));
}
std::pair<std::unique_ptr<PyRobot>, py::dict> unpickled(const py::tuple& state) {
  if (state.size() != 5) throw Error("this is no pickled torsor.Robot");
  const auto file = py::cast<std::string>(state[0]), source = py::cast<std::string>(state[2]);
  const Eigen::VectorXd p = read_vector("parameters", state[1]);
  auto made = unlocked([&] {
    Robot robot{Model<double>(read_robot_file(file, "<pickle>"))};
    if (robot.parameters() != p) robot = robot.with_parameters(p);  // to the last bit
    return std::make_unique<PyRobot>(std::move(robot), source);
  });
  made->findings = py::list(state[3]);
  return {std::move(made), py::dict(py::reinterpret_borrow<py::object>(state[4]))};
}

std::string text_of_robot(const PyRobot& self) {
  const Robot& r = self.robot();
  return "<torsor.Robot \"" + r.name() + "\": " + std::to_string(r.joints().size()) +
         " joints, n_q " + std::to_string(r.n_q()) + ", n_v " + std::to_string(r.n_v()) +
         (r.n_constraints() ? ", " + std::to_string(r.n_constraints()) + " constraint rows" : "") +
         ">";
}

py::object belongs_to_robot(const std::string& name, const char* kind) {
  throw py::type_error(std::string("torsor.") + kind + " \"" + name +
                       "\" belongs to its robot and is not pickled: pickle the robot and the name");
}

void bind_handles(py::module_& module) {
  py::class_<FrameHandle>(module, "Frame", R"(A frame of a robot, found once: what verbs take.

>>> tip = torsor.Robot("pointmass2r").frame("tip")
>>> tip.name, tip.body, float(tip.placement[0, 3])
('tip', 2, 0.8))")
      .def_property_readonly("name", &FrameHandle::name, "As the file has it.")
      .def_property_readonly(
          "body", [](const FrameHandle& f) { return f.frame().body; }, "Number of the body.")
      .def_property_readonly(
          "placement", [](const FrameHandle& f) { return to_pose(f.frame().placement); },
          "Pose in the frame of its body, 4 x 4.")
      .def("__copy__", &itself)
      .def("__deepcopy__", &itself_deep)
      .def("__reduce__", [](const FrameHandle& f) { return belongs_to_robot(f.name(), "Frame"); })
      .def("__repr__", [](const FrameHandle& f) { return "<torsor.Frame \"" + f.name() + "\">"; });
  py::class_<JointHandle>(module, "Joint", R"(A joint of a robot, and the place of its numbers.

>>> joint = torsor.Robot("pointmass2r").joint("joint_2")
>>> joint.kind, joint.q, joint.body
('revolute', slice(1, 2, 1), 2))")
      .def_property_readonly("name", &JointHandle::name, "As the file has it.")
      .def_property_readonly(
          "kind", [](const JointHandle& j) { return std::string(name_of(j.kind())); },
          "\"revolute\", \"free\", ...")
      .def_property_readonly("body", &JointHandle::body, "Number of the body that it carries.")
      .def_property_readonly(
          "q",
          [](const JointHandle& j) { return py::slice(j.q().first, j.q().first + j.q().count, 1); },
          "Slice of q.")
      .def_property_readonly(
          "v",
          [](const JointHandle& j) { return py::slice(j.v().first, j.v().first + j.v().count, 1); },
          "Slice of qd, qdd and tau.")
      .def("__copy__", &itself)
      .def("__deepcopy__", &itself_deep)
      .def("__reduce__", [](const JointHandle& j) { return belongs_to_robot(j.name(), "Joint"); })
      .def("__repr__", [](const JointHandle& j) {
        return "<torsor.Joint \"" + j.name() + "\", " + name_of(j.kind()) + ">";
      });
}

void bind_properties(Class& cls) {
  const auto names = [&](const char* name, Robot::Names (Robot::*get)() const, const char* doc) {
    cls.def_property_readonly(
        name, [get](const PyRobot& r) { return to_list((r.robot().*get)()); }, doc);
  };
  cls.def_property_readonly(
      "name", [](const PyRobot& r) { return r.robot().name(); }, "Of the file.");
  cls.def_property_readonly("n_q", &PyRobot::n_q, "Number of coordinates.");
  cls.def_property_readonly("n_v", &PyRobot::n_v, "Number of velocities, accelerations, torques.");
  cls.def_property_readonly("source", &PyRobot::source,
                            "The file or name that it was made from; \"\" of others.");
  cls.def_property_readonly(
      "mass", [](const PyRobot& r) { return r.robot().mass(); }, "Of the moving bodies, kg.");
  cls.def_property_readonly(
      "gravity",
      [](const PyRobot& r) {
        const Vec3<double>& g = r.model().gravity();
        return to_array(std::vector<double>{g.x, g.y, g.z});
      },
      "In m/s^2.");
  cls.def_property_readonly(
      "n_constraints", [](const PyRobot& r) { return r.n_constraints(); },
      "Rows of loops and couplings.");
  names("frame_names", &Robot::frame_names, "Links, further frames and joints.");
  names("joint_names", &Robot::joint_names, "In the order of q.");
  names("coordinate_names", &Robot::coordinate_names, "Of q.");
  names("dof_names", &Robot::dof_names, "Of qd, qdd and tau.");
  names("body_names", &Robot::body_names, "Of the moving bodies.");
  names("constraint_names", &Robot::constraint_names, "Of the rows of loops and couplings.");
  names("parameter_names", &Robot::parameter_names, "\"link_1.m\", \"link_1.mx\", ...");
  cls.def_property_readonly(
      "parameters", [](const PyRobot& r) { return to_array(r.robot().parameters()); },
      "Ten inertial parameters for each moving body: m, mx, my, mz, xx, xy, yy, xz, yz, zz.");
  cls.def_property_readonly("findings", &findings_of,
                            "What reader and check had to say about the file, most severe first.");
  cls.def_property_readonly(
      "configurations",
      [](const PyRobot& r) {
        py::dict all;
        for (const NamedConfiguration& c : r.model().description().configurations)
          all[py::str(c.name)] = to_array(named_configuration(r.model(), c.name));
        return all;
      },
      "Configurations that the file names, as {\"home\": q}.");
  cls.def_property_readonly(
      "frames",
      [](const PyRobot& r) {
        py::list list;
        for (const FrameHandle& f : r.robot().frames()) list.append(py::cast(f));
        return list;
      },
      "Every frame.");
  cls.def_property_readonly(
      "joints",
      [](const PyRobot& r) {
        py::list list;
        for (const JointHandle& j : r.robot().joints()) list.append(py::cast(j));
        return list;
      },
      "Every joint that moves, in the order of q.");
  cls.def_property_readonly(
      "limits",
      [](const PyRobot& r) {
        const Robot::CoordinateLimits l = r.robot().limits();
        return record("Limits", {to_array(l.lower), to_array(l.upper), to_array(l.velocity),
                                 to_array(l.acceleration), to_array(l.jerk), to_array(l.effort)});
      },
      "A named tuple (lower, upper, velocity, acceleration, jerk, effort).");
}

}  // namespace

py::object bind_robot(py::module_& module) {
  bind_handles(module);
  Class cls(
      module, "Robot",
      "A robot: an immutable model, and scratch for each thread that calls.\n\n"
      "robot: a built-in name (torsor.robots()), a file (.urdf, .yaml, ...) or a file's text;\n"
      "arguments of a xacro file: {\"side\": \"left\"}; package_folders: where packages lie that "
      "it "
      "names.\n"
      "Vectors are (n,) for one state or (N, n) for many; answers then have N in front.\n\n"
      ">>> torsor.Robot(\"panda\")\n"
      "<torsor.Robot \"panda\": 7 joints, n_q 7, n_v 7>");
  cls.def(py::init(&made_from));
  cls.def("__repr__", &text_of_robot);
  cls.def(py::pickle(&pickled, &unpickled));
  bind_properties(cls);

  method<&neutral>(cls, "neutral()", R"(The neutral configuration: zeros, and unit quaternions.

>>> torsor.Robot("pointmass2r").neutral()
array([0., 0.]))");
  method<&random_configuration>(
      cls, "random_configuration(seed=1, count=None)",
      R"(Inside the limits; the same seed gives the same one. count: so many, as rows.

>>> torsor.Robot("panda").random_configuration(3, count=5).shape
(5, 7))");
  method<&integrate>(cls, "integrate(q, v)",
                     R"(q moved by the tangent step v, on the joints' manifold.

>>> torsor.Robot("pointmass2r").integrate([0.1, 0.2], [1, 1])
array([1.1, 1.2]))");
  method<&difference>(cls, "difference(q0, q1)", R"(The tangent step from q0 to q1.

>>> torsor.Robot("pointmass2r").difference([0.1, 0.2], [1.1, 1.2])
array([1., 1.]))");
  method<&frame>(cls, "frame(frame, pose=None, name='')",
                 R"(A frame by its name, or one fixed in another at a pose (4 x 4).

>>> torsor.Robot("pointmass2r").frame("tip")
<torsor.Frame "tip">)");
  method<&joint>(cls, "joint(name)", R"(A joint by its name.

>>> torsor.Robot("pointmass2r").joint("joint_2").q
slice(1, 2, 1))");
  method<&check>(
      cls, "check(meshes=False, package_folders=None)",
      R"(What is wrong or doubtful about the robot: a list of findings, most severe first.

>>> [f.severity for f in torsor.Robot("panda").check() if f.severity == "error"]
[])");
  method<&to_urdf>(cls, "to_urdf(path=None)",
                   R"(The robot as URDF; written to a file where one is named.

>>> torsor.Robot(torsor.Robot("panda").to_urdf()).n_v
7)");
  method<&save>(cls, "save(path)", R"(Writes a file of the format that the extension names.

Returns what that format says differently or not at all.

>>> import os, tempfile
>>> torsor.Robot("planar2r").save(os.path.join(tempfile.mkdtemp(), "arm.yaml"))
[])");
  method<&parse_parameters>(
      cls, "parse_parameters(names)",
      R"(Names of parameters, with what a group stands for: docs/derivatives.md.

>>> torsor.Robot("pointmass2r").parse_parameters("gravity,link_2.mass")
['gravity.x', 'gravity.y', 'gravity.z', 'link_2.mass'])");
  return cls;
}

}  // namespace torsor::python
