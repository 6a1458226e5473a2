#include "torsor/formats/urdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "formats/urdf_text.hpp"
#include "support/refusal.hpp"
#include "torsor/math/so3.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

RobotDescription read(const std::string& text, Findings* findings = nullptr) {
  return read_urdf(text, "r.urdf", findings);
}
/// The only finding of at least this severity, as a line; or how many there are.
std::string finding_of(const std::string& text, Finding::Severity least = Finding::Severity::note) {
  Findings findings;
  read(text, &findings);
  std::erase_if(findings, [&](const Finding& f) { return f.severity < least; });
  return findings.size() == 1
             ? std::string(name_of(findings[0].severity)) + ": " + findings[0].line()
             : std::to_string(findings.size()) + " findings";
}

TEST(ReadUrdf, gives_links_joints_limits_and_dynamics_with_their_lines) {
  const RobotDescription robot =
      read(two_links("<origin xyz=\"1 2 3\" rpy=\"0 0 0\"/><axis xyz=\"0 0 1\"/>" + limit +
                         "<dynamics damping=\"0.5\" friction=\"0.25\"/>",
                     "revolute", mass));
  EXPECT_EQ(robot.name, "r");
  EXPECT_EQ(robot.root, "a");
  ASSERT_EQ(robot.links.size(), 2u);
  EXPECT_FALSE(robot.links[0].has_inertial);
  EXPECT_TRUE(robot.links[1].has_inertial);
  EXPECT_EQ(robot.links[1].origin.prefix(), "r.urdf:4: ");
  const Joint& joint = robot.joints.at(0);
  EXPECT_EQ(joint.kind, JointKind::revolute);
  EXPECT_EQ(joint.placement.p.y, 2.0);
  EXPECT_EQ(joint.origin.line, 5);
  ASSERT_EQ(joint.limits.size(), 1u);
  EXPECT_EQ(joint.limits[0].lower, -1.0);
  EXPECT_EQ(joint.limits[0].upper, 2.0);
  EXPECT_EQ(joint.limits[0].effort, 3.0);
  EXPECT_EQ(joint.limits[0].velocity, 4.0);
  EXPECT_EQ(joint.limits[0].jerk, infinity);
  ASSERT_EQ(joint.friction.size(), 1u);
  EXPECT_EQ(joint.friction[0].damping, 0.5);
  EXPECT_EQ(joint.friction[0].coulomb, 0.25);
  EXPECT_EQ(robot.gravity.z, -9.81);
}

TEST(ReadUrdf, gives_the_friction_and_the_motors_of_the_extension) {
  const RobotDescription robot = read_urdf(
      "<robot name=\"r\" xmlns:torsor=\"urn:torsor:urdf:1\"><link name=\"a\"/><link name=\"b\"/>"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
      "<dynamics damping=\"1\" friction=\"2\" torsor:offset=\"-3\" "
      "torsor:viscous_asymmetry=\"-0.5\" torsor:coulomb_asymmetry=\"0.25\"/></joint>"
      "<torsor:motor name=\"m\" rotor_inertia=\"0.5\"><torsor:term joint=\"j\" ratio=\"-7\"/>"
      "<torsor:friction viscous=\"0.125\" offset=\"-4\"/></torsor:motor></robot>",
      "r.urdf");
  const Friction& f = robot.joints.at(0).friction.at(0);
  EXPECT_EQ(f.offset, -3);
  EXPECT_EQ(f.viscous_asymmetry, -0.5);
  EXPECT_EQ(f.coulomb_asymmetry, 0.25);
  const Motor& m = robot.motors.at(0);
  EXPECT_EQ(m.rotor_inertia, 0.5);
  EXPECT_EQ(m.ratios.at(0).joint, "j");
  EXPECT_EQ(m.ratios.at(0).factor, -7);
  EXPECT_EQ(m.friction.viscous, 0.125);
  EXPECT_EQ(m.friction.offset, -4);
}

TEST(ReadUrdf, knows_the_six_joint_types) {
  const auto kind = [](const std::string& type) {
    return read(two_links("", type)).joints[0].kind;
  };
  EXPECT_EQ(kind("revolute"), JointKind::revolute);
  EXPECT_EQ(kind("continuous"), JointKind::continuous);
  EXPECT_EQ(kind("prismatic"), JointKind::prismatic);
  EXPECT_EQ(kind("fixed"), JointKind::fixed);
  EXPECT_EQ(kind("floating"), JointKind::free);
  EXPECT_EQ(kind("planar"), JointKind::planar);
}

