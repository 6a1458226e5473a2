// Robot: motions in time, and torsor.Trajectory.
#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"
#include "torsor/model/text.hpp"
#include "trajectory_object.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

const std::vector<std::string> profile_words{"cubic", "quintic", "septic", "trapezoid", "double_s"};

Profile read_profile(py::handle value) {
  return value ? static_cast<Profile>(read_word("profile", value, profile_words))
               : Profile::quintic;
}
py::object made(JointTrajectory trajectory, PyRobot& self, const char* verb,
                const std::vector<py::object>& arguments) {
  py::tuple tuple(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) tuple[k] = arguments[k];
  return py::cast(PyTrajectory{std::move(trajectory), py::cast(self), verb, std::move(tuple)});
}
// As it was given, None where it was not.
py::object given(const Args& a, int k) {
  return a[k] ? py::reinterpret_borrow<py::object>(a[k]) : py::none();
}
py::object text_of(Profile profile) {
  return py::str(profile_words[static_cast<std::size_t>(profile)]);
}

py::object configuration_trajectory(PyRobot& self, const Args& a) {
  const Eigen::VectorXd q0 = read_vector("q0", a[0]), q1 = read_vector("q1", a[1]);
  const Profile profile = read_profile(a[3]);
  const Robot& robot = self.robot();
  return made(a.has(2)
                  ? robot.configuration_trajectory(q0, q1, read_number("duration", a[2]), profile)
                  : robot.configuration_trajectory(q0, q1, profile),
              self, "configuration_trajectory",
              {to_array(q0), to_array(q1), given(a, 2), text_of(profile)});
}
py::object spline(PyRobot& self, const Args& a) {
  const Eigen::MatrixXd rows = read_matrix("points", a[0]);
  std::vector<Eigen::VectorXd> points;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) points.emplace_back(rows.row(k).transpose());
  const py::object kept = to_array(rows, true);
  if (!a.has(1)) return made(self.robot().spline(points), self, "spline", {kept});
  const SplineEnds ends = a[2]
                              ? static_cast<SplineEnds>(read_word(
                                    "ends", a[2], {"natural", "clamped", "periodic", "not_a_knot"}))
                              : SplineEnds::natural;
  const Array<double> times = read_numbers("times", a[1]);
  py::object spline = made(self.robot().spline(times, points, ends), self, "spline",
                           {kept, to_array(times), a[2] ? given(a, 2) : py::str("natural")});
  return spline;
}

// Ctrl-C in `progress` keeps the way by then.
py::object path_record(const Robot::JointPath& path, Progress& progress, PyRobot& self,
                       const char* verb, const std::vector<py::object>& arguments) {
  const py::object out =
      record("JointPath", {made(path.trajectory, self, verb, arguments), py::bool_(path.complete),
                           py::float_(path.solved_until), py::float_(path.largest_step)});
  progress.interrupt().rethrow(out);
  return out;
}
py::object joint_path(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const double duration = read_number("duration", a[2]);
  const Eigen::VectorXd start = read_vector("q_start", a[3]);
  const int segments = a[4] ? read_whole<int>("segments", a[4]) : 100;
  const py::object function = py::reinterpret_borrow<py::object>(a[1]);
  Robot mine = self.robot();  // the function may use this thread's
  Progress progress(a[5], "joint path");
  py::dict poses;  // that were asked for, by time
  Robot::JointPath path = unlocked([&] {
    return mine.joint_path(
        frame,
        [&](double t) {
          const py::gil_scoped_acquire gil;
          Robot::Pose T = Robot::Pose::Identity();
          if (progress.interrupt().passes([&] { T = read_pose("pose", function(t)); }))
            poses[py::float_(t)] = to_array(T.matrix(), true);
          return T;
        },
        duration, start, segments, [&](double share) { return progress.go_on(share); });
  });
  return path_record(
      path, progress, self, "joint_path",
      {given(a, 0), poses, py::float_(duration), to_array(start), py::int_(segments)});
}
PoseLimits read_limits(const Args& a, int first) {
  PoseLimits limits;
  if (a.has(first)) limits.velocity = read_number("velocity", a[first]);
  if (a.has(first + 1)) limits.acceleration = read_number("acceleration", a[first + 1]);
  if (a.has(first + 2)) limits.angular_velocity = read_number("angular_velocity", a[first + 2]);
  if (a.has(first + 3))
    limits.angular_acceleration = read_number("angular_acceleration", a[first + 3]);
  return limits;
}
using PosePath = Robot::JointPath (Robot::*)(const FrameArgument&, const Robot::Pose&,
                                             const Robot::Pose&, Robot::ConstVector,
                                             const PoseLimits&, Profile, int,
                                             const std::function<bool(double)>&);
