#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "same_description.hpp"
#include "support/random_model.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

constexpr double pi = 3.14159265358979323846;

RobotDescription read(const std::string& text) { return read_robot_file(text, "test.yaml"); }

/// A base, a revolute joint "j" with these further lines, a link "tip" with those.
RobotDescription read_arm(const std::string& joint_lines, const std::string& body_lines = "",
                          const std::string& top_lines = "") {
  return read("robot: arm\n" + top_lines + "bodies:\n  - name: base\n  - name: tip\n" + body_lines +
              "joints:\n  - name: j\n    parent: base\n    child: tip\n" + joint_lines);
}

TEST(RobotFile, reads_a_table_in_short_and_long_rows_alike) {
  const std::string head = "robot: arm\nunit: deg\ndh:\n  convention: standard\n  rows:\n";
  const RobotDescription short_rows =
      read(head + "    - [0, -90, 0.4, 10]\n    - [0.2, 0, 0.1, 0, prismatic]\n");
  const RobotDescription long_rows = read(
      head + "    - {alpha: -90, d: 0.4, theta: 10}\n    - {a: 0.2, d: 0.1, type: prismatic}\n");
  EXPECT_EQ(testing::difference(short_rows, long_rows), "");
  ASSERT_EQ(short_rows.joints.size(), 2u);
  EXPECT_EQ(short_rows.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(short_rows.joints[1].kind, JointKind::prismatic);
}

TEST(RobotFile, degrees_in_a_file_of_radians_are_warnings) {
  const auto warnings = [](const std::string& text) {
    Findings findings;
    (void)read_robot_file(text, "test.yaml", &findings);
    std::string lines;
    for (const Finding& f : findings) {
      EXPECT_EQ(f.severity, Finding::Severity::warning);
      EXPECT_FALSE(f.why.empty() || f.fix.empty()) << f.line();
      lines += f.line() + "\n";
    }
    return lines;
  };
  const std::string rows =
      "dh:\n  convention: standard\n  rows:\n    - [0, 90, 0.4, 0]\n    - {name: b, alpha: -90}\n";
  EXPECT_EQ(warnings("robot: arm\n" + rows),
            "test.yaml:5: row 1: entry 2: 90 rad is more than a turn\n"
            "test.yaml:6: row \"b\": alpha: -90 rad is more than a turn\n");
  EXPECT_EQ(warnings("robot: arm\nunit: deg\n" + rows), "");
  const std::string joint =
      "robot: arm\nbodies: [{name: a}, {name: b}]\njoints:\n  - {name: j, type: revolute, parent: "
      "a, child: b, ";
  EXPECT_EQ(warnings(joint + "placement: {rpy: [0, 90, 0]}}\n"),
            "test.yaml:4: joint \"j\": placement: rpy: 90 rad is more than a turn\n");
  EXPECT_EQ(warnings(joint + "placement: {rpy: [0, 0, -6.2832]}}\n"), "");
}

TEST(RobotFile, poses_in_angles_quaternion_and_matrix_agree) {
  const char* type = "    type: revolute\n";
  const SE3<double> rpy =
      read_arm(std::string(type) + "    placement: {xyz: [1, 2, 3], rpy: [0, 0, 90]}\n", "",
               "unit: deg\n")
          .joints[0]
          .placement;
  const SE3<double> quaternion = read_arm(std::string(type) +
                                          "    placement: {xyz: [1, 2, 3], quaternion: [0, 0, "
                                          "0.7071067811865476, 0.7071067811865476]}\n")
                                     .joints[0]
                                     .placement;
  const SE3<double> matrix =
      read_arm(
          std::string(type) +
          "    placement: {matrix: [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]}\n")
          .joints[0]
          .placement;
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(rpy.p[r], r + 1);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(rpy.R(r, c), matrix.R(r, c), 1e-15);
      EXPECT_NEAR(quaternion.R(r, c), matrix.R(r, c), 1e-15);
    }
  }
}

TEST(RobotFile, angles_turn_about_fixed_axes_x_then_y_then_z) {
  const SE3<double> T =
      read_arm("    type: revolute\n    placement: {rpy: [0.3, -0.8, 1.9]}\n").joints[0].placement;
  const SO3<double> R = rotation_z(1.9) * rotation_y(-0.8) * rotation_x(0.3);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(norm(T.R[c] - R[c]), 0, 1e-15);
}

