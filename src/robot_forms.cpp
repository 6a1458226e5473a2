// Robot: forms of the equations of motion, energy and momentum.
#include "robot_workspaces.hpp"

namespace torsor {
namespace {

Robot::Vector first(const std::array<double, 6>& x, int n) {
  return Eigen::Map<const Robot::Vector>(x.data(), n);
}
Robot::Vector to_eigen(const std::vector<double>& x) {
  return Eigen::Map<const Robot::Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

Robot::StateSpace Robot::state_space_form(ConstVector q, ConstVector qd) {
  StateSpace out{Matrix(n_v(), n_v()), Vector(n_v()), Vector(n_v())};
  torsor::state_space_form(*model_, workspaces_->configuration_space(*model_), closed(q, qd), qd,
                           out.M, out.V, out.G);
  return out;
}
Robot::ConfigurationSpace Robot::configuration_space_form(ConstVector q) {
  ConfigurationSpaceForm<double> form(*model_);
  torsor::configuration_space_form(*model_, workspaces_->configuration_space(*model_), closed(q),
                                   form);
  return {torsor::to_eigen(form.mass), torsor::to_eigen(form.coriolis_B),
          torsor::to_eigen(form.centrifugal_C), to_eigen(form.gravity)};
}
Robot::Operational Robot::operational_dynamics(ConstVector q, ConstVector qd,
                                               const OperationalTask& task) {
  OperationalDynamics form(*model_, task);
  const OperationalResult result = torsor::operational_dynamics(
      *model_, workspaces_->operational(*model_), closed(q, qd), qd, task, form);
  return {result,
          torsor::to_eigen(form.lambda),
          torsor::to_eigen(form.jacobian),
          torsor::to_eigen(form.consistent_inverse),
          first(form.mu, task.n_rows),
          first(form.p, task.n_rows)};
}
Robot::Cartesian Robot::cartesian_form(ConstVector q, const OperationalTask& task) {
  CartesianForm form(*model_, task);
  const OperationalResult result =
      torsor::cartesian_form(*model_, workspaces_->operational(*model_), closed(q), task, form);
  return {result, torsor::to_eigen(form.at_rest.lambda), torsor::to_eigen(form.coriolis_B),
          torsor::to_eigen(form.centrifugal_C), first(form.at_rest.p, task.n_rows)};
}

double Robot::kinetic_energy(ConstVector q, ConstVector qd) {
  return torsor::kinetic_energy(*model_, workspaces_->momentum(*model_), closed(q, qd), qd);
}
double Robot::potential_energy(ConstVector q) {
  auto& ws = workspaces_->kinematics(*model_);
  forward_kinematics(*model_, ws, closed(q));
  return torsor::potential_energy(*model_, ws);
}
double Robot::spring_energy(ConstVector q) {
  const Vector at = closed(q), rest = Vector::Zero(n_v());
  std::vector<Wrench<double>> unused(static_cast<std::size_t>(model_->n_bodies()));
  return joint_spring_energy(*model_, at) +
         add_spring_damper_wrenches(*model_, workspaces_->full(*model_).springs, at, rest, unused);
}
double Robot::mass() const {
  double sum = 0;
  for (int i = 1; i < model_->n_bodies(); ++i) sum += model_->body(i).inertia.m;
  return sum;
}
Robot::Vector3 Robot::centre_of_mass(ConstVector q) {
  auto& ws = workspaces_->kinematics(*model_);
  forward_kinematics(*model_, ws, checked_q(q));
  return torsor::to_eigen(torsor::centre_of_mass(*model_, ws).position);
}
Robot::Vector6 Robot::momentum(ConstVector q, ConstVector qd) {
  return torsor::to_eigen(
      torsor::momentum(*model_, workspaces_->momentum(*model_), closed(q, qd), qd));
}
CentroidalMomentum<double> Robot::centroidal_momentum(ConstVector q, ConstVector qd,
                                                      ConstVector qdd) {
  const Vector at = closed(q, qd);
  check("qdd", qdd);
  return torsor::centroidal_momentum(*model_, workspaces_->centroidal(*model_), at, qd, qdd);
}
Robot::Matrix Robot::com_jacobian(ConstVector q) {
  Matrix J(3, n_v());
  torsor::com_jacobian(*model_, workspaces_->centroidal(*model_), checked_q(q), J);
  return J;
}
Robot::Matrix Robot::com_jacobian_dot(ConstVector q, ConstVector qd) {
  check("qd", qd);
  Matrix J(3, n_v());
  torsor::com_jacobian_dot(*model_, workspaces_->centroidal(*model_), checked_q(q), qd, J);
  return J;
}
Robot::Matrix Robot::centroidal_map(ConstVector q) {
  Matrix A(6, n_v());
  torsor::centroidal_map(*model_, workspaces_->centroidal(*model_), closed(q), A);
  return A;
}
Robot::Matrix Robot::centroidal_map_dot(ConstVector q, ConstVector qd) {
  Matrix A(6, n_v());
  torsor::centroidal_map_dot(*model_, workspaces_->centroidal(*model_), closed(q, qd), qd, A);
  return A;
}

}  // namespace torsor
