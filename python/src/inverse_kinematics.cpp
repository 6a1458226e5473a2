// Robot: configurations that put frames at poses, by iteration and in closed form; loops.
#include <mutex>

#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

const std::vector<std::string> objective_words{"none", "nearest", "away_from_limits",
                                               "manipulability"};

FrameTarget read_target(py::handle item) {
  if (!py::isinstance<py::dict>(item) || !item.contains("frame") || !item.contains("pose"))
    throw Error("a target is " + std::string(py::repr(item)) +
                ", expected {\"frame\": ..., \"pose\": 4 x 4, ...}");
  FrameTarget target{read_frame("frame", item["frame"]), read_pose("pose", item["pose"])};
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(item)) {
    const std::string word = py::str(key);
    if (word == "orientation_weight")
      target.orientation_weight = read_vector("orientation_weight", value, 3);
    else if (word == "position_weight")
      target.position_weight = read_vector("position_weight", value, 3);
    else if (word == "priority")
      target.priority = read_whole<int>("priority", value);
    else if (word != "frame" && word != "pose")
      throw Error("a target has \"" + word +
                  "\", expected frame, pose, orientation_weight, position_weight or priority");
  }
  return target;
}

py::object ik_record(const Robot& robot, const Robot::NumericIk& found) {
  static const char* const words[] = {"reached", "unreachable", "out_of_budget"};
  py::list targets, limits;
  for (const IkResidual& t : found.targets)
    targets.append(record(
        "IkResidual", {py::float_(t.position), py::float_(t.orientation), py::bool_(t.reached)}));
  const Robot::Names names = robot.coordinate_names();
  for (const ActiveLimit& l : found.active_limits)
    limits.append(record("ActiveLimit", {py::str(names[static_cast<std::size_t>(l.coordinate)]),
                                         py::bool_(l.upper), py::float_(l.value)}));
  return record("InverseKinematics",
                {to_array(found.q), py::bool_(found.converged),
                 py::str(words[static_cast<int>(found.status)]), py::int_(found.iterations),
                 py::int_(found.restarts), py::float_(found.position_residual),
                 py::float_(found.orientation_residual), py::int_(found.levels),
                 py::int_(found.levels_reached), py::float_(found.objective), targets, limits,
                 py::str(found.message)});
}

py::object inverse_kinematics(PyRobot& self, const Args& a) {
  std::vector<FrameTarget> targets;
  if (a.has(1)) {
    targets.push_back({read_frame("frame", a[0]), read_pose("pose", a[1])});
  } else if (py::isinstance<py::str>(a[0]) || py::isinstance<FrameHandle>(a[0])) {
    throw Error("pose is missing: inverse_kinematics(frame, pose, q_start), or a list of targets");
  } else {
    for (const py::object& item : read_items("frame", a[0], "a frame or a list of targets"))
      targets.push_back(read_target(item));
  }
  const Eigen::VectorXd start = a.has(2) ? read_vector("q_start", a[2]) : self.robot().neutral();
  InverseKinematicsOptions options;
  if (a[3]) options.position_tolerance = read_number("position_tolerance", a[3]);
  if (a[4]) options.orientation_tolerance = read_number("orientation_tolerance", a[4]);
  if (a[5]) options.max_iterations = read_whole<int>("max_iterations", a[5]);
  if (a[6]) options.max_restarts = read_whole<int>("max_restarts", a[6]);
  if (a.has(7)) options.time_limit = read_number("time_limit", a[7]);
  if (a[8]) options.seed = read_whole<std::uint64_t>("seed", a[8]);
  if (a[9])
    options.objective = static_cast<IkObjective>(read_word("objective", a[9], objective_words));
  Eigen::VectorXd reference;
  if (a.has(10)) {
    reference = read_vector("reference", a[10], self.n_q());
    options.reference = View<const double>(reference.data(), static_cast<int>(reference.size()));
  }
  Robot& robot = self.here();
  Interrupt interrupt;
  options.go_on = [&] { return interrupt.go_on(); };
  const Robot::NumericIk found =
      unlocked([&] { return robot.inverse_kinematics(targets, start, options); });
  const py::object out = ik_record(self.robot(), found);
  interrupt.rethrow(out);
  return out;
}

