// A Panda takes 2 kg from one pose to another: inverse kinematics, a payload, a straight path and the
// torques along it; and how they would change with the mass.
#include <cstdio>

#include "torsor/robot.hpp"

int main() {
  torsor::Robot robot("panda");
  const torsor::FrameHandle hand = robot.frame(robot.body_names().back());
  Eigen::VectorXd q(7);
  q << 0, -0.8, 0, -2.3, 0, 1.5, 0.8;

  // 0.2 m to the left and 0.1 m up, with the hand turned by 0.5 rad about its own axis.
  const Eigen::Isometry3d T0 = robot.frame_pose(hand, q);
  Eigen::Isometry3d T1 = Eigen::Translation3d(0, 0.2, 0.1) * T0;
  T1.rotate(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()));
  const auto ik = robot.inverse_kinematics(hand, T1, q);
  std::printf("%s\n", ik.message.c_str());
  if (!ik) return 1;

  // At most 0.3 m/s and 1 m/s^2, 1 rad/s and 4 rad/s^2.
  const auto path = robot.line_path(hand, T0, T1, q, {0.3, 1, 1, 4});
  if (!path) return 1;
  std::printf("the line takes %.3f s\n", path.trajectory.duration());

  torsor::Robot loaded = robot.attach_payload(hand.name(), 2, {0, 0, 0.1});
  for (const double part : {0.0, 0.5, 1.0}) {
    const auto s = path.trajectory.sample(part * path.trajectory.duration());
    const Eigen::VectorXd tau = loaded.inverse_dynamics(s.q, s.qd, s.qdd);
    std::printf("%5.3f s  shoulder %7.3f N m, elbow %7.3f N m\n", part * path.trajectory.duration(),
                tau[1], tau[3]);
  }
  const auto by_mass =
      loaded.inverse_dynamics_derivatives(loaded.parse_parameters("payload.mass"), ik.q,
                                          Eigen::VectorXd::Zero(7), Eigen::VectorXd::Zero(7));
  std::printf("each further kilogram adds %.3f N m to the elbow at the end\n", by_mass.dtau(3, 0));
}
