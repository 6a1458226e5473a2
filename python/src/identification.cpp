// Base parameters, excitation, calibration.
#include <algorithm>
#include "archive.hpp"
#include "errors.hpp"
#include "identification_object.hpp"
#include "parts.hpp"
#include "robot_object.hpp"
#include "states.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/calibrate.hpp"
#include "torsor/identification/excitation.hpp"
#include "torsor/model/text.hpp"
#include "trajectory_object.hpp"

namespace torsor::python {

py::object base_record(const BaseParameters& base, const Array<double>& p) {
  py::list formulas, roles, kept;
  for (int k = 0; k < base.size(); ++k) {
    formulas.append(py::str(base.formula(k)));
    kept.append(py::str(base.names[static_cast<std::size_t>(base.kept[k])]));
  }
  for (int k = 0; k < base.n_parameters(); ++k) roles.append(py::str(name_of(base.roles[k])));
  const Array<double> values = p.empty() ? Array<double>(base.size()) : base.values(p);
  return record("BaseParameters", {kept, formulas, to_array(values), to_array(base.regrouping),
                                   to_list(base.names), roles});
}

namespace {

py::object base(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  BaseParameterOptions options;
  if (a[1]) options.rotors = read_flag("rotors", a[1]);
  if (a[2]) options.tolerance = read_number("tolerance", a[2]);
  BaseParameters found;
  {
    const py::gil_scoped_release release;
    found = base_parameters(model, options);
  }
  return base_record(found, all_parameters(model, options));
}

struct PyExcitation {
  Excitation found;
  Model<double> model;  // of robots with loops others than the moved coordinates follow
  int n = 0;
};
py::tuple excitation_state(const PyExcitation& e) {
  Archive archive("torsor.Excitation");
  Excitation found = e.found;
  archive(found);
  return py::make_tuple(new_robot(Robot(e.model)), py::bytes(archive.bytes()));
}
std::unique_ptr<PyExcitation> excitation_of(const py::tuple& state) {
  Archive archive("torsor.Excitation",
                  state.size() == 2 ? py::cast<std::string>(state[1]) : std::string());
  const Model<double>& model = robot_of(state[0]).model();
  auto made = std::unique_ptr<PyExcitation>(new PyExcitation{{}, model, model.n_q()});
  archive(made->found);
  archive.end();
  return made;
}
py::object sample(PyExcitation& self, const Args& a) {
  const int which = a[1] ? read_whole<int>("trajectory", a[1]) : 0;
  if (which < 0 || which >= self.found.size())
    throw Error("trajectory is " + std::to_string(which) + ", expected below " +
                std::to_string(self.found.size()));
  const bool one = !py::hasattr(a[0], "__len__");
  const Array<double> times = one ? Array<double>{read_number("t", a[0])} : read_numbers("t", a[0]);
  const Shape shape = Shape::vector(self.n);
  const py::ssize_t states = one ? -1 : times.size();
  const py::object q = new_array(states, shape), qd = new_array(states, shape),
                   qdd = new_array(states, shape);
  // A piece at a time, but for loops: they close from one time to the next.
  const int piece = self.model.description().loops.empty() ? 4096 : std::max(times.size(), 1);
  double* const places[] = {data_of(q), data_of(qd), data_of(qdd)};
  Interrupt interrupt;
  unlocked([&] {
    for (int first = 0; first < times.size() && interrupt.go_on(); first += piece) {
      const int count = std::min(piece, times.size() - first);
      const SampledMotion motion =
          sampled_motion(self.model, self.found, which, {times.data() + first, count});
      const Matrix* const parts[] = {&motion.q, &motion.qd, &motion.qdd};
      for (int k = 0; k < 3; ++k)
        std::copy(parts[k]->data(), parts[k]->data() + count * self.n,
                  places[k] + static_cast<std::ptrdiff_t>(first) * self.n);
    }
  });
  interrupt.rethrow();
  return record("Sample", {q, qd, qdd});
}
py::object excite(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  ExcitationOptions o;
  if (a[1]) o.period = read_number("period", a[1]);
  if (a[2]) o.harmonics = read_whole<int>("harmonics", a[2]);
  if (a[3]) o.trajectories = read_whole<int>("trajectories", a[3]);
  if (a[4])
    o.criterion =
        static_cast<ExcitationCriterion>(read_word("criterion", a[4], {"condition", "d_optimal"}));
  if (a[5])
    o.motion = static_cast<ExcitationMotion>(read_word("motion", a[5], {"fourier", "spline"}));
  if (a[6]) o.points = read_whole<int>("points", a[6]);
  if (a.has(7)) o.start = read_numbers("start", a[7]);
  if (a.has(8)) o.floor = read_number("floor", a[8]);
  if (a[9]) o.starts = read_whole<int>("starts", a[9]);
  if (a[10]) o.iterations = read_whole<int>("iterations", a[10]);
  if (a[11]) o.seed = read_whole<unsigned>("seed", a[11]);
  if (a[12]) o.threads = read_threads(a[12]);
  if (a.has(13)) o.seconds = read_number("seconds", a[13]);
  if (a.has(14) || a.has(15)) {  // limits for all coordinates, where the file has none
    o.limits.resize(static_cast<std::size_t>(model.n_q()));
    for (int k = 0; k < model.n_q(); ++k) {
      Limits& limit = o.limits[static_cast<std::size_t>(k)];
      limit = model.limits(k);
      if (a.has(14)) {
        const double reach = read_number("position_limit", a[14]);
        limit.lower = std::max(limit.lower, -reach);
        limit.upper = std::min(limit.upper, reach);
      }
      if (a.has(15))
        limit.velocity = std::min(limit.velocity, read_number("velocity_limit", a[15]));
    }
  }
  Progress progress(a[16]);
  auto out = std::unique_ptr<PyExcitation>(new PyExcitation{{}, model, model.n_q()});
  {
    const py::gil_scoped_release release;
    out->found = design_excitation(model, o, [&](const ExcitationProgress& p) {
      return progress.go_on(p.stages > 0 ? static_cast<double>(p.stage) / p.stages : 0);
    });
  }
  const py::object made = py::cast(std::move(out));
  progress.interrupt().rethrow(made);
  return made;
}

py::object residuals(const PoseResiduals& r) {
  return record("PoseResiduals",
                {py::int_(r.poses), py::float_(r.position_rms), py::float_(r.position_max),
                 py::float_(r.rotation_rms), py::float_(r.rotation_max)});
}
py::object calibration(const Args& a) {
  const Model<double>& model = robot_of(a[0]).model();
  const Rows q = read_rows("q", a[1]);
  if (q.count < 0) throw Error("q has one axis, expected (N, n): a row for each measurement");
  const py::object poses = py::module_::import("numpy").attr("asarray")(a[2], "float64");
  std::vector<py::ssize_t> shape;
  for (const py::handle n : py::iter(poses.attr("shape")))
    shape.push_back(py::cast<py::ssize_t>(n));
  const bool points = shape.size() == 2 && shape[1] == 3;
  if ((!points && (shape.size() != 3 || shape[1] != 4 || shape[2] != 4)) || shape[0] != q.count)
    throw Error("measured has the shape " + std::string(py::str(poses.attr("shape"))) +
                ", expected (N, 4, 4) poses or (N, 3) points for the " + std::to_string(q.count) +
                " rows of q");
  const auto numbers = py::array_t<double, py::array::c_style>::ensure(poses);
  const double* x = numbers.data();
  std::vector<PoseMeasurement> measured;
  for (py::ssize_t k = 0; k < q.count; ++k) {
    PoseMeasurement m;
    m.q.assign(q[k].data, q[k].data + q.size);
    if (points) {
      m.position = {x[3 * k], x[3 * k + 1], x[3 * k + 2]};
    } else {
      const double* T = x + 16 * k;
      m.position = {T[3], T[7], T[11]};
      m.has_rotation = true;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) m.rotation(r, c) = T[4 * r + c];
    }
    measured.push_back(std::move(m));
  }
  CalibrationOptions o;
  if (a[3]) o.frame = read_text("frame", a[3]);
  if (a.has(4)) o.parameters = read_texts("parameters", a[4]);
  if (a[5]) o.base_unknown = read_flag("base_unknown", a[5]);
  if (a[6]) o.tool_unknown = read_flag("tool_unknown", a[6]);
  if (a[7]) o.reject = read_flag("reject", a[7]);
  if (a[8]) o.folds = read_whole<int>("folds", a[8]);
  if (a[9]) o.bootstrap = read_whole<int>("bootstrap", a[9]);
  if (a[10]) o.seed = read_whole<unsigned>("seed", a[10]);
  Progress progress(a[11], "calibration");
  const Calibration found = unlocked([&] {
    return calibrate(model, measured, o, [&](double share) { return progress.go_on(share); });
  });
  if (!found.ok()) {
    progress.interrupt().rethrow();
    throw Error(found.message);
  }
  py::list parameters, rejected;
  for (const CalibratedParameter& p : found.parameters)
    parameters.append(record("CalibratedParameter",
                             {py::str(p.name), py::str(p.angle ? "rad" : "m"), py::float_(p.change),
                              py::float_(p.sigma), py::float_(p.lower), py::float_(p.upper),
                              py::bool_(p.held), py::float_(p.bootstrap_sigma)}));
  for (const int k : found.rejected) rejected.append(py::int_(k));
  const py::object made =
      record("Calibration",
             {new_robot(Robot(Model<double>(found.robot))), parameters,
              to_pose(found.T_measuring_world), residuals(found.before), residuals(found.after),
              residuals(found.held_out), rejected, py::float_(found.sigma_position),
              py::float_(found.sigma_rotation), py::float_(found.condition)});
  progress.interrupt().rethrow(made);
  return made;
}

}  // namespace

