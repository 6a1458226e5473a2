// torsor.Log and torsor.identify: measured motions, and the numbers of a robot from them.
#include "torsor/identification/identify.hpp"
#include "archive.hpp"
#include "errors.hpp"
#include "identification_object.hpp"
#include "robot_object.hpp"
#include "states.hpp"
#include "torsor/experiments/identification_report.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/model/text.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::python {
namespace {

struct PyIdentification {
  py::object robot;
  IdentifyOptions options;
  Identification found;
};

/// With what the map of its columns says of the motors and of the loop that drove them.
struct PyLog : MotionLog {
  Motors motors{};
  LoopGains controller{};
};

py::object repair_list(const std::vector<LogRepair>& repairs) {
  py::list list;
  for (const LogRepair& r : repairs)
    list.append(record(
        "Repair", {py::str(r.log), py::int_(r.first_row), py::int_(r.last_row), py::str(r.what)}));
  return list;
}

// Rows of arrays as a log: t or a period, q, qd, tau, q_ref.
py::object log_of_arrays(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  RawLog raw;
  raw.name = read_text("name", a[6]);
  if (a.has(1) && py::hasattr(a[1], "__len__"))
    raw.t = read_numbers("t", a[1]);
  else
    raw.period = read_number("t", a[1]);
  const struct {
    const char* what;
    int place;
    int* count;
  } parts[] = {
      {"q", 2, &raw.n_q}, {"qd", 4, &raw.n_qd}, {"tau", 3, &raw.n_tau}, {"q_ref", 5, &raw.n_ref}};
  std::vector<Rows> rows;
  int width = 0;
  py::ssize_t count = raw.t.empty() ? -1 : raw.t.size();
  for (const auto& part : parts) {
    rows.emplace_back();
    if (!a.has(part.place)) continue;
    rows.back() = read_rows(part.what, a[part.place]);
    const Rows& r = rows.back();
    if (r.count < 0 || r.size != model.n_v())
      throw Error(std::string(part.what) + " has the shape (" +
                  (r.count < 0 ? "" : std::to_string(r.count) + ", ") + std::to_string(r.size) +
                  (r.count < 0 ? ",)" : ")") + ", expected a row of " +
                  std::to_string(model.n_v()) + " for each sample");
    if (count >= 0 && r.count != count)
      throw Error(std::string(part.what) + " has " + std::to_string(r.count) + " rows, expected " +
                  std::to_string(count));
    count = r.count;
    *part.count = r.size;
    width += r.size;
    for (int k = 0; k < r.size; ++k)
      raw.columns.push_back(std::string(part.what) + "." + model.dof_name(k));
  }
  if (raw.n_q == 0 || raw.n_tau == 0) throw Error("a log needs q and tau");
  raw.values = Matrix(static_cast<int>(count), width);
  for (int i = 0; i < count; ++i) {
    int column = 0;
    for (const Rows& r : rows)
      for (int k = 0; k < r.size; ++k) raw.values(i, column++) = r[i].data[k];
  }
  for (const bool linear : linear_dofs(model)) raw.angle.push_back(!linear);
  MotionLog log;
  {
    const py::gil_scoped_release release;
    log = repaired(std::move(raw));
  }
  return py::cast(PyLog{std::move(log)});
}
py::object log_of_text(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  const std::string text = read_text("text", a[1]), name = read_text("name", a[2]);
  ColumnMap map = a.has(3) ? read_column_map(read_text("columns", a[3]), "columns") : ColumnMap{};
  map.find_reference = read_flag("reference", a[4]);
  MotionLog log;
  {
    const py::gil_scoped_release release;
    log = torsor::internal::read_log_text(text, name, model, map);
  }
  return py::cast(PyLog{std::move(log)});
}
// `columns` is the path of a map, `map` its text.
py::object log_of_file(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  const std::string path = read_text("path", a[1]);
  ColumnMap map = a.has(2)   ? load_column_map(read_text("columns", a[2]))
                  : a.has(3) ? read_column_map(read_text("columns", a[3]), "columns")
                             : ColumnMap{};
  map.find_reference = read_flag("reference", a[4]);
  LoadedLogs loaded;
  {
    const py::gil_scoped_release release;
    loaded = load_logs({path}, model, map);
  }
  return py::cast(PyLog{std::move(loaded.logs.at(0)), loaded.motors, loaded.controller});
}

const std::vector<std::string> estimator_words{
    "automatic",      "ordinary", "weighted",     "total", "robust",      "consistent",
    "joint_by_joint", "power",    "instrumental", "didim", "output_error"};

std::vector<MotionLog> read_logs(py::handle value) {
  std::vector<MotionLog> logs;
  if (value && !value.is_none())
    for (const py::handle log : py::iter(value)) logs.push_back(py::cast<const PyLog&>(log));
  return logs;
}

double bounded(const char* what, py::handle value, double least, double largest) {
  const double x = read_number(what, value);
  if (!(x >= least && x <= largest))
    throw Error(std::string(what) + " is " + number(x) + ", expected " + number(least) + " to " +
                number(largest));
  return x;
}
const py::dict dict_of(const char* what, py::handle value) {
  if (!py::isinstance<py::dict>(value)) throw Error(std::string(what) + " is no dict of links");
  return py::reinterpret_borrow<py::dict>(value);
}
LinkKnowledge& link_of(std::vector<LinkKnowledge>& links, const std::string& name) {
  for (LinkKnowledge& link : links)
    if (link.link == name) return link;
  links.emplace_back();
  links.back().link = name;
  return links.back();
}
// {frame: None or kg or (kg or None, numbers of logs)}
PayloadUnknown payload_of(const std::string& frame, py::handle value, std::size_t logs) {
  PayloadUnknown load;
  load.frame = frame;
  py::object mass = py::reinterpret_borrow<py::object>(value);
  if (py::isinstance<py::tuple>(value)) {
    const auto pair = py::reinterpret_borrow<py::tuple>(value);
    if (pair.size() != 2) throw Error("payload \"" + frame + "\" is no pair (kg, logs)");
    mass = pair[0];
    for (const double k : read_numbers("logs of the payload", pair[1])) {
      if (!(k >= 0 && k < static_cast<double>(logs)))
        throw Error("payload \"" + frame + "\": there is no log " + number(k));
      load.logs.push_back(static_cast<int>(k));
    }
  }
  if (!mass.is_none()) load.mass = bounded("mass of the payload", mass, 1e-9, 1e9);
  return load;
}
// Options that are seldom given: those of the command under its words.
void read_options(const py::dict& given, std::size_t logs, IdentifyOptions& o) {
  for (const auto& [key, value] : given) {
    const std::string word = py::str(key);
    const char* const what = word.c_str();
    if (value.is_none()) continue;
    if (word == "filter") {
      const int k = read_word(what, value, {"butterworth", "savitzky_golay", "fourier", "none"});
      if (k == 1) o.filter.derivatives = FilterOptions::Derivatives::savitzky_golay;
      o.periodic = k == 2;
      o.filter.low_pass = k != 3;
    } else if (word == "motion_period") {
      o.motion_period = bounded(what, value, 1e-6, 1e6);
    } else if (word == "decimate") {
      o.filter.decimation = static_cast<int>(bounded(what, value, 1, 1e6));
    } else if (word == "least_speed") {
      o.least_speed = bounded(what, value, 0, 1e6);
    } else if (word == "use_velocities") {
      o.filter.use_velocities = read_flag(what, value);
    } else if (word == "force_width") {
      o.force_width = read_flag(what, value);
    } else if (word == "block") {
      o.block = bounded(what, value, 1e-3, 1e6);
    } else if (word == "gamma") {
      o.consistency.gamma = bounded(what, value, 1e-12, 1e12);
    } else if (word == "payload_only") {
      o.payload_only = read_flag(what, value);
    } else if (word == "payloads") {
      for (const auto& [frame, load] : dict_of(what, value))
        o.payloads.push_back(payload_of(py::str(frame), load, logs));
    } else if (word == "mass") {
      const bool pair = py::isinstance<py::tuple>(value);
      const Array<double> x = pair ? read_numbers(what, value) : Array<double>{};
      if (pair && x.size() != 2) throw Error("mass is no pair (kg, sigma)");
      o.consistency.total_mass = pair ? x[0] : bounded(what, value, 1e-9, 1e9);
      if (pair) o.consistency.total_mass_sigma = x[1];
      if (!(o.consistency.total_mass > 0) || !(o.consistency.total_mass_sigma >= 0))
        throw Error("mass is above 0 kg, its sigma not below");
    } else if (word == "link_masses") {
      for (const auto& [name, bounds] : dict_of(what, value)) {
        const Array<double> x = read_numbers(what, bounds);
        if (x.size() != 2 || !(x[0] >= 0 && x[1] >= x[0]))
          throw Error("link_masses of \"" + std::string(py::str(name)) +
                      "\" are no pair (least, largest)");
        LinkKnowledge& link = link_of(o.consistency.links, py::str(name));
        link.least_mass = x[0], link.largest_mass = x[1];
      }
    } else if (word == "link_ellipsoids") {
      for (const auto& [name, parts] : dict_of(what, value)) {
        const Eigen::MatrixXd x = read_matrix(what, parts);
        if (x.rows() != 2 || x.cols() != 3 || !(x.row(1).minCoeff() > 0))
          throw Error("link_ellipsoids of \"" + std::string(py::str(name)) +
                      "\" are no (centre, half axes), three numbers each");
        LinkKnowledge& link = link_of(o.consistency.links, py::str(name));
        link.centre = {x(0, 0), x(0, 1), x(0, 2)}, link.half_axes = {x(1, 0), x(1, 1), x(1, 2)};
      }
    }
  }
}

py::object identify_logs(const Args& a) {
  auto out = std::make_unique<PyIdentification>();
  out->robot = py::reinterpret_borrow<py::object>(a[0]);
  const Model<double>& model = robot_of(a[0]).model();
  const std::vector<MotionLog> logs = read_logs(a[1]), validation = read_logs(a[2]);
  IdentifyOptions& o = out->options;
  o.estimator = static_cast<Estimator>(read_word("estimator", a[3], estimator_words));
  if (a.has(4)) o.unknowns = read_texts("unknowns", a[4]);
  if (a.has(5)) o.filter.cutoff = read_number("cutoff", a[5]);
  if (a.has(6)) o.split = bounded("split", a[6], 0, 1);
  o.bootstrap = read_whole<int>("bootstrap", a[7]);
  if (o.bootstrap < 0)
    throw Error("bootstrap is " + std::to_string(o.bootstrap) + ", expected 0 or more");
  o.seed = read_whole<unsigned>("seed", a[8]);
  o.threads = read_threads(a[9]);
  if (a.has(10)) o.sign_width = read_number("sign_width", a[10]);
  o.find_delay = read_flag("find_delay", a[11]);
  o.periodic = read_flag("periodic", a[12]);
  if (a.has(13)) {
    if (!py::isinstance<py::dict>(a[13]))
      throw Error("choice is " + std::string(py::repr(a[13])) +
                  ", expected a dict such as {\"inertial\": True, \"stiction\": False}");
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(a[13])) {
      const std::string word = py::str(key);
      bool* const flags[] = {&o.choice.inertial,       &o.choice.rotors, &o.choice.viscous,
                             &o.choice.coulomb,        &o.choice.offset, &o.choice.asymmetry,
                             &o.choice.stiction,       &o.choice.load,   &o.choice.springs,
                             &o.choice.spring_dampers, &o.choice.motors};
      *flags[read_word("unknown", key,
                       {"inertial", "rotors", "viscous", "coulomb", "offset", "asymmetry",
                        "stiction", "load", "springs", "spring_dampers", "motors"})] =
          read_flag(word.c_str(), value);
    }
  }
  o.filter.low_pass = read_flag("low_pass", a[14]);
  read_options(py::reinterpret_borrow<py::dict>(a[15]), logs.size(), o);
  LoopGains gains;
  for (const py::handle log : py::iter(a[1])) {  // one map for all of them
    const PyLog& first = py::cast<const PyLog&>(log);
    o.motors = first.motors, gains = first.controller;
    break;
  }
  Progress progress(a[16]);
  if (simulates(o.estimator))
    o.simulate = reference_simulator(
        {.gains = gains, .go_on = [&] { return !progress.interrupt().stopped(); }});
  {
    const py::gil_scoped_release release;
    try {
      out->found =
          identify(model, logs, validation, o, [&](double share) { return progress.go_on(share); });
    } catch (const Error&) {
      if (!progress.interrupt().stopped()) throw;
    }
  }
  o.simulate = {};
  if (!out->found.stopped) progress.interrupt().rethrow();
  const py::object made = py::cast(std::move(out));
  progress.interrupt().rethrow(made);
  return made;
}