TEST(RobotFile, a_matrix_typed_with_few_digits_becomes_a_rotation) {
  const SE3<double> T =
      read_arm(
          "    type: revolute\n    placement: {matrix: [[0.70710678, -0.70710678, 0, 0], "
          "[0.70710678, 0.70710678, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}\n")
          .joints[0]
          .placement;
  const Mat3<double> d = transpose_times(T.R, T.R) - Mat3<double>::identity();
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(norm(d[c]), 0, 1e-15);
  EXPECT_NEAR(T.R(0, 0), std::sqrt(0.5), 1e-8);
}

/// The model brings it to unit length; derivatives by its components need the length of the file.
TEST(RobotFile, an_axis_keeps_its_length) {
  const RobotDescription robot = read_arm("    type: revolute\n    axis: [3, 0, -4]\n");
  EXPECT_EQ(robot.joints[0].axis.x, 3);
  EXPECT_EQ(robot.joints[0].axis.z, -4);
  const Vec3<double> z = Model<double>(robot).body(1).turn.c2;
  EXPECT_DOUBLE_EQ(z.x, 0.6);
  EXPECT_DOUBLE_EQ(z.z, -0.8);
}

TEST(RobotFile, inertia_in_three_six_nine_and_named_numbers_agree) {
  const auto inertia = [](const std::string& value) {
    return read_arm("    type: revolute\n", "    mass: 2\n    inertia: " + value + "\n")
        .links[1]
        .inertial.about_com;
  };
  const Sym3<double> named = inertia("{xx: 1, xy: 0.1, xz: 0.2, yy: 2, yz: 0.3, zz: 2.5}");
  for (const char* same :
       {"[1, 0.1, 2, 0.2, 0.3, 2.5]", "[[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]"}) {
    const Sym3<double> other = inertia(same);
    EXPECT_EQ(other.xx, named.xx);
    EXPECT_EQ(other.xy, named.xy);
    EXPECT_EQ(other.yy, named.yy);
    EXPECT_EQ(other.xz, named.xz);
    EXPECT_EQ(other.yz, named.yz);
    EXPECT_EQ(other.zz, named.zz);
  }
  const Sym3<double> diagonal = inertia("[1, 2, 2.5]");
  EXPECT_EQ(diagonal.yy, 2);
  EXPECT_EQ(diagonal.xy, 0);
}

TEST(RobotFile, inertia_about_the_origin_moves_to_the_centre_of_mass_by_parallel_axes) {
  const Inertial i =
      read_arm(
          "    type: revolute\n",
          "    mass: 2\n    com: [0.1, 0.2, 0.3]\n    inertia: {xx: 1, yy: 1, zz: 1, xy: 0.25}\n"
          "    inertia_about: origin\n")
          .links[1]
          .inertial;
  EXPECT_NEAR(i.about_com.xx, 1 - 2 * (0.04 + 0.09), 1e-15);
  EXPECT_NEAR(i.about_com.xy, 0.25 + 2 * 0.1 * 0.2, 1e-15);
}

TEST(RobotFile, degrees_reach_every_angle_and_no_length) {
  const RobotDescription robot = read(
      "robot: arm\nunit: deg\nbodies:\n  - name: a\n  - name: b\n  - name: c\n  - name: "
      "d\njoints:\n"
      "  - {name: r, type: revolute, parent: a, child: b, limits: {lower: -90, upper: 180, "
      "velocity: 360,"
      " acceleration: 90, jerk: 180, effort: 7}, spring: {stiffness: 3, rest: 90}}\n"
      "  - {name: p, type: prismatic, parent: b, child: c, limits: {lower: -90, upper: 180, "
      "velocity: 360},"
      " spring: {rest: 90}}\n"
      "  - {name: s, type: planar, parent: c, child: d, limits: [{upper: 180, velocity: 180}, "
      "{upper: 1},"
      " {upper: 180, velocity: 180}], spring: [{rest: 90}, {rest: 90}, {rest: 90}]}\n");
  const Limits& turning = robot.joints[0].limits.at(0);
  EXPECT_DOUBLE_EQ(turning.lower, -pi / 2);
  EXPECT_DOUBLE_EQ(turning.upper, pi);
  EXPECT_DOUBLE_EQ(turning.velocity, 2 * pi);
  EXPECT_DOUBLE_EQ(turning.acceleration, pi / 2);
  EXPECT_DOUBLE_EQ(turning.jerk, pi);
  EXPECT_EQ(turning.effort, 7);
  EXPECT_DOUBLE_EQ(robot.joints[0].spring.at(0).rest, pi / 2);
  EXPECT_EQ(robot.joints[0].spring[0].stiffness, 3);
  const Limits& sliding = robot.joints[1].limits.at(0);
  EXPECT_EQ(sliding.lower, -90);
  EXPECT_EQ(sliding.velocity, 360);
  EXPECT_EQ(robot.joints[1].spring.at(0).rest, 90);
  // By velocities: angle, x, y.
  const Joint& planar = robot.joints[2];
  EXPECT_DOUBLE_EQ(planar.limits.at(0).upper, pi);
  EXPECT_DOUBLE_EQ(planar.limits.at(0).velocity, pi);
  EXPECT_EQ(planar.limits.at(2).upper, 180);
  EXPECT_EQ(planar.limits.at(2).velocity, 180);
  EXPECT_DOUBLE_EQ(planar.spring.at(0).rest, pi / 2);
  EXPECT_EQ(planar.spring.at(1).rest, 90);
  EXPECT_EQ(planar.spring.at(2).rest, 90);
}

