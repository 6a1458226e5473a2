#include "torsor/model/loop.hpp"

#include <gtest/gtest.h>

#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

/// Base, two arms, and a bar from the tip of one to the tip of the other.
ModelBuilder triangle() {
  ModelBuilder b("triangle");
  b.revolute("left", "base", "left_arm");
  b.revolute("right", "base", "right_arm", {.p = {1, 0, 0}});
  b.revolute("bar", "left_arm", "link", {.p = {0, 1, 0}});
  b.inertia("left_arm", 1, {0, 0.5, 0}, {0.1, 0, 0.01, 0, 0, 0.1});
  b.inertia("right_arm", 2, {0, 0.5, 0}, {0.2, 0, 0.01, 0, 0, 0.2});
  b.inertia("link", 3, {0.5, 0, 0}, {0.01, 0, 0.3, 0, 0, 0.3});
  return b;
}
std::string refusal(const RobotDescription& robot) {
  try {
    (void)Model<double>(robot);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}
double mass_of(const RobotDescription& robot) {
  double sum = 0;
  for (const Link& link : robot.links) sum += link.inertial.mass;
  return sum;
}

TEST(SplitLoops, a_tree_stays_as_it_is) {
  const RobotDescription robot = triangle().description();
  const RobotDescription same = internal::split_loops(robot);
  EXPECT_EQ(same.links.size(), robot.links.size());
  EXPECT_TRUE(same.loops.empty());
  EXPECT_EQ(same.root, robot.root);
}

TEST(SplitLoops, a_link_reached_twice_is_split_in_halves_and_welded) {
  ModelBuilder b = triangle();
  b.fixed("end", "right_arm", "right_tip", {.p = {0, 1, 0}});
  b.revolute("pin", "link", "right_tip", {.p = {1, 0, 0}});
  const Model<double> model = b.build();
  const RobotDescription& robot = model.description();
  EXPECT_EQ(model.n_v(), 4);  // every joint of the graph is a coordinate
  ASSERT_EQ(robot.loops.size(), 1u);
  EXPECT_EQ(robot.loops[0].name, "pin");
  EXPECT_EQ(robot.loops[0].kind, LoopJoint::Kind::weld);
  EXPECT_EQ(robot.loops[0].link_a, "right_tip");
  EXPECT_EQ(robot.loops[0].link_b, "right_tip_pin");
  EXPECT_DOUBLE_EQ(mass_of(robot), 6);
  // the tip has no mass of its own: the arm that it is fixed to gives half of its
  const Link& part = *robot.find_link("right_tip_pin");
  EXPECT_DOUBLE_EQ(part.inertial.mass, 1);
  EXPECT_NEAR(part.inertial.com.y, -0.5, 1e-15);
  EXPECT_NEAR(part.inertial.about_com.zz, 0.1, 1e-15);
  EXPECT_DOUBLE_EQ(robot.find_link("right_arm")->inertial.mass, 1);
  EXPECT_DOUBLE_EQ(robot.find_link("right_arm")->inertial.about_com.xx, 0.1);
  EXPECT_EQ(ConstraintSet(model).n_rows(), 6);
}

TEST(SplitLoops, a_joint_back_to_the_world_is_turned_round_and_keeps_its_coordinate) {
  RobotDescription robot = triangle().description();
  robot.root = "base";
  Joint back;
  back.name = "back";
  back.parent = "link";
  back.child = "base";
  back.placement.p = {1, 0, 0};
  back.axis = {0, 0, 1};
  robot.joints.push_back(back);
  const Model<double> model(robot);
  const Joint& turned = model.joint_description(model.joint_index("back"));
  EXPECT_EQ(turned.parent, "base");
  EXPECT_EQ(turned.axis.z, -1);
  EXPECT_DOUBLE_EQ(mass_of(model.description()), 6);
  EXPECT_DOUBLE_EQ(model.description().find_link("link")->inertial.mass, 1.5);
  robot.joints.back().kind = JointKind::spherical;
  EXPECT_EQ(refusal(robot),
            "joint \"back\": leads back to the world through \"base\"; a spherical joint cannot be "
            "turned round, so make \"base\" its parent");
}

TEST(SplitLoops, a_fixed_joint_that_closes_a_loop_is_a_weld_without_coordinates) {
  ModelBuilder b = triangle();
  b.fixed("brace", "link", "right_arm", {.p = {1, -1, 0}});
  const Model<double> model = b.build();
  EXPECT_EQ(model.n_v(), 3);
  ASSERT_EQ(model.description().loops.size(), 1u);
  EXPECT_DOUBLE_EQ(model.description().find_link("right_arm")->inertial.mass, 2);
  EXPECT_EQ(model.description().joints.size(), 3u);
}

TEST(Loop, between_links_that_are_fixed_to_each_other_is_refused) {
  ModelBuilder b = triangle();
  b.fixed("plate", "link", "flange", {.p = {0.2, 0, 0}});
  LoopJoint weld;
  weld.name = "weld", weld.link_a = "link", weld.link_b = "flange";
  b.loop(weld);
  try {
    (void)b.build();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "loop \"weld\": its links \"link\" and \"flange\" are fixed to each other: there "
                 "is no motion to constrain");
  }
}

TEST(SplitLoops, three_joints_to_one_link_make_three_parts) {
  ModelBuilder b = triangle();
  b.revolute("second", "left_arm", "right_arm", {.p = {1, 0, 0}});
  b.prismatic("third", "link", "right_arm", {.p = {1, -1, 0}});
  const RobotDescription robot = b.build().description();
  EXPECT_EQ(robot.loops.size(), 2u);
  EXPECT_NEAR(robot.find_link("right_arm")->inertial.mass, 2.0 / 3, 1e-15);
  EXPECT_NEAR(mass_of(robot), 6, 1e-14);
}

TEST(SplitLoops, robot_files_and_urdf_are_closed_alike) {
  const char* yaml =
      "robot: loop\nbodies:\n  - {name: base}\n  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
      "  - {name: b, mass: 2, inertia: [1, 1, 1]}\njoints:\n"
      "  - {name: j, type: revolute, parent: base, child: a}\n"
      "  - {name: k, type: revolute, parent: base, child: b}\n"
      "  - {name: l, type: prismatic, parent: a, child: b}\n";
  const RobotDescription from_yaml = read_robot_file(yaml, "loop.yaml");
  const auto link = [](const std::string& name, const std::string& mass) {
    return "<link name='" + name + "'><inertial><mass value='" + mass +
           "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>";
  };
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child) {
    return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
           "'/><child link='" + child +
           "'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>";
  };
  const RobotDescription from_urdf =
      read_urdf("<robot name='loop'><link name='base'/>" + link("a", "1") + link("b", "2") +
                    joint("j", "revolute", "base", "a") + joint("k", "revolute", "base", "b") +
                    joint("l", "prismatic", "a", "b") + "</robot>",
                "loop.urdf");
  for (const RobotDescription& robot : {from_yaml, from_urdf}) {
    const Model<double> model(robot);
    EXPECT_EQ(model.n_v(), 3);
    ASSERT_EQ(robot.loops.size(), 1u);
    EXPECT_EQ(robot.loops[0].link_b, "b_l");
    EXPECT_DOUBLE_EQ(robot.find_link("b_l")->inertial.mass, 1);
  }
  // written and read again, the robot is the tree with its weld
  const RobotDescription again = read_robot_file(write_robot_file(from_yaml), "again.yaml");
  EXPECT_EQ(again.loops.size(), 1u);
  EXPECT_EQ(Model<double>(again).n_v(), 3);
}

}  // namespace
}  // namespace torsor