py::object parameter_list(const Array<IdentifiedParameter>& parameters) {
  py::list list;
  for (const IdentifiedParameter& p : parameters)
    list.append(
        record("IdentifiedParameter",
               {py::str(p.name), py::str(p.formula), py::str(p.unit), py::float_(p.value),
                py::float_(p.sigma), py::float_(p.low), py::float_(p.high),
                py::float_(p.classical_sigma), py::float_(p.before), py::bool_(p.determined)}));
  return list;
}
py::object residual(const Residual& r) {
  return record("Residual", {py::float_(r.all), to_array(r.joints)});
}
py::object write_back_robot(PyIdentification& self, const Args& a) {
  const bool inconsistent = a[0] && read_flag("inconsistent", a[0]);
  const Model<double>& model = robot_of(self.robot).model();
  WriteBack made;
  Robot robot = unlocked([&] {
    made = write_back(model, self.options, self.found, {.inconsistent = inconsistent});
    if (!made.ok()) throw Error(made.message);
    Model<double> written(made.robot);
    if (!made.described) written = with_parameters(written, made.inertial);
    return Robot(std::move(written));
  });
  return record("WriteBack",
                {new_robot(std::move(robot)), py::bool_(made.consistent), to_list(made.notes)});
}
py::bytes log_bytes(const PyLog& log) {
  Archive archive("torsor.Log");
  PyLog same = log;
  archive(static_cast<MotionLog&>(same), same.motors, same.controller);
  return py::bytes(archive.bytes());
}
PyLog log_of_bytes(const py::bytes& bytes) {
  Archive archive("torsor.Log", bytes);
  PyLog log;
  archive(static_cast<MotionLog&>(log), log.motors, log.controller);
  archive.end();
  return log;
}
py::tuple identification_state(const PyIdentification& i) {
  Archive archive("torsor.Identification");
  IdentifyOptions options = i.options;
  Identification found = i.found;
  archive(options, found);
  return py::make_tuple(i.robot, py::bytes(archive.bytes()));
}
std::unique_ptr<PyIdentification> identification_of(const py::tuple& state) {
  Archive archive("torsor.Identification",
                  state.size() == 2 ? py::cast<std::string>(state[1]) : std::string());
  auto made = std::make_unique<PyIdentification>();
  made->robot = state[0];
  (void)robot_of(made->robot);
  archive(made->options, made->found);
  archive.end();
  return made;
}
py::object page(PyIdentification& self, const Args&) {
  const Model<double>& model = robot_of(self.robot).model();
  return py::str(unlocked([&] { return identification_page(model, self.found); }));
}

}  // namespace

