// Robot: torques, accelerations, matrices of the equations of motion, energies and momenta.
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

void check_regular(const Robot& robot, const Invertibility& result) {
  if (!result)
    throw Error("robot \"" + robot.name() + "\": the mass matrix cannot be inverted (pivot ratio " +
                std::to_string(result.pivot_ratio) + ")");
}
BaseMotion<double> read_base(py::handle value) {
  const auto base = read_items("base", value, "a pose and two twists: (T, V, Vdot)");
  if (base.size() != 3)
    throw Error("base has " + std::to_string(base.size()) +
                " parts, expected a pose and two twists: (T, V, Vdot)");
  const Robot::Pose T = read_pose("base[0]", base[0]);
  const Eigen::VectorXd V = read_vector("base[1]", base[1], 6),
                        A = read_vector("base[2]", base[2], 6);
  BaseMotion<double> motion;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) motion.T_world_base.R(r, c) = T.matrix()(r, c);
    motion.T_world_base.p[r] = T.matrix()(r, 3);
  }
  motion.V = {{V[0], V[1], V[2]}, {V[3], V[4], V[5]}};
  motion.Vdot = {{A[0], A[1], A[2]}, {A[3], A[4], A[5]}};
  return motion;
}

py::object inverse_dynamics(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  const Robot::Wrenches external = read_wrenches(a[4]);
  if (a.has(6)) {
    const BaseMotion<double> base = read_base(a[6]);
    return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}}, Shape::vector(n), a[3],
                      [&](Robot& r, const Row* x, double* const* y) {
                        Map(y[0], n) = r.inverse_dynamics(base, x[0].vector(), x[1].vector(),
                                                          x[2].vector(), external);
                      });
  }
  const Effects effects = read_effects(a[5]);
  const auto batch = [&]<class Real>(Batch<Real>& b, const auto* x, const auto* y) {
    return b.inverse_dynamics(x[0], x[1], x[2], y[0], {.effects = effects}).unanswered;
  };
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}}, Shape::vector(n), a[3],
      [&](Robot& r, const Row* x, double* const* y) {
        r.inverse_dynamics(x[0].vector(), x[1].vector(), x[2].vector(), Map(y[0], n), external,
                           effects);
      },
      !external.empty() ? BatchVerb() : BatchVerb(batch));
}

py::object forward_dynamics(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  const Robot::Wrenches external = read_wrenches(a[4]);
  const Effects effects = read_effects(a[5]);
  if (a.has(6)) {
    const BaseMotion<double> base = read_base(a[6]);
    return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"tau", a[2]}}, Shape::vector(n), a[3],
                      [&](Robot& r, const Row* x, double* const* y) {
                        const auto result = r.forward_dynamics(base, x[0].vector(), x[1].vector(),
                                                               x[2].vector(), external);
                        check_regular(r, result);
                        Map(y[0], n) = result.qdd;
                      });
  }
  if (a.has(7) && read_flag("details", a[7])) {
    const int m = effects.loops ? self.n_constraints() : 0;
    return map_states(
        self, {{"q", a[0]}, {"qd", a[1]}, {"tau", a[2]}},
        {{Shape::vector(n)}, {Shape::vector(m)}, {Shape::scalar(), As::flag}, {Shape::scalar()}},
        "Accelerations", [&](Robot& r, const Row* x, double* const* y) {
          const auto result =
              r.forward_dynamics(x[0].vector(), x[1].vector(), x[2].vector(), external, effects);
          Map(y[0], n) = result.qdd;
          Map(y[1], m) = result.lambda;
          y[2][0] = result.regular;
          y[3][0] = result.pivot_ratio;
        });
  }
  const auto batch = [&]<class Real>(Batch<Real>& b, const auto* x, const auto* y) {
    return b.forward_dynamics(x[0], x[1], x[2], y[0], {.effects = effects}).unanswered;
  };
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}, {"tau", a[2]}}, Shape::vector(n), a[3],
      [&](Robot& r, const Row* x, double* const* y) {
        check_regular(r, r.forward_dynamics(x[0].vector(), x[1].vector(), x[2].vector(),
                                            Map(y[0], n), external, effects));
      },
      !external.empty() ? BatchVerb() : BatchVerb(batch));
}

