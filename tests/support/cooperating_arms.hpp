#pragma once
/// Arms that hold one object, for tests of the plant and of multi-arm laws.
#include <cmath>
#include <numbers>
#include <vector>

#include "torsor/control/arms/grasp.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::testing {

inline SE3<double> planar_pose(double x, double y, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {SO3<double>{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {x, y, 0}};
}

/// Links of 0.6, 0.6 and 0.2 m; uniform rods of 2, 1.5 and 0.5 kg; gravity along -y.
inline Model<double> planar_arm(const std::string& prefix) {
  const double length[3] = {0.6, 0.6, 0.2}, mass[3] = {2, 1.5, 0.5};
  ModelBuilder b(prefix);
  b.gravity({0, -9.81, 0});
  std::string parent = prefix + "_base";
  for (int k = 0; k < 3; ++k) {
    const std::string number = std::to_string(k + 1), link = prefix + "_link_" + number;
    const double l = length[k], I = mass[k] * l * l / 12;
    b.revolute(prefix + "_joint_" + number, parent, link,
               k == 0 ? SE3<double>{} : planar_pose(length[k - 1], 0, 0));
    b.inertia(link, mass[k], {l / 2, 0, 0}, {1e-4, 0, I, 0, 0, I});
    parent = link;
  }
  return b.build();
}

/// Joint angles of planar_arm that put its tip at a pose; elbow: the sign of the second.
inline std::vector<double> planar_arm_ik(double x, double y, double angle, double elbow) {
  const double l = 0.6, wx = x - 0.2 * std::cos(angle), wy = y - 0.2 * std::sin(angle);
  const double c2 = (wx * wx + wy * wy - 2 * l * l) / (2 * l * l);
  const double q2 = elbow * std::acos(c2);
  const double q1 = std::atan2(wy, wx) - std::atan2(l * std::sin(q2), l + l * std::cos(q2));
  return {q1, q2, std::remainder(angle - q1 - q2, 2 * std::numbers::pi)};
}

/// Where each planar arm stands, where it holds the object and how its elbow is bent.
struct PlanarGrasp {
  double base_x, grasp_x, grasp_y, grasp_angle, elbow;
};
inline std::vector<PlanarGrasp> two_planar_grasps() {
  return {{-0.8, -0.25, 0, 0, 1}, {0.8, 0.25, 0, std::numbers::pi, -1}};
}
inline std::vector<PlanarGrasp> three_planar_grasps() {
  std::vector<PlanarGrasp> g = two_planar_grasps();
  g.push_back({0.1, 0, -0.1, std::numbers::pi / 2, 1});
  return g;
}

/// G3.13: 3 kg, 0.08 kg m^2 about the mass centre (0.03, 0.02).
inline Inertial planar_object() { return {3, {0.03, 0.02, 0}, {0.05, 0, 0.05, 0, 0, 0.08}}; }

inline Model<double> planar_arms(const std::vector<PlanarGrasp>& grasps,
                                 const Inertial& object = planar_object()) {
  ModelBuilder floor("planar_arms");
  floor.gravity({0, -9.81, 0}).link("floor");
  Model<double> robot = floor.build();
  std::vector<GraspPlace> places;
  for (std::size_t k = 0; k < grasps.size(); ++k) {
    const std::string arm = "arm_" + std::to_string(k + 1);
    robot = append(robot, planar_arm(arm), "floor", planar_pose(grasps[k].base_x, 0, 0));
    places.push_back({arm + "_link_3", planar_pose(0.2, 0, 0),
                      planar_pose(grasps[k].grasp_x, grasps[k].grasp_y, grasps[k].grasp_angle)});
  }
  return hold_object(robot, "object", object, places);
}

/// The same with the object on a planar joint of its own, and a weld to the first hand, too.
inline Model<double> with_free_object(const Model<double>& arms, const PlanarGrasp& first) {
  RobotDescription robot = arms.description();
  for (Joint& joint : robot.joints)
    if (joint.child == "object") {
      joint.kind = JointKind::planar;
      joint.parent = "floor";
      joint.placement = {};
      joint.name = "object_motion";
    }
  LoopJoint weld = robot.loops[0];
  weld.name = "object_grasp_1";
  weld.link_a = "arm_1_link_3";
  weld.placement_b = planar_pose(first.grasp_x, first.grasp_y, first.grasp_angle);
  robot.loops.insert(robot.loops.begin(), weld);
  return Model<double>(std::move(robot));
}

/// All joint angles that put the object at a pose.
inline std::vector<double> planar_arms_at(const std::vector<PlanarGrasp>& grasps, double x,
                                          double y, double angle) {
  std::vector<double> q;
  for (const PlanarGrasp& g : grasps) {
    const SE3<double> T =
        planar_pose(x, y, angle) * planar_pose(g.grasp_x, g.grasp_y, g.grasp_angle);
    const std::vector<double> arm =
        planar_arm_ik(T.p.x - g.base_x, T.p.y, angle + g.grasp_angle, g.elbow);
    q.insert(q.end(), arm.begin(), arm.end());
  }
  return q;
}

/// The contact point of G3.13 in the object, and where the object's origin is when it lies on
/// y = 0.5.
inline Vec3<double> contact_point() { return {0.05, -0.15, 0}; }
inline double origin_on_surface(double angle) {
  return 0.5 - (std::sin(angle) * 0.05 - std::cos(angle) * 0.15);
}

/// The same arm twice, the second one turned by pi about the vertical, at q_arm each with a box of
/// `mass` between their hands, `gap` apart.
struct ArmsWithBox {
  Model<double> robot;
  std::vector<double> q;
  SE3<double> T_world_box;
};
inline ArmsWithBox arms_with_box(const Model<double>& arm, const std::vector<double>& q_arm,
                                 double gap, double mass) {
  const int last = arm.n_bodies() - 1;
  KinematicsWorkspace<double> kinematics(arm);
  forward_kinematics(arm, kinematics, q_arm);
  const SE3<double> T_base_hand =
      inverse(arm.description().base) * kinematics.T_world_body[static_cast<std::size_t>(last)];
  const SE3<double> half_turn{SO3<double>{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {}};
  const SE3<double> left{.p = Vec3<double>{-gap / 2 - T_base_hand.p.x, 0, 0}},
      right = half_turn * left;
  ModelBuilder floor("arms_with_box");
  floor.gravity({0, 0, -9.81}).link("floor");
  Model<double> robot = append(floor.build(), arm, "floor", left, "left_");
  robot = append(robot, arm, "floor", right, "right_");
  const SE3<double> T_world_box{.p = Vec3<double>{0, 0, T_base_hand.p.z}};
  const std::string hand = arm.body_name(last);
  const double I = mass * 0.02;
  robot = hold_object(robot, "box", {mass, {0.02, -0.01, 0.03}, {I, 0, 1.5 * I, 0, 0, 2 * I}},
                      {{hand, {}, inverse(T_world_box) * left * T_base_hand},
                       {"right_" + hand, {}, inverse(T_world_box) * right * T_base_hand}});
  std::vector<double> q = q_arm;
  q.insert(q.end(), q_arm.begin(), q_arm.end());
  return {std::move(robot), std::move(q), T_world_box};
}

}  // namespace torsor::testing
