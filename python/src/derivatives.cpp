// Robot: derivatives along the tangent of q, of qd, qdd and tau, and by any named parameter.
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

// Whether dtau/dqdd is the mass matrix: friction that grows with the load adds to it.
bool load_free(const PyRobot& self) {
  for (int k = 0; k < self.n_v(); ++k)
    if (self.model().dof(k).load != 0) return false;
  return true;
}

py::object frame_velocity_derivatives(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[3]);
  const Shape shape = Shape::matrix(6, self.n_v());
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}}, {{shape}, {shape}}, "VelocityDerivatives",
                    [&](Robot& r, const Row* x, double* const* y) {
                      const auto d = r.frame_velocity_derivatives(frame, x[0].vector(),
                                                                  x[1].vector(), reference);
                      write_rows(d.dV_dq, y[0]);
                      write_rows(d.dV_dqd, y[1]);
                    });
}
py::object frame_acceleration_derivatives(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[4]);
  const Shape shape = Shape::matrix(6, self.n_v());
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}}, {{shape}, {shape}, {shape}},
                    "AccelerationDerivatives", [&](Robot& r, const Row* x, double* const* y) {
                      const auto d = r.frame_acceleration_derivatives(
                          frame, x[0].vector(), x[1].vector(), x[2].vector(), reference);
                      write_rows(d.dVdot_dq, y[0]);
                      write_rows(d.dVdot_dqd, y[1]);
                      write_rows(d.dVdot_dqdd, y[2]);
                    });
}
py::object jacobian_derivatives(PyRobot& self, const Args& a) {
  const FrameArgument frame = read_frame("frame", a[0]);
  const Reference reference = read_reference(a[2]);
  const int n = self.n_v();
  return map_states(
      self, {{"q", a[1]}}, Shape::cube(n, 6, n), {}, [&](Robot& r, const Row* x, double* const* y) {
        double* place = y[0];
        for (const auto& dJ : r.jacobian_derivatives(frame, x[0].vector(), reference)) {
          write_rows(dJ, place);
          place += 6 * n;
        }
      });
}

// Answers one after the other, matrices by rows.
template <class... Parts>
void write_all(double* const* y, const Parts&... parts) {
  (write_rows(parts, *y++), ...);
}

// By named parameters, a column for each; verb(robot, parameters, state) differentiates.
template <class Verb>
py::object by_parameters(PyRobot& self, py::handle named,
                         std::initializer_list<StateArgument> arguments, const Verb& verb) {
  std::string words;
  for (const std::string& word : read_texts("parameters", named))
    words += (words.empty() ? "" : ",") + word;
  const std::vector<Parameter> parameters = self.robot().parse_parameters(words);
  py::list names;
  for (const Parameter& p : parameters) names.append(py::str(p.name));
  const int n = self.n_v(), m = self.n_constraints(), count = static_cast<int>(names.size());
  const Shape columns = Shape::matrix(n, count);
  const py::object found =
      map_states(self, arguments,
                 {{Shape::vector(0)},
                  {Shape::vector(n)},
                  {Shape::vector(n)},
                  {Shape::vector(m)},
                  {columns},
                  {columns},
                  {Shape::matrix(m, count)},
                  {Shape::vector(count), As::flag},
                  {{}, As::flag}},
                 "ParameterDerivatives", [&](Robot& r, const Row* x, double* const* y) {
                   const Robot::ParameterDerivatives d = verb(r, parameters, x);
                   write_all(y + 1, d.tau, d.qdd, d.lambda, d.dtau, d.dqdd, d.dlambda);
                   std::copy(d.defined.begin(), d.defined.end(), y[7]);
                   y[8][0] = d.regular;
                 });
  return found.attr("_replace")(py::arg("names") = names);
}
// tau or qdd and its derivatives by q, qd and `third`, then the multipliers and theirs.
py::object by_state(PyRobot& self, const Args& a, const char* third, const char* name,
                    const Kernel& kernel, const BatchVerb& batch) {
  const int n = self.n_v(), m = self.n_constraints();
  const Shape square = Shape::matrix(n, n), loops = Shape::matrix(m, n);
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {third, a[2]}},
                    {{Shape::vector(n)},
                     {square},
                     {square},
                     {square},
                     {Shape::vector(m)},
                     {loops},
                     {loops},
                     {loops}},
                    name, kernel, batch);
}

