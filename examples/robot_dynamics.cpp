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
  const torsor::FrameHandle hand = robot.frame(robot.body_names().back());
  torsor::LinkWrench load{hand};
  load.wrench.tail(3) =
      robot.frame_pose(hand, q).linear().transpose() * Eigen::Vector3d(0, 0, -2 * 9.81);
  std::cout << "with 2 kg in the hand "
            << robot.inverse_dynamics(q, zero, zero, {load}).transpose().format(row) << " N m\n";

  const auto falls = robot.forward_dynamics(q, qd, zero);
  if (!falls) return 1;
  std::cout << "released, it falls with " << falls.qdd.transpose().format(row) << " rad/s^2\n";

  const auto joints = robot.joints();
  const auto led = robot.hybrid_dynamics({joints[0], joints[1]}, q, qd, zero, zero);
  if (!led) return 1;
  std::cout << "two joints held, they take " << led.tau.head(2).transpose().format(row)
            << " N m, and the others fall with " << led.qdd.tail(n - 2).transpose().format(row)
            << " rad/s^2\n";

  const auto felt = robot.operational_dynamics({hand}, q, qd);
  std::cout << "pushed along x, y, z the hand feels like "
            << felt.lambda.diagonal().tail(3).transpose().format(row) << " kg\n";
}
