#include "torsor/model/screws.hpp"

#include <gtest/gtest.h>

#include "model/chain_support.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

// A unit screw about a line, with pitch, or along a direction.
Twist<double> screw(const Vec3<double>& point, const Vec3<double>& axis, double pitch) {
  return {axis, cross(point, axis) + axis * pitch};
}

std::vector<ScrewJoint> random_joints(Random& random, std::size_t n) {
  std::vector<ScrewJoint> joints(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3<double> axis = exp(random.vector(2)).c2;
    if (i % 3 == 0) joints[i].screw = screw(random.vector(1), axis, 0);
    if (i % 3 == 1) joints[i].screw = {{}, axis};
    if (i % 3 == 2) joints[i].screw = screw(random.vector(1), axis, random(-0.5, 0.5));
    joints[i].home = random.pose(1);
    joints[i].inertial = random.inertial();
    joints[i].has_inertial = true;
  }
  return joints;
}

TEST(Screws, chain_moves_as_the_product_of_exponentials) {
  Random random(31);
  for (int trial = 0; trial < 50; ++trial) {
    const auto joints = random_joints(random, 1 + static_cast<std::size_t>(trial) % 7);
    const Pose M = random.pose(1);
    const RobotDescription robot = from_screws("arm", joints, M);
    const std::vector<double> q = random.numbers(joints.size(), 2);
    const WorldState state = world_state(robot, q);
    Pose product;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      product = product * exp(joints[i].screw * q[i]);
      const std::string number = std::to_string(i + 1);
      EXPECT_LE(distance(state.frames.at("frame_" + number), product * joints[i].home),
                300 * epsilon);
      // Links keep the author's axes, and their inertia is the author's seen from the world.
      EXPECT_LE(distance(Pose{state.frames.at("link_" + number).R, {}},
                         Pose{(product * joints[i].home).R, {}}),
                300 * epsilon);
      const Inertial &file = joints[i].inertial, &body = robot.links[i + 1].inertial;
      EXPECT_LE(distance(transported(product * joints[i].home,
                                     Inertia<double>::at_com(file.mass, file.com, file.about_com)),
                         transported(state.frames.at("link_" + number),
                                     Inertia<double>::at_com(body.mass, body.com, body.about_com))),
                1e5 * epsilon);
    }
    EXPECT_LE(distance(state.frames.at("tool"), product * M), 300 * epsilon);
  }
}

TEST(Screws, kind_and_pitch_are_read_from_the_screw) {
  const Vec3<double> z{0, 0, 1}, p{0.3, -0.2, 0.7};
  const RobotDescription robot = from_screws("three", {screw(p, z, 0), {{}, z}, screw(p, z, 0.02)},
                                             std::vector<Pose>(3, Pose{}));
  EXPECT_EQ(robot.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(robot.joints[0].pitch, 0);
  EXPECT_EQ(robot.joints[1].kind, JointKind::prismatic);
  EXPECT_EQ(robot.joints[2].kind, JointKind::helical);
  EXPECT_NEAR(robot.joints[2].pitch, 0.02, 4 * epsilon);
  EXPECT_LE(distance(robot.joints[0].placement.p, {0.3, -0.2, 0}), 4 * epsilon);
  EXPECT_EQ(robot.joints[2].parent, "link_2");
  EXPECT_FALSE(robot.links[1].has_inertial);
  EXPECT_EQ(robot.frames.back().name, "tool");
}

TEST(Screws, a_home_on_the_axis_is_the_link_frame) {
  const Pose home{exp(Vec3<double>{0.4, 0.2, -1}), {0.3, -0.2, 5}};
  const RobotDescription robot = from_screws("one", {screw({0.3, -0.2, 0}, {0, 0, 1}, 0)}, {home});
  EXPECT_LE(distance(robot.joints[0].placement, home), 4 * epsilon);
  EXPECT_LE(distance(robot.frames[0].placement, Pose{}), 8 * epsilon);
}

TEST(Screws, planar_two_link_arm_has_its_textbook_pose) {
  // M = Tx(l1 + l2), S_1 = (z, 0), S_2 about (l1, 0, 0).
  const double l1 = 0.5, l2 = 0.3, q1 = 0.4, q2 = -1.1;
  const RobotDescription robot = from_screws(
      "2R", {screw({}, {0, 0, 1}, 0), screw({l1, 0, 0}, {0, 0, 1}, 0)}, {Tx(l1), Tx(l1 + l2)});
  const Pose tool = world_state(robot, {q1, q2}).frames.at("tool");
  EXPECT_NEAR(tool.p.x, l1 * std::cos(q1) + l2 * std::cos(q1 + q2), 4 * epsilon);
  EXPECT_NEAR(tool.p.y, l1 * std::sin(q1) + l2 * std::sin(q1 + q2), 4 * epsilon);
}

TEST(Screws, bad_screws_are_refused_by_joint_and_value) {
  const auto message = [](const Twist<double>& S) {
    return message_of([&] { from_screws("arm", std::vector{S}, {Pose{}}); });
  };
  EXPECT_EQ(message({{0, 0, 2}, {}}),
            "from_screws: joint 'joint_1': a screw needs |w| = 1, or w = 0 and |v| = 1; "
            "|w| is 2.000000");
  EXPECT_EQ(message({}),
            "from_screws: joint 'joint_1': a screw without rotation needs |v| = 1, got 0.000000");
  EXPECT_EQ(message({{0, 0, 1}, {std::nan(""), 0, 0}}),
            "from_screws: joint 'joint_1': its screw holds a number that is not finite");
  EXPECT_EQ(message_of([] { from_screws("arm", std::vector<Twist<double>>(1), {}); }),
            "from_screws: robot 'arm' has 1 screws, 0 home poses and 0 inertias");
  EXPECT_EQ(message_of([] { from_screws("arm", std::vector<ScrewJoint>{}, Pose{}); }),
            "from_screws: robot 'arm' has no joint");
  EXPECT_EQ(message_of([] {
              from_screws("arm", std::vector{screw({}, {0, 0, 1}, 0)}, {Tx(infinity)});
            }),
            "from_screws: joint 'joint_1': a home pose is not finite");
}

}  // namespace