py::object inverse_dynamics_derivatives(PyRobot& self, const Args& a) {
  const Robot::Wrenches external = read_wrenches(a[3]);
  if (a.has(4))
    return by_parameters(self, a[4], {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}},
                         [&](Robot& r, const std::vector<Parameter>& p, const Row* x) {
                           return r.inverse_dynamics_derivatives(p, x[0].vector(), x[1].vector(),
                                                                 x[2].vector(), external);
                         });
  const auto batch = [](auto& b, const auto* x, const auto* y) {
    b.mass_matrix(x[0], y[3]);
    return b.inverse_dynamics(x[0], x[1], x[2], y[0]).unanswered +
           b.inverse_dynamics_derivatives(x[0], x[1], x[2], y[1], y[2]).unanswered;
  };
  return by_state(
      self, a, "qdd", "InverseDerivatives",
      [&](Robot& r, const Row* x, double* const* y) {
        const auto d =
            r.inverse_dynamics_derivatives(x[0].vector(), x[1].vector(), x[2].vector(), external);
        write_all(y, d.tau, d.dtau_dq, d.dtau_dqd, d.dtau_dqdd, d.lambda, d.dlambda_dq,
                  d.dlambda_dqd, d.dlambda_dqdd);
      },
      !external.empty() || !load_free(self) ? BatchVerb() : BatchVerb(batch));
}
py::object forward_dynamics_derivatives(PyRobot& self, const Args& a) {
  const Robot::Wrenches external = read_wrenches(a[3]);
  if (a.has(4))
    return by_parameters(self, a[4], {{"q", a[0]}, {"qd", a[1]}, {"tau", a[2]}},
                         [&](Robot& r, const std::vector<Parameter>& p, const Row* x) {
                           return r.forward_dynamics_derivatives(p, x[0].vector(), x[1].vector(),
                                                                 x[2].vector(), external);
                         });
  const auto batch = [](auto& b, const auto* x, const auto* y) {
    return b.forward_dynamics(x[0], x[1], x[2], y[0]).unanswered +
           b.forward_dynamics_derivatives(x[0], x[1], x[2], y[1], y[2], y[3]).unanswered;
  };
  return by_state(
      self, a, "tau", "ForwardDerivatives",
      [&](Robot& r, const Row* x, double* const* y) {
        const auto d =
            r.forward_dynamics_derivatives(x[0].vector(), x[1].vector(), x[2].vector(), external);
        if (!d) throw Error("robot \"" + r.name() + "\": the mass matrix cannot be inverted");
        write_all(y, d.qdd, d.dqdd_dq, d.dqdd_dqd, d.dqdd_dtau, d.lambda, d.dlambda_dq,
                  d.dlambda_dqd, d.dlambda_dtau);
      },
      external.empty() ? BatchVerb(batch) : BatchVerb());
}
py::object hybrid_dynamics_derivatives(PyRobot& self, const Args& a) {
  const JointSet prescribed = read_joints(a[0]);
  const Robot::Wrenches external = read_wrenches(a[5]);
  const std::initializer_list<StateArgument> state{
      {"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}, {"tau", a[4]}};
  if (a.has(6))
    return by_parameters(
        self, a[6], state, [&](Robot& r, const std::vector<Parameter>& p, const Row* x) {
          return r.hybrid_dynamics_derivatives(p, prescribed, x[0].vector(), x[1].vector(),
                                               x[2].vector(), x[3].vector(), external);
        });
  const Shape v = Shape::vector(self.n_v()), square = Shape::matrix(self.n_v(), self.n_v());
  const int m = self.n_constraints();
  const Shape loops = Shape::matrix(m, self.n_v());
  return map_states(self, state,
                    {{v},
                     {v},
                     {Shape::vector(m)},
                     {square},
                     {square},
                     {square},
                     {square},
                     {square},
                     {square},
                     {square},
                     {square},
                     {loops},
                     {loops},
                     {loops},
                     {loops},
                     {{}, As::flag}},
                    "HybridDerivatives", [&](Robot& r, const Row* x, double* const* y) {
                      const auto d =
                          r.hybrid_dynamics_derivatives(prescribed, x[0].vector(), x[1].vector(),
                                                        x[2].vector(), x[3].vector(), external);
                      write_all(y, d.qdd, d.tau, d.lambda, d.dqdd_dq, d.dqdd_dqd, d.dqdd_dqdd,
                                d.dqdd_dtau, d.dtau_dq, d.dtau_dqd, d.dtau_dqdd, d.dtau_dtau,
                                d.dlambda_dq, d.dlambda_dqd, d.dlambda_dqdd, d.dlambda_dtau);
                      y[15][0] = d.regular;
                    });
}
py::object gravity_torque_derivatives(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}}, Shape::matrix(self.n_v(), self.n_v()), a[1],
                    [](Robot& r, const Row* x, double* const* y) {
                      write_rows(r.gravity_torque_derivatives(x[0].vector()), y[0]);
                    });
}
py::object bias_torque_derivatives(PyRobot& self, const Args& a) {
  const Shape square = Shape::matrix(self.n_v(), self.n_v());
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, {{square}, {square}}, "BiasDerivatives",
                    [](Robot& r, const Row* x, double* const* y) {
                      const auto d = r.bias_torque_derivatives(x[0].vector(), x[1].vector());
                      write_rows(d.dbias_dq, y[0]);
                      write_rows(d.dbias_dqd, y[1]);
                    });
}
py::object energy_derivatives(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  const Shape v = Shape::vector(n);
  return map_states(
      self, {{"q", a[0]}, {"qd", a[1]}},
      {{v}, {v}, {v}, {Shape::matrix(6, n)}, {Shape::matrix(6, n)}, {Shape::matrix(3, n)}},
      "EnergyDerivatives", [n](Robot& r, const Row* x, double* const* y) {
        const auto d = r.energy_derivatives(x[0].vector(), x[1].vector());
        Map(y[0], n) = d.dkinetic_dq;
        Map(y[1], n) = d.dkinetic_dqd;
        Map(y[2], n) = d.dpotential_dq;
        write_rows(d.dmomentum_dq, y[3]);
        write_rows(d.dmomentum_dqd, y[4]);
        write_rows(d.dcom_dq, y[5]);
      });
}

}  // namespace

