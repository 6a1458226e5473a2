// Merging, scaling and renaming: dynamics and poses of the new robot follow from the old one's.
#include <gtest/gtest.h>

#include "torsor/dynamics/rnea.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

using namespace torsor;

namespace {

using Numbers = std::vector<double>;

/// Some numbers between -0.7 and 0.7 that repeat in every run.
Numbers some(int n, int seed) {
  Numbers x;
  for (int k = 0; k < n; ++k) x.push_back(0.7 * std::sin(1.7 * k + seed));
  return x;
}
Numbers torques(const Model<double>& model, const Numbers& q, const Numbers& v, const Numbers& a) {
  RneaWorkspace<double> ws(model);
  Numbers tau(static_cast<std::size_t>(model.n_v()));
  rigid_inverse_dynamics(model, ws, q, v, a, {}, tau);
  return tau;
}
SE3<double> pose(const Model<double>& model, const std::string& frame, const Numbers& q) {
  KinematicsWorkspace<double> ws(model);
  forward_kinematics(model, ws, q);
  return frame_pose(ws, model.frame(frame));
}
template <class Action>
std::string message_of(Action action) {
  try {
    (void)action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST(Surgery, merged_links_move_and_weigh_as_before_and_stay_as_frames) {
  for (const char* name : {"panda", "ur5", "puma560"}) {
    Model<double> robot = load_robot(name);
    Numbers zero(static_cast<std::size_t>(robot.n_q()));
    neutral(robot, zero);
    zero[1] = zero[4] = 0.4;  // two fixed joints on the way
    robot = lock_joints(robot, {robot.joint_name(2), robot.joint_name(5)}, zero);
    const Model<double> merged = merge_fixed(robot);
    for (const Joint& joint : merged.description().joints) EXPECT_NE(joint.kind, JointKind::fixed);
    EXPECT_EQ(merged.n_v(), robot.n_v());
    Numbers q(static_cast<std::size_t>(robot.n_q()));
    neutral(robot, q);
    const Numbers v = some(robot.n_v(), 1), a = some(robot.n_v(), 2);
    integrate(robot, q, v, q);
    const Numbers before = torques(robot, q, v, a), after = torques(merged, q, v, a);
    for (std::size_t k = 0; k < before.size(); ++k)
      EXPECT_NEAR(before[k], after[k], 1e-10 * (1 + std::abs(before[k]))) << name << " " << k;
    for (const Link& link : robot.description().links)
      EXPECT_NEAR(norm(pose(robot, link.name, q).p - pose(merged, link.name, q).p), 0, 1e-12)
          << name << " " << link.name;
  }
}

/// Of one density under one gravity: weights grow with s^3, arms with s, so torques with s^4 and forces of
/// sliding joints with s^3; inertial torques with s^5.
TEST(Surgery, torques_of_a_scaled_robot_follow_from_dimensions) {
  const double s = 1.7;
  const Model<double> robot = without_friction(load_robot("puma560"));  // rotors do not grow
  const Model<double> large = scaled(robot, s);
  const Numbers q = some(6, 3), v = some(6, 4), a = some(6, 5), rest(6, 0);
  const Numbers weight = torques(robot, q, rest, rest), all = torques(robot, q, v, a);
  const Numbers heavy = torques(large, q, rest, rest), moved = torques(large, q, v, a);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(heavy[k], std::pow(s, 4) * weight[k], 1e-10);
    EXPECT_NEAR(moved[k] - heavy[k], std::pow(s, 5) * (all[k] - weight[k]), 1e-9);
  }
  EXPECT_NEAR(norm(pose(large, "tool", q).p - pose(robot, "tool", q).p * s), 0, 1e-12);
  EXPECT_NE(message_of([&] { return scaled(robot, 0); }), "");
  EXPECT_NE(message_of([&] { return scaled(robot, -1); }), "");
}

TEST(Surgery, sliding_joints_scale_their_coordinates_and_couplings) {
  RobotDescription robot;
  robot.root = "base";
  for (const char* name : {"base", "left", "right"}) {
    robot.links.push_back({});
    robot.links.back().name = name;
    robot.links.back().inertial.mass = 1;
    robot.links.back().has_inertial = true;
  }
  for (const auto& [name, kind] :
       {std::pair{"left", JointKind::prismatic}, {"right", JointKind::revolute}}) {
    Joint joint;
    joint.name = std::string(name) + "_joint", joint.kind = kind;
    joint.parent = "base", joint.child = name;
    Limits limits;
    limits.lower = -1, limits.upper = 2, limits.effort = 5;
    joint.limits = {limits};
    robot.joints.push_back(joint);
  }
  Coupling rack;
  rack.name = "rack";
  rack.terms = {{"left_joint", 1}, {"right_joint", -0.1}};
  robot.couplings = {rack};
  const RobotDescription large = scaled(Model<double>(robot), 2).description();
  EXPECT_EQ(large.joints[0].limits[0].upper, 4);
  EXPECT_EQ(large.joints[1].limits[0].upper, 2);
  EXPECT_EQ(large.joints[0].limits[0].effort, 5);
  // q_left = 0.1 q_right becomes q_left / 2 = 0.1 q_right
  EXPECT_EQ(large.couplings[0].terms[0].factor, 0.5);
  EXPECT_EQ(large.couplings[0].terms[1].factor, -0.1);
}

TEST(Surgery, a_new_name_stands_wherever_the_old_one_stood) {
  const Model<double> robot = load_robot("puma560");
  const Model<double> other = renamed(renamed(robot, "link_3", "forearm"), "elbow", "knee");
  EXPECT_EQ(other.description().find_link("link_3"), nullptr);
  EXPECT_EQ(other.description().find_joint("knee")->child, "forearm");
  EXPECT_EQ(other.description().find_joint("wrist_roll")->parent, "forearm");
  const Numbers q = some(6, 3), v = some(6, 4), a = some(6, 5);
  EXPECT_EQ(torques(robot, q, v, a), torques(other, q, v, a));
  EXPECT_NE(message_of([&] { return renamed(robot, "elbwo", "x"); }).find("elbow"),
            std::string::npos);
  EXPECT_NE(message_of([&] { return renamed(robot, "link_3", "link_4"); }), "");
}

TEST(Surgery, extracts_all_below_a_link_and_appends_to_frames) {
  const Model<double> robot = load_robot("puma560");
  const Model<double> wrist = extract(robot, "link_3");
  EXPECT_EQ(wrist.n_v(), 3);
  EXPECT_EQ(extract(robot, "", "link_2").n_v(), 2);
  const Model<double> twice = append(robot, wrist, "tool", {});
  const Numbers q = some(9, 1);
  const SE3<double> T = pose(twice, "tool", q), mounted = pose(twice, "puma560_link_3", q);
  EXPECT_NEAR(norm(T.p - mounted.p), 0, 1e-14);
}
