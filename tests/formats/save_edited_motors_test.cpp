// Friction, preloads and motors that changed, in the text of their own files; motors that a file lacks.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "formats/edited_file.hpp"
#include "formats/same_description.hpp"
#include "support/sprung_tree.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"

namespace torsor::testing {
namespace {

class SaveEditedMotors : public EditedFile {};

Friction some_friction(Draw<double>& draw) {
  Friction f{draw(1, 2), draw(0, 1), draw(1, 2), 3, 0.3, draw(0.01, 0.1)};
  f.offset = draw(-1, 1);
  f.viscous_asymmetry = draw(-1, 1), f.coulomb_asymmetry = draw(-1, 1);
  return f;
}
/// All that a fit can change of friction, springs and motors.
RobotDescription refitted(RobotDescription robot, unsigned seed) {
  Draw<double> draw(seed);
  for (Joint& joint : robot.joints)
    for (int k = 0; k < n_v(joint); ++k) {
      joint.friction.resize(static_cast<std::size_t>(n_v(joint)));
      joint.friction[static_cast<std::size_t>(k)] = some_friction(draw);
    }
  for (SpringDamper& spring : robot.springs)
    spring.stiffness = draw(1, 9), spring.damping = draw(0, 2), spring.preload = draw(-9, 9);
  for (Motor& motor : robot.motors)
    motor.rotor_inertia = draw(0, 1), motor.friction = some_friction(draw);
  return robot;
}
void expect_arrives(const std::string& path, const RobotDescription& wanted) {
  const std::string text = edited_robot(path, wanted).text;
  const RobotDescription back =
      path.ends_with("urdf") ? read_urdf(text, "back") : read_robot_file(text, "back");
  ASSERT_EQ(back.motors.size(), wanted.motors.size());
  for (std::size_t k = 0; k < wanted.motors.size(); ++k) {
    const Motor &a = back.motors[k], &b = wanted.motors[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.rotor_inertia, b.rotor_inertia);
    EXPECT_EQ(a.friction.damping, b.friction.damping);
    EXPECT_EQ(a.friction.offset, b.friction.offset);
    EXPECT_EQ(a.friction.coulomb_asymmetry, b.friction.coulomb_asymmetry);
    ASSERT_EQ(a.ratios.size(), b.ratios.size());
    for (std::size_t t = 0; t < b.ratios.size(); ++t) {
      EXPECT_EQ(a.ratios[t].joint, b.ratios[t].joint);
      EXPECT_EQ(a.ratios[t].factor, b.ratios[t].factor);
    }
  }
  for (std::size_t k = 0; k < wanted.springs.size(); ++k)
    EXPECT_EQ(back.springs[k].preload, wanted.springs[k].preload);
  for (std::size_t k = 0; k < wanted.joints.size(); ++k)
    for (std::size_t j = 0; j < wanted.joints[k].friction.size(); ++j) {
      const Friction &a = back.joints[k].friction[j], &b = wanted.joints[k].friction[j];
      EXPECT_EQ(a.width, b.width);
      EXPECT_EQ(a.offset, b.offset);
      EXPECT_EQ(a.viscous_asymmetry, b.viscous_asymmetry);
      EXPECT_EQ(a.coulomb_asymmetry, b.coulomb_asymmetry);
    }
}

TEST_F(SaveEditedMotors, random_trees_with_everything_take_every_number_in_both_formats) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RobotDescription robot = sprung_tree(seed, 10);
    ASSERT_EQ(robot.motors.size(), 2U);
    const std::string yaml = file("a.yaml", write_robot_file(robot));
    const std::string urdf = file("a.urdf", write_urdf(robot));
    EXPECT_EQ(edited_robot(yaml, robot).text, read_text_file(yaml));
    EXPECT_EQ(edited_robot(urdf, robot).text, read_text_file(urdf));
    expect_arrives(yaml, refitted(robot, seed + 50));
    expect_arrives(urdf, refitted(robot, seed + 50));
    // Zeros take the place of numbers.
    RobotDescription bare = robot;
    for (SpringDamper& spring : bare.springs) spring.preload = 0;
    for (Motor& motor : bare.motors) motor.rotor_inertia = 0, motor.friction = {};
    expect_arrives(yaml, bare);
    expect_arrives(urdf, bare);
  }
}
TEST_F(SaveEditedMotors, files_without_motors_and_preloads_take_them) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RobotDescription wanted = sprung_tree(seed, 10);
    RobotDescription bare = wanted;
    bare.motors.clear();
    for (SpringDamper& spring : bare.springs) spring.preload = 0;
    for (Joint& joint : bare.joints) joint.friction.clear();
    expect_arrives(file("a.yaml", write_robot_file(bare)), wanted);
    expect_arrives(file("a.urdf", write_urdf(bare)), wanted);
  }
  // DH tables are YAML with other elements.
  for (const char* name : {"puma560", "stanford"}) {
    RobotDescription wanted = load_description(name);
    wanted.motors = {{"wrist",
                      {{wanted.joints[4].name, 70}, {wanted.joints[5].name, -75}},
                      2e-5,
                      {.viscous = 1e-3},
                      {}}};
    expect_arrives(name, wanted);
  }
}

