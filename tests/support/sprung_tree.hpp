#pragma once
/// Random trees with springs on their joints and between their links, friction that is not alike in both
/// directions and motors of several joints, and the columns of all of it.
#include "support/random_model.hpp"
#include "torsor/identification/parameter_columns.hpp"

namespace torsor::testing {

inline constexpr ColumnChoice every_column{
    .asymmetry = true, .stiction = true, .load = true, .springs = true, .spring_dampers = true};

inline RobotDescription sprung_tree(unsigned seed, int joints,
                                    const RandomTree& options = everything()) {
  RobotDescription robot = random_tree(seed, joints, options);
  Draw<double> draw(seed + 500);
  const auto takes_springs = [](JointKind kind) {  // whose velocities are all rates of coordinates
    return kind != JointKind::free && kind != JointKind::free_euler &&
           kind != JointKind::spherical && kind != JointKind::planar &&
           kind != JointKind::composite;
  };
  for (Joint& joint : robot.joints)
    for (int k = 0; takes_springs(joint.kind) && k < n_v(joint); ++k)
      joint.spring.push_back({draw(1, 5), draw()});
  const auto link = [&](int k) { return robot.links[static_cast<std::size_t>(k)].name; };
  const auto add = [&](const char* name, const std::string& a, const std::string& b, double rest) {
    SpringDamper spring;
    spring.name = name, spring.link_a = a, spring.link_b = b;
    spring.point_a = draw.vec(0.3), spring.point_b = draw.vec(1);
    spring.stiffness = draw(2, 20), spring.rest_length = rest, spring.damping = draw(1, 3);
    spring.preload = draw(-4, 4);
    robot.springs.push_back(spring);
  };
  add("strut", link(1), link(joints), 0.2);
  add("tail", link(joints / 2), "", 0.5);
  add("near", link(joints - 1), link(joints), 1);
  return robot;
}

}  // namespace torsor::testing