void bind_logs(py::module_& module) {
  py::class_<PyLog>(module, "Log",
                    R"(A measured motion, repaired: evenly spaced stretches. torsor.log makes it.

>>> t = np.arange(200) * 0.01
>>> q = np.column_stack([np.sin(t), np.cos(t)])
>>> log = torsor.log("pointmass2r", t=t, q=q, tau=0 * q)
>>> len(log), log.period, log.repairs
(200, 0.01, []))")
      .def_readonly("name", &MotionLog::name, "For messages.")
      .def_readonly("period", &MotionLog::period, "s, between samples.")
      .def_property_readonly(
          "t", [](const PyLog& l) { return to_array(l.t); }, "s.")
      .def_property_readonly(
          "q", [](const PyLog& l) { return to_array(l.q); }, "Positions.")
      .def_property_readonly(
          "qd", [](const PyLog& l) { return to_array(l.qd); },
          "Velocities; no rows where they were not logged.")
      .def_property_readonly(
          "tau", [](const PyLog& l) { return to_array(l.tau); }, "Torques.")
      .def_property_readonly(
          "repairs", [](const PyLog& l) { return repair_list(l.repairs); },
          "What was wrong with rows, and what was done about it.")
      .def("__len__", [](const PyLog& l) { return l.size(); })
      .def("__copy__", &itself)
      .def("__deepcopy__", &itself_deep)
      .def(py::pickle(&log_bytes, &log_of_bytes))
      .def("__repr__", [](const PyLog& l) {
        return "<torsor.Log \"" + l.name + "\": " + std::to_string(l.size()) + " samples, " +
               std::to_string(l.repairs.size()) + " repairs>";
      });
  function<&log_of_arrays>(module, "_log_of_arrays(robot, t, q, tau, qd, q_ref, name)", "A Log.");
  function<&log_of_text>(module, "_log_of_text(robot, text, name, columns, reference)", "A Log.");
  function<&log_of_file>(module, "_log_of_file(robot, path, columns, map, reference)", "A Log.");
  function<&identify_logs>(module,
                           "_identify(robot, logs, validation, estimator, unknowns, cutoff, split, "
                           "bootstrap, seed, threads, "
                           "sign_width, find_delay, periodic, choice, low_pass, options, progress)",
                           "torsor.identify with every argument.");

  using Class = py::class_<PyIdentification>;
  Class cls(module, "Identification",
            R"(The numbers of a robot from measured motions, by torsor.identify.

`parameters` have intervals, `train` and `validation` are residuals in per cent, `repairs` and `notes`
say what a reader has to know.

>>> robot = torsor.Robot("pointmass2r")
>>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
>>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
>>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
>>> found = torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0)
>>> [round(p.value, 2) for p in found.parameters if p.name in ("link_2.mx", "link_2.zz")]
[0.8, 0.64])");
  const auto add = [&](const char* name, auto get, const char* doc) {
    cls.def_property_readonly(name, get, doc);
  };
  add(
      "robot", [](const PyIdentification& i) { return i.robot; }, "The robot as it was given.");
  add(
      "estimator",
      [](const PyIdentification& i) { return std::string(name_of(i.found.estimator)); },
      "That was used.");
  add(
      "method", [](const PyIdentification& i) { return i.found.method; }, "One line.");
  add(
      "filter", [](const PyIdentification& i) { return i.found.filter; }, "One line.");
  add(
      "base", [](const PyIdentification& i) { return base_record(i.found.base, {}); },
      "What the logs determine.");
  add(
      "parameters", [](const PyIdentification& i) { return parameter_list(i.found.parameters); },
      "Base parameters, friction, ... with intervals.");
  add(
      "links", [](const PyIdentification& i) { return parameter_list(i.found.links); },
      "Ten of each body, where the estimator gives them.");
  add(
      "names", [](const PyIdentification& i) { return to_list(i.found.names); },
      "Of all unknowns.");
  add(
      "x", [](const PyIdentification& i) { return to_array(i.found.x); }, "All unknowns.");
  add(
      "train", [](const PyIdentification& i) { return residual(i.found.train); },
      "Residual in per cent: (all, joints).");
  add(
      "validation",
      [](const PyIdentification& i) -> py::object {
        return i.found.validated ? residual(i.found.validation) : py::none();
      },
      "The same of other motions; None without any.");
  add(
      "mass", [](const PyIdentification& i) { return i.found.mass; }, "Of the bodies, kg.");
  add(
      "condition", [](const PyIdentification& i) { return i.found.condition; }, "Of the columns.");
  add(
      "consistent", [](const PyIdentification& i) { return i.found.consistent; },
      "Whether all bodies can exist.");
  add(
      "not_essential", [](const PyIdentification& i) { return to_list(i.found.not_essential); },
      "Parameters without which the fit is as good.");
  add(
      "notes", [](const PyIdentification& i) { return to_list(i.found.notes); },
      "What a reader has to know.");
  add(
      "repairs", [](const PyIdentification& i) { return repair_list(i.found.repairs); },
      "What was wrong with rows of the logs.");
  add(
      "series",
      [](const PyIdentification& i) {
        py::list list;
        for (const TorqueSeries& s : i.found.series)
          list.append(record("TorqueSeries", {py::str(s.log), to_array(s.t), to_array(s.measured),
                                              to_array(s.predicted), to_array(s.half_width),
                                              py::bool_(s.validation)}));
        return list;
      },
      "Torques measured and of the model, log by log.");
  cls.def("__repr__", [](const PyIdentification& i) {
    return "<torsor.Identification by " + std::string(name_of(i.found.estimator)) + ": " +
           std::to_string(i.found.parameters.size()) + " parameters, residual " +
           short_number(i.found.train.all) + " %>";
  });
  cls.def("__copy__", &itself);
  cls.def("__deepcopy__", &itself_deep);
  cls.def(py::pickle(&identification_state, &identification_of));
  method<&write_back_robot>(
      cls, "write_back(inconsistent=False)",
      R"(The robot with these numbers: a named tuple (robot, consistent, notes).

>>> robot = torsor.Robot("pointmass2r")
>>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
>>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
>>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
>>> found = torsor.identify(robot.with_parameters(0.7 * robot.parameters), t=t, q=q, tau=tau,
...                         bootstrap=0)
>>> float(found.write_back().robot.gravity_torque([0, 0])[1].round(2))  # 9.81 * 0.8
7.85)");
  method<&page>(cls, "page()", R"(One self-contained HTML page about it.

>>> robot = torsor.Robot("pointmass2r")
>>> t, w = np.arange(2000) * 0.005, np.array([2.0, 3.0])
>>> q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
>>> tau = robot.inverse_dynamics(q, qd, -w * w * q)
>>> torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=0).page().startswith("<!")
True)");
}

}  // namespace torsor::python
