#include "torsor/model/internal/chain_robot.hpp"

namespace torsor {

RobotDescription internal::chain_robot(int n) {
  constexpr int largest = 10'000;
  if (n < 1 || n > largest)
    throw Error("chain:" + std::to_string(n) + ": the number of joints must be 1 to " +
                std::to_string(largest));
  constexpr double pi = 3.14159265358979323846;
  constexpr double length = 0.1, mass = 0.5, radius = 0.01;  // m, kg, m
  constexpr double axial = mass * radius * radius / 2;
  constexpr double transverse = mass * (3 * radius * radius + length * length) / 12;

  RobotDescription robot;
  robot.name = "chain" + std::to_string(n);
  robot.source = "synthetic: equal uniform rods in a row";
  robot.root = "base";
  robot.links.resize(1);
  robot.links[0].name = "base";
  for (int i = 1; i <= n; ++i) {
    Link link;
    link.name = "link_" + std::to_string(i);
    link.has_inertial = true;
    link.inertial = {
        mass, {length / 2, 0, 0}, Sym3<double>::diagonal(axial, transverse, transverse)};
    Joint joint;
    joint.name = "joint_" + std::to_string(i);
    joint.parent = robot.links.back().name;
    joint.child = link.name;
    joint.axis = i % 2 == 1 ? Vec3<double>::unit_y() : Vec3<double>::unit_z();
    if (i > 1) joint.placement.p = {length, 0, 0};
    joint.limits.resize(1);
    joint.limits[0].lower = -pi, joint.limits[0].upper = pi;
    joint.limits[0].velocity = 10, joint.limits[0].effort = 50;
    robot.links.push_back(std::move(link));
    robot.joints.push_back(std::move(joint));
  }
  robot.frames.resize(1);
  robot.frames[0].name = "tip";
  robot.frames[0].link = robot.links.back().name;
  robot.frames[0].placement.p = {length, 0, 0};
  return robot;
}

}  // namespace torsor