void bind_identification(py::module_& module) {
  bind_logs(module);
  function<&base>(module, "base_parameters(robot, rotors=False, tolerance=1e-8)",
                  R"(The smallest set of combinations of inertial parameters that motion depends on.

A named tuple (kept, formulas, values, regrouping, names, roles); the vertical two-link arm has six,
the largest m_1 l_1 / 2 + m_2 l_1 = 1.5 kg m.

>>> base = torsor.base_parameters(torsor.Robot("planar2r"))
>>> len(base.kept), max(base.values)
(6, 1.5))");
  py::class_<PyExcitation> cls(module, "Excitation",
                               R"(Motions from which the parameters of a robot can be told apart.

Made by torsor.design_excitation; len() of it is the number of motions.

>>> found = torsor.design_excitation("pointmass2r", period=4, starts=1, iterations=3,
...                                  position_limit=1, velocity_limit=2)
>>> found.duration, found.keeps_limits, found.condition < found.start_condition
(4.0, True, True))");
  cls.def_property_readonly(
      "condition", [](const PyExcitation& e) { return e.found.condition; }, "Condition number.");
  cls.def_property_readonly(
      "start_condition", [](const PyExcitation& e) { return e.found.start_condition; },
      "Of the first random motion.");
  cls.def_property_readonly(
      "unknowns", [](const PyExcitation& e) { return to_list(e.found.unknowns); },
      "Columns that are told apart.");
  cls.def_property_readonly(
      "duration", [](const PyExcitation& e) { return e.found.duration(); }, "Of one motion, s.");
  cls.def_property_readonly(
      "keeps_limits", [](const PyExcitation& e) { return e.found.keeps_limits(); },
      "Whether every limit is kept.");
  cls.def("__len__", [](const PyExcitation& e) { return e.found.size(); });
  cls.def("__copy__", &itself);
  cls.def("__deepcopy__", &itself_deep);
  cls.def(py::pickle(&excitation_state, &excitation_of));
  cls.def("__repr__", [](const PyExcitation& e) {
    return "<torsor.Excitation of " + short_number(e.found.duration()) + " s, condition " +
           short_number(e.found.condition) + ">";
  });
  method<&sample>(cls, "sample(t, trajectory=0)",
                  R"(At one time or many: a named tuple (q, qd, qdd).

>>> found = torsor.design_excitation("pointmass2r", period=4, starts=1, iterations=3,
...                                  position_limit=1, velocity_limit=2)
>>> motion = found.sample(np.linspace(0, 4, 9))
>>> motion.q.shape, bool(abs(motion.qd).max() <= 2)
((9, 2), True))");
  function<&excite>(module,
                    "_excite(robot, period, harmonics, trajectories, criterion, motion, points, "
                    "start, floor, starts, "
                    "iterations, seed, threads, seconds, position_limit, velocity_limit, progress)",
                    "torsor.design_excitation with every argument.");
  function<&calibration>(
      module,
      "calibrate(robot, q, measured, frame='tool', parameters=None, *, base_unknown=False, "
      "tool_unknown=False, reject=True, folds=5, bootstrap=0, seed=1, progress=None)",
      R"(The geometry of a robot from measured poses (N, 4, 4) or points (N, 3) of a frame.

parameters: "dh" (every row of the robot's table), "offsets", "placement", or names of
docs/calibration.md. A named tuple (robot, parameters, T_measuring_world, before, after, held_out,
rejected, sigma_position, sigma_rotation, condition). Ctrl-C raises torsor.Interrupted with it once the
parameters are found: without the held out poses, and with what is there of the bootstrap.

>>> robot = torsor.Robot("puma560")
>>> q = robot.random_configuration(1, count=40)
>>> T = robot.frame_pose("tool", q)
>>> torsor.calibrate(robot, q, T, parameters=["offsets"]).after.position_rms < 1e-9
True)");
}

}  // namespace torsor::python