py::object hybrid_dynamics(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  const JointSet prescribed = read_joints(a[0]);
  const Robot::Wrenches external = read_wrenches(a[5]);
  const Effects effects = read_effects(a[6]);
  const int m = effects.loops ? self.n_constraints() : 0;
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}, {"tau", a[4]}},
                    {{Shape::vector(n)},
                     {Shape::vector(n)},
                     {Shape::vector(m)},
                     {Shape::scalar(), As::flag},
                     {Shape::scalar()}},
                    "Hybrid", [&](Robot& r, const Row* x, double* const* y) {
                      const auto result =
                          r.hybrid_dynamics(prescribed, x[0].vector(), x[1].vector(), x[2].vector(),
                                            x[3].vector(), external, effects);
                      Map(y[0], n) = result.qdd;
                      Map(y[1], n) = result.tau;
                      Map(y[2], m) = result.lambda;
                      y[3][0] = result.regular;
                      y[4][0] = result.pivot_ratio;
                    });
}

py::object mass_matrix(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[0]}}, Shape::matrix(n, n), a[1],
      [n](Robot& r, const Row* x, double* const* y) {  // symmetric: rows are columns
        r.mass_matrix(x[0].vector(), Eigen::Map<Eigen::MatrixXd>(y[0], n, n));
      },
      [](auto& b, const auto* x, const auto* y) {
        b.mass_matrix(x[0], y[0]);
        return 0;
      });
}
py::object mass_matrix_inverse(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[0]}}, Shape::matrix(n, n), a[1],
      [n](Robot& r, const Row* x, double* const* y) {
        check_regular(
            r, r.mass_matrix_inverse(x[0].vector(), Eigen::Map<Eigen::MatrixXd>(y[0], n, n)));
      },
      [](auto& b, const auto* x, const auto* y) {
        return b.mass_matrix_inverse(x[0], y[0]).unanswered;
      });
}
py::object mass_matrix_inverse_times(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  const Eigen::MatrixXd A = read_matrix("A", a[1]);
  const int cols = static_cast<int>(A.cols());
  return map_states(self, {{"q", a[0]}}, Shape::matrix(n, cols), {},
                    [&](Robot& r, const Row* x, double* const* y) {
                      const auto result = r.mass_matrix_inverse_times(x[0].vector(), A);
                      check_regular(r, result);
                      write_rows(result.matrix, y[0]);
                    });
}
py::object coriolis_matrix(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}}, Shape::matrix(n, n), a[2],
      [n](Robot& r, const Row* x, double* const* y) {
        Eigen::MatrixXd& C = scratch(n, n);
        r.coriolis_matrix(x[0].vector(), x[1].vector(), C);
        write_rows(C, y[0]);
      },
      [](auto& b, const auto* x, const auto* y) {
        b.coriolis_matrix(x[0], x[1], y[0]);
        return 0;
      });
}
py::object christoffel(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}}, Shape::cube(n, n, n), {},
                    [n](Robot& r, const Row* x, double* const* y) {
                      const std::vector<Eigen::MatrixXd> c = r.christoffel(x[0].vector());
                      for (int k = 0; k < n; ++k) {
                        const double* from = c[static_cast<std::size_t>(k)].data();
                        for (int j = 0; j < n; ++j)
                          for (int i = 0; i < n; ++i) y[0][(i * n + j) * n + k] = *from++;
                      }
                    });
}
py::object gravity_torque(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[0]}}, Shape::vector(n), a[1],
      [n](Robot& r, const Row* x, double* const* y) {
        r.gravity_torque(x[0].vector(), Map(y[0], n));
      },
      [](auto& b, const auto* x, const auto* y) {
        b.gravity_torque(x[0], y[0]);
        return 0;
      });
}
py::object bias_torque(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}}, Shape::vector(n), a[2],
      [n](Robot& r, const Row* x, double* const* y) {
        r.bias_torque(x[0].vector(), x[1].vector(), Map(y[0], n));
      },
      [](auto& b, const auto* x, const auto* y) {
        b.bias_torque(x[0], x[1], y[0]);
        return 0;
      });
}
py::object two_velocity_inverse_dynamics(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"v", a[2]}, {"a", a[3]}}, Shape::vector(n),
                    {}, [n](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], n) = r.two_velocity_inverse_dynamics(x[0].vector(), x[1].vector(),
                                                                     x[2].vector(), x[3].vector());
                    });
}
py::object friction_torque(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, Shape::vector(n), {},
                    [n](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], n) = r.friction_torque(x[0].vector(), x[1].vector());
                    });
}
py::object joint_wrenches(PyRobot& self, const Args& a) {
  const int bodies = self.model().n_bodies() - 1;
  const Robot::Wrenches external = read_wrenches(a[3]);
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}}, Shape::matrix(bodies, 6), {},
      [&](Robot& r, const Row* x, double* const* y) {
        write_rows(
            r.joint_wrenches(x[0].vector(), x[1].vector(), x[2].vector(), external).transpose(),
            y[0]);
      });
}
py::object generalised_force(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  std::vector<PointLoad> loads;
  for (const py::object& item : read_items("loads", a[1], "a list of dicts")) {
    if (!py::isinstance<py::dict>(item) || !item.contains("frame"))
      throw Error("a load is " + std::string(py::repr(item)) +
                  ", expected {\"frame\": ..., \"force\": ..., \"point\": ..., \"moment\": ...}");
    PointLoad load{read_frame("frame", item["frame"])};
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(item)) {
      const std::string word = py::str(key);
      if (word == "point")
        load.point = read_vector("point", value, 3);
      else if (word == "force")
        load.force = read_vector("force", value, 3);
      else if (word == "moment")
        load.moment = read_vector("moment", value, 3);
      else if (word != "frame")
        throw Error("a load has \"" + word + "\", expected frame, force, point or moment");
    }
    loads.push_back(load);
  }
  return map_states(self, {{"q", a[0]}}, Shape::vector(n), {},
                    [&](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], n) = r.generalised_force(x[0].vector(), loads);
                    });
}

}  // namespace

