// URDF as it is found: faults that leave the mechanics in no doubt, which other readers pass over,
// do not cost the robot; each is a warning.
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "torsor/formats/urdf.hpp"

using namespace torsor;
using torsor::testing::facts;

namespace {

const std::string mass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
    "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
const std::string limit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";

/// Links a and b in lines 2 and 3, joint j in line 4.
std::string two_links(const std::string& link, const std::string& joint = limit,
                      const std::string& type = "revolute") {
  return "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\">" + link +
         "</link>\n<joint name=\"j\" type=\"" + type +
         "\"><parent link=\"a\"/><child link=\"b\"/>" + joint + "</joint>\n</robot>\n";
}

struct Reading {
  RobotDescription robot;
  std::string warning;  // the only one, as a line; or how many there are
};
Reading read(const std::string& text) {
  Findings findings;
  Reading reading{read_urdf(text, "r.urdf", &findings), ""};
  std::erase_if(findings, [](const Finding& f) { return f.severity == Finding::Severity::note; });
  for (const Finding& f : findings) {
    EXPECT_FALSE(f.why.empty()) << f.line();
    EXPECT_FALSE(f.fix.empty()) << f.line();
  }
  reading.warning =
      findings.size() == 1 ? findings[0].line() : std::to_string(findings.size()) + " warnings";
  return reading;
}
std::string visual(const std::string& inside) {
  return mass + "<visual>" + inside + "</visual>" +
         "<collision><geometry><box size=\"1 2 3\"/></geometry></collision>";
}
const std::string sphere = "<geometry><sphere radius=\"0.5\"/></geometry>";

TEST(UrdfAsFound, a_shape_keeps_the_first_of_two_materials) {
  const Reading r =
      read(two_links(visual(sphere + "<material name=\"\"><color rgba=\"1 0 0 1\"/></material>"
                                     "<material name=\"x\"/>")));
  EXPECT_EQ(r.warning,
            "r.urdf:3: link \"b\": second <material> in <visual>; the first, in line 3, is used");
  ASSERT_EQ(r.robot.links[1].geometry.size(), 2u);
  EXPECT_EQ(r.robot.links[1].geometry[0].rgba, (std::vector<double>{1, 0, 0, 1}));
}

// urdfdom leaves them out, too; xacro could not expand them, as their macros are not there.
TEST(UrdfAsFound, a_call_of_a_macro_that_is_not_there_is_left_out) {
  const Reading r = read(two_links(visual(sphere + "<xacro:grey/>")));
  EXPECT_EQ(r.warning,
            "r.urdf:3: link \"b\": ignored <xacro:grey>, a macro that the file does not have");
  EXPECT_EQ(r.robot.links[1].geometry.size(), 2u);
  for (const char* word : {"include filename=\"x\"", "macro name=\"grey\"", "if value=\"1\""}) try {
      (void)read_urdf(two_links(mass + "<xacro:" + std::string(word) + "/>"), "r.urdf");
      ADD_FAILURE() << word;
    } catch (const Error& refused) {
      EXPECT_NE(std::string(refused.what()).find("end its name in .xacro"), std::string::npos);
    }
}

TEST(UrdfAsFound, a_material_without_a_name_has_its_colour) {
  const Reading r =
      read(two_links(visual(sphere + "<material><color rgba=\"0 1 0 1\"/></material>")));
  EXPECT_EQ(r.warning, "0 warnings");
  EXPECT_EQ(r.robot.links[1].geometry[0].rgba, (std::vector<double>{0, 1, 0, 1}));
}

TEST(UrdfAsFound, a_shape_that_cannot_be_read_is_left_out_and_the_others_stay) {
  const auto left_out = [](const std::string& inside, const std::string& why) {
    const Reading r = read(two_links(visual(inside)));
    EXPECT_EQ(r.warning, "r.urdf:3: link \"b\": " + why + "; left out");
    ASSERT_EQ(r.robot.links[1].geometry.size(), 1u);
    EXPECT_EQ(r.robot.links[1].geometry[0].shape, Geometry::Shape::box);
    EXPECT_EQ(r.robot.links[1].inertial.mass, 1.0);
  };
  left_out("", "<visual> has no <geometry>");
  left_out("<geometry><mesh filename=\"m.stl\" scale=\"0.001\"/></geometry>",
           "<mesh> scale has 1 number, not 3: \"0.001\"");
  left_out("<geometry><sphere radius=\"-1\"/></geometry>", "<sphere> radius is negative (-1 m)");
  left_out("<origin rpy=\"pi/4 0 0\"/>" + sphere, "<origin> rpy: \"pi/4\" is not a number");
}

TEST(UrdfAsFound, of_two_shapes_the_first_is_used) {
  const Reading r = read(two_links(visual(
      "<geometry><sphere radius=\"0.5\"/><cylinder radius=\"1\" length=\"1\"/></geometry>")));
  EXPECT_EQ(facts(r.warning), "r.urdf:3: \"b\" <geometry> <cylinder>");
  EXPECT_EQ(r.robot.links[1].geometry[0].shape, Geometry::Shape::sphere);
}

TEST(UrdfAsFound, of_two_inertials_or_axes_the_first_is_used) {
  const std::string heavy =
      "\n<inertial><mass value=\"9\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
  const Reading links = read(two_links(mass + heavy));
  EXPECT_EQ(links.warning,
            "r.urdf:4: link \"b\": second <inertial> in <link>; the first, in line 3, is used");
  EXPECT_EQ(links.robot.links[1].inertial.mass, 1.0);
  const Reading axes =
      read(two_links(mass, limit + "<axis xyz=\"0 1 0\"/>\n<axis xyz=\"0 0 1\"/>"));
  EXPECT_EQ(axes.warning,
            "r.urdf:5: joint \"j\": second <axis> in <joint>; the first, in line 4, is used");
  EXPECT_EQ(axes.robot.joints[0].axis.y, 1.0);
}

TEST(UrdfAsFound, an_axis_says_nothing_at_a_fixed_joint) {
  for (const char* axis : {"<axis/>", "<axis xyz=\"0 0 0\"/>"})
    EXPECT_EQ(read(two_links(mass, axis, "fixed")).warning, "0 warnings") << axis;
}

TEST(UrdfAsFound, a_negative_limit_of_velocity_or_effort_is_none) {
  const Reading r =
      read(two_links(mass, "<limit lower=\"0\" upper=\"1\" effort=\"5\" velocity=\"-1\"/>"));
  EXPECT_EQ(facts(r.warning), "r.urdf:4: \"j\" -1");
  EXPECT_EQ(r.robot.joints[0].limits[0].velocity, infinity);
  EXPECT_EQ(r.robot.joints[0].limits[0].effort, 5.0);
  EXPECT_EQ(read(two_links(mass, "<limit lower=\"0\" upper=\"1\" effort=\"-3\" velocity=\"1\"/>"))
                .robot.joints[0]
                .limits[0]
                .effort,
            infinity);
}

TEST(UrdfAsFound, a_mimic_of_a_joint_that_cannot_be_followed_leaves_the_joint_free) {
  const Reading unknown = read(two_links(mass, limit + "<mimic joint=\"k\"/>"));
  EXPECT_EQ(unknown.warning, "r.urdf:4: joint \"j\": ignored <mimic> of the unknown joint \"k\"");
  EXPECT_TRUE(unknown.robot.couplings.empty());
  EXPECT_EQ(Model<double>(unknown.robot).n_q(), 1);

  std::string text = two_links(mass, limit + "<mimic joint=\"k\"/>");
  text.insert(text.find("</robot>"),
              "<link name=\"c\"/><joint name=\"k\" type=\"fixed\"><parent link=\"b\"/>"
              "<child link=\"c\"/></joint>");
  const Reading fixed = read(text);
  EXPECT_EQ(fixed.warning,
            "r.urdf:4: joint \"j\": ignored <mimic> of joint \"k\", which has not one coordinate");
  EXPECT_TRUE(fixed.robot.couplings.empty());
}

TEST(UrdfAsFound, a_mimic_with_multiplier_0_holds_the_joint_at_its_offset) {
  std::string text =
      two_links(mass, limit + "<mimic joint=\"k\" multiplier=\"0\" offset=\"0.5\"/>");
  text.insert(text.find("</robot>"),
              "<link name=\"c\">" + mass + "</link><joint name=\"k\" type=\"prismatic\">" +
                  "<parent link=\"b\"/><child link=\"c\"/>" + limit + "</joint>");
  const Reading r = read(text);
  EXPECT_EQ(facts(r.warning), "r.urdf:4: \"j\" <mimic> 0:");
  for (const RobotDescription& robot : {r.robot, read_urdf(write_urdf(r.robot), "again.urdf")}) {
    ASSERT_EQ(robot.couplings.size(), 1u);
    ASSERT_EQ(robot.couplings[0].terms.size(), 1u);
    EXPECT_EQ(robot.couplings[0].terms[0].joint, "j");
    EXPECT_EQ(robot.couplings[0].terms[0].factor, 1.0);
    EXPECT_EQ(robot.couplings[0].offset, 0.5);
  }
}

}  // namespace