py::object analytic_ik(PyRobot& self, const Args& a) {
  static const char* const words[] = {"solved", "continuum", "reduced", "unreachable"};
  const FrameArgument frame = read_frame("frame", a[0]);
  const Robot::Pose T = read_pose("pose", a[1]);
  Robot& robot = self.here();
  const Eigen::VectorXd rest = a.has(2) ? read_vector("rest", a[2]) : robot.neutral();
  Robot::AnalyticIk found{};
  {
    const py::gil_scoped_release release;
    found = robot.analytic_ik(frame, T, rest);
  }
  py::list solutions;
  for (const Robot::IkSolution& s : found.solutions)
    solutions.append(
        record("IkSolution", {to_array(s.q), py::str(s.branch), py::bool_(s.inside_limits),
                              py::float_(s.position_error), py::float_(s.rotation_error)}));
  return record("AnalyticIk", {py::str(words[static_cast<int>(found.status)]), solutions,
                               py::float_(found.distance)});
}

py::object constraint_rows(PyRobot& self, const Args& a) {
  const int m = self.n_constraints(), n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}},
                    {{Shape::vector(m)}, {Shape::matrix(m, n)}, {Shape::vector(m)}},
                    "ConstraintRows", [&](Robot& r, const Row* x, double* const* y) {
                      const auto rows = r.constraint_rows(x[0].vector(), x[1].vector());
                      Map(y[0], m) = rows.phi;
                      write_rows(rows.A, y[1]);
                      Map(y[2], m) = rows.bias;
                    });
}
py::object constraint_errors(PyRobot& self, const Args& a) {
  const bool moves = a.has(1), accelerates = a.has(2);
  const py::object zeros = to_array(Eigen::VectorXd::Zero(self.n_v()));
  const py::handle zero = zeros;  // where one is left out
  return map_states(
      self, {{"q", a[0]}, {"qd", moves ? a[1] : zero}, {"qdd", accelerates ? a[2] : zero}},
      {{}, {}, {}}, "ConstraintErrors", [&](Robot& r, const Row* x, double* const* y) {
        const auto maybe = [](bool given, const Row& row) -> Eigen::VectorXd {
          return given ? Eigen::VectorXd(row.vector()) : Eigen::VectorXd();
        };
        const ConstraintErrors e =
            r.constraint_errors(x[0].vector(), maybe(moves, x[1]), maybe(accelerates, x[2]));
        y[0][0] = e.position;
        y[1][0] = e.velocity;
        y[2][0] = e.acceleration;
      });
}
AssemblyOptions assembly_options(const Args& a, int first) {
  AssemblyOptions options;
  if (a[first]) options.tolerance = read_number("tolerance", a[first]);
  if (a[first + 1]) options.max_iterations = read_whole<int>("max_iterations", a[first + 1]);
  if (a[first + 2]) options.keep_limits = read_flag("keep_limits", a[first + 2]);
  return options;
}
py::object assemble(PyRobot& self, const Args& a) {
  const JointSet moving = read_joints(a[1]);
  const AssemblyOptions options = assembly_options(a, 2);
  std::mutex mutex;
  std::string message;  // of one state; of many: of some state that could not be closed
  const bool many = read_rows("q", a[0]).count >= 0;
  const py::object found = map_states(self, {{"q", a[0]}},
                                      {{Shape::vector(self.n_q())},
                                       {{}, As::flag},
                                       {},
                                       {{}, As::whole},
                                       {{}, As::whole},
                                       {Shape::vector(0)}},
                                      "Assembled", [&](Robot& r, const Row* x, double* const* y) {
                                        const auto closed =
                                            r.assemble(x[0].vector(), moving, options);
                                        Map(y[0], r.n_q()) = closed.q;
                                        y[1][0] = closed.closed;
                                        y[2][0] = closed.residual;
                                        y[3][0] = closed.iterations;
                                        y[4][0] = closed.rank;
                                        const std::scoped_lock lock(mutex);
                                        if (!many || (!closed.closed && message.empty()))
                                          message = closed.message;
                                      });
  std::vector<py::object> fields;
  for (const py::handle field : py::reinterpret_borrow<py::tuple>(found))
    fields.push_back(py::reinterpret_borrow<py::object>(field));
  fields.back() = py::str(message);
  return record("Assembled", fields);
}
py::object assembly_modes(PyRobot& self, const Args& a) {
  const int samples = a[2] ? read_whole<int>("samples", a[2]) : 100;
  const auto seed = a[3] ? read_whole<unsigned>("seed", a[3]) : 1u;
  const Eigen::VectorXd q = read_vector("q", a[0]);
  const JointSet moving = read_joints(a[1]);
  const AssemblyOptions options = assembly_options(a, 4);
  Robot& robot = self.here();
  Progress progress(a[7], "assembly modes");
  const std::vector<Eigen::VectorXd> modes = unlocked([&] {
    return robot.assembly_modes(q, moving, samples, seed, options,
                                [&](double share) { return progress.go_on(share); });
  });
  py::object out = new_array(static_cast<py::ssize_t>(modes.size()), Shape::vector(self.n_q()));
  double* place = data_of(out);
  for (const Eigen::VectorXd& mode : modes)
    place = std::copy(mode.data(), mode.data() + mode.size(), place);
  progress.interrupt().rethrow(out);
  return out;
}
py::object project_velocity(PyRobot& self, const Args& a) {
  const JointSet moving = read_joints(a[2]);
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, {{Shape::vector(n)}, {}}, "Projected",
                    [&](Robot& r, const Row* x, double* const* y) {
                      const auto p = r.project_velocity(x[0].vector(), x[1].vector(), moving);
                      Map(y[0], n) = p.rates;
                      y[1][0] = p.residual;
                    });
}
py::object project_acceleration(PyRobot& self, const Args& a) {
  const JointSet moving = read_joints(a[3]);
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}}, {{Shape::vector(n)}, {}},
                    "Projected", [&](Robot& r, const Row* x, double* const* y) {
                      const auto p = r.project_acceleration(x[0].vector(), x[1].vector(),
                                                            x[2].vector(), moving);
                      Map(y[0], n) = p.rates;
                      y[1][0] = p.residual;
                    });
}
py::object mobility(PyRobot& self, const Args& a) {
  const FrameArgument output = a.has(2) ? read_frame("output", a[2]) : FrameArgument();
  const bool point = a[3] && read_flag("output_point", a[3]);
  const Eigen::VectorXd q = read_vector("q", a[0]);
  const JointSet actuated = read_joints(a[1]);
  Robot& robot = self.here();
  const Mobility m = unlocked([&] { return robot.mobility(q, actuated, output, point); });
  return record("Mobility", {py::int_(m.degrees_of_freedom), py::int_(m.rows), py::int_(m.rank),
                             py::int_(m.actuators), py::int_(m.controlled), py::float_(m.actuation),
                             py::bool_(m.underactuated()), py::bool_(m.type_i()),
                             py::bool_(m.type_ii()), py::int_(m.preloads())});
}

}  // namespace

