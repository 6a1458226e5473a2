// Robot: forms of the equations of motion, energy and momentum.
#include "robot_workspaces.hpp"

namespace torsor {

using internal::to_eigen;

Robot::StateSpace Robot::state_space_form(ConstVector q, ConstVector qd) {
  StateSpace out{Matrix(n_v(), n_v()), Vector(n_v()), Vector(n_v())};
  torsor::state_space_form(model(), work<ConfigurationSpaceWorkspace<double>>(), closed(q, qd), qd,
                           out.M, out.V, out.G);
  return out;
}
Robot::ConfigurationSpace Robot::configuration_space_form(ConstVector q) {
  ConfigurationSpaceForm<double> form(model());
  torsor::configuration_space_form(model(), work<ConfigurationSpaceWorkspace<double>>(), closed(q),
                                   form);
  return {to_eigen(form.mass), to_eigen(form.coriolis_B), to_eigen(form.centrifugal_C),
          to_eigen(form.gravity)};
}

OperationalTask Robot::task_of(const FrameTask& task) const {
  OperationalTask out(find(task.frame), task.reference);
  if (!task.rows.empty()) {
    int chosen[6] = {}, n = 0;
    for (const int row : task.rows) {
      if (row < 0 || row > 5 || std::find(chosen, chosen + n, row) != chosen + n)
        refuse("row " + std::to_string(row) + " of the task; rows are 0 to 5, each once");
      chosen[n++] = row;
    }
    std::copy(chosen, chosen + n, out.rows);
    out.n_rows = n;
  }
  if (!(task.damping >= 0 && task.damping < infinity))
    refuse("the damping of the task is below 0 or not finite");
  out.damping = task.damping;
  return out;
}
Robot::Operational Robot::operational_dynamics(const FrameTask& task, ConstVector q,
                                               ConstVector qd) {
  const OperationalTask rows = task_of(task);
  OperationalDynamics form(model(), rows);
  const OperationalResult result = torsor::operational_dynamics(
      model(), work<OperationalWorkspace<double>>(), closed(q, qd), qd, rows, form);
  return {result,
          to_eigen(form.lambda),
          to_eigen(form.jacobian),
          to_eigen(form.consistent_inverse),
          to_eigen({form.mu.data(), rows.n_rows}),
          to_eigen({form.p.data(), rows.n_rows})};
}
Robot::Cartesian Robot::cartesian_form(const FrameTask& task, ConstVector q) {
  const OperationalTask rows = task_of(task);
  CartesianForm form(model(), rows);
  const OperationalResult result =
      torsor::cartesian_form(model(), work<OperationalWorkspace<double>>(), closed(q), rows, form);
  return {result, to_eigen(form.at_rest.lambda), to_eigen(form.coriolis_B),
          to_eigen(form.centrifugal_C), to_eigen({form.at_rest.p.data(), rows.n_rows})};
}

double Robot::kinetic_energy(ConstVector q, ConstVector qd) {
  return torsor::kinetic_energy(model(), work<MomentumWorkspace<double>>(), closed(q, qd), qd);
}
double Robot::potential_energy(ConstVector q) {
  auto& ws = work<KinematicsWorkspace<double>>();
  torsor::forward_kinematics(model(), ws, closed(q));
  return torsor::potential_energy(model(), ws);
}
double Robot::spring_energy(ConstVector q) {
  const View<const double> at = closed(q);
  const Vector rest = Vector::Zero(n_v());
  Array<Wrench<double>> unused(model().n_bodies());
  return joint_spring_energy(model(), at) +
         add_spring_damper_wrenches(model(), work<SpringDamperWorkspace<double>>(), at, rest,
                                    unused);
}
double Robot::mass() const {
  double sum = 0;
  for (int i = 1; i < model().n_bodies(); ++i) sum += model().body(i).inertia.m;
  return sum;
}
Robot::Vector3 Robot::centre_of_mass(ConstVector q) {
  auto& ws = work<KinematicsWorkspace<double>>();
  torsor::forward_kinematics(model(), ws, checked(q));
  return to_eigen(torsor::centre_of_mass(model(), ws).position);
}
Robot::Vector6 Robot::momentum(ConstVector q, ConstVector qd) {
  return to_eigen(torsor::momentum(model(), work<MomentumWorkspace<double>>(), closed(q, qd), qd));
}
CentroidalMomentum<double> Robot::centroidal_momentum(ConstVector q, ConstVector qd,
                                                      ConstVector qdd) {
  check("qdd", qdd);
  return torsor::centroidal_momentum(model(), work<CentroidalWorkspace<double>>(), closed(q, qd),
                                     qd, qdd);
}
Robot::Matrix Robot::com_jacobian(ConstVector q) {
  Matrix J(3, n_v());
  torsor::com_jacobian(model(), work<CentroidalWorkspace<double>>(), checked(q), J);
  return J;
}
Robot::Matrix Robot::com_jacobian_dot(ConstVector q, ConstVector qd) {
  check("qd", qd);
  Matrix J(3, n_v());
  torsor::com_jacobian_dot(model(), work<CentroidalWorkspace<double>>(), checked(q), qd, J);
  return J;
}
Robot::Matrix Robot::centroidal_map(ConstVector q) {
  Matrix A(6, n_v());
  torsor::centroidal_map(model(), work<CentroidalWorkspace<double>>(), closed(q), A);
  return A;
}
Robot::Matrix Robot::centroidal_map_dot(ConstVector q, ConstVector qd) {
  Matrix A(6, n_v());
  torsor::centroidal_map_dot(model(), work<CentroidalWorkspace<double>>(), closed(q, qd), qd, A);
  return A;
}

}  // namespace torsor
