// A robot at rest: torques of inverse dynamics give back no acceleration.
#include <cstdio>

#include "torsor/robot.hpp"

int main() {
  torsor::Robot robot("puma560");
  const Eigen::VectorXd q = robot.random_configuration(1);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.n_v());
  const Eigen::VectorXd tau = robot.inverse_dynamics(q, zero, zero);
  const double left = robot.forward_dynamics(q, zero, tau).qdd.norm();
  std::printf("%d joints, holding torque up to %.1f N m\n", robot.n_v(), tau.cwiseAbs().maxCoeff());
  return tau.norm() > 1 && left < 1e-9 ? 0 : 1;
}
