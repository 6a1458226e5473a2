// Robot: poses, velocities, Jacobians, singular configurations, statics.
#include "errors.hpp"
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

FrameHandle resolved(const PyRobot& self, const FrameArgument& frame) {
  return self.robot().frame(frame, Robot::Pose::Identity());
}
void write_pose(const Robot::Pose& T, double* y) { write_rows(T.matrix(), y); }

py::object forward_kinematics(PyRobot& self, const Args& a) {
  const int bodies = self.model().n_bodies();
  return map_states(
      self, {{"q", a[0]}}, Shape::cube(bodies, 4, 4), a[1],
      [](Robot& r, const Row* x, double* const* y) {
        double* place = y[0];
        for (const Robot::Pose& T : r.forward_kinematics(x[0].vector())) {
          write_pose(T, place);
          place += 16;
        }
      },
      [](auto& b, const auto* x, const auto* y) {
        b.body_poses(x[0], y[0]);
        return 0;
      });
}
py::object frame_pose(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  return map_states(
      self, {{"q", a[1]}}, Shape::matrix(4, 4), a[2],
      [&](Robot& r, const Row* x, double* const* y) {
        write_pose(r.frame_pose(frame, x[0].vector()), y[0]);
      },
      [&](auto& b, const auto* x, const auto* y) {
        b.frame_pose(x[0], resolved(self, frame).frame(), y[0]);
        return 0;
      });
}
py::object frame_velocity(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}}, Shape::vector(6), a[4],
                    [&](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], 6) =
                          r.frame_velocity(frame, x[0].vector(), x[1].vector(), reference);
                    });
}
py::object frame_acceleration(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[4]);
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}}, Shape::vector(6), a[5],
                    [&](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], 6) = r.frame_acceleration(frame, x[0].vector(), x[1].vector(),
                                                          x[2].vector(), reference);
                    });
}
py::object jacobian(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[2]);
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[1]}}, Shape::matrix(6, n), a[3],
      [&](Robot& r, const Row* x, double* const* y) {
        Eigen::MatrixXd& J = scratch(6, n);
        r.jacobian(frame, x[0].vector(), J, reference);
        write_rows(J, y[0]);
      },
      [&](auto& b, const auto* x, const auto* y) {
        b.jacobian(x[0], resolved(self, frame).frame(), reference, y[0]);
        return 0;
      });
}
py::object jacobian_dot(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  const int n = self.n_v();
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}}, Shape::matrix(6, n), a[4],
                    [&](Robot& r, const Row* x, double* const* y) {
                      Eigen::MatrixXd& J = scratch(6, n);
                      r.jacobian_dot(frame, x[0].vector(), x[1].vector(), J, reference);
                      write_rows(J, y[0]);
                    });
}
py::object point_jacobian(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Eigen::Vector3d point = read_vector("point_in_frame", a[2], 3);
  return map_states(self, {{"q", a[1]}}, Shape::matrix(3, self.n_v()), {},
                    [&](Robot& r, const Row* x, double* const* y) {
                      write_rows(r.point_jacobian(frame, x[0].vector(), point), y[0]);
                    });
}
const std::vector<std::string> euler_words{"xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
                                           "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
py::object analytic_jacobian(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const EulerSequence sequence =
      a[2] ? static_cast<EulerSequence>(read_word("sequence", a[2], euler_words))
           : EulerSequence::zyx;
  return map_states(
      self, {{"q", a[1]}},
      {{Shape::matrix(6, self.n_v())}, {Shape::vector(3)}, {Shape::scalar(), As::flag}},
      "AnalyticJacobian", [&](Robot& r, const Row* x, double* const* y) {
        const auto answer = r.analytic_jacobian(frame, x[0].vector(), sequence);
        write_rows(answer.J, y[0]);
        Map(y[1], 3) = answer.angles;
        y[2][0] = answer.singular;
      });
}

void write_rates(const Robot::Rates& rates, int n, double* const* y) {
  if (!rates.info.weight_ok) throw Error("weight is not symmetric and positive definite");
  Map(y[0], n) = rates.rates;
  y[1][0] = rates.info.rank;
  y[2][0] = rates.info.residual;
  y[3][0] = rates.info.damping;
  y[4][0] = rates.info.smallest;
  y[5][0] = rates.info.largest;
}
struct VelocityOptions : InverseVelocityOptions {
  Eigen::MatrixXd D;
  VelocityOptions(const Args& a, int first) {
    if (a.has(first)) {
      D = read_matrix("weight", a[first]);
      weight = D;
    }
    if (a[first + 1]) near = read_number("near", a[first + 1]);
    if (a[first + 2]) max_damping = read_number("max_damping", a[first + 2]);
    if (a[first + 3]) rank_tolerance = read_number("rank_tolerance", a[first + 3]);
  }
};
py::object inverse_velocity(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  const VelocityOptions options(a, 4);
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[1]}, {"V", a[2]}}, {{Shape::vector(n)}, {{}, As::whole}, {}, {}, {}, {}},
      "Rates", [&](Robot& r, const Row* x, double* const* y) {
        if (x[1].size != 6)
          throw Error("V has " + std::to_string(x[1].size) + " numbers, expected 6");
        write_rates(r.inverse_velocity(frame, x[0].vector(), x[1].vector(), reference, options), n,
                    y);
      });
}
py::object inverse_acceleration(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[4]);
  const VelocityOptions options(a, 5);
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[1]}, {"qd", a[2]}, {"Vdot", a[3]}},
      {{Shape::vector(n)}, {{}, As::whole}, {}, {}, {}, {}}, "Rates",
      [&](Robot& r, const Row* x, double* const* y) {
        if (x[2].size != 6)
          throw Error("Vdot has " + std::to_string(x[2].size) + " numbers, expected 6");
        write_rates(r.inverse_acceleration(frame, x[0].vector(), x[1].vector(), x[2].vector(),
                                           reference, options),
                    n, y);
      });
}

