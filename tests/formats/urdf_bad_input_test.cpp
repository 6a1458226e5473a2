// Bad URDF: one line that names file, line and element, whatever the file holds.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "support/refusal.hpp"
#include "torsor/formats/urdf.hpp"

using namespace torsor;
using torsor::testing::facts;

namespace {

/// The message; every message is one line that starts with the file's name.
std::string refusal(const std::string& text, const std::string& file = "r.urdf",
                    Findings* findings = nullptr) {
  std::string message = "no error";
  try {
    read_urdf(text, file, findings);
  } catch (const Error& error) {
    message = error.what();
    EXPECT_TRUE(message.starts_with(file + ":")) << message;
    EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(message[file.size() + 1]))) << message;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 400u) << message;
  return message;
}

std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}
std::string joint(const std::string& name, const std::string& parent, const std::string& child,
                  const std::string& inside = "", const std::string& type = "revolute") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}
std::string robot(const std::string& inside) {
  return "<robot name=\"r\" xmlns:torsor=\"urn:torsor:urdf:1\">\n" + inside + "</robot>\n";
}
/// Two links in lines 2 and 3, a joint in line 4.
std::string of_joint(const std::string& inside, const std::string& type = "revolute") {
  return robot(link("a") + link("b") + joint("j", "a", "b", inside, type));
}
std::string of_link(const std::string& inside) { return robot(link("a", inside)); }
std::string inertial(const std::string& mass, const std::string& ixx = "1") {
  return of_link("<inertial><mass value=\"" + mass + "\"/><inertia ixx=\"" + ixx +
                 "\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>");
}

TEST(BadUrdf, missing_file) {
  try {
    (void)load_urdf("no/such/robot.urdf");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no/such/robot.urdf: no such file");
  }
}

TEST(BadUrdf, empty_truncated_and_binary_text) {
  EXPECT_EQ(refusal(""), "r.urdf:1: file is empty");
  EXPECT_EQ(refusal(" \n"), "r.urdf:1: file is blank");
  EXPECT_EQ(refusal(std::string("\0\1\2", 3)), "r.urdf:1: not a text file (it holds the byte 0)");
  EXPECT_EQ(refusal("\x89PNG\r\n\x1a\n"), "r.urdf:2: not a text file (it holds the byte 26)");
  const std::string whole = of_joint("<axis xyz=\"0 0 1\"/>");
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_NE(refusal(whole.substr(0, size)), "no error") << size;
}

TEST(BadUrdf, more_than_64_mebibytes) {
  std::string large = robot(link("a"));
  large.append(std::size_t{100} << 20, ' ');
  try {
    read_urdf(large, "r.urdf");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "r.urdf: file has 100 MiB, the limit is 64 MiB");
  }
}

TEST(BadUrdf, entity_bombs_and_deep_nesting) {
  EXPECT_EQ(refusal("<!DOCTYPE r [<!ENTITY a \"&b;&b;\">]>\n" + robot(link("&a;"))),
            "r.urdf:1: document types and entities (<!DOCTYPE ...>) are not accepted; remove them");
  std::string deep = "<robot name=\"r\">";
  for (int k = 0; k < 200'000; ++k) deep += "<link>";
  EXPECT_EQ(facts(refusal(deep)), "r.urdf:1: 64");
}

TEST(BadUrdf, other_kinds_of_file) {
  EXPECT_EQ(facts(refusal("<sdf version=\"1.6\"><model name=\"m\"/></sdf>")),
            "r.urdf:1: <sdf> <robot>");
  EXPECT_EQ(facts(refusal("<html></html>")), "r.urdf:1: <html> <robot>");
  EXPECT_EQ(facts(refusal("robot:\n  name: r\n")), "r.urdf:1: file: \"robot:\"");
  EXPECT_EQ(facts(refusal("<robot/>")), "r.urdf:1: <robot> <robot>");
}

TEST(BadUrdf, xacro) {
  EXPECT_EQ(facts(refusal(robot(link("a") + "<xacro:property name=\"x\" value=\"1\"/>"))),
            "r.urdf:3: <xacro:property>");
  EXPECT_EQ(facts(refusal(of_joint("<axis xyz=\"0 0 ${z}\"/>"))),
            "r.urdf:4: \"j\" <axis> xyz: \"${z}\" file:");
  // What xacro leaves behind is no fault.
  EXPECT_EQ(refusal("<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">" + link("a") +
                    "</robot>"),
            "no error");
}

TEST(BadUrdf, names) {
  EXPECT_EQ(facts(refusal(robot(""))), "r.urdf:1: \"r\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + link("a")))), "r.urdf:3: \"a\" 2");
  EXPECT_EQ(facts(refusal(robot(link("a") + link("b") + link("c") + joint("j", "a", "b") +
                                joint("j", "a", "c")))),
            "r.urdf:6: \"j\" 5");
  EXPECT_EQ(facts(refusal(robot("<link/>"))), "r.urdf:2: <link> <link>");
  EXPECT_EQ(facts(refusal(robot(link("")))), "r.urdf:2: \"\"");
  EXPECT_EQ(
      facts(refusal(robot(link("upper_arm") + link("hand") + joint("j", "uper_arm", "hand")))),
      "r.urdf:4: \"j\" \"uper_arm\" \"upper_arm\"");
  EXPECT_EQ(
      facts(refusal(robot(link("upper_arm") + link("hand") + joint("j", "upper_arm", "hnd")))),
      "r.urdf:4: \"j\" \"hnd\" \"hand\"");
}

TEST(BadUrdf, trees_that_are_none) {
  EXPECT_EQ(facts(refusal(robot(link("a") + link("b")))), "r.urdf:3: \"r\" \"a\" \"b\"");
  EXPECT_EQ(
      facts(refusal(robot(link("a") + link("b") + joint("j", "a", "b") + joint("k", "b", "a")))),
      "r.urdf:5: \"k\" links: \"a\" \"b\" \"a\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + link("b") + link("c") + joint("j", "b", "c") +
                                joint("k", "c", "b")))),
            "r.urdf:6: \"k\" links: \"b\" \"c\" \"b\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + joint("j", "a", "a")))),
            "r.urdf:3: \"j\" links: \"a\" \"a\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + link("b") + link("c") + joint("j", "a", "c") +
                                joint("k", "b", "c")))),
            "r.urdf:6: \"k\" \"c\" \"j\" 5");
}