void bind_dynamics(py::handle cls) {
  method<&inverse_dynamics>(
      cls, "inverse_dynamics(q, qd, qdd, *, out=None, external=None, effects=None, base=None)",
      R"(Torques of a motion: tau = M qdd + C qd + g, friction and all else that the model has.

external: {frame: (mx, my, mz, fx, fy, fz)}, in the frame's axes. effects: torsor.Effects, what to
leave out. base: (T, V, Vdot) of a base that is carried along; rigid bodies and rotors then.

Two point masses of 2 kg at 1 m and 1 kg at 1.8 m, held level: 9.81 (2 * 1 + 1 * 1.8) and
9.81 * 0.8.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.inverse_dynamics([0, 0], [0, 0], [0, 0])
array([37.278,  7.848]))");
  method<&forward_dynamics>(
      cls,
      "forward_dynamics(q, qd, tau, *, out=None, external=None, effects=None, base=None, "
      "details=False)",
      R"(Accelerations under torques. Raises torsor.Error where the mass matrix cannot be inverted.

details: a named tuple (qdd, multipliers, regular, pivot_ratio) instead, which does not raise.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.forward_dynamics([0, 0], [0, 0], [37.278, 7.848]).round(9) + 0
array([0., 0.]))");
  method<&hybrid_dynamics>(
      cls, "hybrid_dynamics(prescribed, q, qd, qdd, tau, *, external=None, effects=None)",
      R"(The named joints follow qdd, the others obey tau; what is not given comes back.

A named tuple (qdd, tau, multipliers, regular, pivot_ratio).

>>> robot = torsor.Robot("pointmass2r")
>>> all_given = robot.hybrid_dynamics(["joint_1", "joint_2"], [0, 0], [0, 0], [0, 0], [0, 0])
>>> all_given.tau
array([37.278,  7.848]))");
  method<&mass_matrix>(cls, "mass_matrix(q, *, out=None)", R"(M(q), n_v x n_v, with rotors.

Stretched out: 2 * 1^2 + 1 * 1.8^2, 1.8 * 0.8 and 0.8^2.

>>> torsor.Robot("pointmass2r").mass_matrix([0, 0])
array([[5.24, 1.44],
       [1.44, 0.64]]))");
  method<&mass_matrix_inverse>(cls, "mass_matrix_inverse(q, *, out=None)",
                               R"(M(q)^-1. Raises torsor.Error where M cannot be inverted.

det M = 5.24 * 0.64 - 1.44^2 = 1.28 for the stretched arm.

>>> torsor.Robot("pointmass2r").mass_matrix_inverse([0, 0])
array([[ 0.5    , -1.125  ],
       [-1.125  ,  4.09375]]))");
  method<&mass_matrix_inverse_times>(cls, "mass_matrix_inverse_times(q, A)",
                                     R"(M(q)^-1 A, A with n_v rows, without M itself.

>>> torsor.Robot("pointmass2r").mass_matrix_inverse_times([0, 0], [[1.28], [0]])
array([[ 0.64],
       [-1.44]]))");
  method<&coriolis_matrix>(
      cls, "coriolis_matrix(q, qd, *, out=None)",
      R"(C(q, qd) with C qd the Coriolis and centrifugal torques and M' - 2 C skew.

At the right angle h = -m2 l1 l2 sin(q2) = -0.8; C = h [[qd2, qd1 + qd2], [-qd1, 0]].

>>> torsor.Robot("pointmass2r").coriolis_matrix([0, np.pi / 2], [1, 2])
array([[-1.6, -2.4],
       [ 0.8,  0. ]]))");
  method<&christoffel>(cls, "christoffel(q)", R"(Christoffel symbols c[i, j, k], n_v x n_v x n_v.

C[i, j] = sum_k c[i, j, k] qd_k.

>>> torsor.Robot("pointmass2r").christoffel([0, np.pi / 2]) @ [1, 2]
array([[-1.6, -2.4],
       [ 0.8,  0. ]]))");
  method<&gravity_torque>(cls, "gravity_torque(q, *, out=None)",
                          R"(Torques that hold the robot against gravity, g(q).

>>> torsor.Robot("pointmass2r").gravity_torque([0, 0])
array([37.278,  7.848]))");
  method<&bias_torque>(cls, "bias_torque(q, qd, *, out=None)",
                       R"(C qd + g: what is left of the rigid torques without acceleration.

Upright with the forearm level: its weight alone, 9.81 * 0.8.

>>> torsor.Robot("pointmass2r").bias_torque([np.pi / 2, -np.pi / 2], [0, 0])
array([7.848, 7.848]))");
  method<&two_velocity_inverse_dynamics>(cls, "two_velocity_inverse_dynamics(q, qd, v, a)",
                                         R"(M a + C(q, qd) v + g: of passivity-based laws.

The matrix C(q, qd) of the right angle and v = (1, 0), upright: gravity acts on the forearm alone.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.two_velocity_inverse_dynamics([np.pi / 2, -np.pi / 2], [1, 2], [1, 0], [0, 0])
array([9.448, 7.048]))");
  method<&friction_torque>(cls, "friction_torque(q, qd)",
                           R"(Torque that friction takes at these velocities.

>>> torsor.Robot("pointmass2r").friction_torque([0, 0], [1, 1])
array([0., 0.]))");
  method<&joint_wrenches>(
      cls, "joint_wrenches(q, qd, qdd, *, external=None)",
      R"(What its parent exerts on each moving body: n_bodies x 6, (m, f) in the link's frame.

The first link bears 3 kg: moment 37.278 N m about z, force 29.43 N along y.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.joint_wrenches([0, 0], [0, 0], [0, 0])[0, [2, 4]]
array([37.278, 29.43 ]))");
  method<&generalised_force>(cls, "generalised_force(q, loads)",
                             R"(Torques that stand for forces at points: J^T F, in world axes.

loads: dicts with "frame" and any of "force", "moment", "point" (in the frame).

>>> robot = torsor.Robot("pointmass2r")
>>> robot.generalised_force([0, 0], [{"frame": "tip", "force": [0, 10, 0]}])
array([18.,  8.]))");
}

}  // namespace torsor::python
