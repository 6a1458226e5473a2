// Robot: forms of the equations of motion, and dynamics under loops with choices of one's own.
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

py::object state_space_form(PyRobot& self, const Args& a) {
  const int n = self.n_v();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}},
                    {{Shape::matrix(n, n)}, {Shape::vector(n)}, {Shape::vector(n)}}, "StateSpace",
                    [n](Robot& r, const Row* x, double* const* y) {
                      const auto form = r.state_space_form(x[0].vector(), x[1].vector());
                      write_rows(form.M, y[0]);
                      Map(y[1], n) = form.V;
                      Map(y[2], n) = form.G;
                    });
}
py::object configuration_space_form(PyRobot& self, const Args& a) {
  const int n = self.n_v(), pairs = n * (n - 1) / 2;
  return map_states(
      self, {{"q", a[0]}},
      {{Shape::matrix(n, n)}, {Shape::matrix(n, pairs)}, {Shape::matrix(n, n)}, {Shape::vector(n)}},
      "ConfigurationSpace", [n](Robot& r, const Row* x, double* const* y) {
        const auto form = r.configuration_space_form(x[0].vector());
        write_rows(form.M, y[0]);
        write_rows(form.coriolis_B, y[1]);
        write_rows(form.centrifugal_C, y[2]);
        Map(y[3], n) = form.G;
      });
}

FrameTask read_task(const Args& a, int frame, int options) {
  FrameTask task{read_frame("frame", a[frame])};
  if (a[options]) task.reference = read_reference(a[options]);
  if (a.has(options + 1))
    for (const double row : read_numbers("rows", a[options + 1])) {
      if (row != std::floor(row)) throw Error("rows has a number that is not whole");
      task.rows.push_back(static_cast<int>(row));
    }
  if (a[options + 2]) task.damping = read_number("damping", a[options + 2]);
  return task;
}
py::object operational_dynamics(PyRobot& self, const Args& a) {
  const FrameTask task = read_task(a, 0, 3);
  const int n = self.n_v(), m = task.rows.empty() ? 6 : static_cast<int>(task.rows.size());
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}},
                    {{Shape::matrix(m, m)},
                     {Shape::vector(m)},
                     {Shape::vector(m)},
                     {Shape::matrix(m, n)},
                     {Shape::matrix(n, m)},
                     {{}, As::whole},
                     {{}, As::flag},
                     {{}, As::flag}},
                    "Operational", [&](Robot& r, const Row* x, double* const* y) {
                      const auto form = r.operational_dynamics(task, x[0].vector(), x[1].vector());
                      write_rows(form.lambda, y[0]);
                      Map(y[1], m) = form.mu;
                      Map(y[2], m) = form.p;
                      write_rows(form.jacobian, y[3]);
                      write_rows(form.consistent_inverse, y[4]);
                      y[5][0] = form.result.rank;
                      y[6][0] = static_cast<bool>(form.result);
                      y[7][0] = form.result.exact;
                    });
}
py::object cartesian_form(PyRobot& self, const Args& a) {
  const FrameTask task = read_task(a, 0, 2);
  const int n = self.n_v(), m = task.rows.empty() ? 6 : static_cast<int>(task.rows.size());
  return map_states(self, {{"q", a[1]}},
                    {{Shape::matrix(m, m)},
                     {Shape::matrix(n, n * (n - 1) / 2)},
                     {Shape::matrix(n, n)},
                     {Shape::vector(m)},
                     {{}, As::whole},
                     {{}, As::flag}},
                    "CartesianForm", [&](Robot& r, const Row* x, double* const* y) {
                      const auto form = r.cartesian_form(task, x[0].vector());
                      write_rows(form.M_x, y[0]);
                      write_rows(form.coriolis_B, y[1]);
                      write_rows(form.centrifugal_C, y[2]);
                      Map(y[3], m) = form.G_x;
                      y[4][0] = form.result.rank;
                      y[5][0] = static_cast<bool>(form.result);
                    });
}

