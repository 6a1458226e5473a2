// To MJCF and SDF and back: the robot moves and weighs as before.
#include <gtest/gtest.h>

#include "formats/same_motion.hpp"
#include "support/random_model.hpp"
#include "torsor/formats/load_robot.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// What the format cannot say is taken away first: friction beyond damping and Coulomb, constant torques,
/// and for SDF rotors, springs between links and motors of several joints.
RobotDescription sayable(RobotDescription robot, bool sdf) {
  for (Joint& joint : robot.joints) {
    for (Friction& f : joint.friction)
      f = {.viscous = f.viscous, .damping = f.damping, .coulomb = f.coulomb};
    for (Actuator& a : joint.actuator) {
      a.disturbance = 0;
      if (sdf) a.rotor_inertia = 0;
    }
    const bool bare = joint.kind == JointKind::spherical || joint.kind == JointKind::free;
    if (bare) joint.friction.clear(), joint.spring.clear(), joint.actuator.clear();
  }
  for (Motor& m : robot.motors) m.friction = {.damping = m.friction.damping};
  if (sdf) robot.springs.clear(), robot.motors.clear();
  return robot;
}

class RoundTrip : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, keeps_the_torques_of_every_built_in_robot) {
  int written = 0;
  for (const BuiltinRobot& builtin : builtin_robots()) {
    const std::string name = builtin.name == "chain:N" ? "chain:12" : builtin.name;
    SCOPED_TRACE(name);
    const RobotDescription robot = sayable(load_robot(name).description(), GetParam() == "sdf");
    const Conversion text = robot_format(GetParam()).write(robot, "");
    if (!text.ok()) continue;  // the next test names these
    for (const Finding& loss : text.losses)
      EXPECT_NE(loss.kind, Finding::Kind::ignored) << loss.line();
    ++written;
    const RobotDescription back = read_as(GetParam().c_str(), text.text);
    expect_same_motion(robot, back);
    if (!robot.loops.empty() || !robot.couplings.empty()) expect_same_constraints(robot, back);
    for (const Joint& joint : robot.joints)
      if (!joint.limits.empty() && n_v(joint) == 1) {
        ASSERT_NE(back.find_joint(joint.name), nullptr) << joint.name;
        EXPECT_EQ(back.find_joint(joint.name)->limits.at(0).upper, joint.limits[0].upper);
        EXPECT_EQ(back.find_joint(joint.name)->limits.at(0).effort, joint.limits[0].effort);
      }
    // Once more changes nothing.
    const Conversion again = robot_format(GetParam()).write(back, "");
    ASSERT_TRUE(again.ok()) << again.message;
    expect_same_motion(robot, read_as(GetParam().c_str(), again.text));
  }
  EXPECT_GE(written, GetParam() == "mjcf" ? 27 : 20);
}

TEST_P(RoundTrip, keeps_the_torques_of_random_trees) {
  using Kind = JointKind;
  const std::vector<Kind> mjcf = {Kind::revolute,    Kind::continuous,     Kind::prismatic,
                                  Kind::cylindrical, Kind::universal,      Kind::translational,
                                  Kind::spherical,   Kind::spherical_euler};
  const std::vector<Kind> sdf = {Kind::revolute, Kind::continuous, Kind::prismatic,
                                 Kind::helical,  Kind::universal,  Kind::spherical};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const bool is_sdf = GetParam() == "sdf";
    const RobotDescription robot =
        sayable(random_tree(seed, 9, {.kinds = is_sdf ? sdf : mjcf}), is_sdf);
    const Conversion text = robot_format(GetParam()).write(robot, "");
    ASSERT_TRUE(text.ok()) << text.message;
    expect_same_motion(robot, read_as(GetParam().c_str(), text.text));
  }
}

TEST_P(RoundTrip, refuses_what_the_format_cannot_hold) {
  ModelBuilder b("bad");
  if (GetParam() == "mjcf")
    b.helical("j", "base", "tip", 0.1);
  else
    b.planar("j", "base", "tip");
  b.inertia("tip", 1, {}, {1, 0, 1, 0, 0, 1});
  const Conversion text = robot_format(GetParam()).write(b.description(), "");
  EXPECT_FALSE(text.ok());
  EXPECT_NE(text.message.find("\"j\""), std::string::npos) << text.message;
}

// Right angles of files that say 1.57079632679: of such a quaternion, w is 1.
TEST_P(RoundTrip, keeps_a_turn_of_1e_11) {
  ModelBuilder b("turned");
  b.revolute("j", "base", "tip");
  b.inertia("tip", 1, {0, 0, 1}, {1, 0, 1, 0, 0, 1});
  RobotDescription robot = b.description();
  robot.joints[0].placement.R = rotation_z(1e-11) * rotation_x(-3e-12);
  const Conversion text = robot_format(GetParam()).write(robot, "");
  ASSERT_TRUE(text.ok()) << text.message;
  expect_same_motion(robot, read_as(GetParam().c_str(), text.text), 1e-14);
}

TEST_P(RoundTrip, names_what_is_lost) {
  ModelBuilder b("lossy");
  b.revolute("j", "base", "tip")
      .friction({.coulomb = 1, .stiction = 2, .stribeck = 0.1, .load = 0.1});
  b.inertia("tip", 1, {}, {1, 0, 1, 0, 0, 1});
  const Conversion text = robot_format(GetParam()).write(b.description(), "");
  ASSERT_TRUE(text.ok());
  EXPECT_FALSE(text.exact);
  EXPECT_TRUE(std::any_of(text.losses.begin(), text.losses.end(), [](const Finding& f) {
    return f.kind == Finding::Kind::ignored && f.topic == Finding::Topic::dynamics;
  }));
  EXPECT_FALSE(robot_format(GetParam()).cannot_say(b.description()).empty());
}

INSTANTIATE_TEST_SUITE_P(, RoundTrip, ::testing::Values("mjcf", "sdf"),
                         [](const auto& format) { return format.param; });

}  // namespace