void bind_inverse_kinematics(py::handle cls) {
  method<&inverse_kinematics>(
      cls,
      "inverse_kinematics(frame, pose=None, q_start=None, *, position_tolerance=1e-8, "
      "orientation_tolerance=1e-8, max_iterations=5000, max_restarts=100, time_limit=None, seed=1, "
      "objective='none', reference=None)",
      R"(A configuration that puts a frame at a pose (4 x 4), within the limits, from q_start on.

For several frames, or weights and priorities, `frame` is a list of targets: dicts with "frame",
"pose" and any of "orientation_weight", "position_weight", "priority" (0 comes first). objective:
what to do with freedom that is left: none, nearest (to `reference`), away_from_limits or
manipulability.

A named tuple (q, converged, status, iterations, restarts, position_residual, orientation_residual,
levels, levels_reached, objective, targets, active_limits, message).

>>> robot = torsor.Robot("panda")
>>> T = robot.frame_pose("tool", [0, 0.2, 0, -1.5, 0, 1.7, 0])
>>> found = robot.inverse_kinematics("tool", T)
>>> found.converged, bool(np.allclose(robot.frame_pose("tool", found.q), T, atol=1e-7))
(True, True))");
  method<&analytic_ik>(
      cls, "analytic_ik(frame, pose, rest=None)",
      R"(All configurations that put a frame at a pose, in closed form, as named branches.

A named tuple (status, solutions, distance); a solution is (q, branch, inside_limits,
position_error, rotation_error). Joints that do not carry the frame are neutral, or as in `rest`.

>>> robot = torsor.Robot("ur5")
>>> T = robot.frame_pose("tool", [0.1, -1.2, 1.1, 0.3, 0.4, 0.5])
>>> len(robot.analytic_ik("tool", T).solutions)
8)");
}