TEST(ReadUrdf, turns_the_inertia_matrix_into_the_axes_of_the_link) {
  const RobotDescription robot = read(two_links(
      limit, "revolute",
      "<inertial><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
      "<inertia ixx=\"3\" ixy=\"0.5\" ixz=\"0.25\" iyy=\"4\" iyz=\"0\" izz=\"5\"/></inertial>"));
  const Inertial& body = robot.links[1].inertial;
  EXPECT_EQ(body.com.x, 1.0);
  // A quarter turn about z: x' = y, y' = -x.
  EXPECT_NEAR(body.about_com.xx, 4, 1e-15);
  EXPECT_NEAR(body.about_com.yy, 3, 1e-15);
  EXPECT_NEAR(body.about_com.zz, 5, 1e-15);
  EXPECT_NEAR(body.about_com.xy, -0.5, 1e-15);
  EXPECT_NEAR(body.about_com.yz, 0.25, 1e-15);
  EXPECT_NEAR(body.about_com.xz, 0, 1e-15);
}

TEST(ReadUrdf, applies_roll_then_pitch_then_yaw_about_fixed_axes) {
  const SO3<double> R =
      read(two_links("<origin rpy=\"0.3 -0.4 0.5\"/>" + limit)).joints[0].placement.R;
  const SO3<double> expected =
      exp(Vec3<double>{0, 0, 0.5}) * exp(Vec3<double>{0, -0.4, 0}) * exp(Vec3<double>{0.3, 0, 0});
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(R(r, c), expected(r, c), 4e-16);
}

TEST(ReadUrdf, takes_x_for_a_missing_axis_and_keeps_the_length_of_one_that_is_there) {
  EXPECT_EQ(read(two_links(limit)).joints[0].axis.x, 1.0);
  const Vec3<double> a = read(two_links("<axis xyz=\"0 3 4\"/>" + limit)).joints[0].axis;
  EXPECT_EQ(a.y, 3);
  EXPECT_EQ(a.z, 4);
  EXPECT_EQ(read(two_links("<axis xyz=\"0 5e-324 0\"/>" + limit)).joints[0].axis.y, 1.0);
  EXPECT_EQ(read(two_links("<axis xyz=\"0 0 -1e300\"/>" + limit)).joints[0].axis.z, -1.0);
  EXPECT_EQ(finding_of(two_links("<axis xyz=\"0 3 4\"/>" + limit, "revolute", mass)),
            "0 findings");  // check_model speaks of lengths
  EXPECT_EQ(finding_of(two_links("<axis xyz=\"0 0.9999 0\"/>" + limit, "revolute", mass)),
            "0 findings");
  EXPECT_EQ(read(two_links("<axis xyz=\"0 0 0\"/>", "fixed")).joints[0].axis.z, 1.0);
}

TEST(ReadUrdf, makes_a_mimic_a_coordinate_and_a_coupling) {
  const RobotDescription robot = read(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>"
      "<joint name=\"left\" type=\"prismatic\"><parent link=\"a\"/><child link=\"b\"/></joint>"
      "<joint name=\"right\" type=\"prismatic\"><parent link=\"a\"/><child link=\"c\"/>"
      "<mimic joint=\"left\" multiplier=\"-2\" offset=\"0.5\"/></joint></robot>");
  ASSERT_EQ(robot.joints.size(), 2u);
  ASSERT_EQ(robot.couplings.size(), 1u);
  const Coupling& row = robot.couplings[0];  // right = -2 left + 0.5
  EXPECT_EQ(row.terms.at(0).joint, "right");
  EXPECT_EQ(row.terms.at(0).factor, 1.0);
  EXPECT_EQ(row.terms.at(1).joint, "left");
  EXPECT_EQ(row.terms.at(1).factor, 2.0);
  EXPECT_EQ(row.offset, 0.5);
}

