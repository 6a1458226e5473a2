// Simulations, scenarios, comparisons and sweeps.
#include "errors.hpp"
#include "parts.hpp"
#include "recording_object.hpp"
#include "states.hpp"
#include "torsor/batch/sweep.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/experiments/internal/sweep_cases.hpp"
#include "torsor/experiments/new_scenario.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/experiments/scenario_keys.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/sim/experiment.hpp"
#include "torsor/sim/simulate.hpp"
#include "trajectory_object.hpp"

namespace torsor::python {
namespace {

const std::vector<std::string> integrator_words{"taylor", "semi_implicit_euler", "rk4",
                                                "dormand_prince5", "dormand_prince8"};

// By the places of simulate's signature.
SimulateOptions read_options(const Args& a, int n_v) {
  SimulateOptions o;
  const auto number = [&](const char* what, int k, double& to) {
    if (a.has(k)) to = read_number(what, a[k]);
  };
  const auto spread = [&](const char* what, int k, Array<double>& to) {  // one number: for all
    if (!a.has(k)) return;
    const bool one = !py::hasattr(a[k], "__len__");
    to = one ? Array<double>(n_v, read_number(what, a[k])) : read_numbers(what, a[k]);
  };
  number("duration", 3, o.duration);
  if (a.has(4)) o.q0 = read_numbers("q0", a[4]);
  if (a.has(5)) o.v0 = read_numbers("qd0", a[5]);
  number("start", 6, o.start);
  number("period", 7, o.period);
  number("delay", 8, o.delay);
  if (a.has(9))
    o.integrator = static_cast<Integrator>(read_word("integrator", a[9], integrator_words));
  number("step", 10, o.step);
  number("record_every", 11, o.record_every);
  spread("torque_limit", 17, o.actuators.torque_limit);
  if (a[18]) o.actuators.model_limits = read_flag("model_limits", a[18]);
  spread("rate_limit", 19, o.actuators.rate_limit);
  spread("encoder_step", 20, o.sensors.encoder_step);
  if (a[21]) o.sensors.velocity_by_difference = read_flag("velocity_by_difference", a[21]);
  number("position_noise", 22, o.sensors.position_noise);
  number("velocity_noise", 23, o.sensors.velocity_noise);
  if (a[24]) o.sensors.seed = read_whole<std::uint64_t>("seed", a[24]);
  if (a[25]) o.measure_acceleration = read_flag("measure_acceleration", a[25]);
  if (a[26]) o.certificate = read_flag("certificate", a[26]);
  if (a.has(27)) o.breaks = read_numbers("breaks", a[27]);
  number("tolerance", 28, o.control.relative);
  return o;
}

py::object simulate_law(const Args& a) {
  PyRobot& robot = a.has(12) ? robot_of(a[12]) : robot_of(a[0]);
  const Model<double>& model = robot.model();
  std::unique_ptr<ControlLaw> made;
  ControlLaw& law = law_of(a[1], robot_of(a[0]).model(), made);
  const InUse in_use(py::isinstance<PyLaw>(a[1]) ? &py::cast<PyLaw&>(a[1]) : nullptr);
  Progress progress(a[29]);
  const ReferenceFunction reference = read_reference_motion(model, a[2], progress.interrupt());
  Plant plant(model);
  if (a[13]) plant.friction = read_flag("friction", a[13]);
  if (a.has(14)) {
    const Eigen::VectorXd s = read_vector("stops", a[14], 2);
    plant.stops = {s[0], s[1]};
  }
  if (a.has(15))
    for (const py::object& item : read_items("surfaces", a[15], "a list of dicts"))
      plant.surfaces.push_back(read_surface(item));
  py::object disturbance;
  if (a.has(16)) {
    disturbance = py::reinterpret_borrow<py::object>(a[16]);
    if (!PyCallable_Check(disturbance.ptr()))
      throw Error("disturbance is " + std::string(py::repr(disturbance)) +
                  ", expected a function (t, q, qd) -> torques");
    plant.disturbance = [&](double t, View<const double> q, View<const double> qd,
                            View<double> tau) {
      const py::gil_scoped_acquire gil;
      Eigen::VectorXd x =
          Eigen::VectorXd::Constant(tau.size, std::numeric_limits<double>::quiet_NaN());
      progress.interrupt().passes([&] {
        const py::object given = disturbance(t, to_array(std::vector<double>(q.begin(), q.end())),
                                             to_array(std::vector<double>(qd.begin(), qd.end())));
        x = read_vector("disturbance", given, tau.size);
      });
      for (int k = 0; k < tau.size; ++k) tau[k] += x[k];
    };
  }
  SimulateOptions options = read_options(a, model.n_v());
  const double first = options.start, length = options.duration;
  options.progress = [&](double t) {
    return progress.go_on(length > 0 ? (t - first) / length : 1);
  };
  if (auto* own = dynamic_cast<PythonLaw*>(made.get())) own->watch(&progress.interrupt());
  options.curve_points = internal::drawn_points;
  auto recording = std::make_shared<PyRecording>();
  {
    const py::gil_scoped_release release;
    static_cast<Recording&>(*recording) = simulate(plant, law, reference, options);
  }
  recording->plant = py::reinterpret_borrow<py::object>(a.has(12) ? a[12] : a[0]);
  recording->surfaces = plant.surfaces;
  recording->torque_limit.assign(options.actuators.torque_limit.begin(),
                                 options.actuators.torque_limit.end());
  recording->facts = read_facts(a[30]);
  const auto version = std::find_if(recording->facts.begin(), recording->facts.end(),
                                    [](const RunFact& fact) { return fact.name == "version"; });
  recording->facts.insert(version, {"integrator", recording->integrator});
  if (progress.interrupt().stopped()) {
    recording->stop = StopReason::interrupted;
    recording->message = "interrupted";
  }
  if (made && py::hasattr(a[1], "name")) recording->controller = py::str(a[1].attr("name"));
  const py::object out = py::cast(recording);
  progress.interrupt().rethrow(out);
  return out;
}

// Scenarios: texts with the names of their files, which messages and robots go by.
Scenario read_run(py::handle text, py::handle file) {
  const std::string what = read_text("scenario", text), name = read_text("file", file);
  return unlocked([&] { return read_scenario(what, name); });
}

// What a run of a scenario is, with the scenario's own facts.
std::shared_ptr<PyRecording> recorded(Scenario& scenario, const py::object& plant,
                                      const std::vector<RunFact>& facts) {
  scenario.options.curve_points = internal::drawn_points;
  auto recording = std::make_shared<PyRecording>();
  {
    const py::gil_scoped_release release;
    static_cast<Recording&>(*recording) = run_scenario(scenario);
  }
  recording->plant = plant;
  recording->surfaces = scenario.surfaces;
  recording->torque_limit.assign(scenario.options.actuators.torque_limit.begin(),
                                 scenario.options.actuators.torque_limit.end());
  recording->facts = facts;
  return recording;
}

py::object run_scenario_text(const Args& a) {
  Scenario scenario = read_run(a[0], a[1]);
  Progress progress(a[3]);
  const double first = scenario.options.start, length = scenario.options.duration;
  scenario.options.progress = [&](double t) { return progress.go_on((t - first) / length); };
  const py::object out =
      py::cast(recorded(scenario, new_robot(Robot(scenario.plant_model)), read_facts(a[2])));
  progress.interrupt().rethrow(out);
  return out;
}

py::object compare_texts(const Args& a) {
  std::vector<Scenario> scenarios;
  std::vector<std::string> names;
  std::vector<std::vector<RunFact>> facts;
  for (const py::handle item : py::iter(a[0])) {
    const py::tuple run(py::reinterpret_borrow<py::object>(item));
    names.push_back(read_text("name", run[0]));
    scenarios.push_back(read_run(run[1], run[2]));
    facts.push_back(read_facts(run[3]));
  }
  if (scenarios.empty()) throw Error("nothing to compare");
  py::list runs, notes;
  const py::object plant = new_robot(Robot(scenarios[0].plant_model));
  Progress progress(a[1]);
  for (std::size_t k = 0; k < scenarios.size() && !progress.interrupt().stopped(); ++k) {
    for (const std::string& part : differences(scenarios[0], scenarios[k]))
      notes.append(
          py::str(names[k] + " has another " + part + "; that of " + names[0] + " counts"));
    Scenario run = with_law_of(scenarios[0], scenarios[k]);
    const double first = run.options.start, length = run.options.duration;
    run.options.progress = [&](double t) {
      return progress.go_on((static_cast<double>(k) + (t - first) / length) /
                            static_cast<double>(scenarios.size()));
    };
    runs.append(py::make_tuple(names[k], py::cast(recorded(run, plant, facts[k]))));
  }
  const py::object out = py::make_tuple(runs, notes);
  progress.interrupt().rethrow(out);
  return out;
}

py::object sweep_text(const Args& a) {
  Scenario scenario = read_run(a[0], a[1]);
  if (scenario.sweep.empty()) throw Error("the scenario has no sweep block");
  if (a.has(2)) scenario.sweep.samples = read_whole<long>("samples", a[2]);
  if (a.has(3)) scenario.sweep.seed = read_whole<std::uint64_t>("seed", a[3]);
  Progress progress(a[5]);
  SweepOptions options;
  if (scenario.sweep.samples < 1)
    throw Error("samples is " + std::to_string(scenario.sweep.samples) + ", expected 1 or more");
  if (a.has(4)) options.threads = read_threads(a[4]);
  options.stop = &progress.stop();
  long done = 0;
  // on_row is called by one thread at a time, but not always by this one, which alone sees signals.
  options.on_row = [&](const SweepRow&) {
    ++done;
    progress.go_on(static_cast<double>(done) / static_cast<double>(scenario.sweep.samples));
  };
  std::vector<SweepRow> rows;
  {
    const py::gil_scoped_release release;
    rows = run_sweep(scenario, first_samples(scenario.sweep.samples), options);
  }
  const std::vector<std::string> names = sweep_value_names(scenario);
  const int n_figures = static_cast<int>(run_figures().size());
  const auto n = static_cast<py::ssize_t>(rows.size());
  const py::object values = new_array(n, Shape::vector(static_cast<int>(names.size()))),
                   figures = new_array(n, Shape::vector(n_figures));
  py::list stops, samples;
  double *v = data_of(values), *f = data_of(figures);
  for (const SweepRow& row : rows) {
    v = std::copy(row.sample.values.begin(), row.sample.values.end(), v);
    const bool ran = row.sample.impossible.empty();
    for (const RunFigure& figure : run_figures())
      *f++ = ran ? row.summary.*figure.value : std::numeric_limits<double>::quiet_NaN();
    stops.append(py::str(ran ? name_of(row.summary.stop) : row.sample.impossible.c_str()));
    samples.append(py::int_(row.sample.index));
  }
  py::list statistic_rows, figure_names;
  for (const RunFigure& figure : run_figures()) figure_names.append(py::str(figure.name));
  for (const FigureStatistics& s : statistics(rows))
    statistic_rows.append(record(
        "FigureStatistics",
        {py::str(s.figure.name), py::str(s.figure.unit), py::int_(s.count), py::float_(s.q05),
         py::float_(s.median), py::float_(s.q95), py::float_(s.worst), py::int_(s.worst_sample)}));
  const py::object out =
      py::make_tuple(samples, to_list(names), values, figure_names, figures, stops, statistic_rows,
                     scenario.sweep.samples, scenario.sweep.seed);
  progress.interrupt().rethrow(out);
  return out;
}

// The rows of a sweep from its arrays: samples are drawn again, which gives the same numbers.
std::vector<SweepRow> rows_of(const Scenario& scenario, py::handle samples, py::handle figures,
                              py::handle stops) {
  const Array<double> indices = read_numbers("samples", samples);
  const Eigen::MatrixXd values = read_matrix("figures", figures);
  const std::vector<std::string> why = read_texts("stops", stops);
  std::vector<SweepRow> rows;
  for (int k = 0; k < static_cast<int>(indices.size()); ++k) {
    SweepRow row{draw_sample(scenario, static_cast<long>(indices[k])), {}};
    int column = 0;
    for (const RunFigure& figure : run_figures()) row.summary.*figure.value = values(k, column++);
    for (int stop = 0; stop <= static_cast<int>(StopReason::interrupted); ++stop)
      if (why[static_cast<std::size_t>(k)] == name_of(static_cast<StopReason>(stop)))
        row.summary.stop = static_cast<StopReason>(stop);
    rows.push_back(std::move(row));
  }
  return rows;
}
py::object sweep_page_text(const Args& a) {
  Scenario scenario = read_run(a[0], a[1]);
  scenario.sweep.samples = read_whole<long>("samples", a[2]);
  scenario.sweep.seed = read_whole<std::uint64_t>("seed", a[3]);
  const std::vector<SweepRow> rows = rows_of(scenario, a[4], a[5], a[6]);
  std::vector<RunFact> facts = read_facts(a[7]);
  const std::string file = read_text("file", a[1]);
  Progress progress(a[8]);
  std::string page;
  {
    const py::gil_scoped_release release;
    internal::SweepCases cases = internal::run_cases(
        scenario, rows, file,
        [&](const std::string&, double share) { return progress.go_on(share); });
    if (!progress.interrupt().stopped())
      page = internal::sweep_page(scenario, rows, std::move(cases), std::move(facts));
  }
  progress.interrupt().rethrow();
  return py::str(page);
}

py::object new_scenario_text(const Args& a) {
  PyRobot& robot = robot_of(a[1]);
  const std::string law = read_text("law", a[0]), name = read_text("name", a[2]);
  return py::str(unlocked([&] { return new_scenario(law, name, robot.model()); }));
}
py::object keys_table(const Args&) {
  py::list list;
  for (const ScenarioKey& key : scenario_keys())
    list.append(
        record("ScenarioKey", {py::str(key.section), py::str(key.key), py::str(name_of(key.kind)),
                               py::str(key.unit), py::str(key.fallback), py::str(key.meaning)}));
  return list;
}

// Each key of a surface with its member.
template <class Visit>
void surface_keys(Visit visit) {
  visit("name", &Surface::name);
  visit("frame", &Surface::frame);
  visit("point", &Surface::point);
  visit("origin", &Surface::origin);
  visit("normal", &Surface::normal);
  visit("radius", &Surface::radius);
  visit("inside", &Surface::inside);
  visit("stiffness", &Surface::stiffness);
  visit("damping", &Surface::damping);
  visit("restitution", &Surface::restitution);
  visit("bilateral", &Surface::bilateral);
  visit("friction", &Surface::friction);
  visit("slip", &Surface::slip);
}
void read_member(const char* key, py::handle value, std::string& to) { to = read_text(key, value); }
void read_member(const char* key, py::handle value, bool& to) { to = read_flag(key, value); }
void read_member(const char* key, py::handle value, double& to) { to = read_number(key, value); }
void read_member(const char* key, py::handle value, Vec3<double>& to) {
  const Eigen::VectorXd v = read_vector(key, value, 3);
  to = {v[0], v[1], v[2]};
}
py::object of_python(const Vec3<double>& v) { return py::make_tuple(v.x, v.y, v.z); }
template <class Value>
py::object of_python(const Value& value) {
  return py::cast(value);
}

}  // namespace

Surface read_surface(py::handle given) {
  if (!py::isinstance<py::dict>(given))
    throw Error("a surface is " + std::string(py::repr(given)) + ", expected a dict");
  Surface s;
  for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(given)) {
    const std::string word = py::str(name);
    bool known = false;
    std::string all;
    surface_keys([&, item = py::handle(value)](const char* key, auto member) {
      all += (all.empty() ? "" : ", ") + std::string(key);
      if (word != key) return;
      read_member(key, item, s.*member);
      known = true;
    });
    if (!known) throw Error("a surface has " + in_quotes(word) + ", expected one of " + all);
  }
  return s;
}
py::dict surface_dict(const Surface& surface) {
  py::dict out;
  surface_keys([&](const char* key, auto member) { out[key] = of_python(surface.*member); });
  return out;
}

