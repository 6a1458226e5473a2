// torsor.Recording: series as arrays, figures, verdicts, files and the page.
#include "errors.hpp"
#include "parts.hpp"
#include "recording_object.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"
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

py::object columns(Recording& self, const Args& a) {
  const std::string name = read_text("name", a[0]);
  if (name == "t") return to_list({"t"});
  return to_list(series_of(self, name).columns);
}
py::object summary(Recording& self, const Args& a) {
  const RunSummary s = summarise(self, a[0] ? read_number("band", a[0]) : 0.01);
  py::dict out;
  for (const RunFigure& f : run_figures()) out[py::str(f.name)] = py::float_(s.*f.value);
  return out;
}
py::object joint_figures(Recording& self, const Args& a) {
  const double from = a[0] ? read_number("start", a[0]) : 0,
               band = a[1] ? read_number("band", a[1]) : 0.01;
  py::dict out;
  const Series& joints = self.of_joints();
  for (int k = 0; k < joints.width(); ++k) {
    const Metrics m = metrics(self, k, from, band);
    py::dict figures;
    for (const MetricFigure& f : metric_figures())
      figures[py::str(f.name)] = py::float_(m.*f.value);
    out[py::str(joints.label(k))] = figures;
  }
  return out;
}
py::object save(Recording& self, const Args& a) {
  save_recording(self, read_text("path", a[0]));
  return py::none();
}

py::object predictions(const Recording& r) {
  py::list list;
  for (const Comparison& c : compare_predictions(r))
    list.append(
        record("Prediction", {py::str(c.prediction.name), py::float_(c.prediction.value),
                              py::float_(c.observed), py::bool_(c.kept), py::bool_(c.covered)}));
  return list;
}
py::object outcome_rows(const Recording& r) {
  py::list list;
  for (const OutcomeRow& row : outcome(r))
    list.append(
        record("OutcomeRow", {py::str(row.name), py::str(name_of(row.verdict)),
                              py::float_(row.value), py::float_(row.bound), py::str(row.text)}));
  return list;
}

py::object load(const Args& a) {
  const std::string path = read_text("path", a[0]);
  auto recording = std::make_shared<Recording>();
  {
    const py::gil_scoped_release release;
    *recording = load_recording(path);
  }
  return py::cast(std::move(recording));
}

// The page about runs: [(name, recording)].
py::object page(const Args& a) {
  Report report;
  report.title = read_text("title", a[1]);
  report.sections.emplace_back();
  std::vector<std::shared_ptr<Recording>> kept;
  for (const py::handle item : py::iter(a[0])) {
    const py::tuple run(py::reinterpret_borrow<py::object>(item));
    kept.push_back(py::cast<std::shared_ptr<Recording>>(run[1]));
    report.sections[0].runs.push_back({read_text("name", run[0]), kept.back().get()});
  }
  if (a.has(2)) report.linear = linear_dofs(robot_of(a[2]).model());
  const py::gil_scoped_release release;
  const std::string text = report_page(report);
  const py::gil_scoped_acquire gil;
  return py::str(text);
}

}  // namespace

void bind_recording(py::module_& module) {
  py::class_<Recording, std::shared_ptr<Recording>> cls(
      module, "Recording",
      "The result of a simulation: a mapping of series to arrays, rows in time.\n\n"
      "recording[\"t\"] is the time, recording[\"q\"] has a row for each of them.");
  cls.def("__getitem__", &series_array);
  cls.def("__contains__", [](const Recording& r, const std::string& name) {
    return py::cast<bool>(keys(r).attr("__contains__")(name));
  });
  cls.def("__iter__", [](const Recording& r) { return py::iter(keys(r)); });
  cls.def("__len__", [](const Recording& r) { return py::len(keys(r)); });
  cls.def("keys", &keys, "Names of the series.");
  cls.def(py::pickle([](const Recording& r) { return py::bytes(recording_bytes(r)); },
                     [](const py::bytes& bytes) {
                       return std::make_shared<Recording>(
                           recording_from_bytes(std::string(bytes), "<pickle>"));
                     }));
  cls.def_property_readonly(
      "t", [](const Recording& r) { return to_array(r.t); }, "In s.");
  cls.def_readonly("robot", &Recording::robot, "Its name.");
  cls.def_readonly("controller", &Recording::controller, "Name of the law.");
  cls.def_readonly("message", &Recording::message, "One line where the run did not finish.");
  cls.def_readonly("period", &Recording::period, "In s, of sampled control; 0: continuous.");
  cls.def_readonly("integrator", &Recording::integrator, "That was used.");
  cls.def_readonly("evaluations", &Recording::evaluations, "Of the plant.");
  cls.def_readonly("steps", &Recording::steps, "Of the integrator.");
  cls.def_readonly("events", &Recording::events, "Changes of modes.");
  cls.def_property_readonly(
      "stop", [](const Recording& r) { return std::string(name_of(r.stop)); },
      "Why it ended: \"finished\", \"blow_up\", ...");
  cls.def_property_readonly(
      "diverged", [](const Recording& r) { return diverged(r); },
      "Whether it left everything that it was asked to do.");
  cls.def_property_readonly(
      "conditions", [](const Recording& r) { return condition_list(r.conditions); },
      "Of the law's proof, with the numbers of this run.");
  cls.def_property_readonly("predictions", &predictions, "Of the theory, beside what happened.");
  cls.def_property_readonly("outcome", &outcome_rows, "What the run came to, row by row.");
  method<&columns>(cls, "columns(name)", "Names of the columns of a series: \"q.joint_1\", ...");
  method<&summary>(cls, "summary(band=0.01)",
                   "Figures of the whole run: rms_error, settling_time, energy, ... as a dict.");
  method<&joint_figures>(cls, "joint_figures(start=0.0, band=0.01)",
                         "The figures of each joint: {joint: {figure: value}}.");
  method<&save>(
      cls, "save(path)",
      "Writes .csv (the series) or .trec (everything). torsor.load_recording reads both.");
  function<&load>(module, "load_recording(path)", "A recording from .csv or .trec.");
  function<&page>(module, "_page(runs, title, robot=None)", "One HTML page about runs.");
}

}  // namespace torsor::python
