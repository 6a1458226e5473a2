// MJCF without MuJoCo: the same robot written in other words, and closed forms.
#include <gtest/gtest.h>

#include <numbers>

#include "formats/same_motion.hpp"
#include "house/process.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/loss_report.hpp"
#include "torsor/formats/robot_file.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

constexpr double pi = std::numbers::pi;

RobotDescription read(const std::string& text, Findings* findings = nullptr) {
  return read_as("mjcf", text, findings);
}
/// In a world, with whatever else the file has.
RobotDescription robot(const std::string& world, const std::string& rest = "",
                       Findings* findings = nullptr) {
  return read("<mujoco>" + rest + "<worldbody>" + world + "</worldbody></mujoco>", findings);
}
Inertial body(const std::string& inside, const std::string& rest = "") {
  const RobotDescription r =
      robot("<body name=\"b\"><joint name=\"j\"/>" + inside + "</body>", rest);
  return r.find_link("b")->inertial;
}

TEST(Mjcf, is_the_robot_that_is_written_in_yaml_by_hand) {
  const RobotDescription mjcf = read(R"(<mujoco model="arm">
    <compiler angle="degree"/>
    <option gravity="0 0 -9.81"/>
    <worldbody>
      <body name="upper" pos="0 0 0.5" euler="0 0 90">
        <joint name="shoulder" axis="0 1 0" range="-90 120" damping="0.4" frictionloss="0.2" armature="0.3"/>
        <inertial pos="0 0 0.2" mass="2" diaginertia="0.03 0.02 0.01"/>
        <body name="lower" pos="0 0 0.4">
          <joint name="elbow" type="slide" axis="1 0 0" stiffness="20" springref="0.1"/>
          <inertial pos="0.1 0 0" mass="1" fullinertia="0.01 0.02 0.03 0.001 0.002 0.003"/>
          <site name="tool" pos="0.3 0 0"/>
        </body>
      </body>
    </worldbody></mujoco>)");
  const RobotDescription yaml = read_robot_file(R"(robot: arm
gravity: [0, 0, -9.81]
root: world
bodies:
  - name: world
  - {name: upper, mass: 2, com: [0, 0, 0.2], inertia: [0.03, 0.02, 0.01]}
  - name: lower
    mass: 1
    com: [0.1, 0, 0]
    inertia: {xx: 0.01, yy: 0.02, zz: 0.03, xy: 0.001, xz: 0.002, yz: 0.003}
joints:
  - name: shoulder
    type: revolute
    parent: world
    child: upper
    placement: {xyz: [0, 0, 0.5], rpy: [0, 0, 1.5707963267948966]}
    axis: [0, 1, 0]
    friction: {damping: 0.4, coulomb: 0.2}
    actuator: {rotor_inertia: 0.3}
  - name: elbow
    type: prismatic
    parent: upper
    child: lower
    placement: {xyz: [0, 0, 0.4]}
    axis: [1, 0, 0]
    spring: {stiffness: 20, rest: 0.1}
frames:
  - {name: tool, link: lower, placement: {xyz: [0.3, 0, 0]}}
)",
                                                "arm.yaml");
  EXPECT_EQ(mjcf.name, "arm");
  expect_same_motion(mjcf, yaml);
  const Joint& shoulder = *mjcf.find_joint("shoulder");
  EXPECT_EQ(shoulder.kind, JointKind::revolute);
  EXPECT_NEAR(shoulder.limits.at(0).lower, -pi / 2, 1e-15);
  EXPECT_NEAR(shoulder.limits.at(0).upper, pi * 2 / 3, 1e-15);
}

