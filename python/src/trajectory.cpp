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
py::object made(JointTrajectory trajectory) { return py::cast(std::move(trajectory)); }

py::object configuration_trajectory(PyRobot& self, const Args& a) {
  const Eigen::VectorXd q0 = read_vector("q0", a[0]), q1 = read_vector("q1", a[1]);
  const Profile profile = read_profile(a[3]);
  if (a.has(2))
    return made(
        self.robot().configuration_trajectory(q0, q1, read_number("duration", a[2]), profile));
  return made(self.robot().configuration_trajectory(q0, q1, profile));
}
py::object spline(PyRobot& self, const Args& a) {
  const Eigen::MatrixXd rows = read_matrix("points", a[0]);
  std::vector<Eigen::VectorXd> points;
  for (Eigen::Index k = 0; k < rows.rows(); ++k) points.emplace_back(rows.row(k).transpose());
  if (!a.has(1)) return made(self.robot().spline(points));
  const SplineEnds ends = a[2]
                              ? static_cast<SplineEnds>(read_word(
                                    "ends", a[2], {"natural", "clamped", "periodic", "not_a_knot"}))
                              : SplineEnds::natural;
  return made(self.robot().spline(read_numbers("times", a[1]), points, ends));
}

py::object path_record(const Robot::JointPath& path) {
  return record("JointPath", {made(path.trajectory), py::bool_(path.complete),
                              py::float_(path.solved_until), py::float_(path.largest_step)});
}
py::object joint_path(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const double duration = read_number("duration", a[2]);
  const Eigen::VectorXd start = read_vector("q_start", a[3]);
  const int segments = a[4] ? read_whole<int>("segments", a[4]) : 100;
  const py::object function = py::reinterpret_borrow<py::object>(a[1]);
  Robot mine = self.robot();  // the function may use this thread's
  Interrupt interrupt;
  Robot::JointPath path;
  {
    const py::gil_scoped_release release;
    path = mine.joint_path(
        frame,
        [&](double t) {
          const py::gil_scoped_acquire gil;
          if (PyErr_CheckSignals() != 0) throw py::error_already_set();
          return read_pose("pose", function(t));
        },
        duration, start, segments);
  }
  return path_record(path);
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
template <auto Verb>
py::object pose_path(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Robot::Pose T0 = read_pose("T0", a[1]), T1 = read_pose("T1", a[2]);
  const Eigen::VectorXd start = read_vector("q_start", a[3]);
  const PoseLimits limits = read_limits(a, 4);
  const Profile profile = read_profile(a[8]);
  const int segments = a[9] ? read_whole<int>("segments", a[9]) : 100;
  Robot& robot = self.here();
  Robot::JointPath path;
  {
    const py::gil_scoped_release release;
    path = (robot.*Verb)(frame, T0, T1, start, limits, profile, segments);
  }
  return path_record(path);
}

py::object sample(JointTrajectory& self, const Args& a) {
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
  py::class_<JointTrajectory> trajectory(module, "Trajectory",
                                         R"(A motion of all coordinates in time, made by a Robot.

>>> torsor.Robot("pointmass2r").configuration_trajectory([0, 0], [1, 2], 2.0).duration
2.0)");
  trajectory.def_property_readonly("duration", &JointTrajectory::duration, "In s.");
  trajectory.def_property_readonly("n_q", &JointTrajectory::n_q, "Coordinates.");
  trajectory.def_property_readonly("n_v", &JointTrajectory::n_v, "Velocities.");
  trajectory.def("__copy__", &itself);
  trajectory.def("__deepcopy__", &itself_deep);
  trajectory.def("__repr__", [](const JointTrajectory& t) {
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
      cls, "joint_path(frame, pose_of_time, duration, q_start, segments=100)",
      R"(Joint motion of a frame along poses, pose_of_time(t) -> 4 x 4, by inverse kinematics.

A named tuple (trajectory, complete, solved_until, largest_step).

>>> robot = torsor.Robot("panda")
>>> q = [0, 0.2, 0, -1.5, 0, 1.7, 0]
>>> T = robot.frame_pose("tool", q)
>>> robot.joint_path("tool", lambda t: T, 1.0, q, 4).complete
True)");
  constexpr const char* limits =
      "velocity=None, acceleration=None, angular_velocity=None, angular_acceleration=None, "
      "profile='quintic', segments=100)";
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