/// A joint of this type whose k-th degree of freedom has `upper: 90 + k`, in degrees.
Model<double> limited(const std::string& type, int n_v) {
  std::string list;
  for (int k = 0; k < n_v; ++k)
    list += (k ? ", {upper: " : "{upper: ") + std::to_string(90 + k) + "}";
  return Model<double>(
      read_arm("    type: " + type + "\n    limits: [" + list + "]\n", "", "unit: deg\n"));
}

TEST(RobotFile, limits_meet_the_coordinate_that_the_model_holds_them_against) {
  struct Case {
    const char* type;
    std::vector<double> upper;  // of each coordinate, SI; infinity: no limit
  };
  const double deg = pi / 180;
  const std::vector<Case> cases = {
      {"revolute", {90 * deg}},
      {"prismatic", {90}},
      {"helical", {90 * deg}},
      {"cylindrical", {90 * deg, 91}},
      {"universal", {90 * deg, 91 * deg}},
      {"planar", {91, 92, 90 * deg}},
      {"translational", {90, 91, 92}},
      {"spherical_euler", {90 * deg, 91 * deg, 92 * deg}},
      {"spherical", {infinity, infinity, infinity, infinity}},
      {"free", {93, 94, 95, infinity, infinity, infinity, infinity}},
      {"free_euler", {90, 91, 92, 93 * deg, 94 * deg, 95 * deg}},
      {"composite\n    parts: [{type: planar}, {type: prismatic}]", {91, 92, 90 * deg, 93}},
  };
  for (const Case& c : cases) {
    const auto n_q = static_cast<int>(c.upper.size());
    const bool quaternion = c.upper.back() == infinity;
    const Model<double> model = limited(c.type, quaternion ? n_q - 1 : n_q);
    ASSERT_EQ(model.n_q(), n_q) << c.type;
    for (int k = 0; k < n_q; ++k) {
      const int dof = limits_of_coordinate(model.joint(1), k);
      const double upper = dof < 0 ? infinity : model.limits(dof).upper;
      EXPECT_DOUBLE_EQ(upper, c.upper[static_cast<std::size_t>(k)]) << c.type << " " << k;
    }
  }
}

TEST(RobotFile, a_spring_of_a_planar_joint_rests_at_its_angle) {
  const Model<double> model(read_arm(
      "    type: planar\n    spring: [{stiffness: 3, rest: 90}, {}, {}]\n", "", "unit: deg\n"));
  EXPECT_EQ(internal::coordinate_of_dof(model.joint(1), 0), 2);
  EXPECT_DOUBLE_EQ(model.dof(0).rest, pi / 2);
  EXPECT_THROW(static_cast<void>(Model<double>(
                   read_arm("    type: planar\n    spring: [{}, {stiffness: 3}, {}]\n"))),
               Error);
}

TEST(RobotFile, one_map_stands_for_every_degree_of_freedom) {
  const Joint joint = read_arm("    type: spherical\n    friction: {viscous: 0.5}\n").joints[0];
  ASSERT_EQ(joint.friction.size(), 3u);
  for (const Friction& friction : joint.friction) EXPECT_EQ(friction.viscous, 0.5);
}

TEST(RobotFile, elements_know_their_line) {
  const RobotDescription robot = read_arm("    type: revolute\n");
  EXPECT_EQ(robot.links[1].origin.prefix(), "test.yaml:4: ");
  EXPECT_EQ(robot.joints[0].origin.prefix(), "test.yaml:6: ");
}