void write_ellipsoid(const Ellipsoid& e, double* axes, double* radii) {
  for (int r = 0; r < 3; ++r) {
    radii[r] = e.radii[r];
    for (int c = 0; c < 3; ++c) axes[3 * r + c] = e.axes(r, c);
  }
}
py::object manipulability(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  return map_states(self, {{"q", a[1]}},
                    {{},
                     {Shape::vector(6)},
                     {},
                     {{}, As::whole},
                     {},
                     {Shape::matrix(3, 3)},
                     {Shape::vector(3)},
                     {Shape::matrix(3, 3)},
                     {Shape::vector(3)}},
                    "Manipulability", [&](Robot& r, const Row* x, double* const* y) {
                      const Manipulability m = r.manipulability(frame, x[0].vector());
                      y[0][0] = m.measure;
                      std::copy(m.sigma.begin(), m.sigma.end(), y[1]);
                      y[2][0] = m.inverse_condition;
                      y[3][0] = m.rank;
                      y[4][0] = m.determinant;
                      write_ellipsoid(m.angular, y[5], y[6]);
                      write_ellipsoid(m.linear, y[7], y[8]);
                    });
}
py::object singularities(PyRobot& self, const Args& a) {
  const double tolerance = a[2] ? read_number("tolerance", a[2]) : 1e-10;
  const FrameArgument frame = read_frame("frame", a[0]);
  const Eigen::VectorXd q = read_vector("q", a[1]);
  Robot& robot = self.here();
  const SingularityReport s = unlocked([&] { return robot.singularities(frame, q, tolerance); });
  const auto where = [&](const Array<SingularCoordinate>& list) {
    py::dict out;
    const Robot::Names names = self.robot().coordinate_names();
    for (const SingularCoordinate& c : list)
      out[py::str(names[static_cast<std::size_t>(c.coordinate)])] =
          c.always ? py::object(py::str("always")) : to_array(c.values);
    return out;
  };
  const Twist<double>& b = s.blocked;
  return record(
      "Singularities",
      {py::bool_(s.singular()), py::int_(s.rank), py::int_(s.generic_rank), py::float_(s.smallest),
       py::float_(s.largest), s.six_joints ? py::object(py::float_(s.determinant)) : py::none(),
       s.decoupled ? py::object(py::bool_(s.arm_singular)) : py::none(),
       s.decoupled ? py::object(py::bool_(s.wrist_singular)) : py::none(), where(s.arm_where),
       where(s.wrist_where),
       to_array(std::vector<double>{b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z}),
       to_array(s.self_motion), py::str(describe(self.model(), s))});
}
py::object nearest_singularity(PyRobot& self, const Args& a) {
  NearestSingularityOptions options;
  if (a[2]) options.starts = read_whole<int>("starts", a[2]);
  if (a[3]) options.radius = read_number("radius", a[3]);
  if (a[4]) options.seed = read_whole<std::uint64_t>("seed", a[4]);
  const FrameArgument frame = read_frame("frame", a[0]);
  const Eigen::VectorXd q = read_vector("q", a[1]);
  Robot& robot = self.here();
  Progress progress(a[5], "nearest singularity");
  const NearestSingularity found = unlocked([&] {
    return robot.nearest_singularity(frame, q, options,
                                     [&](double share) { return progress.go_on(share); });
  });
  const py::object out =
      record("NearestSingularity",
             {to_array(found.q), py::bool_(found.converged), py::float_(found.distance),
              py::float_(found.sigma), py::int_(found.iterations)});
  if (!found.converged) progress.interrupt().rethrow();
  progress.interrupt().rethrow(out);
  return out;
}
py::object statics(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  return map_states(self, {{"q", a[1]}, {"F", a[2]}}, Shape::vector(self.n_v()), {},
                    [&](Robot& r, const Row* x, double* const* y) {
                      if (x[1].size != 6)
                        throw Error("F has " + std::to_string(x[1].size) + " numbers, expected 6");
                      Map(y[0], r.n_v()) =
                          r.statics(frame, x[0].vector(), x[1].vector(), reference);
                    });
}
py::object wrench_from_torques(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  return map_states(self, {{"q", a[1]}, {"tau", a[2]}}, {{Shape::vector(6)}, {{}, As::whole}, {}},
                    "StaticWrench", [&](Robot& r, const Row* x, double* const* y) {
                      const StaticWrench s =
                          r.wrench_from_torques(frame, x[0].vector(), x[1].vector(), reference);
                      for (int k = 0; k < 3; ++k) y[0][k] = s.F.m[k], y[0][3 + k] = s.F.f[k];
                      y[1][0] = s.rank;
                      y[2][0] = s.residual;
                    });
}

}  // namespace