TEST(BadUrdf, joints) {
  EXPECT_EQ(facts(refusal(of_joint("<axis xyz=\"0 0 0\"/>"))), "r.urdf:4: \"j\" 0 0 0");
  EXPECT_EQ(facts(refusal(of_joint("<axis xyz=\"1 0\"/>"))), "r.urdf:4: \"j\" <axis> 2 3: \"1 0\"");
  EXPECT_EQ(facts(refusal(of_joint("<axis/>"))), "r.urdf:4: \"j\" <axis>");
  EXPECT_EQ(facts(refusal(of_joint("<parent link=\"b\"/>"))), "r.urdf:4: \"j\" <parent> <joint> 4");
  EXPECT_EQ(facts(refusal(of_joint("", "revolut"))), "r.urdf:4: \"j\" \"revolut\" \"revolute\"");
  EXPECT_EQ(facts(refusal(of_joint("", "helical"))),
            "r.urdf:4: \"j\" \"helical\" <torsor:joint kind=\"helical\"/>");
  EXPECT_EQ(facts(refusal(
                robot(link("a") + "<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint>"))),
            "r.urdf:3: \"j\" <joint> <parent>");
  EXPECT_EQ(facts(refusal(of_joint("<torsor:limit effort=\"-3\"/>"))), "r.urdf:4: \"j\" -3");
  EXPECT_EQ(facts(refusal(of_joint("<dynamics damping=\"-1\"/>"))), "r.urdf:4: \"j\" -1");
  EXPECT_EQ(facts(refusal(of_joint("<mimic joint=\"j\"/>"))), "r.urdf:4: \"j\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + link("b") + link("c") +
                                joint("j", "a", "b", "<mimic joint=\"k\"/>") +
                                joint("k", "b", "c", "<mimic joint=\"j\"/>")))),
            "r.urdf:5: \"j\" \"k\"");
}

TEST(BadUrdf, limits_of_the_wrong_order_are_read_and_refused_by_every_model) {
  for (const char* limit : {"<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>",
                            "<torsor:limit lower=\"2\" upper=\"1\"/>"}) {
    const RobotDescription robot = read_urdf(of_joint(limit), "r.urdf");
    EXPECT_EQ(robot.joints[0].limits[0].lower, 2);
    EXPECT_EQ(robot.joints[0].limits[0].upper, 1);
    try {
      const Model<double> model(robot);
      ADD_FAILURE() << limit;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "r.urdf:4: joint \"j\": lower limit 2 is above the upper limit 1");
    }
  }
}