TEST(Mjcf, joints_off_their_body_turn_about_their_own_point) {
  const RobotDescription r = robot(
      "<body name=\"b\"><joint name=\"j\" axis=\"0 0 1\" pos=\"1 0 0\"/>"
      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>");
  Robot moved{Model<double>(r)};
  const Eigen::Vector3d p =
      moved.frame_pose("b", Eigen::VectorXd::Constant(1, pi / 2)).translation();
  EXPECT_NEAR(p.x(), 1, 1e-12);
  EXPECT_NEAR(p.y(), -1, 1e-12);
}

TEST(Mjcf, a_reference_is_the_coordinate_of_the_drawn_pose) {
  const RobotDescription r = robot(
      "<body name=\"b\" pos=\"0 0 1\"><joint name=\"j\" axis=\"0 1 0\" ref=\"30\"/>"
      "<joint name=\"s\" type=\"slide\" axis=\"0 0 1\" ref=\"0.2\"/>"
      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/></body>");
  Robot drawn{Model<double>(r)};
  Eigen::VectorXd q(2);
  q << pi / 6, 0.2;
  const Eigen::Isometry3d T = drawn.frame_pose("b", q);
  EXPECT_LT((T.translation() - Eigen::Vector3d(0, 0, 1)).norm(), 1e-12);
  EXPECT_LT((T.linear() - Eigen::Matrix3d::Identity()).norm(), 1e-12);
}

TEST(Mjcf, solids_have_their_textbook_inertia) {
  const Inertial ball = body("<geom type=\"sphere\" size=\"0.2\" mass=\"3\"/>");
  EXPECT_NEAR(ball.about_com.xx, 0.4 * 3 * 0.04, 1e-14);
  const Inertial block = body("<geom type=\"box\" size=\"0.1 0.2 0.3\" density=\"500\"/>");
  EXPECT_NEAR(block.mass, 500 * 0.2 * 0.4 * 0.6, 1e-12);
  EXPECT_NEAR(block.about_com.xx, block.mass * (0.16 + 0.36) / 12, 1e-12);
  const Inertial can = body("<geom type=\"cylinder\" size=\"0.1 0.25\" mass=\"2\"/>");
  EXPECT_NEAR(can.about_com.zz, 2 * 0.01 / 2, 1e-14);
  EXPECT_NEAR(can.about_com.xx, 2 * (3 * 0.01 + 0.25) / 12, 1e-14);
  const Inertial egg = body("<geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\" mass=\"2\"/>");
  EXPECT_NEAR(egg.about_com.xx, 2 * (0.04 + 0.09) / 5, 1e-14);
  // A capsule is the cylinder and a ball that is cut in two and moved apart: in slices along its axis,
  //   J_x = int (r(z)^2 / 4 + z^2) dm,  dm = rho pi r(z)^2 dz
  const double r = 0.1, h = 0.3, rho = 700;
  double m = 0, jx = 0, jz = 0;
  const int n = 200000;
  for (int k = 0; k < n; ++k) {
    const double z = -h - r + (2 * h + 2 * r) * (k + 0.5) / n, off = std::max(std::abs(z) - h, 0.0);
    const double rr = r * r - off * off, dm = rho * pi * rr * (2 * h + 2 * r) / n;
    m += dm, jx += dm * (rr / 4 + z * z), jz += dm * rr / 2;
  }
  const Inertial pill = body("<geom type=\"capsule\" size=\"0.1 0.3\" density=\"700\"/>");
  EXPECT_NEAR(pill.mass, m, 1e-8 * m);
  EXPECT_NEAR(pill.about_com.xx, jx, 1e-8 * jx);
  EXPECT_NEAR(pill.about_com.zz, jz, 1e-8 * jz);
}

/// A thin layer is a solid less a smaller one.
TEST(Mjcf, shells_are_thin_layers) {
  const double e = 1e-5;
  const auto grown = [&](const std::string& type, double a, double b, double c, double by) {
    return body("<geom type=\"" + type + "\" size=\"" + std::to_string(a + by) + " " +
                std::to_string(b + by) + " " + std::to_string(c + by) + "\" density=\"1\"/>");
  };
  for (const char* type : {"sphere", "box", "cylinder", "ellipsoid"}) {
    SCOPED_TRACE(type);
    const double a = 0.2, b = 0.3, c = 0.4;
    const Inertial big = grown(type, a, b, c, e), small = grown(type, a, b, c, -e);
    const Inertial shell = body("<geom type=\"" + std::string(type) +
                                "\" size=\"0.2 0.3 0.4\" shellinertia=\"true\" mass=\"1\"/>");
    const double m = big.mass - small.mass;
    EXPECT_NEAR(shell.about_com.xx, (big.about_com.xx - small.about_com.xx) / m, 1e-6);
    EXPECT_NEAR(shell.about_com.yy, (big.about_com.yy - small.about_com.yy) / m, 1e-6);
    EXPECT_NEAR(shell.about_com.zz, (big.about_com.zz - small.about_com.zz) / m, 1e-6);
    if (std::string(type) == "ellipsoid") continue;  // its layer is thicker along the longer axes
    const Inertial of_area = body("<geom type=\"" + std::string(type) +
                                  "\" size=\"0.2 0.3 0.4\" shellinertia=\"true\" density=\"1\"/>");
    EXPECT_NEAR(of_area.mass, m / (2 * e), 1e-6);
  }
}

TEST(Mjcf, frames_and_replicas_are_bodies_that_are_written_out) {
  const std::string part = "<inertial pos=\"0.1 0 0\" mass=\"1\" diaginertia=\"1 1.2 1.4\"/>";
  const RobotDescription nested = robot(
      "<frame pos=\"0 0 1\" euler=\"0 0 90\"><frame pos=\"1 0 0\"><body name=\"a\">"
      "<frame euler=\"0 90 0\" pos=\"0 1 0\"><joint name=\"j\" axis=\"0 0 1\" pos=\"0 0 "
      "0.5\"/></frame>" +
      part +
      "</body></frame></frame>"
      "<replicate count=\"3\" offset=\"0.5 0 0\" euler=\"0 0 30\" sep=\"_\"><body name=\"r\" "
      "pos=\"2 0 0\">"
      "<joint name=\"k\"/>" +
      part + "</body></replicate>");
  std::string written =
      "<body name=\"a\" pos=\"0 1 1\" euler=\"0 0 90\"><joint name=\"j\" axis=\"1 0 0\" pos=\"0.5 "
      "1 0\"/>" +
      part + "</body>";
  Eigen::Vector2d p(0, 0);
  for (int k = 0; k < 3; ++k) {
    const Eigen::Rotation2Dd R(k * pi / 6);
    const Eigen::Vector2d at = p + R * Eigen::Vector2d(2, 0);
    written += "<body name=\"r_" + std::to_string(k) + "\" pos=\"" + std::to_string(at.x()) + " " +
               std::to_string(at.y()) + " 0\" euler=\"0 0 " + std::to_string(30 * k) +
               "\"><joint name=\"k_" + std::to_string(k) + "\"/>" + part + "</body>";
    p += R * Eigen::Vector2d(0.5, 0);
  }
  expect_same_motion(nested, robot(written), 2e-6);  // six decimals above
}

TEST(Mjcf, equalities_by_sites_are_those_by_bodies) {
  const std::string world =
      "<body name=\"a\" pos=\"0 0 1\"><joint name=\"j\"/><geom type=\"box\" size=\"0.1 0.1 0.1\"/>"
      "<site name=\"s\" pos=\"0.3 0.2 0\" euler=\"10 20 30\"/></body>"
      "<body name=\"b\" pos=\"0.3 0.2 1\" euler=\"10 20 30\"><freejoint/>"
      "<geom type=\"box\" size=\"0.1 0.2 0.1\"/><site name=\"t\"/></body>";
  const auto with = [&](const std::string& equality) {
    return read("<mujoco><worldbody>" + world + "</worldbody><equality>" + equality +
                "</equality></mujoco>");
  };
  expect_same_constraints(with("<connect site1=\"s\" site2=\"t\"/>"),
                          with("<connect body1=\"a\" body2=\"b\" anchor=\"0.3 0.2 0\"/>"));
  expect_same_constraints(with("<weld site1=\"s\" site2=\"t\"/>"),
                          with("<weld body1=\"a\" body2=\"b\"/>"));
  EXPECT_EQ(with("<weld body1=\"a\" body2=\"b\" active=\"false\"/>").loops.size(), 0u);
}

TEST(Mjcf, tendons_are_couplings_motors_and_springs) {
  const RobotDescription r = read(R"(<mujoco><worldbody>
      <body name="a"><joint name="j1"/><geom type="sphere" size="0.1"/><site name="s" pos="0.1 0 0"/>
        <body name="b"><joint name="j2"/><geom type="sphere" size="0.1"/><site name="t" pos="0.5 0 0"/></body>
      </body></worldbody>
    <tendon>
      <fixed name="f" armature="0.2" damping="3"><joint joint="j1" coef="2"/><joint joint="j2" coef="-1"/></fixed>
      <spatial name="p" stiffness="40" damping="2"><site site="s"/><site site="t"/></spatial>
    </tendon>
    <actuator><motor joint="j1" gear="5" ctrlrange="-2 2"/></actuator></mujoco>)");
  ASSERT_EQ(r.motors.size(), 1u);
  EXPECT_EQ(r.motors[0].rotor_inertia, 0.2);
  EXPECT_EQ(r.motors[0].friction.damping, 3);
  EXPECT_EQ(r.motors[0].ratios.at(1).factor, -1);
  ASSERT_EQ(r.springs.size(), 1u);
  EXPECT_NEAR(r.springs[0].rest_length, 0.4, 1e-15);  // as it is drawn
  EXPECT_EQ(r.find_joint("j1")->limits.at(0).effort, 10);
  EXPECT_EQ(r.find_joint("j1")->actuator.size(), 1u);
  EXPECT_TRUE(r.find_joint("j2")->actuator.empty());
}

TEST(Mjcf, includes_stand_where_they_are_named) {
  const ScratchFolder folder;
  write_text((folder / "part.xml").string(),
             "<mujocoinclude><body name=\"b\"><joint/><geom size=\"0.1\"/></body></mujocoinclude>");
  write_text((folder / "r.xml").string(),
             "<mujoco><worldbody><include file=\"part.xml\"/></worldbody></mujoco>");
  const RobotDescription r = load_description((folder / "r.xml").string());
  EXPECT_NE(r.find_link("b"), nullptr);
  EXPECT_NE(r.find_link("b")->origin.file.find("part.xml"), std::string::npos);
}

// MuJoCo 2 and 3 look from the folder of the main file first; 3 then looks beside the file that includes.
TEST(Mjcf, includes_of_includes_are_found_from_the_main_file_and_from_their_own) {
  const auto body = [](const char* name) {
    return "<x><body name=\"" + std::string(name) + "\"><geom size=\"0.1\"/></body></x>";
  };
  const ScratchFolder folder;
  for (const char* sub : {"main", "main/sub", "beside"})
    std::filesystem::create_directory(folder.path() / sub);
  write_text((folder / "main/r.xml").string(),
             "<mujoco><worldbody><include file=\"sub/part.xml\"/>"
             "<include file=\"../beside/far.xml\"/></worldbody></mujoco>");
  write_text((folder / "main/sub/part.xml").string(),
             "<x><include file=\"top.xml\"/><include file=\"own.xml\"/></x>");
  write_text((folder / "main/top.xml").string(), body("of_main"));
  write_text((folder / "main/sub/top.xml").string(), body("of_sub"));
  write_text((folder / "main/sub/own.xml").string(), body("own"));
  write_text((folder / "beside/far.xml").string(), body("far"));
  const RobotDescription r = load_description((folder / "main/r.xml").string());
  EXPECT_NE(r.find_link("of_main"), nullptr);
  EXPECT_EQ(r.find_link("of_sub"), nullptr);
  EXPECT_NE(r.find_link("own"), nullptr);
  EXPECT_NE(r.find_link("far"), nullptr);
}

// A file may be included once; models that need one twice have links to it under other names.
TEST(Mjcf, a_file_is_included_once_under_each_of_its_names) {
  const ScratchFolder folder;
  write_text((folder / "part.xml").string(), "<x><geom size=\"0.1\" mass=\"1\"/></x>");
  std::filesystem::create_symlink("part.xml", folder / "again.xml");
  const auto load = [&](const std::string& second) {
    write_text((folder / "r.xml").string(),
               "<mujoco><worldbody><body name=\"a\"><joint/><include file=\"part.xml\"/></body>"
               "<body name=\"b\"><joint/><include file=\"" +
                   second + "\"/></body></worldbody></mujoco>");
    return load_description((folder / "r.xml").string());
  };
  EXPECT_EQ(load("again.xml").find_link("b")->inertial.mass, 1);
  EXPECT_THROW((void)load("part.xml"), Error);
  EXPECT_THROW((void)load("./part.xml"), Error);
}

TEST(Mjcf, a_fixed_tendon_of_a_ball_does_not_cost_the_robot) {
  Findings found;
  const RobotDescription r = robot(
      "<body name=\"a\"><joint name=\"h\"/><geom size=\"1\"/><body name=\"b\">"
      "<joint name=\"s\" type=\"ball\"/><geom size=\"1\"/></body></body>",
      "<tendon><fixed name=\"t\" damping=\"1\"><joint joint=\"h\" coef=\"1\"/>"
      "<joint joint=\"s\" coef=\"2\"/></fixed></tendon>"
      "<equality><tendon tendon1=\"t\"/></equality>",
      &found);
  EXPECT_TRUE(r.motors.empty());
  EXPECT_TRUE(r.couplings.empty());
  EXPECT_EQ(std::count_if(found.begin(), found.end(),
                          [](const Finding& f) { return f.kind == Finding::Kind::ignored; }),
            2);
}

TEST(Mjcf, equalities_that_cannot_hold_anything_do_not_cost_the_robot) {
  const auto lost = [](const Findings& found, const std::string& what) {
    return std::any_of(found.begin(), found.end(),
                       [&](const Finding& f) { return f.subject.find(what) != std::string::npos; });
  };
  Findings found;
  const RobotDescription held =
      robot("<body name=\"a\"><geom size=\"1\"/><body name=\"b\"><geom size=\"1\"/></body></body>",
            "<equality><weld body1=\"a\" body2=\"b\"/></equality>", &found);
  EXPECT_TRUE(held.loops.empty());
  EXPECT_TRUE(lost(found, "fixed to each other"));
  EXPECT_NO_THROW((void)Model<double>(held));
  found.clear();
  const RobotDescription rope = robot(
      "<body name=\"a\"><joint/><geom size=\"1\"/><composite type=\"cable\" prefix=\"c\"/></body>",
      "<equality><connect body1=\"cB_last\" body2=\"a\" anchor=\"0 0 0\"/></equality>", &found);
  EXPECT_TRUE(rope.loops.empty());
  EXPECT_TRUE(lost(found, "left out"));
  EXPECT_THROW((void)robot("<body name=\"a\"><joint/><geom size=\"1\"/></body>",
                           "<equality><connect body1=\"cB_last\" anchor=\"0 0 0\"/></equality>"),
               Error);
}

TEST(Mjcf, what_is_dropped_is_named_with_its_effect) {
  Findings found;
  const RobotDescription r = robot(
      "<body name=\"b\" gravcomp=\"1\"><joint name=\"j\" springdamper=\"1 1\"/>"
      "<geom size=\"0.1\" friction=\"1 1 1\"/><camera/><light/></body>",
      "<option wind=\"1 0 0\"/><keyframe><key name=\"home\" qpos=\"1\"/></keyframe><visual/>",
      &found);
  const LossReport report = loss_report(r, found);
  const auto has = [](const std::vector<LossReport::Entry>& list, const std::string& what) {
    return std::any_of(list.begin(), list.end(), [&](const auto& e) { return e.what == what; });
  };
  EXPECT_TRUE(has(report.changed, "gravcomp"));
  EXPECT_TRUE(has(report.changed, "springdamper"));
  EXPECT_TRUE(has(report.changed, "a fluid (density, viscosity, wind)"));
  EXPECT_TRUE(has(report.dropped, "<camera>"));
  EXPECT_TRUE(has(report.read, "configurations"));
  EXPECT_TRUE(has(report.dropped, "settings of contacts"));
  EXPECT_TRUE(has(report.read, "joints"));
  EXPECT_TRUE(has(report.kept, "shapes"));
  EXPECT_EQ(report.lines().size(), 4u);
}

TEST(Mjcf, unknown_words_are_never_silent) {
  for (const char* text : {"<mujoco><worldbody><body name=\"b\"><geom size=\"1\" "
                           "colour=\"1\"/></body></worldbody></mujoco>",
                           "<mujoco><worldbody><body name=\"b\"><jiont/><geom "
                           "size=\"1\"/></body></worldbody></mujoco>",
                           "<mujoco><worldbod/><worldbody/></mujoco>",
                           "<mujoco><default><joint dampin=\"1\"/></default><worldbody/></mujoco>",
                           "<mujoco><compiler angel=\"radian\"/><worldbody/></mujoco>",
                           "<mujoco><worldbody/><equality><conect/></equality></mujoco>",
                           "<mujoco><worldbody/><actuator><moter/></actuator></mujoco>",
                           "<mujoco><worldbody/><tendon><fixd/></tendon></mujoco>"}) {
    Findings found;
    (void)read(text, &found);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
      return f.kind == Finding::Kind::ignored && f.severity == Finding::Severity::warning;
    })) << text;
  }
}

}  // namespace
