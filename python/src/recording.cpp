// torsor.Recording: series as arrays, figures, verdicts, files and the page.
#include "errors.hpp"
#include "parts.hpp"
#include "recording_object.hpp"
#include "robot_object.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/sim/internal/recorded_units.hpp"
#include "torsor/sim/outcome.hpp"
#include "torsor/sim/run_summary.hpp"

namespace torsor::python {
namespace {

const Series& series_of(const Recording& r, const std::string& name) {
  for (const Series* s : r.series())
    if (s->name == name && s->width() > 0) return *s;
  std::string known;
  for (const Series* s : r.series())
    if (s->width() > 0) known += ", " + s->name;
  throw py::key_error("the recording has no \"" + name + "\"; it has t" + known);
}
py::object series_array(const Recording& r, const std::string& name) {
  if (name == "t") return to_array(r.t);
  const Series& s = series_of(r, name);
  py::object out = new_array(s.rows(), Shape::vector(s.width()));
  std::copy(s.data.begin(), s.data.end(), data_of(out));
  return out;
}
py::list keys(const Recording& r) {
  py::list list;
  list.append("t");
  for (const Series* s : r.series())
    if (s->width() > 0) list.append(py::str(s->name));
  return list;
}

py::object columns(PyRecording& self, const Args& a) {
  const std::string name = read_text("name", a[0]);
  if (name == "t") return to_list({"t"});
  return to_list(series_of(self, name).columns);
}
py::object units(PyRecording& self, const Args& a) {
  const std::string name = read_text("name", a[0]);
  if (name == "t") return to_list({"s"});
  const Series& s = series_of(self, name);
  const Model<double>* robot = self.plant.is_none() ? nullptr : &robot_of(self.plant).model();
  const internal::RecordedUnits units(self, {}, robot);
  std::vector<std::string> list;
  for (int k = 0; k < s.width(); ++k) list.push_back(units.of(s, k));
  return to_list(list);
}
py::object summary(PyRecording& self, const Args& a) {
  const double band = a[0] ? read_number("band", a[0]) : 0.01;
  const RunSummary s = unlocked([&] { return summarise(self, band); });
  py::dict out;
  for (const RunFigure& f : run_figures()) out[py::str(f.name)] = py::float_(s.*f.value);
  return out;
}
py::object joint_figures(PyRecording& self, const Args& a) {
  const double from = a[0] ? read_number("start", a[0]) : 0,
               band = a[1] ? read_number("band", a[1]) : 0.01;
  py::dict out;
  const Series& joints = self.of_joints();
  for (int k = 0; k < joints.width(); ++k) {
    const Metrics m = unlocked([&] { return metrics(self, k, from, band); });
    py::dict figures;
    for (const MetricFigure& f : metric_figures())
      figures[py::str(f.name)] = py::float_(m.*f.value);
    out[py::str(joints.label(k))] = figures;
  }
  return out;
}
py::object save(PyRecording& self, const Args& a) {
  const std::string path = read_text("path", a[0]);
  unlocked([&] { save_recording(self, path); });
  return py::none();
}

py::object predictions(const Recording& r) {
  py::list list;
  for (const Comparison& c : unlocked([&] { return compare_predictions(r); }))
    list.append(
        record("Prediction", {py::str(c.prediction.name), py::float_(c.prediction.value),
                              py::float_(c.observed), py::bool_(c.kept), py::bool_(c.covered)}));
  return list;
}
py::object outcome_rows(const Recording& r) {
  py::list list;
  for (const OutcomeRow& row : unlocked([&] { return outcome(r); }))
    list.append(
        record("OutcomeRow", {py::str(row.name), py::str(name_of(row.verdict)),
                              py::float_(row.value), py::float_(row.bound), py::str(row.text)}));
  return list;
}

py::object load(const Args& a) {
  const std::string path = read_text("path", a[0]);
  auto recording = std::make_shared<PyRecording>();
  static_cast<Recording&>(*recording) = unlocked([&] { return load_recording(path); });
  recording->facts = {{"recording", internal::file_with_hash(path)}};
  return py::cast(std::move(recording));
}

// The page about runs: [(name, recording)]. The robot is the one that is given, or the first run's.
py::object page(const Args& a) {
  Report report;
  report.title = read_text("title", a[1]);
  report.text = read_text("text", a[2]);
  report.facts = read_facts(a[3]);
  ReportSection& section = report.sections.emplace_back();
  std::vector<std::shared_ptr<PyRecording>> kept;
  for (const py::handle item : py::iter(a[0])) {
    const py::tuple run(py::reinterpret_borrow<py::object>(item));
    kept.push_back(py::cast<std::shared_ptr<PyRecording>>(run[1]));
    section.runs.push_back({read_text("name", run[0]), kept.back().get()});
  }
  if (kept.empty()) throw Error("there are no runs to show");
  const py::handle plant = a.has(4) ? a[4] : kept[0]->plant;
  if (!plant.is_none()) {
    const Model<double>& model = robot_of(plant).model();
    for (const ReportRun& run : section.runs)
      if (run.recording->q.width() != model.n_q())
        throw Error("run " + in_quotes(run.name) + " has " +
                    std::to_string(run.recording->q.width()) + " coordinates, robot " +
                    in_quotes(model.name()) + " " + std::to_string(model.n_q()));
    section.robot = &model;
    report.linear = linear_dofs(model);
  }
  section.surfaces = kept[0]->surfaces;
  report.torque_limit = kept[0]->torque_limit;
  return py::str(unlocked([&] { return report_page(report); }));
}

py::tuple pickled(const PyRecording& r) {
  py::list surfaces;
  for (const Surface& s : r.surfaces) surfaces.append(surface_dict(s));
  const std::string bytes = unlocked([&] { return recording_bytes(r); });
  return py::make_tuple(py::bytes(bytes), r.plant, surfaces, to_array(r.torque_limit),
                        fact_list(r.facts));
}
std::shared_ptr<PyRecording> unpickled(const py::tuple& state) {
  if (state.size() != 5) throw Error("this is no pickled torsor.Recording");
  auto r = std::make_shared<PyRecording>();
  const auto bytes = py::cast<std::string>(state[0]);
  static_cast<Recording&>(*r) = unlocked([&] { return recording_from_bytes(bytes, "<pickle>"); });
  r->plant = state[1];
  for (const py::handle s : py::iter(state[2])) r->surfaces.push_back(read_surface(s));
  const Array<double> limit = read_numbers("torque_limit", state[3]);
  r->torque_limit.assign(limit.begin(), limit.end());
  r->facts = read_facts(state[4]);
  return r;
}

// The robot by name, its file and the hash of it.
py::object robot_facts(const Args& a) {
  const PyRobot& robot = robot_of(a[0]);
  std::vector<RunFact> facts{{"robot", one_line(robot.robot().name())}};
  facts.push_back(robot.source().empty() ? RunFact{"robot file", "none: made in Python"}
                                         : internal::robot_file_fact(robot.source()));
  return fact_list(facts);
}
py::object facts_of_scenario(const Args& a) {
  return fact_list(scenario_facts(read_text("text", a[0]), one_line(read_text("file", a[1]))));
}

}  // namespace

std::vector<RunFact> read_facts(py::handle rows) {
  std::vector<RunFact> facts;
  for (const py::handle row : py::iter(rows)) {
    const py::tuple pair(py::reinterpret_borrow<py::object>(row));
    facts.push_back({py::cast<std::string>(pair[0]), one_line(py::cast<std::string>(pair[1]))});
  }
  return facts;
}
py::list fact_list(const std::vector<RunFact>& facts) {
  py::list list;
  for (const RunFact& f : facts) list.append(py::make_tuple(f.name, f.value));
  return list;
}

void bind_recording(py::module_& module) {
  py::class_<PyRecording, std::shared_ptr<PyRecording>> cls(
      module, "Recording",
      R"(The result of a simulation: a mapping of series to arrays, rows in time.

recording["t"] is the time, recording["q"] has a row for each of them.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> run.stop, run.controller, float(run.t[-1]), run["q"].shape
('finished', 'pd_gravity', 3.0, (301, 2)))");
  cls.def("__getitem__", [](const PyRecording& r, const py::object& name) {
    if (!py::isinstance<py::str>(name))
      throw py::key_error("a series is " + std::string(py::repr(name)) + ", expected its name");
    return series_array(r, read_text("name", name));
  });
  cls.def("__contains__", [](const PyRecording& r, const py::object& name) {
    return py::cast<bool>(keys(r).attr("__contains__")(name));
  });
  cls.def("__repr__", [](const PyRecording& r) {
    return "<torsor.Recording of " + r.controller + " on \"" + r.robot +
           "\": " + std::to_string(r.t.size()) + " rows, " + name_of(r.stop) + ">";
  });
  cls.def("__iter__", [](const PyRecording& r) { return py::iter(keys(r)); });
  cls.def("__len__", [](const PyRecording& r) { return py::len(keys(r)); });
  cls.def(
      "keys", [](const PyRecording& r) { return keys(r); },
      R"(Names of the series.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> list(run.keys())[:4]
['t', 'q', 'qd', 'qdd'])");
  cls.def(py::pickle(&pickled, &unpickled));
  cls.def_property_readonly(
      "t", [](const PyRecording& r) { return to_array(r.t); }, "In s.");
  cls.def_readonly("robot", &PyRecording::robot, "Its name.");
  cls.def_readonly("controller", &PyRecording::controller, "Name of the law.");
  cls.def_readonly("message", &PyRecording::message, "One line where the run did not finish.");
  cls.def_readonly("period", &PyRecording::period, "In s, of sampled control; 0: continuous.");
  cls.def_readonly("integrator", &PyRecording::integrator, "That was used.");
  cls.def_readonly("evaluations", &PyRecording::evaluations, "Of the plant.");
  cls.def_readonly("steps", &PyRecording::steps, "Of the integrator.");
  cls.def_readonly("events", &PyRecording::events, "Changes of modes.");
  cls.def_property_readonly(
      "stop", [](const PyRecording& r) { return std::string(name_of(r.stop)); },
      "Why it ended: \"finished\", \"blow_up\", ...");
  cls.def_property_readonly(
      "diverged", [](const PyRecording& r) { return diverged(r); },
      "Whether it left everything that it was asked to do.");
  cls.def_property_readonly(
      "conditions", [](const PyRecording& r) { return condition_list(r.conditions); },
      "Of the law's proof, with the numbers of this run.");
  cls.def_property_readonly(
      "predictions", [](const PyRecording& r) { return predictions(r); },
      "Of the theory, beside what happened.");
  cls.def_property_readonly(
      "outcome", [](const PyRecording& r) { return outcome_rows(r); },
      "What the run came to, row by row.");
  method<&columns>(cls, "columns(name)", R"(Names of the columns of a series.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> run.columns("q")
['q.joint_1', 'q.joint_2'])");
  method<&units>(cls, "units(name)",
                 R"(What the columns of a series are in, "" where nothing tells it.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> run.units("tau")
['N m', 'N m'])");
  method<&summary>(cls, "summary(band=0.01)",
                   R"(Figures of the whole run: rms_error, settling_time, energy, ... as a dict.

The scenario asks for steps of 0.3 rad at rest, of which PD with gravity leaves nothing.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> round(run.summary()["max_error"], 3), run.summary()["final_error"] < 1e-6
(0.3, True))");
  method<&joint_figures>(cls, "joint_figures(start=0.0, band=0.01)",
                         R"(The figures of each joint: {joint: {figure: value}}.

>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> list(run.joint_figures())
['joint_1', 'joint_2'])");
  method<&save>(cls, "save(path)",
                R"(Writes .csv (the series) or .trec (everything). torsor.load_recording reads both.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "run.csv")
>>> run = torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r"))
>>> run.save(path)
>>> bool(np.array_equal(torsor.load_recording(path)["q"], run["q"]))
True)");
  function<&load>(module, "load_recording(path)", R"(A recording from .csv or .trec.

>>> import os, tempfile
>>> path = os.path.join(tempfile.mkdtemp(), "run.trec")
>>> torsor.run_scenario(torsor.new_scenario("pd_gravity", "pointmass2r")).save(path)
>>> torsor.load_recording(path).controller
'pd_gravity')");
  cls.def_property_readonly(
      "facts", [](const PyRecording& r) { return fact_list(r.facts); },
      "What was run, as pages tell it: rows of (name, value).");
  cls.def_property_readonly(
      "torque_limit", [](const PyRecording& r) { return to_array(r.torque_limit); },
      "Of each motor, in N m or N; empty where there was none.");
  cls.def_readonly("plant", &PyRecording::plant,
                   "The Robot that moved; None of a recording from a file.");
  function<&page>(module, "_page(runs, title, text, facts, robot=None)",
                  "One HTML page about runs.");
  function<&robot_facts>(module, "_robot_facts(robot)", "Its name and file: [(name, value)].");
  function<&facts_of_scenario>(module, "_scenario_facts(text, file)",
                               "What a scenario says: [(name, value)].");
}

}  // namespace torsor::python