TEST(ReadUrdf, keeps_visual_and_collision_geometry_and_resolves_materials) {
  const RobotDescription robot = read(two_links(
      limit, "revolute",
      "<visual name=\"v\"><origin xyz=\"1 0 0\"/><geometry><box size=\"1 2 3\"/></geometry>"
      "<material name=\"red\"/></visual>"
      "<collision><geometry><cylinder radius=\"1\" length=\"2\"/></geometry></collision>"
      "<visual><geometry><sphere radius=\"0.5\"/></geometry><material name=\"blue\">"
      "<color rgba=\"0 0 1 1\"/></material></visual>"
      "<visual><geometry><capsule radius=\"1\" length=\"3\"/></geometry><material name=\"blue\"/>"
      "</visual><visual><geometry><mesh filename=\"package://x/y.stl\" scale=\"1 2 3\"/></geometry>"
      "</visual>",
      "<material name=\"red\"><color rgba=\"1 0 0 0.5\"/></material>"));
  const std::vector<Geometry>& shapes = robot.links[1].geometry;
  ASSERT_EQ(shapes.size(), 5u);
  EXPECT_EQ(shapes[0].name, "v");
  EXPECT_EQ(shapes[0].size.z, 3.0);
  EXPECT_EQ(shapes[0].placement.p.x, 1.0);
  EXPECT_EQ(shapes[0].rgba, (std::vector<double>{1, 0, 0, 0.5}));
  EXPECT_TRUE(shapes[1].collision);
  EXPECT_EQ(shapes[1].shape, Geometry::Shape::cylinder);
  EXPECT_EQ(shapes[1].size.y, 2.0);
  EXPECT_EQ(shapes[2].size.x, 0.5);
  EXPECT_EQ(shapes[3].shape, Geometry::Shape::capsule);
  EXPECT_EQ(shapes[3].rgba, (std::vector<double>{0, 0, 1, 1}));
  EXPECT_EQ(shapes[4].mesh_file, "package://x/y.stl");
  EXPECT_EQ(shapes[4].size.y, 2.0);
}

TEST(ReadUrdf, never_ignores_silently) {
  const std::string moving = limit, r = "revolute";
  EXPECT_EQ(facts(finding_of(two_links(moving, r, mass, "<gazebo/>"))),
            "note: r.urdf:2: <gazebo> <gazebo>");
  EXPECT_EQ(facts(finding_of(two_links(moving + "<safety_controller k_velocity=\"1\"/>", r, mass))),
            "note: r.urdf:5: \"j\" <safety_controller>");
  EXPECT_EQ(facts(finding_of(two_links(moving, r, mass + "<colision/>"))),
            "warning: r.urdf:4: \"b\" <colision> <link> \"collision\"");
  EXPECT_EQ(facts(finding_of(two_links(moving + "<dynamics dampin=\"1\"/>", r, mass))),
            "warning: r.urdf:5: \"j\" \"dampin\" <dynamics> \"damping\"");
  EXPECT_EQ(
      facts(finding_of(two_links(moving, r, mass,
                                 "<transmission name=\"t\"><joint name=\"j\"/><actuator name=\"m\">"
                                 "<mechanicalReduction>50</mechanicalReduction></actuator>"
                                 "</transmission>"))),
      "note: r.urdf:2: \"t\" <transmission> \"j\" \"50\"");
  EXPECT_EQ(facts(finding_of(two_links("", "floating",
                                       mass + "<visual><geometry><box size=\"1 1 1\"/>"
                                              "</geometry><material name=\"x\"/></visual>"))),
            "warning: r.urdf:4: \"b\" \"x\"");
  EXPECT_EQ(finding_of(two_links("", "fixed", mass)), "0 findings");
}

TEST(ReadUrdf, what_is_not_understood_is_a_warning_where_it_changes_results) {
  const auto severity_of = [](const std::string& joint, const std::string& link = mass,
                              const std::string& robot = "") {
    Findings findings;
    read(two_links(joint, "revolute", link, robot), &findings);
    EXPECT_FALSE(findings.empty()) << joint << link << robot;
    Finding::Severity most = Finding::Severity::note;
    for (const Finding& f : findings) {
      EXPECT_FALSE(f.why.empty()) << f.line();
      EXPECT_FALSE(f.fix.empty()) << f.line();
      most = std::max(most, f.severity);
    }
    return most;
  };
  std::string shouted = mass;
  for (const char* tag : {"<inertial>", "</inertial>"})
    for (std::size_t k = shouted.find(tag), n = 0; n < std::string(tag).size(); ++n)
      shouted[k + n] = static_cast<char>(std::toupper(shouted[k + n]));
  for (const char* joint :
       {"<dynamic damping=\"1\"/>", "<dynamics spring_stiffness=\"1\"/>", "<axes xyz=\"0 1 0\"/>",
        "<orign xyz=\"0 0 1\"/>", "<origin xyz=\"0 0 1\" quaternion=\"0 0 1 0\"/>",
        "<origin pos=\"0 0 1\"/>", "<mimc joint=\"k\"/>", "<drake:rotor_inertia value=\"1\"/>",
        "<calibration rising=\"0\"/><joint_properties damping=\"1\"/>"})
    EXPECT_EQ(severity_of(limit + joint), Finding::Severity::warning) << joint;
  EXPECT_EQ(severity_of(limit, mass + shouted), Finding::Severity::warning);
  EXPECT_EQ(severity_of(limit, mass + "<link name=\"c\"/>"), Finding::Severity::warning);
  EXPECT_EQ(severity_of(limit, mass, "<joints/>"), Finding::Severity::warning);
  EXPECT_EQ(severity_of(limit, mass, "<my:notes xmlns:my=\"x\"/>"), Finding::Severity::note);
  EXPECT_EQ(severity_of(limit, mass, "<gazebo reference=\"b\"/>"), Finding::Severity::note);
  EXPECT_EQ(severity_of(limit + "<calibration rising=\"0\"/>"), Finding::Severity::note);
}