TEST(RobotFile, the_root_is_the_body_that_is_no_child) {
  const RobotDescription robot = read(
      "robot: arm\nbodies: [{name: tip}, {name: base}]\n"
      "joints: [{name: j, type: fixed, parent: base, child: tip}]\n");
  EXPECT_EQ(robot.root, "base");
}

TEST(RobotFile, a_few_aliases_are_welcome) {
  const RobotDescription robot = read(
      "robot: arm\nbodies:\n  - {name: a}\n  - {name: b, mass: 1, inertia: &rod [1, 2, 2]}\n"
      "  - {name: c, mass: 2, inertia: *rod}\njoints:\n"
      "  - {name: j, type: revolute, parent: a, child: b, limits: &l {upper: 2}}\n"
      "  - {name: k, type: revolute, parent: b, child: c, limits: *l}\n");
  EXPECT_EQ(robot.links[2].inertial.about_com.yy, 2);
  EXPECT_EQ(robot.joints[1].limits.at(0).upper, 2);
}

/// Every field of every kind of element, with values that need all their digits.
RobotDescription everything() {
  RobotDescription robot =
      testing::random_tree(7, 15, {.uneven = true, .motors = true, .limits = true});
  robot.root = "base";
  for (Joint& joint : robot.joints) {
    for (std::size_t k = 0; k < joint.actuator.size(); ++k) {
      joint.actuator[k].torque_constant = 0.1 + 0.3;
      joint.actuator[k].disturbance = -1.0 / 3;
      joint.spring.push_back({1e-9 / 7, -0.1});
      joint.limits[k].velocity = 1e22 / 3;
      joint.limits[k].jerk = 5e-324;
    }
  }
  std::vector<Joint*> moving;
  for (Joint& joint : robot.joints)
    if (!joint.limits.empty()) moving.push_back(&joint);
  moving.at(0)->limits[0].upper = infinity;
  moving.at(1)->limits[0].lower = -infinity;
  const SE3<double> T = robot.joints[2].placement;
  robot.source = "line one\nline \"two\": # not a comment, caf\xc3\xa9, \ttab, back\\slash";
  robot.frames.push_back({"tool", "link_3", T, {}});
  robot.loops.push_back(
      {"weld", LoopJoint::Kind::weld, "link_2", "link_5", T, inverse(T), {0, 0, 1}, 0, {}});
  robot.loops.push_back(
      {"rod", LoopJoint::Kind::distance, "link_2", "base", {}, T, {0, 1, 0}, 0.1 + 0.2, {}});
  std::string one, two;
  for (const Joint& joint : robot.joints)
    if (n_v(joint) == 1) one = two, two = joint.name;
  robot.couplings.push_back({"gear", {{one, 1}, {two, -1.0 / 3}}, 1e-300, {}});
  robot.springs.push_back(
      {"s", "", "link_1", {0.1, 0.2, 0.3}, T.p, 100.0 / 3, 0.7, 1.0 / 7, {}, -2.0 / 3});
  using Shape = Geometry::Shape;
  std::vector<Geometry>& shapes = robot.links[1].geometry;
  shapes.push_back({Shape::box, true, "b", "", "steel", {0.1, 0.2, 0.3}, T, {0.1, 0.2, 0.3, 1}});
  shapes.push_back({Shape::cylinder, false, "", "", "", {0.1, 1.0 / 3, 1}, T, {}});
  shapes.push_back({Shape::capsule, false, "", "", "", {0.1, 1.0 / 3, 1}, {}, {}});
  shapes.push_back({Shape::sphere, true, "", "", "", {0.1, 1, 1}, {}, {}});
  shapes.push_back({Shape::mesh, false, "", "package://a b/c.stl", "", {1, 1, 0.001}, T, {}});
  return robot;
}

/// What a kind of joint has no use for is not written.
void clear_unused(RobotDescription& robot) {
  const auto clear = [](auto& joint) {
    const JointKind k = joint.kind;
    const bool axis = k == JointKind::revolute || k == JointKind::continuous ||
                      k == JointKind::prismatic || k == JointKind::helical ||
                      k == JointKind::cylindrical || k == JointKind::planar;
    if (!axis) joint.axis = {0, 0, 1};
    if (k != JointKind::helical) joint.pitch = 0;
    if (k != JointKind::spherical_euler && k != JointKind::free_euler)
      joint.order = EulerOrder::zyx;
  };
  for (Joint& joint : robot.joints) {
    clear(joint);
    for (JointPart& part : joint.parts) clear(part);
  }
}

