// Robot: inertial parameters and regressors.
#include "robot_workspaces.hpp"
#include "torsor/identification/energy_regressor.hpp"

namespace torsor {

Robot::Vector Robot::parameters() const { return internal::to_eigen(torsor::parameters(model())); }
Robot::Names Robot::parameter_names() const { return torsor::parameter_names(model()); }
Robot::Matrix Robot::torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd) {
  Matrix Y(n_v(), parameters_per_body * (model().n_bodies() - 1));
  torque_regressor(q, qd, qdd, Y);
  return Y;
}
void Robot::torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd, MatrixRef Y) {
  check_size("Y", Y, n_v(), parameters_per_body * (model().n_bodies() - 1));
  check("qdd", qdd);
  torsor::torque_regressor(model(), work<RegressorWorkspace<double>>(), closed(q, qd), qd, qdd, Y);
}
Robot::Matrix Robot::two_velocity_torque_regressor(ConstVector q, ConstVector qd, ConstVector v,
                                                   ConstVector a) {
  check("v", v);
  check("a", a);
  Matrix Y(n_v(), parameters_per_body * (model().n_bodies() - 1));
  torsor::two_velocity_torque_regressor(model(), work<RegressorWorkspace<double>>(), closed(q, qd),
                                        qd, v, a, Y);
  return Y;
}
Robot::Matrix Robot::joint_regressor(JointParameter parameter, ConstVector qd,
                                     ConstVector qdd) const {
  check("qd", qd);
  check("qdd", qdd);
  Matrix Y(n_v(), n_v());
  torsor::joint_regressor(model(), parameter, qd, qdd, Y);
  return Y;
}
Robot::EnergyRows Robot::energy_regressor(ConstVector q, ConstVector qd) {
  const int n = parameters_per_body * (model().n_bodies() - 1);
  EnergyRows rows{Vector(n), Vector(n)};
  torsor::energy_regressor(model(), work<MomentumWorkspace<double>>(), closed(q, qd), qd,
                           rows.kinetic, rows.potential);
  return rows;
}
Robot::Vector Robot::torque_of_parameters(ConstVector q, ConstVector qd, ConstVector qdd,
                                          ConstVector parameters) {
  check("qdd", qdd);
  check_size("parameters", parameters.size(), parameters_per_body * (model().n_bodies() - 1));
  Vector tau(n_v());
  torsor::rigid_inverse_dynamics(model(), work<RegressorWorkspace<double>>(), closed(q, qd), qd,
                                 qdd, parameters, tau);
  return tau;
}

}  // namespace torsor
