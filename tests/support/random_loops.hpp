#pragma once
/// Random robots with loops of every kind, closed at a known configuration.
#include "support/random_model.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::testing {

inline std::vector<LoopJoint::Kind> every_loop_kind() {
  using Kind = LoopJoint::Kind;
  return {Kind::weld,        Kind::revolute,  Kind::prismatic, Kind::universal,
          Kind::cylindrical, Kind::spherical, Kind::distance};
}

/// A motion of the loop's second frame in its first that the kind allows; z is the axis.
inline SE3<double> allowed_motion(LoopJoint::Kind kind, Draw<double>& draw, double distance) {
  using Kind = LoopJoint::Kind;
  const SO3<double> one = SO3<double>::identity();
  switch (kind) {
    case Kind::weld:
      return {};
    case Kind::revolute:
      return {rotation_z(draw()), {}};
    case Kind::prismatic:
      return {one, {0, 0, draw()}};
    case Kind::universal:
      return {rotation_x(draw()) * rotation_y(draw()), {}};
    case Kind::cylindrical:
      return {rotation_z(draw()), {0, 0, draw()}};
    case Kind::spherical:
      return {draw.rotation(), {}};
    case Kind::distance:
      return {draw.rotation(), draw.unit() * distance};
  }
  return {};
}

struct LoopedRobot {
  Model<double> model;
  std::vector<double> q;  ///< closes the loops
};

/// Velocities of the joints between two bodies.
inline int velocities_between(const Model<double>& model, int a, int b) {
  int count = 0;
  while (a != b) {
    int& deeper = a > b ? a : b;  // parents have smaller numbers
    count += model.body(deeper).v.count;
    deeper = model.body(deeper).parent;
  }
  return count;
}

/// A random tree with one loop of each given kind between two of its links, or one and the root,
/// with more joints between them than the loop has rows.
inline LoopedRobot random_loops(unsigned seed, int joints,
                                const std::vector<LoopJoint::Kind>& kinds,
                                const RandomTree& options = {}) {
  RobotDescription robot = random_tree(seed, joints, options);
  const Model<double> tree(robot);
  const std::vector<double> q = random_q(tree, seed + 1);
  KinematicsWorkspace<double> ws(tree);
  forward_kinematics(tree, ws, q);
  Draw<double> draw(seed + 2);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    LoopJoint loop;
    loop.name = std::string("loop_") + std::to_string(k) + "_" + name_of(kinds[k]);
    loop.kind = kinds[k];
    loop.distance = loop.kind == LoopJoint::Kind::distance ? draw(0.3, 1) : 0;
    loop.axis = draw.unit() * 2.0;  // of any length
    for (int trial = 0; trial < 1000; ++trial) {
      const int a = static_cast<int>(draw(0, joints + 1 - 1e-9));
      const int b = 1 + static_cast<int>(draw(0, joints - 1e-9));
      loop.link_a = a == 0 ? "base" : "link_" + std::to_string(a);
      loop.link_b = "link_" + std::to_string(b);
      if (velocities_between(tree, tree.frame(loop.link_a).body, tree.frame(loop.link_b).body) >
          n_rows(loop.kind))
        break;
    }
    loop.placement_a = {draw.rotation(), draw.vec(0.5)};
    const SE3<double> turn{internal::turn_to(loop.axis * (1 / norm(loop.axis))), {}};
    const SE3<double> T_a = frame_pose(ws, tree.frame(loop.link_a)) * loop.placement_a * turn;
    const SE3<double> T_b = T_a * allowed_motion(loop.kind, draw, loop.distance);
    loop.placement_b = inverse(frame_pose(ws, tree.frame(loop.link_b))) * T_b * inverse(turn);
    robot.loops.push_back(loop);
  }
  return {Model<double>(robot), q};
}

}  // namespace torsor::testing