TEST(BadUrdf, numbers) {
  for (const char* bad : {"nan", "inf", "-inf", "1,5", "1e400", "0x10", "one", "", "1 2", "1.5m"}) {
    EXPECT_NE(refusal(inertial(bad)), "no error") << bad;
    EXPECT_NE(refusal(inertial("1", bad)), "no error") << bad;
    EXPECT_NE(refusal(of_joint("<origin xyz=\"0 0 " + std::string(bad) + "\"/>")), "no error")
        << bad;
    EXPECT_NE(refusal(of_joint("<origin rpy=\"" + std::string(bad) + " 0 0\"/>")), "no error")
        << bad;
    EXPECT_NE(refusal(of_joint("<limit lower=\"" + std::string(bad) + "\" upper=\"9\"/>")),
              "no error");
    EXPECT_NE(refusal(of_joint("<dynamics damping=\"" + std::string(bad) + "\"/>")), "no error");
  }
  EXPECT_EQ(facts(refusal(inertial("1,5"))), "r.urdf:2: \"a\" <mass> value: \"1,5\" 1.5");
  EXPECT_EQ(facts(refusal(inertial("-2"))), "r.urdf:2: \"a\" -2");
  EXPECT_EQ(refusal(of_joint("<origin xyz=\"" + std::string(100'000, '1') + " 0 0\"/>")),
            "r.urdf:4: joint \"j\": <origin> xyz: \"" + std::string(60, '1') +
                "...\" is out of the range of a number");
}

TEST(BadUrdf, links) {
  EXPECT_EQ(facts(refusal(of_link("<inertial/>"))), "r.urdf:2: \"a\" <inertial> <mass>");
  EXPECT_EQ(facts(refusal(of_link("<inertial><mass value=\"1\"/></inertial>"))),
            "r.urdf:2: \"a\" <inertial> <inertia>");
  EXPECT_EQ(facts(refusal(of_link("<inertial><mass valeu=\"1\"/></inertial>"))),
            "r.urdf:2: \"a\" <mass>");
  // What leaves the motion in no doubt, or is for check_model to judge, is a warning.
  const auto warning = [](const std::string& text) {
    Findings findings;
    EXPECT_EQ(refusal(text, "r.urdf", &findings), "no error");
    std::erase_if(findings,
                  [](const Finding& f) { return f.severity != Finding::Severity::warning; });
    EXPECT_FALSE(findings.empty());
    return findings.empty() ? Finding{} : findings[0];
  };
  EXPECT_EQ(facts(warning(of_link("<visual/>")).line()), "r.urdf:2: \"a\" <visual> <geometry>");
  EXPECT_EQ(
      facts(
          warning(of_link("<visual><geometry><sphere radius=\"-1\"/></geometry></visual>")).line()),
      "r.urdf:2: \"a\" <sphere> -1");
  const Finding inertia = warning(inertial("1", "-1"));
  EXPECT_EQ(inertia.kind, Finding::Kind::impossible_inertia);
  EXPECT_EQ(facts(inertia.line()), "r.urdf:2: \"a\" -1");
}

TEST(BadUrdf, extension_elements_that_are_misspelt_or_do_not_fit) {
  EXPECT_EQ(facts(refusal(robot(link("a") + "<torsor:gravty xyz=\"0 0 -1\"/>"))),
            "r.urdf:3: <torsor:gravty> <torsor:gravty> <robot> \"torsor:gravity\"");
  EXPECT_EQ(facts(refusal(of_joint("<torsor:actuator rotor_inertai=\"1\"/>"))),
            "r.urdf:4: \"j\" \"rotor_inertai\" <torsor:actuator> \"rotor_inertia\"");
  EXPECT_EQ(facts(refusal(of_joint("<torsor:spring dof=\"1\"/>"))),
            "r.urdf:4: \"j\" <torsor:spring> 1 1 0");
  EXPECT_EQ(facts(refusal(of_joint("<torsor:joint kind=\"helcal\"/>", "fixed"))),
            "r.urdf:4: \"j\" \"helcal\" \"helical\"");
  EXPECT_EQ(
      facts(refusal(of_joint("<origin rpy=\"0 0 0\" torsor:rotation=\"0 -1 0 1 0 0 0 0 1\"/>"))),
      "r.urdf:4: \"j\" <origin>");
  EXPECT_EQ(facts(refusal("<robot name=\"r\" xmlns:torsor=\"urn:torsor:urdf:2\">" + link("a") +
                          "</robot>")),
            "r.urdf:1: \"r\" \"urn:torsor:urdf:2\" \"urn:torsor:urdf:1\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + "<torsor:frame name=\"f\" link=\"b\"/>"))),
            "r.urdf:3: \"f\" \"b\"");
  EXPECT_EQ(facts(refusal(robot(link("a") + "<torsor:loop name=\"l\" kind=\"wield\"/>"))),
            "r.urdf:3: \"l\" \"wield\" \"weld\"");
  EXPECT_EQ(
      facts(refusal(
          of_joint("", "floating")
              .insert(of_joint("", "floating").find("</robot>"),
                      "<torsor:coupling name=\"c\"><torsor:term joint=\"j\"/></torsor:coupling>"))),
      "r.urdf:5: \"c\" \"j\"");
}