template <PosePath Verb>
py::object pose_path(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Robot::Pose T0 = read_pose("T0", a[1]), T1 = read_pose("T1", a[2]);
  const Eigen::VectorXd start = read_vector("q_start", a[3]);
  const PoseLimits limits = read_limits(a, 4);
  const Profile profile = read_profile(a[8]);
  const int segments = a[9] ? read_whole<int>("segments", a[9]) : 100;
  const char* const verb = Verb == PosePath(&Robot::line_path) ? "line_path" : "screw_path";
  Progress progress(a[10], verb);
  Robot& robot = self.here();
  const Robot::JointPath path = unlocked([&] {
    return (robot.*Verb)(frame, T0, T1, start, limits, profile, segments,
                         [&](double share) { return progress.go_on(share); });
  });
  py::dict options;
  const char* const names[] = {"velocity", "acceleration", "angular_velocity",
                               "angular_acceleration"};
  for (int k = 0; k < 4; ++k) options[names[k]] = given(a, 4 + k);
  options["profile"] = text_of(profile);
  options["segments"] = segments;
  return path_record(path, progress, self, verb,
                     {given(a, 0), to_array(T0.matrix(), true), to_array(T1.matrix(), true),
                      to_array(start), options});
}

py::object sample(PyTrajectory& self, const Args& a) {
  const int n_q = self.n_q(), n_v = self.n_v();
  return sampled(a[0], n_q, n_v, [&](double t, double* q, double* qd, double* qdd) {
    self.sample(t, Map(q, n_q), Map(qd, n_v), Map(qdd, n_v));
  });
}

}  // namespace

py::object sampled(py::handle t, int n_q, int n_v, const PointAt& point) {
  const bool one = !py::hasattr(t, "__len__");
  const Array<double> times = one ? Array<double>{read_number("t", t)} : read_numbers("t", t);
  const py::ssize_t states = one ? -1 : times.size();
  const py::object q = new_array(states, Shape::vector(n_q)),
                   qd = new_array(states, Shape::vector(n_v)),
                   qdd = new_array(states, Shape::vector(n_v));
  double *place = data_of(q), *rate = data_of(qd), *second = data_of(qdd);
  Interrupt interrupt;
  unlocked([&] {
    for (int k = 0; k < times.size() && (k % 256 != 0 || interrupt.go_on()); ++k) {
      point(times[k], place, rate, second);
      place += n_q, rate += n_v, second += n_v;
    }
  });
  interrupt.rethrow();
  return record("Sample", {q, qd, qdd});
}

