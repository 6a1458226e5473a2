// Robots that changed, in the text of their own files: every number arrives, all else stays.
#include "torsor/formats/save_edited.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/edited_file.hpp"
#include "formats/same_description.hpp"
#include "support/random_model.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/identification/write_back.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {
namespace {

class SaveEdited : public EditedFile {};

/// Every inertia, friction, motor and spring of the robot changed; joints without any get some.
RobotDescription changed(RobotDescription robot, unsigned seed) {
  Draw<double> draw(seed);
  for (std::size_t k = 0; k < robot.links.size(); ++k) {
    if (robot.links[k].name == robot.root || k == 0) continue;
    Link& link = robot.links[k];
    link.inertial = random_tree_detail::cloud(draw, 0.3);
    link.has_inertial = true;
  }
  for (Joint& joint : robot.joints) {
    const auto n = static_cast<std::size_t>(n_v(joint));
    joint.friction.resize(n), joint.actuator.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double coulomb = draw(0, 1);
      joint.friction[k] = {draw(0, 1), joint.friction[k].damping, coulomb, 2 * coulomb, 0.3, 0.02};
      joint.actuator[k].rotor_inertia = draw(0, 1e-3);
      joint.actuator[k].gear_ratio = draw(10, 100);
      joint.actuator[k].disturbance = draw(-1, 1);
    }
    if (n == 1) joint.spring = {{draw(0, 9), draw(-1, 1)}};
  }
  return robot;
}

std::vector<std::string> comments(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find('#'); at != std::string::npos)
      found.push_back(line.substr(at));
  return found;
}

TEST_F(SaveEdited, every_built_in_robot_takes_new_masses_and_joints_and_keeps_its_comments) {
  unsigned seed = 1;
  int taken = 0;
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (robot.name == "chain:N") continue;
    const RobotDescription read = load_description(robot.name);
    const std::string text = builtin_robot_text(robot.name);
    EXPECT_EQ(edited_robot(robot.name, read).text, text) << robot.name;
    const RobotDescription wanted = changed(read, ++seed);
    EditedRobot edited;
    try {
      edited = edited_robot(robot.name, wanted);  // compares what it reads back
    } catch (const Error& refused) {  // a link that was cut in halves where two joints carry it
      EXPECT_FALSE(read.loops.empty()) << refused.what();
      continue;
    }
    ++taken;
    EXPECT_EQ(comments(edited.text), comments(text)) << robot.name;
    const RobotDescription back = read_robot_file(edited.text, "back");
    for (std::size_t k = 1; k < wanted.links.size(); ++k)
      EXPECT_NEAR(back.links[k].inertial.mass, wanted.links[k].inertial.mass, 1e-12);
  }
  EXPECT_GT(taken, 20);
}
TEST_F(SaveEdited, random_trees_of_every_kind_take_every_number_in_both_formats) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const RobotDescription robot = random_tree(seed, 10), wanted = changed(robot, seed + 50);
    const std::string yaml = file("a.yaml", write_robot_file(robot));
    const std::string urdf = file("a.urdf", write_urdf(robot));
    EXPECT_NO_THROW((void)edited_robot(yaml, wanted)) << seed;
    EXPECT_NO_THROW((void)edited_robot(urdf, wanted)) << seed;
    EXPECT_EQ(edited_robot(yaml, robot).text, read_text_file(yaml));
    EXPECT_EQ(edited_robot(urdf, robot).text, read_text_file(urdf));
  }
}
TEST_F(SaveEdited, placements_move_in_both_formats) {
  Draw<double> draw(3);
  RobotDescription robot = random_tree(7, 6), wanted = robot;
  for (Joint& joint : wanted.joints)
    joint.placement = joint.placement * SE3<double>{exp(draw.vec(0.01)), draw.vec(0.001)};
  const std::string yaml = file("a.yaml", write_robot_file(robot));
  const std::string urdf = file("a.urdf", write_urdf(robot));
  EXPECT_NO_THROW((void)edited_robot(yaml, wanted));
  EXPECT_NO_THROW((void)edited_robot(urdf, wanted));
}