void bind_derivatives(py::handle cls) {
  method<&frame_velocity_derivatives>(
      cls, "frame_velocity_derivatives(frame, q, qd, reference='body')",
      R"(Of frame_velocity, 6 x n_v each: a named tuple (dV_dq, dV_dqd); dV_dqd is the Jacobian.

>>> robot = torsor.Robot("pointmass2r")
>>> d = robot.frame_velocity_derivatives("tip", [0, 0], [1, 0])
>>> bool(np.allclose(d.dV_dqd, robot.jacobian("tip", [0, 0])))
True)");
  method<&frame_acceleration_derivatives>(
      cls, "frame_acceleration_derivatives(frame, q, qd, qdd, reference='body')",
      R"(Of frame_acceleration: a named tuple (dVdot_dq, dVdot_dqd, dVdot_dqdd).

>>> robot = torsor.Robot("pointmass2r")
>>> d = robot.frame_acceleration_derivatives("tip", [0, 0], [1, 0], [0, 0])
>>> bool(np.allclose(d.dVdot_dqdd, robot.jacobian("tip", [0, 0])))
True)");
  method<&jacobian_derivatives>(cls, "jacobian_derivatives(frame, q, reference='body')",
                                R"(n_v x 6 x n_v: [k] is dJ/dq_k.

Along x the tip's velocity changes by -(1.8, 0.8) with the first joint.

>>> torsor.Robot("pointmass2r").jacobian_derivatives("tip", [0, 0], "world_aligned")[0, 3]
array([-1.8, -0.8]))");
  method<&inverse_dynamics_derivatives>(
      cls, "inverse_dynamics_derivatives(q, qd, qdd, *, external=None, parameters=None)",
      R"(tau and its derivatives; d/dq is along the tangent of q.

A named tuple (tau, dtau_dq, dtau_dqd, dtau_dqdd, multipliers, dmultipliers_dq, dmultipliers_dqd,
dmultipliers_dqdd); with parameters ("link_2.mass", "dh.3.a", "gravity.z", "q", ..., one text or a
list: docs/derivatives.md) one of (names, tau, qdd, multipliers, dtau, dqdd, dmultipliers, defined,
regular), a column for each; of many states all but names have N in front.

A kilogram more at the tip of the stretched arm: 9.81 * 1.8 and 9.81 * 0.8 N m.

>>> robot = torsor.Robot("pointmass2r")
>>> d = robot.inverse_dynamics_derivatives([0, 0], [0, 0], [0, 0], parameters="link_2.mass")
>>> d.dtau.ravel()
array([17.658,  7.848]))");
  method<&forward_dynamics_derivatives>(
      cls, "forward_dynamics_derivatives(q, qd, tau, *, external=None, parameters=None)",
      R"(qdd and its derivatives, as a named tuple (qdd, dqdd_dq, dqdd_dqd, dqdd_dtau, multipliers,
dmultipliers_dq, dmultipliers_dqd, dmultipliers_dtau); parameters as in
inverse_dynamics_derivatives. Raises torsor.Error where the mass matrix cannot be inverted.

>>> robot = torsor.Robot("pointmass2r")
>>> robot.forward_dynamics_derivatives([0, 0], [0, 0], [0, 0]).dqdd_dtau
array([[ 0.5    , -1.125  ],
       [-1.125  ,  4.09375]]))");
  method<&hybrid_dynamics_derivatives>(
      cls,
      "hybrid_dynamics_derivatives(prescribed, q, qd, qdd, tau, *, external=None, parameters=None)",
      R"(Derivatives of hybrid_dynamics: a named tuple (qdd, tau, multipliers, dqdd_dq, ...,
regular).