TEST(RobotFile, every_field_reloads_bit_by_bit) {
  RobotDescription robot = everything();
  clear_unused(robot);
  const std::string text = write_robot_file(robot);
  EXPECT_EQ(testing::difference(robot, read(text)), "");
}

TEST(RobotFile, random_trees_reload_bit_by_bit) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    RobotDescription robot = testing::random_tree(seed, 20, {.limits = seed % 2 == 0});
    robot.root = "base";
    clear_unused(robot);
    const std::string text = write_robot_file(robot);
    ASSERT_EQ(testing::difference(robot, read(text)), "") << text;
    ASSERT_EQ(write_robot_file(read(text)), text);
  }
}

TEST(RobotFile, a_negative_zero_reloads_as_one) {
  RobotDescription robot = read_arm("    type: revolute\n", "    mass: 1\n    com: [-0.0, 0, 1]\n");
  EXPECT_TRUE(std::signbit(robot.links[1].inertial.com.x));
  EXPECT_TRUE(std::signbit(read(write_robot_file(robot)).links[1].inertial.com.x));
}

TEST(RobotFile, any_name_survives) {
  for (const char* name : {"null",
                           "true",
                           "no",
                           "~",
                           "1",
                           "1e3",
                           "-",
                           "a b",
                           " lead",
                           "trail ",
                           "a: b",
                           "#x",
                           "a #b",
                           "&a",
                           "*a",
                           "!t",
                           "[x]",
                           "{x}",
                           "a,b",
                           "'q'",
                           "\"q\"",
                           "back\\slash",
                           "\xe5\x85\xb3\xe8\x8a\x82",
                           "new\nline",
                           "tab\t",
                           "\x7f",
                           "@x",
                           "`x`",
                           "%x",
                           "?",
                           "? x",
                           "|",
                           ">",
                           "---",
                           "...",
                           "0x1F",
                           ".inf",
                           "<<",
                           "="}) {
    RobotDescription robot;
    robot.name = name;
    robot.root = name;
    robot.links.resize(2);
    robot.links[0].name = name;
    robot.links[1].name = "tip";
    robot.joints.resize(2);
    robot.links.push_back({"tip2", {}, false, {}, {}});
    for (std::size_t k = 0; k < 2; ++k) {
      robot.joints[k].name = name + std::string(k, '2');
      robot.joints[k].parent = name;
      robot.joints[k].child = robot.links[k + 1].name;
    }
    robot.couplings.push_back({name, {{name, 1}, {robot.joints[1].name, 2}}, 0, {}});
    EXPECT_EQ(testing::difference(robot, read(write_robot_file(robot))), "") << name;
  }
}

TEST(RobotFile, numbers_that_are_not_finite_are_not_written) {
  RobotDescription robot = read_arm("    type: revolute\n", "    mass: 1\n");
  robot.links[1].inertial.mass = std::nan("");
  try {
    static_cast<void>(write_robot_file(robot));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "body \"tip\": mass is nan, which a robot file cannot hold");
  }
  robot.links[1].inertial.mass = 1;
  robot.links[1].name = "\xff";
  EXPECT_THROW(static_cast<void>(write_robot_file(robot)), Error);
}

TEST(RobotFile, saves_in_one_step_and_loads_again) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "torsor_robot_file";
  fs::create_directories(folder);
  const std::string path = (folder / "arm.yaml").string();
  RobotDescription robot = everything();
  clear_unused(robot);
  save_robot_file(robot, path);
  save_robot_file(robot, path);
  EXPECT_EQ(testing::difference(robot, load_description(path)), "");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1);
  fs::remove_all(folder);
}

TEST(RobotFile, every_complete_example_of_the_reference_loads) {
  const std::string page = read_text_file(std::string(TORSOR_SOURCE_DIR) + "/docs/robot-file.md");
  int examples = 0;
  for (std::size_t at = 0; (at = page.find("```yaml\n", at)) != std::string::npos;) {
    at += 8;
    const std::string example = page.substr(at, page.find("```", at) - at);
    if (example.find("robot:") == std::string::npos) continue;
    ++examples;
    EXPECT_NO_THROW(static_cast<void>(Model<double>(read(example)))) << example;
  }
  EXPECT_GE(examples, 2);
}

}  // namespace
}  // namespace torsor