TEST_F(SaveEdited, a_urdf_file_gets_what_it_lacks_between_its_own_lines) {
  const std::string text = R"(<?xml version="1.0"?>
<robot name="arm">  <!-- two links -->
  <link name="base"/>
  <link name="upper"/>
  <joint name="shoulder" type="continuous">
    <parent link="base"/> <!-- the floor -->
    <child link="upper"/>
    <axis xyz="0 1 0"/>
  </joint>
  <gazebo reference="upper"><selfCollide>true</selfCollide></gazebo>
</robot>
)";
  const std::string path = file("arm.urdf", text);
  RobotDescription robot = load_description(path);
  robot.links[1].inertial = {2, {0.1, 0, 0.2}, {0.3, 0.01, 0.4, 0, 0.02, 0.5}};
  robot.links[1].has_inertial = true;
  robot.joints[0].friction = {{0.5, 0, 1.5, 0, 0, 0}};
  robot.joints[0].actuator = {{1e-4, 50, 0, 0, 0}};
  robot.joints[0].placement.p = {0, 0, 0.7};
  const EditedRobot edited = edited_robot(path, robot);
  const std::string expected = R"(<?xml version="1.0"?>
<robot name="arm" xmlns:torsor="urn:torsor:urdf:1">  <!-- two links -->
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0.2"/>
      <mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0" iyy="0.4" iyz="0.02" izz="0.5"/>
    </inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/> <!-- the floor -->
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <origin xyz="0 0 0.7" rpy="0 0 0"/>
    <dynamics friction="1.5" torsor:viscous="0.5"/>
    <torsor:actuator rotor_inertia="1e-04" gear_ratio="50"/>
  </joint>
  <gazebo reference="upper"><selfCollide>true</selfCollide></gazebo>
</robot>
)";
  EXPECT_EQ(edited.text, expected);
  ASSERT_EQ(edited.findings.size(), 1U);
  EXPECT_NE(edited.findings[0].message.find("viscous friction and rotor inertia"),
            std::string::npos);
}
TEST_F(SaveEdited, a_yaml_file_gets_what_it_lacks_between_its_own_lines) {
  const std::string text = R"(robot: arm   # ours
bodies:
  - name: base
  - name: upper  # carbon
    mass: 1.0    # weighed
    inertia: [1, 2, 3]
joints:
  # the first
  - {name: shoulder, type: revolute, parent: base, child: upper, axis: [0, 1, 0]}
)";
  const std::string path = file("arm.yaml", text);
  RobotDescription robot = load_description(path);
  robot.links[1].inertial = {2, {0.1, 0, 0.2}, {3, 0.01, 4, 0, 0, 5}};
  robot.joints[0].friction = {{0.5, 0, 1.5, 0, 0, 0}};
  const std::string expected = R"(robot: arm   # ours
bodies:
  - name: base
  - name: upper  # carbon
    mass: 2    # weighed
    com: [0.1, 0, 0.2]
    inertia: {xx: 3, yy: 4, zz: 5, xy: 0.01}