ConstrainedOptions constrained_options(const Args& a, int first) {
  ConstrainedOptions options;
  if (a.has(first)) {
    const Eigen::VectorXd p = read_vector("stabilisation", a[first], 2);
    options.stabilisation = {p[0], p[1]};
  }
  if (a[first + 1]) options.rank_tolerance = read_number("rank_tolerance", a[first + 1]);
  return options;
}
void write_constrained(const Robot::Constrained& found, int n, int m, double* const* y) {
  Map(y[0], n) = found.qdd;
  Map(y[1], n) = found.tau;
  Map(y[2], m) = found.lambda;
  y[3][0] = found.rows;
  y[4][0] = found.rank;
  y[5][0] = found.consistent;
  y[6][0] = found.inconsistency;
  y[7][0] = found.mass_regular;
}
py::object constrained_forward_dynamics(PyRobot& self, const Args& a) {
  const Robot::Wrenches external = read_wrenches(a[3]);
  const ConstrainedOptions options = constrained_options(a, 4);
  const int n = self.n_v(), m = self.n_constraints();
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"tau", a[2]}},
                    {{Shape::vector(n)},
                     {Shape::vector(n)},
                     {Shape::vector(m)},
                     {{}, As::whole},
                     {{}, As::whole},
                     {{}, As::flag},
                     {},
                     {{}, As::flag}},
                    "Constrained", [&](Robot& r, const Row* x, double* const* y) {
                      write_constrained(
                          r.constrained_forward_dynamics(x[0].vector(), x[1].vector(),
                                                         x[2].vector(), external, options),
                          n, m, y);
                    });
}
py::object constrained_hybrid_dynamics(PyRobot& self, const Args& a) {
  const JointSet prescribed = read_joints(a[0]);
  const Robot::Wrenches external = read_wrenches(a[5]);
  const ConstrainedOptions options = constrained_options(a, 6);
  const int n = self.n_v(), m = self.n_constraints();
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}, {"tau", a[4]}},
                    {{Shape::vector(n)},
                     {Shape::vector(n)},
                     {Shape::vector(m)},
                     {{}, As::whole},
                     {{}, As::whole},
                     {{}, As::flag},
                     {},
                     {{}, As::flag}},
                    "Constrained", [&](Robot& r, const Row* x, double* const* y) {
                      write_constrained(r.constrained_hybrid_dynamics(
                                            prescribed, x[0].vector(), x[1].vector(), x[2].vector(),
                                            x[3].vector(), external, options),
                                        n, m, y);
                    });
}
py::object constrained_inverse_dynamics(PyRobot& self, const Args& a) {
  const JointSet actuated = read_joints(a[0]);
  const Robot::Wrenches external = read_wrenches(a[5]);
  ActuationOptions options;
  if (a[6])
    options.choice = static_cast<ActuationOptions::Choice>(
        read_word("choice", a[6], {"least_force", "least_torque"}));
  Eigen::VectorXd weights;
  const int n = self.n_v(), m = self.n_constraints();
  if (a.has(7)) {
    weights = read_vector("weights", a[7], n);
    options.weights = View<const double>(weights.data(), n);
  }
  if (a[8]) options.rank_tolerance = read_number("rank_tolerance", a[8]);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  const py::object tau = a.has(4) ? py::reinterpret_borrow<py::object>(a[4]) : to_array(zero);
  return map_states(self, {{"q", a[1]}, {"qd", a[2]}, {"qdd", a[3]}, {"tau", tau}},
                    {{Shape::vector(n)},
                     {Shape::vector(m)},
                     {{}, As::flag},
                     {},
                     {{}, As::whole},
                     {{}, As::flag},
                     {{}, As::whole}},
                    "ConstrainedTorques", [&](Robot& r, const Row* x, double* const* y) {
                      const auto found = r.constrained_inverse_dynamics(
                          actuated, x[0].vector(), x[1].vector(), x[2].vector(), x[3].vector(),
                          external, options);
                      Map(y[0], n) = found.tau;
                      Map(y[1], m) = found.lambda;
                      y[2][0] = found.solvable;
                      y[3][0] = found.residual;
                      y[4][0] = found.preloads;
                      y[5][0] = found.unique_force;
                      y[6][0] = found.rank;
                    });
}

}  // namespace

