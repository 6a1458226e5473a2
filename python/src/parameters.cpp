// Robot: inertial parameters and regressors; surgery.
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

int n_parameters(const PyRobot& self) {
  return parameters_per_body * (self.model().n_bodies() - 1);
}

py::object torque_regressor(PyRobot& self, const Args& a) {
  const int n = self.n_v(), p = n_parameters(self);
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}}, Shape::matrix(n, p), a[3],
      [=](Robot& r, const Row* x, double* const* y) {
        Eigen::MatrixXd& Y = scratch(n, p);
        r.torque_regressor(x[0].vector(), x[1].vector(), x[2].vector(), Y);
        write_rows(Y, y[0]);
      },
      [](auto& b, const auto* x, const auto* y) {
        b.torque_regressor(x[0], x[1], x[2], y[0]);
        return 0;
      });
}
py::object two_velocity_torque_regressor(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"v", a[2]}, {"a", a[3]}},
                    Shape::matrix(self.n_v(), n_parameters(self)), {},
                    [](Robot& r, const Row* x, double* const* y) {
                      write_rows(r.two_velocity_torque_regressor(x[0].vector(), x[1].vector(),
                                                                 x[2].vector(), x[3].vector()),
                                 y[0]);
                    });
}
py::object joint_regressor(PyRobot& self, const Args& a) {
  const auto parameter = static_cast<JointParameter>(
      read_word("parameter", a[0], {"viscous", "coulomb", "stiction", "rotor"}));
  return map_states(self, {{"qd", a[1]}, {"qdd", a[2]}}, Shape::matrix(self.n_v(), self.n_v()), {},
                    [parameter](Robot& r, const Row* x, double* const* y) {
                      write_rows(r.joint_regressor(parameter, x[0].vector(), x[1].vector()), y[0]);
                    });
}
py::object energy_regressor(PyRobot& self, const Args& a) {
  const int p = n_parameters(self);
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, {{Shape::vector(p)}, {Shape::vector(p)}},
                    "EnergyRows", [p](Robot& r, const Row* x, double* const* y) {
                      const auto rows = r.energy_regressor(x[0].vector(), x[1].vector());
                      Map(y[0], p) = rows.kinetic;
                      Map(y[1], p) = rows.potential;
                    });
}
py::object torque_of_parameters(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}, {"parameters", a[3]}},
                    Shape::vector(self.n_v()), {}, [](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], r.n_v()) = r.torque_of_parameters(x[0].vector(), x[1].vector(),
                                                                  x[2].vector(), x[3].vector());
                    });
}

// Surgery: reads the arguments, then makes the new robot while other threads run.
template <class Make>
py::object another(const Make& make) {
  return new_robot(unlocked(make));
}
py::object lock_joints(PyRobot& self, const Args& a) {
  const JointSet joints = read_joints(a[0]);
  const Eigen::VectorXd q = read_vector("q", a[1]);
  return another([&] { return self.robot().lock_joints(joints, q); });
}
py::object extract(PyRobot& self, const Args& a) {
  const std::string from = read_text("from_link", a[0]), to = read_text("to_link", a[1]);
  return another([&] { return self.robot().extract(from, to); });
}
py::object append(PyRobot& self, const Args& a) {
  const Robot& other = robot_of(a[0]).robot();
  const std::string link = read_text("link", a[1]), prefix = a[3] ? read_text("prefix", a[3]) : "";
  const Robot::Pose T = a.has(2) ? read_pose("pose", a[2]) : Robot::Pose::Identity();
  return another([&] { return self.robot().append(other, link, T, prefix); });
}
py::object with_base(PyRobot& self, const Args& a) {
  if (!py::isinstance<py::str>(a[0])) {
    const Robot::Pose T = read_pose("base", a[0]);
    return another([&] { return self.robot().with_base(T); });
  }
  std::vector<std::string> words;
  for (const JointKind kind : joint_kinds) words.emplace_back(name_of(kind));
  const auto kind = joint_kinds[static_cast<std::size_t>(read_word("base", a[0], words))];
  const std::string name = a[1] ? read_text("name", a[1]) : "root_joint";
  return another([&] { return self.robot().with_base(kind, name); });
}
py::object with_gravity(PyRobot& self, const Args& a) {
  const Eigen::Vector3d gravity = read_vector("gravity", a[0], 3);
  return another([&] { return self.robot().with_gravity(gravity); });
}
py::object with_effects(PyRobot& self, const Args& a) {
  const Effects effects = read_effects(a[0]);
  return another([&] { return self.robot().with_effects(effects); });
}
py::object with_parameters(PyRobot& self, const Args& a) {
  Eigen::VectorXd p = self.robot().parameters();
  if (!py::isinstance<py::dict>(a[0])) {
    p = read_vector("parameters", a[0]);
    return another([&] { return self.robot().with_parameters(p); });
  }
  const Robot::Names names = self.robot().parameter_names();
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(a[0])) {
    const std::string name = read_text("parameters", key);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error("robot \"" + self.robot().name() + "\" has no parameter \"" + name +
                  "\"; robot.parameter_names has them, from \"" +
                  (names.empty() ? "" : names.front()) + "\" on");
    p[found - names.begin()] = read_number(name.c_str(), value);
  }
  return another([&] { return self.robot().with_parameters(p); });
}
py::object without_friction(PyRobot& self, const Args&) {
  return another([&] { return self.robot().without_friction(); });
}
py::object add_frame(PyRobot& self, const Args& a) {
  const std::string name = read_text("name", a[0]), link = read_text("link", a[1]);
  const Robot::Pose T = read_pose("pose", a[2]);
  return another([&] { return self.robot().add_frame(name, link, T); });
}
py::object attach_payload(PyRobot& self, const Args& a) {
  const std::string link = read_text("link", a[0]);
  const double mass = read_number("mass", a[1]);
  const Eigen::Vector3d com =
      a.has(2) ? Eigen::Vector3d(read_vector("com", a[2], 3)) : Eigen::Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  if (a.has(3)) {
    const Eigen::MatrixXd given = read_matrix("inertia", a[3]);
    if (given.rows() != 3 || given.cols() != 3) throw Error("inertia is not 3 x 3");
    inertia = given;
  }
  const Robot::Pose T = a.has(4) ? read_pose("pose", a[4]) : Robot::Pose::Identity();
  const std::string name = a[5] ? read_text("name", a[5]) : "payload";
  return another([&] { return self.robot().attach_payload(link, mass, com, inertia, T, name); });
}

}  // namespace