constexpr const char* arm_yaml = R"(robot: arm   # ours
bodies:
  - name: base
  - {name: upper, mass: 1, inertia: [1, 2, 2]}  # carbon
  - {name: lower, mass: 1, inertia: [1, 2, 2]}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper}
  - name: elbow
    type: revolute
    parent: upper
    child: lower
    friction: {coulomb: 1.5}  # of the catalogue
springs:
  - {name: balance, link_a: base, link_b: upper, point_b: [0, 0, 1], stiffness: 10}
# the end)";

Motor wrist() {
  return {"wrist: left", {{"shoulder", 50}, {"elbow", -40}}, 1e-4, {.viscous = 2e-3}, {}};
}

TEST_F(SaveEditedMotors, a_yaml_file_gets_a_list_of_motors_at_its_end_and_keeps_the_rest) {
  const std::string path = file("arm.yaml", arm_yaml);
  RobotDescription robot = load_description(path);
  robot.motors = {wrist()};
  robot.springs[0].preload = -25;
  robot.joints[1].friction[0].offset = 0.5;
  robot.joints[1].friction[0].width = 0.05;
  const std::string expected = R"(robot: arm   # ours
bodies:
  - name: base
  - {name: upper, mass: 1, inertia: [1, 2, 2]}  # carbon
  - {name: lower, mass: 1, inertia: [1, 2, 2]}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper}
  - name: elbow
    type: revolute
    parent: upper
    child: lower
    friction: {coulomb: 1.5, width: 0.05, offset: 0.5}  # of the catalogue
springs:
  - {name: balance, link_a: base, link_b: upper, point_b: [0, 0, 1], stiffness: 10, preload: -25}
# the end
motors:
  - name: "wrist: left"
    ratios: {shoulder: 50, elbow: -40}
    rotor_inertia: 1e-04
    friction: {viscous: 0.002}
)";
  EXPECT_EQ(edited_robot(path, robot).text, expected);
  // Once there, numbers change where they stand.
  const std::string again = file("again.yaml", expected);
  robot.motors[0].rotor_inertia = 0.5, robot.motors[0].friction.coulomb = 3;
  std::string later = expected;
  later.replace(later.find("1e-04"), 5, "0.5");
  later.replace(later.find("viscous: 0.002"), 14, "viscous: 0.002, coulomb: 3");
  EXPECT_EQ(edited_robot(again, robot).text, later);
  // Lines of Windows stay such.
  std::string windows;
  for (const char c : std::string(arm_yaml)) windows += c == '\n' ? "\r\n" : std::string(1, c);
  const std::string crlf = edited_robot(file("windows.yaml", windows), robot).text;
  for (std::size_t k = 1; k < crlf.size(); ++k)
    EXPECT_EQ(crlf[k] == '\n', crlf[k - 1] == '\r') << crlf.substr(0, k);
}
TEST_F(SaveEditedMotors, a_urdf_file_gets_motors_as_elements_of_the_extension) {
  const std::string text = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"/>  <!-- carbon -->
  <link name="lower"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/>
    <dynamics friction='1.5'/>
  </joint>
</robot>
)";
  const std::string path = file("arm.urdf", text);
  RobotDescription robot = load_description(path);
  robot.motors = {wrist()};
  robot.joints[1].friction[0].offset = 0.5;
  const EditedRobot edited = edited_robot(path, robot);
  EXPECT_EQ(edited.text, R"(<robot name="arm" xmlns:torsor="urn:torsor:urdf:1">
  <link name="base"/>
  <link name="upper"/>  <!-- carbon -->
  <link name="lower"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/>
    <dynamics friction='1.5' torsor:offset="0.5"/>
  </joint>
  <torsor:motor name="wrist: left" rotor_inertia="1e-04">
    <torsor:term joint="shoulder" ratio="50"/>
    <torsor:term joint="elbow" ratio="-40"/>
    <torsor:friction viscous="0.002"/>
  </torsor:motor>
</robot>
)");
  ASSERT_EQ(edited.findings.size(), 2U);
  EXPECT_NE(edited.findings[0].message.find("offset"), std::string::npos);
  EXPECT_NE(edited.findings[1].message.find("motors of several joints"), std::string::npos);
}
TEST_F(SaveEditedMotors, what_has_no_place_is_refused) {
  const std::string path = file("arm.yaml", arm_yaml);
  RobotDescription robot = load_description(path);
  robot.motors = {wrist()};
  const std::string with_one = file("one.yaml", edited_robot(path, robot).text);
  RobotDescription two = robot;
  two.motors.push_back({"second", {{"shoulder", 1}, {"elbow", 2}}, 0, {}, {}});
  EXPECT_THROW((void)edited_robot(with_one, two), Error);
  RobotDescription geared = robot;
  geared.motors[0].ratios[0].factor = 51;
  EXPECT_THROW((void)edited_robot(with_one, geared), Error);
  RobotDescription none = robot;
  none.motors.clear();
  EXPECT_THROW((void)edited_robot(with_one, none), Error);
  const std::string brackets = file("flow.yaml",
                                    "{robot: r, bodies: [{name: a}, {name: b, mass: 1}], joints: "
                                    "[{name: shoulder, type: prismatic, parent: a, child: b}]}\n");
  RobotDescription flow = load_description(brackets);
  flow.motors = {{"m", {{"shoulder", 1}}, 0, {}, {}}};
  EXPECT_THROW((void)edited_robot(brackets, flow), Error);
}

}  // namespace
}  // namespace torsor::testing