joints:
  # the first
  - {name: shoulder, type: revolute, parent: base, child: upper, friction: {viscous: 0.5, coulomb: 1.5}, axis: [0, 1, 0]}
)";
  EXPECT_EQ(edited_robot(path, robot).text, expected);
}
TEST_F(SaveEdited, rows_of_a_dh_table_move_and_other_numbers_of_the_row_stay) {
  for (const char* name : {"puma560", "puma560_akb"}) {
    const RobotDescription read = load_description(name);
    const std::string text = builtin_robot_text(name);
    const bool standard = std::string(name) == "puma560";
    // a of row 2 and theta of row 4: frame i, with the masses on it, moves.
    RobotDescription wanted = read;
    const SE3<double> a{SO3<double>::identity(), {0.001, 0, 0}};
    if (standard) {
      wanted.links[2].inertial.com = a * wanted.links[2].inertial.com;
      wanted.joints[2].placement = a * wanted.joints[2].placement;
      for (FrameOnLink& f : wanted.frames)
        if (f.link == wanted.links[2].name) f.placement = a * f.placement;
    } else {
      wanted.joints[1].placement = a * wanted.joints[1].placement;
    }
    wanted.joints[3].placement =
        wanted.joints[3].placement * SE3<double>{rotation_z(0.01), {0, 0, 0}};
    const std::string edited = edited_robot(name, wanted).text;
    std::istringstream before(text), after(edited);
    std::vector<std::string> changes;
    for (std::string x, y; std::getline(after, y);) {
      if (y.find("theta") != std::string::npos && text.find(y) == std::string::npos) {
        changes.push_back("theta");
        continue;  // a line of its own: the tables leave theta out
      }
      std::getline(before, x);
      if (x != y && x.find(" a: ") != std::string::npos) changes.push_back("a");
      EXPECT_TRUE(x == y || !changes.empty()) << y;
    }
    EXPECT_EQ(std::count(changes.begin(), changes.end(), "a"), 1) << edited;
    EXPECT_EQ(std::count(changes.begin(), changes.end(), "theta"), 1) << edited;
  }
}
TEST_F(SaveEdited, rows_in_brackets_get_room_for_more) {
  const std::string path = file("short.yaml", R"(robot: short
unit: deg
dh:
  convention: standard
  rows:
    - [0, 90, 0.2, 0]      # waist
    - [ 0.4, 0, 0, 270 ]
    - [0, 0, 0.1, 0, prismatic]
)");
  const RobotDescription read = load_description(path);
  RobotDescription wanted = changed(read, 5);
  for (std::size_t k = 0; k < 3; ++k)
    wanted.joints[k].placement =
        wanted.joints[k].placement * SE3<double>{rotation_z(0.01), {0, 0, 0.001}};
  wanted.joints[1].spring[0].rest = 0.3;
  const std::string text = edited_robot(path, wanted).text;
  EXPECT_NE(text.find("{a: 0, alpha: 90, d: 0.201"), std::string::npos) << text;
  EXPECT_NE(text.find("# waist"), std::string::npos);
  EXPECT_NE(text.find("theta: 270.57"), std::string::npos) << text;
  EXPECT_NE(text.find("type: prismatic, mass: "), std::string::npos) << text;
  // Geometry alone needs no keys.
  RobotDescription moved = read;
  moved.joints[1].placement.p = moved.joints[1].placement.p + moved.joints[1].placement.R.c2 * 0.5;
  EXPECT_NE(edited_robot(path, moved).text.find("[ 0.4, 0, 0.5, 270 ]"), std::string::npos);
}
TEST_F(SaveEdited, what_the_file_cannot_say_is_refused_and_nothing_is_written) {
  RobotDescription robot = load_description("puma560");
  robot.joints[2].placement = robot.joints[2].placement * SE3<double>{rotation_y(0.01), {}};
  const std::string path = (folder / "none.yaml").string();
  EXPECT_THROW((void)save_edited("puma560", robot, path), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
  // One map under an anchor for two joints, which differ now.
  const std::string shared = file("shared.yaml", R"(robot: two
bodies: [{name: a}, {name: b, mass: 1, inertia: [1, 1, 1]}, {name: c, mass: 1, inertia: [1, 1, 1]}]
joints:
  - {name: p, type: revolute, parent: a, child: b, friction: &f {coulomb: 1}}
  - {name: q, type: revolute, parent: b, child: c, friction: *f}
)");
  RobotDescription two = load_description(shared);
  two.joints[0].friction[0].coulomb = 2;
  EXPECT_THROW((void)edited_robot(shared, two), Error);
  two.joints[1].friction[0].coulomb = 2;
  EXPECT_NO_THROW((void)edited_robot(shared, two));
  EXPECT_THROW((void)edited_robot("chain:3", load_description("chain:3")), Error);
  EXPECT_THROW((void)save_edited(shared, two, (folder / "two.urdf").string()), Error);
}

TEST_F(SaveEdited, torques_of_a_fit_survive_the_file_to_1e_9) {
  for (const std::string name : {"puma560", "panda", "ur5", "as_urdf"}) {
    const std::string from =
        name == "as_urdf" ? file("p.urdf", write_urdf(load_description("puma560"))) : name;
    const Model<double> model = load_robot(from);
    const BaseParameters base = base_parameters(model);
    std::vector<double> p = parameters(model);
    Draw<double> draw(2);
    for (int i = 1; i < model.n_bodies(); ++i) {  // heavier and elsewhere
      const Inertia<double> I =
          transported(SE3<double>{exp(draw.vec(0.2)), draw.vec(0.02)}, model.body(i).inertia) *
          draw(1, 1.4);
      const auto ten = parameters_of(I);
      std::copy(ten.begin(), ten.end(), p.begin() + 10 * (i - 1));
    }
    const WriteBack back = write_back(model, base, base.values(p));
    ASSERT_TRUE(back.ok()) << back.message;
    const std::string to = (folder / (name == "as_urdf" ? "o.urdf" : "o.yaml")).string();
    (void)save_edited(from, back.robot, to);
    const Model<double> made = load_robot(to);
    RegressorWorkspace<double> ws(model);
    for (unsigned seed = 1; seed <= 5; ++seed) {
      Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v()), a(model.n_v()),
          b(model.n_v());
      random_configuration(model, seed, q);
      for (double& x : qd) x = draw(-2, 2);
      for (double& x : qdd) x = draw(-3, 3);
      rigid_inverse_dynamics<double, double>(model, ws, q, qd, qdd, p, a);
      rigid_inverse_dynamics<double, double>(made, ws, q, qd, qdd, parameters(made), b);
      for (int k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9) << name;
    }
  }
}

}  // namespace
}  // namespace torsor::testing
