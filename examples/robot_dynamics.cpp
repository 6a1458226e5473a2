// What a Panda arm weighs, how it falls, and what it takes to lead one joint while the others fall.
#include <iostream>

#include "torsor/robot.hpp"

int main() {
  torsor::Robot robot("panda");
  const int n = robot.n_v();
  const Eigen::VectorXd qd = Eigen::VectorXd::Zero(n), zero = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd q(n);
  q << 0, -0.8, 0, -2.3, 0, 1.5, 0.8;
  const Eigen::IOFormat row(4, 0, " ", " ");

  std::cout << "mass " << robot.mass() << " kg, centre of mass at "
            << robot.centre_of_mass(q).transpose().format(row) << " m\n"
            << "holding it takes      " << robot.gravity_torque(q).transpose().format(row)
            << " N m\n";

  // 2 kg in the hand: a force on the last link, in that link's axes.
  const std::string hand = robot.model().body_name(robot.model().n_bodies() - 1);
  const Eigen::Vector3d weight =
      robot.frame_pose(hand, q).linear().transpose() * Eigen::Vector3d(0, 0, -2 * 9.81);
  torsor::LinkWrench load{hand, Eigen::Matrix<double, 6, 1>::Zero()};
  load.wrench.tail(3) = weight;
  std::cout << "with 2 kg in the hand "
            << robot.inverse_dynamics(q, zero, zero, {load}).transpose().format(row) << " N m\n";

  const auto falls = robot.forward_dynamics(q, qd, zero);
  if (!falls) return 1;
  std::cout << "let go, it falls with " << falls.qdd.transpose().format(row) << " rad/s^2\n";

  const std::string first = robot.model().joint_name(1), second = robot.model().joint_name(2);
  const auto led = robot.hybrid_dynamics({first, second}, q, qd, zero, zero);
  if (!led) return 1;
  std::cout << "two joints held, they take " << led.tau.head(2).transpose().format(row)
            << " N m, and the others fall with " << led.qdd.tail(n - 2).transpose().format(row)
            << " rad/s^2\n";

  const torsor::OperationalTask task(robot.model().frame(hand));
  const auto felt = robot.operational_dynamics(q, qd, task);
  std::cout << "pushed along x, y, z the hand feels like "
            << felt.lambda.diagonal().tail(3).transpose().format(row) << " kg\n";
}
