// torsor.Log and torsor.identify: measured motions, and the numbers of a robot from them.
#include "torsor/identification/identify.hpp"
#include "errors.hpp"
#include "identification_object.hpp"
#include "robot_object.hpp"
#include "torsor/experiments/identification_report.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::python {
namespace {

struct PyIdentification {
  py::object robot;
  IdentifyOptions options;
  Identification found;
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
                  "), expected a row of " + std::to_string(model.n_v()) + " for each sample");
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
  return py::cast(std::move(log));
}
py::object log_of_text(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  const std::string text = read_text("text", a[1]), name = read_text("name", a[2]);
  const ColumnMap map =
      a.has(3) ? read_column_map(read_text("columns", a[3]), "columns") : ColumnMap{};
  MotionLog log;
  {
    const py::gil_scoped_release release;
    log = torsor::internal::read_log_text(text, name, model, map);
  }
  return py::cast(std::move(log));
}
py::object log_of_file(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  const std::string path = read_text("path", a[1]);
  const ColumnMap map = a.has(2) ? load_column_map(read_text("columns", a[2])) : ColumnMap{};
  MotionLog log;
  {
    const py::gil_scoped_release release;
    log = load_log(path, model, map);
  }
  return py::cast(std::move(log));
}

const std::vector<std::string> estimator_words{
    "automatic",      "ordinary", "weighted",     "total", "robust",      "consistent",
    "joint_by_joint", "power",    "instrumental", "didim", "output_error"};

std::vector<MotionLog> read_logs(py::handle value) {
  std::vector<MotionLog> logs;
  if (value && !value.is_none())
    for (const py::handle log : py::iter(value)) logs.push_back(py::cast<const MotionLog&>(log));
  return logs;
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
  if (a.has(6)) o.split = read_number("split", a[6]);
  o.bootstrap = static_cast<int>(read_integer("bootstrap", a[7]));
  o.seed = static_cast<unsigned>(read_integer("seed", a[8]));
  o.threads = static_cast<int>(read_integer("threads", a[9]));
  if (a.has(10)) o.sign_width = read_number("sign_width", a[10]);
  o.find_delay = read_flag("find_delay", a[11]);
  o.periodic = read_flag("periodic", a[12]);
  if (a.has(13)) {
    const py::dict effects = py::reinterpret_borrow<py::dict>(a[13]);
    for (const auto& [key, value] : effects) {
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
  Progress progress(a[15]);
  if (simulates(o.estimator))
    o.simulate = reference_simulator({.go_on = [&] { return !progress.interrupt().stopped(); }});
  {
    const py::gil_scoped_release release;
    try {
      out->found =
          identify(model, logs, validation, o, [&](double share) { return progress.go_on(share); });
    } catch (const Error&) {
      if (!progress.interrupt().stopped()) throw;
    }
  }
  progress.interrupt().rethrow();
  o.simulate = {};
  return py::cast(std::move(out));
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
  const WriteBack made =
      write_back(model, self.options, self.found, {.inconsistent = inconsistent});
  if (!made.ok()) throw Error(made.message);
  Model<double> robot(made.robot);
  if (!made.described) robot = with_parameters(robot, made.inertial);
  return record("WriteBack", {new_robot(Robot(std::move(robot))), py::bool_(made.consistent),
                              to_list(made.notes)});
}
py::object page(PyIdentification& self, const Args&) {
  return py::str(identification_page(robot_of(self.robot).model(), self.found));
}

}  // namespace

void bind_logs(py::module_& module) {
  py::class_<MotionLog>(module, "Log", "A measured motion, repaired: evenly spaced stretches.")
      .def_readonly("name", &MotionLog::name, "For messages.")
      .def_readonly("period", &MotionLog::period, "s, between samples.")
      .def_property_readonly(
          "t", [](const MotionLog& l) { return to_array(l.t); }, "s.")
      .def_property_readonly(
          "q", [](const MotionLog& l) { return to_array(l.q); }, "Positions.")
      .def_property_readonly(
          "qd", [](const MotionLog& l) { return to_array(l.qd); },
          "Velocities; no rows where they were not logged.")
      .def_property_readonly(
          "tau", [](const MotionLog& l) { return to_array(l.tau); }, "Torques.")
      .def_property_readonly(
          "repairs", [](const MotionLog& l) { return repair_list(l.repairs); },
          "What was wrong with rows, and what was done about it.")
      .def("__len__", [](const MotionLog& l) { return l.size(); })
      .def("__repr__", [](const MotionLog& l) {
        return "<torsor.Log \"" + l.name + "\": " + std::to_string(l.size()) + " samples, " +
               std::to_string(l.repairs.size()) + " repairs>";
      });
  function<&log_of_arrays>(module, "_log_of_arrays(robot, t, q, tau, qd, q_ref, name)", "A Log.");
  function<&log_of_text>(module, "_log_of_text(robot, text, name, columns)", "A Log.");
  function<&log_of_file>(module, "_log_of_file(robot, path, columns)", "A Log.");
  function<&identify_logs>(module,
                           "_identify(robot, logs, validation, estimator, unknowns, cutoff, split, "
                           "bootstrap, seed, threads, "
                           "sign_width, find_delay, periodic, choice, low_pass, progress)",
                           "torsor.identify with every argument.");

  using Class = py::class_<PyIdentification>;
  Class cls(module, "Identification", "The numbers of a robot from measured motions.");
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
           std::string(py::str(py::float_(i.found.train.all))) + " %>";
  });
  method<&write_back_robot>(
      cls, "write_back(inconsistent=False)",
      "The robot with these numbers: a named tuple (robot, consistent, notes).");
  method<&page>(cls, "page()", "One self-contained HTML page about it.");
}

}  // namespace torsor::python