void bind_trajectories(py::module_& module, py::handle cls) {
  py::class_<PyTrajectory> trajectory(module, "Trajectory",
                                      R"(A motion of all coordinates in time, made by a Robot.

>>> torsor.Robot("pointmass2r").configuration_trajectory([0, 0], [1, 2], 2.0).duration
2.0)");
  trajectory.def_property_readonly(
      "duration", [](const PyTrajectory& t) { return t.duration(); }, "In s.");
  trajectory.def_property_readonly(
      "n_q", [](const PyTrajectory& t) { return t.n_q(); }, "Coordinates.");
  trajectory.def_property_readonly(
      "n_v", [](const PyTrajectory& t) { return t.n_v(); }, "Velocities.");
  trajectory.def("__copy__", &itself);
  trajectory.def("__deepcopy__", &itself_deep);
  trajectory.def("__reduce__", [](const PyTrajectory& t) {
    return py::make_tuple(py::module_::import("torsor.copies").attr("trajectory_again"),
                          py::make_tuple(t.robot, t.verb, t.arguments));
  });
  trajectory.def("__repr__", [](const PyTrajectory& t) {
    return "<torsor.Trajectory of " + std::to_string(t.n_q()) + " coordinates in " +
           short_number(t.duration()) + " s>";
  });
  method<&sample>(
      trajectory, "sample(t)",
      R"(At one time or many: a named tuple (q, qd, qdd). Before 0 and after the end it stands still.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.configuration_trajectory([0, 0], [1, 2], 2.0).sample(1.0).q
array([0.5, 1. ]))");

  method<&configuration_trajectory>(
      cls, "configuration_trajectory(q0, q1, duration=None, profile='quintic')",
      R"(From rest to rest in `duration` seconds, or as fast as the limits allow.

profile: cubic, quintic, septic, trapezoid or double_s. A quintic law reaches 1.875 of the mean speed.

>>> motion = torsor.Robot("pointmass2r").configuration_trajectory([0, 0], [1, 2], 2.0)
>>> motion.sample(1.0).qd
array([0.9375, 1.875 ]))");
  method<&spline>(cls, "spline(points, times=None, ends='natural')",
                  R"(Through points (rows), at times from 0 on, or as fast as the limits allow.

>>> motion = torsor.Robot("pointmass2r").spline([[0, 0], [1, 2], [0, 0]], [0, 1, 2])
>>> motion.sample(1.0).q
array([1., 2.]))");
  method<&joint_path>(
      cls, "joint_path(frame, pose_of_time, duration, q_start, segments=100, *, progress=None)",
      R"(Joint motion of a frame along poses, pose_of_time(t) -> 4 x 4, by inverse kinematics.

A named tuple (trajectory, complete, solved_until, largest_step); Ctrl-C raises torsor.Interrupted with
the way by then.

>>> robot = torsor.Robot("panda")
>>> q = [0, 0.2, 0, -1.5, 0, 1.7, 0]
>>> T = robot.frame_pose("tool", q)
>>> robot.joint_path("tool", lambda t: T, 1.0, q, 4).complete
True)");
  constexpr const char* limits =
      "velocity=None, acceleration=None, angular_velocity=None, angular_acceleration=None, "
      "profile='quintic', segments=100, progress=None)";
  static const std::string screw = std::string("screw_path(frame, T0, T1, q_start, *, ") + limits;
  static const std::string line = std::string("line_path(frame, T0, T1, q_start, *, ") + limits;
  method<&pose_path<&Robot::screw_path>>(
      cls, screw.c_str(),
      R"(From pose to pose along the screw, from rest to rest within limits of the frame.

A named tuple (trajectory, complete, solved_until, largest_step).

>>> robot = torsor.Robot("panda")
>>> q = [0, 0.2, 0, -1.5, 0, 1.7, 0]
>>> T = robot.frame_pose("tool", q)
>>> up = T.copy(); up[2, 3] += 0.1
>>> robot.screw_path("tool", T, up, q, velocity=0.1).complete
True)");
  method<&pose_path<&Robot::line_path>>(
      cls, line.c_str(), R"(From pose to pose, the origin along a line. As screw_path.

A quintic law reaches 1.875 of the mean speed, so 0.1 m at 0.1 m/s take 1.875 s.

>>> robot = torsor.Robot("panda")
>>> q = [0, 0.2, 0, -1.5, 0, 1.7, 0]
>>> T = robot.frame_pose("tool", q)
>>> up = T.copy(); up[2, 3] += 0.1
>>> round(robot.line_path("tool", T, up, q, velocity=0.1).trajectory.duration, 9)
1.875)");
}

}  // namespace torsor::python