void bind_kinematics(py::handle cls) {
  method<&forward_kinematics>(cls, "forward_kinematics(q, *, out=None)",
                              R"(Poses of all bodies as n_bodies x 4 x 4; [0] is the world.

>>> torsor.Robot("pointmass2r").forward_kinematics([0, 0])[2, :3, 3]
array([1., 0., 0.]))");
  method<&frame_pose>(cls, "frame_pose(frame, q, *, out=None)",
                      R"(Pose of a frame in the world, 4 x 4.

>>> torsor.Robot("pointmass2r").frame_pose("tip", [0, 0])[:3, 3]
array([1.8, 0. , 0. ]))");
  method<&frame_velocity>(
      cls, "frame_velocity(frame, q, qd, reference='body', *, out=None)",
      R"(Twist of a frame, (w, v): angular first. reference: body, world or world_aligned.

>>> torsor.Robot("pointmass2r").frame_velocity("tip", [0, 0], [1, 0])
array([0. , 0. , 1. , 0. , 1.8, 0. ]))");
  method<&frame_acceleration>(
      cls, "frame_acceleration(frame, q, qd, qdd, reference='body', *, out=None)",
      R"(Rate of the twist; of world_aligned the acceleration of the origin: -1.8 w^2 towards the axis.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.frame_acceleration("tip", [0, 0], [1, 0], [0, 0], "world_aligned")[3]
-1.8)");
  method<&jacobian>(cls, "jacobian(frame, q, reference='body', *, out=None)",
                    R"(6 x n_v, rows (w, v): angular first. reference: body, world or world_aligned.

>>> torsor.Robot("pointmass2r").jacobian("tip", [0, 0])[[2, 4]]
array([[1. , 1. ],
       [1.8, 0.8]]))");
  method<&jacobian_dot>(cls, "jacobian_dot(frame, q, qd, reference='body', *, out=None)",
                        R"(Rate of the Jacobian, 6 x n_v.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.jacobian_dot("tip", [0, 0], [1, 0], "world_aligned")[3]
array([-1.8, -0.8]))");
  method<&point_jacobian>(cls, "point_jacobian(frame, q, point_in_frame)",
                          R"(3 x n_v: velocity of a point that is fixed in a frame.

>>> torsor.Robot("pointmass2r").point_jacobian("tip", [0, 0], [0.2, 0, 0])[1]
array([2., 1.]))");
  method<&analytic_jacobian>(cls, "analytic_jacobian(frame, q, sequence='zyx')",
                             R"(Rates of three Euler angles, then velocity of the origin.

A named tuple (J, angles, singular).

>>> torsor.Robot("pointmass2r").analytic_jacobian("tip", [0.3, 0.2]).angles[0]
0.5)");
  method<&inverse_velocity>(
      cls,
      "inverse_velocity(frame, q, V, reference='body', *, weight=None, near=1e-3, "
      "max_damping=1e-2, rank_tolerance=1e-10)",
      R"(Joint velocities for a twist, least in the norm of `weight`, damped near singular ones.

A named tuple (rates, rank, residual, damping, smallest, largest).

>>> robot = torsor.Robot("pointmass2r")
>>> V = robot.frame_velocity("tip", [0, 1], [0.3, -0.2])
>>> robot.inverse_velocity("tip", [0, 1], V).rates
array([ 0.3, -0.2]))");
  method<&inverse_acceleration>(
      cls,
      "inverse_acceleration(frame, q, qd, Vdot, reference='body', *, weight=None, near=1e-3, "
      "max_damping=1e-2, rank_tolerance=1e-10)",
      R"(Joint accelerations for the rate of a twist. A named tuple as of inverse_velocity.

>>> robot = torsor.Robot("pointmass2r")
>>> A = robot.frame_acceleration("tip", [0, 1], [1, 2], [0.3, -0.2])
>>> robot.inverse_acceleration("tip", [0, 1], [1, 2], A).rates
array([ 0.3, -0.2]))");
  method<&manipulability>(
      cls, "manipulability(frame, q)",
      R"(Singular values of the Jacobian, their product, and ellipsoids of velocities.

A named tuple (measure, sigma, inverse_condition, rank, determinant, angular_axes, angular_radii,
linear_axes, linear_radii).

>>> torsor.Robot("pointmass2r").manipulability("tip", [0, 0]).rank
2)");
  method<&singularities>(
      cls, "singularities(frame, q, tolerance=1e-10)",
      R"(Whether and how a configuration is singular, and where along each joint it would be.

A named tuple (singular, rank, generic_rank, smallest, largest, determinant, arm_singular,
wrist_singular, arm_where, wrist_where, blocked, self_motion, text).

>>> torsor.Robot("puma560").singularities("tool", [0, 0.3, 0.2, 0, 0, 0]).wrist_singular
True)");
  method<&nearest_singularity>(
      cls, "nearest_singularity(frame, q, *, starts=12, radius=1.5, seed=1, progress=None)",
      R"(A singular configuration near q: (q, converged, distance, sigma, iterations).

The nearest of so many searches; Ctrl-C raises torsor.Interrupted with the nearest found by then.
The wrist of a PUMA is singular where q5 = 0.

>>> robot = torsor.Robot("puma560")
>>> abs(robot.nearest_singularity("tool", [0, 0.3, 0.2, 0, 0.1, 0]).distance - 0.1) < 1e-6
True)");
  method<&statics>(cls, "statics(frame, q, F, reference='body')",
                   R"(tau = J^T F: the torques with which the robot exerts the wrench F = (m, f).

>>> torsor.Robot("pointmass2r").statics("tip", [0, 0], [0, 0, 0, 0, 10, 0])
array([18.,  8.]))");
  method<&wrench_from_torques>(cls, "wrench_from_torques(frame, q, tau, reference='body')",
                               R"(The wrench that torques hold at a frame: (F, rank, residual).

>>> robot = torsor.Robot("pointmass2r")
>>> robot.wrench_from_torques("tip", [0, 1], robot.statics("tip", [0, 1], [0, 0, 0, 1, 2, 0])).rank
2)");
}

}  // namespace torsor::python