>>> robot, zero = torsor.Robot("pointmass2r"), [0, 0]
>>> d = robot.hybrid_dynamics_derivatives(robot.joint_names, zero, zero, zero, zero)
>>> d.dtau_dqdd
array([[5.24, 1.44],
       [1.44, 0.64]]))");
  method<&gravity_torque_derivatives>(cls, "gravity_torque_derivatives(q, *, out=None)",
                                      R"(dg/dq, n_v x n_v.

Upright: d/dq of 9.81 (3 cos q1 + 0.8 cos(q1 + q2)) at q1 = pi / 2.

>>> torsor.Robot("pointmass2r").gravity_torque_derivatives([np.pi / 2, 0])
array([[-37.278,  -7.848],
       [ -7.848,  -7.848]]))");
  method<&bias_torque_derivatives>(cls, "bias_torque_derivatives(q, qd)",
                                   R"(Of C qd + g: a named tuple (dbias_dq, dbias_dqd).

>>> torsor.Robot("pointmass2r").bias_torque_derivatives([np.pi / 2, 0], [0, 0]).dbias_dq
array([[-37.278,  -7.848],
       [ -7.848,  -7.848]]))");
  method<&energy_derivatives>(
      cls, "energy_derivatives(q, qd)",
      R"(A named tuple (dkinetic_dq, dkinetic_dqd, dpotential_dq, dmomentum_dq, dmomentum_dqd,
dcom_dq).

>>> torsor.Robot("pointmass2r").energy_derivatives([0, 0], [1, 0]).dkinetic_dqd
array([5.24, 1.44]))");
}

}  // namespace torsor::python