void bind_simulation(py::module_& module) {
  bind_recording(module);
  function<&simulate_law>(
      module,
      "_simulate(robot, law, reference, duration, q0, qd0, start, period, delay, integrator, step, "
      "record_every, plant, friction, stops, surfaces, disturbance, torque_limit, model_limits, "
      "rate_limit, encoder_step, velocity_by_difference, position_noise, velocity_noise, seed, "
      "measure_acceleration, certificate, breaks, tolerance, progress, facts)",
      "torsor.simulate with every argument.");
  function<&run_scenario_text>(module, "_run_scenario(text, file, facts, progress)", "One run.");
  function<&compare_texts>(module, "_compare(scenarios, progress)", "Laws in one experiment.");
  function<&sweep_text>(module, "_sweep(text, file, samples, seed, threads, progress)",
                        "Many draws of one scenario.");
  function<&sweep_page_text>(
      module, "_sweep_page(text, file, samples, seed, indices, figures, stops, facts, progress)",
      "One HTML page about a sweep.");
  function<&new_scenario_text>(module, "_new_scenario(law, robot, name)",
                               "A scenario to begin with.");
  function<&keys_table>(
      module, "scenario_keys()",
      "Every key of a scenario: (section, key, kind, unit, fallback, meaning).\n\n"
      ">>> torsor.scenario_keys()[0].key\n'scenario'");
}

}  // namespace torsor::python