TEST(ReadUrdf, angles_that_look_like_degrees_are_warnings) {
  EXPECT_EQ(facts(finding_of(two_links(limit + "<origin rpy=\"0 90 0\"/>", "revolute", mass))),
            "warning: r.urdf:5: \"j\" 0 90 0");
  EXPECT_EQ(finding_of(two_links(limit + "<origin rpy=\"0 0 -6.2832\"/>", "revolute", mass)),
            "0 findings");
}

TEST(ReadUrdf, warns_of_what_may_spoil_results) {
  const auto warning = [](const std::string& joint, const std::string& type,
                          const std::string& link) {
    return finding_of(two_links(joint, type, link), Finding::Severity::warning);
  };
  const auto inertia = [](const std::string& xx, const std::string& zz,
                          const std::string& m = "1") {
    return "<inertial><mass value=\"" + m + "\"/><inertia ixx=\"" + xx +
           "\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"" + zz + "\"/></inertial>";
  };
  EXPECT_EQ(facts(warning("", "revolute", mass)), "warning: r.urdf:5: \"j\" <limit>");
  EXPECT_EQ(read(two_links("")).joints[0].limits.size(), 0u);
  EXPECT_EQ(facts(warning("", "continuous", "")), "warning: r.urdf:4: \"b\" <inertial>");
  EXPECT_EQ(warning("", "fixed", ""), "0 findings");
  EXPECT_EQ(facts(warning("", "continuous", inertia("-1", "1"))), "warning: r.urdf:4: \"b\" -1");
  EXPECT_EQ(facts(warning("", "continuous", inertia("1", "2.5"))),
            "warning: r.urdf:4: \"b\" inequality: 0.5");
  EXPECT_EQ(warning("", "continuous", inertia("1", "2")), "0 findings");     // a thin plate
  EXPECT_EQ(warning("", "continuous", inertia("1", "2.01")), "0 findings");  // and its rounding
  EXPECT_EQ(facts(warning("<limit effort=\"1\" velocity=\"1\"/>", "prismatic", mass)),
            "warning: r.urdf:5: \"j\" 0");
  EXPECT_EQ(facts(warning("<limit lower=\"-1\" upper=\"1\" velocity=\"1\"/>", "prismatic", mass)),
            "warning: r.urdf:5: \"j\" <limit>");
  EXPECT_EQ(facts(warning(limit, "floating", mass)), "warning: r.urdf:5: \"j\" <limit>");
}

TEST(ReadUrdf, limits_of_the_wrong_order_are_an_error_in_the_line_of_the_limit) {
  EXPECT_EQ(
      facts(finding_of(two_links("\n<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>",
                                 "revolute", mass))),
      "error: r.urdf:6: \"j\" 2 1");
}

TEST(ReadUrdf, an_impossible_inertia_is_read_with_a_warning) {
  const std::string text =
      two_links(limit, "revolute",
                "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"2\" ixz=\"0\" iyy=\"1\" "
                "iyz=\"0\" izz=\"1\"/></inertial>");
  Findings findings;
  EXPECT_EQ(read(text, &findings).links[1].inertial.about_com.xy, 2.0);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Finding::Kind::impossible_inertia);
  EXPECT_EQ(findings[0].severity, Finding::Severity::warning);
  EXPECT_EQ(findings[0].element, "link \"b\"");
}

TEST(ReadUrdf, counts_mass_fixed_to_a_link_as_its_own) {
  const std::string text =
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\">" + mass +
      "</link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"
      "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>";
  EXPECT_EQ(finding_of(text), "0 findings");
}

}  // namespace