void bind_forms(py::handle cls) {
  method<&state_space_form>(cls, "state_space_form(q, qd)",
                            R"(tau = M qdd + V(q, qd) + G(q): a named tuple (M, V, G).

>>> torsor.Robot("pointmass2r").state_space_form([0, 0], [0, 0]).G
array([37.278,  7.848]))");
  method<&configuration_space_form>(
      cls, "configuration_space_form(q)",
      R"(tau = M qdd + B [qd qd] + C [qd^2] + G: (M, coriolis_B, centrifugal_C, G).

B has a column for each pair of joints (1 2, 1 3, ...), C one for each joint.

>>> torsor.Robot("pointmass2r").configuration_space_form([0, np.pi / 2]).coriolis_B
array([[-1.6],
       [ 0. ]]))");
  method<&operational_dynamics>(
      cls,
      "operational_dynamics(frame, q, qd, *, reference='world_aligned', rows=None, damping=0.0)",
      R"(Dynamics as a frame feels them: Lambda x'' + mu + p = F. rows: of (wx, wy, wz, vx, vy, vz).

A named tuple (inertia, mu, p, jacobian, consistent_inverse, rank, regular, exact).

Along y the stretched arm has the inertia 1 / (J M^-1 J^T), J = (1.8, 0.8).

>>> task = torsor.Robot("pointmass2r").operational_dynamics("tip", [0, 0], [0, 0], rows=[4])
>>> task.inertia
array([[1.]]))");
  method<&cartesian_form>(
      cls, "cartesian_form(frame, q, *, reference='world_aligned', rows=None, damping=0.0)",
      R"(tau = J^T (M_x x'' + G_x) + B_x [qd qd] + C_x [qd^2], of a frame.

A named tuple (M_x, coriolis_B, centrifugal_C, G_x, rank, regular).

>>> form = torsor.Robot("pointmass2r").cartesian_form("tip", [0, 0], rows=[4])
>>> form.M_x
array([[1.]]))");
  method<&constrained_forward_dynamics>(
      cls,
      "constrained_forward_dynamics(q, qd, tau, *, external=None, stabilisation=None, "
      "rank_tolerance=1e-8)",
      R"(Accelerations under loops, of rigid bodies and rotors. stabilisation: two poles, 1/s.

A named tuple (qdd, tau, multipliers, rows, rank, consistent, inconsistency, mass_regular).

>>> robot = torsor.Robot("four_bar")
>>> q = robot.assemble(robot.neutral()).q
>>> robot.constrained_forward_dynamics(q, np.zeros(robot.n_v), np.zeros(robot.n_v)).consistent
True)");
  method<&constrained_hybrid_dynamics>(
      cls,
      "constrained_hybrid_dynamics(prescribed, q, qd, qdd, tau, *, external=None, "
      "stabilisation=None, rank_tolerance=1e-8)",
      R"(The named joints follow qdd, the others obey tau, under loops. A named tuple as above.

>>> robot = torsor.Robot("four_bar")
>>> q, zero = robot.assemble(robot.neutral()).q, np.zeros(robot.n_v)
>>> held = robot.constrained_hybrid_dynamics(robot.joint_names[:1], q, zero, zero, zero)
>>> bool(abs(held.qdd).max() < 1e-9)
True)");
  method<&constrained_inverse_dynamics>(
      cls,
      "constrained_inverse_dynamics(actuated, q, qd, qdd, tau=None, *, external=None, "
      "choice='least_torque', weights=None, rank_tolerance=1e-8)",
      R"(Torques of the named joints (none: those with a motor) for a motion that the loops allow.

A named tuple (tau, multipliers, solvable, residual, preloads, unique_force, rank).

>>> robot = torsor.Robot("four_bar")
>>> q, zero = robot.assemble(robot.neutral()).q, np.zeros(robot.n_v)
>>> robot.constrained_inverse_dynamics(robot.joint_names[:1], q, zero, zero).solvable
True)");
}

}  // namespace torsor::python