TEST(BadUrdf, descriptions_that_would_not_read_back_are_not_written) {
  const auto why = [](RobotDescription r) -> std::string {
    try {
      write_urdf(r);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  RobotDescription r = read_urdf(of_joint(""), "");
  EXPECT_EQ(why(r), "no error");
  RobotDescription broken = r;
  broken.joints[0].parent = "c";
  EXPECT_EQ(why(broken), "joint \"j\": unknown parent link \"c\"");
  broken = r;
  broken.links.push_back(broken.links[0]);
  EXPECT_EQ(why(broken), "link \"a\": another link has the same name (line 2)");
  broken = r;
  broken.joints[0].placement.p.x = infinity;
  EXPECT_EQ(why(broken), "joint \"j\": <origin> xyz: inf is not finite");
  broken = r;
  broken.joints[0].friction.resize(2);
  EXPECT_EQ(why(broken), "joint \"j\": friction has 2 entries, the joint has 1 degrees of freedom");
}

TEST(BadUrdf, a_chain_of_20000_links_takes_no_recursion) {
  std::string chain = link("0"), parent = "0";
  for (int k = 1; k <= 20'000; ++k) {
    const std::string name = std::to_string(k);
    chain += link(name) + joint(name, parent, name, "", "continuous");
    parent = name;
  }
  Findings findings;
  const RobotDescription r = read_urdf(robot(chain), "r.urdf", &findings);
  EXPECT_EQ(r.joints.size(), 20'000u);
  EXPECT_EQ(findings.size(), 1000u);  // the rest is left out
}

/// Random damage must end in a robot or in one line, never in a crash; sanitizers watch.
TEST(BadUrdf, random_damage_gives_a_robot_or_one_line) {
  const std::string good = robot(
      "<material name=\"m\"><color rgba=\"1 0 0 1\"/></material>\n" +
      link("a",
           "<inertial><origin xyz=\"0 0 1\" rpy=\"0 1 0\"/><mass value=\"1\"/><inertia ixx=\"1\" "
           "ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>\n<visual><geometry>"
           "<mesh filename=\"x.stl\"/></geometry><material name=\"m\"/></visual>") +
      link("b") + link("c") +
      joint("j", "a", "b",
            "<origin xyz=\"1 0 0\" rpy=\"0 0 1\"/>\n<axis xyz=\"0 0 1\"/><limit "
            "lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"2\" torsor:unlimited=\"effort\"/>") +
      joint("k", "a", "c",
            "<mimic joint=\"j\" multiplier=\"2\"/><torsor:actuator gear_ratio=\"3\"/>",
            "continuous") +
      "<torsor:frame name=\"f\" link=\"b\"><origin xyz=\"0 1 0\"/></torsor:frame>\n"
      "<torsor:loop name=\"l\" kind=\"weld\"><torsor:a link=\"b\"/><torsor:b link=\"c\"/>"
      "</torsor:loop>\n<!-- end --><gazebo><x/></gazebo>\n");
  ASSERT_EQ(refusal(good), "no error");
  const std::string pieces[] = {
      "<", ">",     "/>", "\"", "<!--", "-->",  "&",     "]]>",  "nan", "1e9", "-",    "\n",  "a",
      "b", "<link", "</", "=",  "'",    "\xff", "<a b=", "<![C", "<?x", "\t",  "&#0;", "&lt;"};
  std::mt19937_64 random(3);
  int robots = 0;
  for (int k = 0; k < 4000; ++k) {
    std::string text = good;
    for (auto n = random() % 3; n-- + 1 > 0;) {
      const std::size_t at = random() % text.size(), length = random() % 20;
      switch (random() % 4) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text.insert(at, pieces[random() % std::size(pieces)]);
          break;
        case 2:
          text[at] = static_cast<char>(32 + random() % 96);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), 5 * length));
          break;
      }
      if (text.empty()) text += ' ';
    }
    Findings findings;
    robots += refusal(text, "r.urdf", k % 2 == 0 ? &findings : nullptr) == "no error" ? 1 : 0;
  }
  EXPECT_GT(robots, 100);  // some damage does not hurt
  EXPECT_LT(robots, 3900);
}

}  // namespace