void bind_loops(py::handle cls) {
  method<&constraint_rows>(cls, "constraint_rows(q, qd)",
                           R"(Rows of loops and couplings: phi(q) = 0, A qd = 0, A qdd + bias = 0.

A named tuple (phi, A, bias).

>>> robot = torsor.Robot("four_bar")
>>> q = robot.assemble(robot.neutral()).q
>>> bool(abs(robot.constraint_rows(q, np.zeros(robot.n_v)).phi).max() < 1e-10)
True)");
  method<&constraint_errors>(cls, "constraint_errors(q, qd=None, qdd=None)",
                             R"(Largest entries of the rows: (position, velocity, acceleration).

>>> robot = torsor.Robot("four_bar")
>>> robot.constraint_errors(robot.assemble(robot.neutral()).q).position < 1e-10
True)");
  method<&assemble>(
      cls, "assemble(q, moving=None, *, tolerance=1e-12, max_iterations=200, keep_limits=True)",
      R"(Closes the loops from a guess, or from many; `moving`: the joints that may move.

A named tuple (q, closed, residual, iterations, rank, message); of many guesses the message is of one
that could not be closed, "" where all could.

>>> torsor.Robot("four_bar").assemble(torsor.Robot("four_bar").neutral()).closed
True)");
  method<&assembly_modes>(cls,
                          "assembly_modes(q, moving=None, samples=100, seed=1, *, tolerance=1e-12, "
                          "max_iterations=200, keep_limits=True, progress=None)",
                          R"(Different closed configurations with the other joints as in q, as rows.

Found from so many random starts; Ctrl-C raises torsor.Interrupted with those found by then.
A four-bar linkage with its crank held has two.

>>> robot = torsor.Robot("four_bar")
>>> q = robot.assemble(robot.neutral()).q
>>> robot.assembly_modes(q, robot.joint_names[1:]).shape[0]
2)");
  method<&project_velocity>(cls, "project_velocity(q, qd, moving=None)",
                            R"(The nearest velocities that the loops allow: (rates, residual).

>>> robot = torsor.Robot("four_bar")
>>> q = robot.assemble(robot.neutral()).q
>>> robot.project_velocity(q, np.ones(robot.n_v)).residual < 1e-10
True)");
  method<&project_acceleration>(
      cls, "project_acceleration(q, qd, qdd, moving=None)",
      R"(The nearest accelerations that the loops allow: (rates, residual).

>>> robot = torsor.Robot("four_bar")
>>> q = robot.assemble(robot.neutral()).q
>>> robot.project_acceleration(q, np.zeros(robot.n_v), np.ones(robot.n_v)).residual < 1e-10
True)");
  method<&mobility>(cls, "mobility(q, actuated=None, output=None, output_point=False)",
                    R"(Degrees of freedom of the closed robot and what its actuators control.

A named tuple (degrees_of_freedom, rows, rank, actuators, controlled, actuation, underactuated,
type_i, type_ii, preloads).

>>> robot = torsor.Robot("four_bar")
>>> robot.mobility(robot.assemble(robot.neutral()).q).degrees_of_freedom
1)");
}

}  // namespace torsor::python