void bind_parameters(py::handle cls) {
  method<&torque_regressor>(cls, "torque_regressor(q, qd, qdd, *, out=None)",
                            R"(Y with tau = Y parameters, of rigid bodies: n_v x 10 bodies.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.torque_regressor([0, 0], [0, 0], [0, 0]) @ robot.parameters
array([37.278,  7.848]))");
  method<&two_velocity_torque_regressor>(
      cls, "two_velocity_torque_regressor(q, qd, v, a)",
      R"(Y with M a + C(q, qd) v + g = Y parameters: of adaptive laws.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.two_velocity_torque_regressor([0, 0], [1, 2], [0, 0], [0, 0]) @ robot.parameters
array([37.278,  7.848]))");
  method<&joint_regressor>(
      cls, "joint_regressor(parameter, qd, qdd)",
      R"(Columns of viscous or coulomb friction, stiction or rotor inertia: n_v x n_v.

>>> torsor.Robot("pointmass2r").joint_regressor("viscous", [3, -2], [0, 0])
array([[ 3.,  0.],
       [ 0., -2.]]))");
  method<&energy_regressor>(
      cls, "energy_regressor(q, qd)",
      R"(Rows with energy = row parameters: a named tuple (kinetic, potential).

>>> robot = torsor.Robot("pointmass2r")
>>> float(robot.energy_regressor([0, 0], [1, 0]).kinetic @ robot.parameters)
2.62)");
  method<&torque_of_parameters>(
      cls, "torque_of_parameters(q, qd, qdd, parameters)",
      R"(Torques of rigid bodies with other parameters than the model's own.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.torque_of_parameters([0, 0], [0, 0], [0, 0], 2 * robot.parameters)
array([74.556, 15.696]))");
}

void bind_surgery(py::handle cls) {
  method<&lock_joints>(cls, "lock_joints(joints, q)",
                       R"(A robot without these joints, which stand as in q.

>>> torsor.Robot("pointmass2r").lock_joints("joint_2", [0, 0]).mass_matrix([0])
array([[5.24]]))");
  method<&extract>(cls, "extract(from_link, to_link)",
                   R"(The chain of links between two of them, as a robot.

>>> torsor.Robot("panda").extract("link_0", "link_4").n_v
4)");
  method<&append>(cls, "append(other, link, pose=None, prefix='')",
                  R"(Another robot fixed to a link, at a pose (4 x 4) in it.

>>> arm = torsor.Robot("pointmass2r")
>>> arm.append(arm, "link_2").n_v
4)");
  method<&with_base>(
      cls, "with_base(base, name='root_joint')",
      R"(On a joint of another kind ("free", "planar", ...), or at another pose (4 x 4) in the world.

>>> torsor.Robot("panda").with_base("free").n_q
14)");
  method<&with_gravity>(cls, "with_gravity(gravity)", R"(Under another gravity, m/s^2.

>>> torsor.Robot("pointmass2r").with_gravity([0, 0, 0]).gravity_torque([0, 0])
array([0., 0.]))");
  method<&with_effects>(cls, "with_effects(effects)",
                        R"(With some of its effects alone: torsor.Effects(friction=False) and so on.

>>> torsor.Robot("panda").with_effects(torsor.Effects(friction=False)).n_v
7)");
  method<&with_parameters>(
      cls, "with_parameters(parameters)",
      R"(With these inertial parameters: all of them, or {name: value} for some.

>>> light = torsor.Robot("pointmass2r").with_parameters({"link_2.m": 0.5, "link_2.mx": 0.4})
>>> light.mass
2.5)");
  method<&without_friction>(cls, "without_friction()",
                            R"(Without friction, damping and rotor inertia.

>>> torsor.Robot("puma560").without_friction().friction_torque(np.zeros(6), np.ones(6))
array([0., 0., 0., 0., 0., 0.]))");
  method<&add_frame>(cls, "add_frame(name, link, pose)",
                     R"(With a further frame, fixed to a link at a pose (4 x 4).

>>> T = np.eye(4); T[0, 3] = 0.3
>>> torsor.Robot("pointmass2r").add_frame("mid", "link_1", T).frame_pose("mid", [0, 0])[0, 3]
0.3)");
  method<&attach_payload>(
      cls, "attach_payload(link, mass, com=None, inertia=None, pose=None, name='payload')",
      R"(With a body fixed to a link: kg, its centre (m) and inertia (kg m^2, about the centre).

>>> torsor.Robot("pointmass2r").attach_payload("link_2", 1, [0.8, 0, 0]).gravity_torque([0, 0])
array([54.936, 15.696]))");
}

}  // namespace torsor::python
