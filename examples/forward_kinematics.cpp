// Where is the tool of a PUMA 560, and what does it take to hold the arm there?
#include <iostream>
#include <numbers>

#include "torsor/robot.hpp"

int main() {
  torsor::Robot robot("puma560");
  const double deg = std::numbers::pi / 180;

  Eigen::VectorXd q(6);
  q << 0, 45 * deg, 180 * deg, 0, 45 * deg, 0;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  const Eigen::IOFormat row(5, 0, " ", " ");

  std::cout << "q             " << (q / deg).transpose().format(row) << "  deg\n"
            << "tool at       " << robot.frame_pose("tool", q).translation().transpose().format(row)
            << "  m\n"
            << "holding takes " << robot.inverse_dynamics(q, zero, zero).transpose().format(row)
            << "  N m\n";
}
