// check_file and repair_file: all findings of a file at once, and repairs that edit its text.
#include "torsor/formats/check_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "house/process.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

using testing::ScratchFolder;
using Severity = Finding::Severity;

class CheckFile : public ::testing::Test {
 protected:
  FileCheck check(const std::string& name, const std::string& text) {
    write_text_file_atomically((folder / name).string(), text);
    return check_file((folder / name).string(), {.meshes = false});
  }
  static std::vector<std::string> lines(const FileCheck& check, Severity least = Severity::error) {
    std::vector<std::string> all;
    for (const Finding& f : check.findings)
      if (f.severity >= least)
        all.push_back(std::to_string(f.origin.line) + ": " + f.element + ": " + f.message);
    return all;
  }
  static bool says(const FileCheck& check, const std::string& words) {
    for (const Finding& f : check.findings)
      if (f.line().find(words) != std::string::npos) return true;
    return false;
  }
  /// `now` is `before` with each of the pairs replaced at its first place, and nothing else.
  static void expect_edits(std::string before, const std::string& now,
                           const std::vector<std::pair<std::string, std::string>>& edits) {
    std::size_t at = 0;
    for (const auto& [old, fresh] : edits) {
      at = before.find(old, at);
      ASSERT_NE(at, std::string::npos) << old;
      before.replace(at, old.size(), fresh);
      at += fresh.size();
    }
    EXPECT_EQ(now, before);
  }

  ScratchFolder folder;
};

constexpr const char* six_mistakes = R"(<robot name="r">
  <link name="l1"/>
  <link name="l2">
    <inertial><mass value="abc"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="x"/></inertial>
  </link>
  <link name="l4">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="a" type="revolut">
    <parent link="l1"/><child link="l2"/><axis xyz="0 0 0"/>
    <limit lower="1" upper="-1" effort="1" velocity="1"/>
  </joint>
  <joint name="b" type="prismatic">
    <parent link="l2"/><child link="l3"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
)";

TEST_F(CheckFile, every_mistake_is_found_in_one_run) {
  const FileCheck check = this->check("six.urdf", six_mistakes);
  const std::vector<std::string> wanted = {
      "4: link \"l2\": <mass> value: \"abc\" is not a number",
      "4: link \"l2\": <inertia> iyz: \"x\" is not a number",
      "6: link \"l4\": no joint has it as child, and link \"l1\" is the root already",
      "9: joint \"a\": unknown joint type \"revolut\"; did you mean \"revolute\"?",
      "10: joint \"a\": axis is zero (0 0 0)",
      "11: joint \"a\": lower limit is above the upper one [1, -1] rad",
      "13: joint \"b\": child link \"l3\" does not exist"};
  EXPECT_EQ(lines(check), wanted);
  EXPECT_TRUE(says(check, "link \"l4\": principal moments 1 1 5"));
  EXPECT_FALSE(says(check, "nan"));
  for (const Finding& f :
       check.findings)  // the link that no joint carries is the one that is meant
    if (f.message.find("\"l3\"") != std::string::npos) {
      EXPECT_EQ(f.fix, "did you mean \"l4\", which no joint carries?");
    }
  EXPECT_THROW((void)load_description((folder / "six.urdf").string()), Error);
}

/// What cannot be read is one finding: nothing is said about the number that is not there.
TEST_F(CheckFile, friction_that_is_no_number_is_told_once) {
  for (const char* attribute : {"friction", "damping"}) {
    const FileCheck c = check(
        "a.urdf",
        std::string("<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"><inertial><mass "
                    "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
                    "iyz=\"0\"/></inertial></link>\n<joint name=\"j\" type=\"continuous\"><parent "
                    "link=\"a\"/><child link=\"b\"/>\n<dynamics ") +
            attribute + "=\"[]\"/></joint>\n</robot>\n");
    EXPECT_EQ(lines(c), std::vector<std::string>{std::string("5: joint \"j\": <dynamics> ") +
                                                 attribute + ": \"[]\" is not a number"});
  }
}

TEST_F(CheckFile, a_negative_limit_is_told_once) {
  for (const char* name : {"velocity", "acceleration", "jerk", "effort"}) {
    const FileCheck c =
        check("a.urdf",
              "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"><inertial><mass "
              "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
              "iyz=\"0\"/></inertial></link>\n<joint name=\"j\" type=\"continuous\"><parent "
              "link=\"a\"/><child link=\"b\"/>\n<axis xyz=\"0 0 1\"/><limit " +
                  std::string(name) + "=\"-2\"/></joint>\n</robot>\n");
    const auto told = std::count_if(c.findings.begin(), c.findings.end(), [&](const Finding& f) {
      return f.message.find(std::string(name) + " limit is") != std::string::npos;
    });
    EXPECT_EQ(told, 1) << name;
  }
}

TEST_F(CheckFile, every_mistake_of_a_robot_file_is_found_in_one_run) {
  const FileCheck check = this->check("six.yaml", R"(robot: r
gravity: [0, 0, -9,81]
bodies:
  - {name: base}
  - {name: arm, mas: 1}
  - {name: hand, mass: x, inertia: [1, 1]}
joints:
  - {name: a, type: revolut, parent: base, child: arm}
  - {name: b, type: prismatic, parent: arm, child: hnd, axis: [0, 0, 0],
     limits: {lower: 2, upper: 1, velocity: -1}}
couplings:
  - {name: c, terms: {a: 1, nobody: 2}}
)");
  const std::vector<std::string> wanted = {
      "2: gravity: has 4 numbers instead of 3",
      "5: body \"arm\": unknown key \"mas\"; did you mean \"mass\"?",
      "6: body \"hand\": mass: \"x\" is not a number",
      "6: body \"hand\": inertia: has 2 numbers; give 3 (the diagonal), 6 (xx xy yy xz yz zz) or "
      "3 rows of 3",
      "6: link \"hand\": no joint has it as child, and link \"base\" is the root already",
      "8: joint \"a\": type: unknown joint type \"revolut\"; did you mean \"revolute\"?",
      "9: joint \"b\": axis: is zero",
      "9: joint \"b\": child link \"hnd\" does not exist",
      "9: joint \"b\": lower limit is above the upper one [2, 1] m",
      "10: joint \"b\": limits: velocity: -1 is negative",
      "12: coupling \"c\": joint \"nobody\" does not exist"};
  const std::vector<std::string> found = lines(check);
  EXPECT_EQ(std::multiset(found.begin(), found.end()), std::multiset(wanted.begin(), wanted.end()));
}

TEST_F(CheckFile, what_is_no_xml_or_yaml_at_all_is_refused) {
  EXPECT_THROW(check("a.urdf", "<robot name=\"r\"><link"), Error);
  EXPECT_THROW(check("a.yaml", "robot: [r"), Error);
  EXPECT_THROW((void)check_file((folder / "none.urdf").string()), Error);
}

TEST_F(CheckFile, a_file_that_other_verbs_use_has_no_errors_and_the_other_way_round) {
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (robot.name == "chain:N") continue;
    const FileCheck check = check_file(robot.name, {.meshes = false});
    EXPECT_TRUE(lines(check).empty()) << robot.name;
    EXPECT_EQ(check.robot.joints.size(), load_description(robot.name).joints.size());
  }
}

TEST_F(CheckFile, a_repair_of_urdf_leaves_every_other_byte) {
  const std::string before =
      read_text_file(std::string(TORSOR_SOURCE_DIR) + "/tests/data/other_programs_elements.urdf");
  const FileRepair repair = repair_file(check("other.urdf", before));
  EXPECT_EQ(repair.changes.size(), 2u) << ::testing::PrintToString(repair.changes);
  expect_edits(before, repair.after.text,
               {{"xyz=\"0 0 2\"", "xyz=\"0 0 1\""},
                {"lower=\"1\" upper=\"-1\"", "lower=\"-1\" upper=\"1\""}});
  EXPECT_EQ(lines(repair.after), std::vector<std::string>{});
}

TEST_F(CheckFile, a_repair_keeps_order_quotes_and_blanks_of_attributes) {
  const std::string before = R"(<?xml version='1.0'?>
<robot	name = 'r' ><!-- <limit lower="2" upper="1"/> --><![CDATA[ <joint name="j"> ]]>
  <link name='a'/><link
     name="my arm"><inertial><mass value="1" />
       <origin rpy="0 0 1.5707963267948966"/>
       <inertia iyz="0" ixx='0.1'  iyy="0.1"
                izz="0.5" ixy="0" ixz="0"/></inertial></link>
  <joint type="revolute" name="j"><child link="my arm"/><parent link='a'/>
    <limit velocity="0" effort='0' lower='0' upper="0"/></joint>
</robot>)";
  const FileRepair repair = repair_file(check("odd.urdf", before));
  const std::string& now = repair.after.text;
  expect_edits(
      before, now,
      {{"'r' >", "'r' xmlns:torsor=\"urn:torsor:urdf:1\" >"},
       {"\"my arm\"", "\"my_arm\""},
       {"ixx='0.1'  iyy=\"0.1\"",
        now.substr(now.find("ixx="), now.find("\n                izz") - now.find("ixx="))},
       {"izz=\"0.5\"", now.substr(now.find("izz="), now.find(" ixy") - now.find("izz="))},
       {"\"my arm\"", "\"my_arm\""},
       {"velocity=\"0\" effort='0' lower='0' upper=\"0\"",
        "velocity=\"1e+09\" effort='1e+09' lower='-1e+09' upper=\"1e+09\" "
        "torsor:unlimited=\"lower upper effort velocity\""}});
  EXPECT_EQ(lines(repair.after, Severity::warning), std::vector<std::string>{}) << now;
  EXPECT_EQ(repair.after.robot.joints[0].limits.size(), 0u);
  // The nearest inertia of a body: second moments (0.25, 0.25, -0.15) become (0.25, 0.25, 0).
  const Sym3<double>& J = repair.after.robot.links[1].inertial.about_com;
  EXPECT_NEAR(J.zz, 0.5, 1e-5);
  EXPECT_NEAR(J.xx, 0.25, 1e-5);
  EXPECT_NEAR(J.yy, 0.25, 1e-5);
}

TEST_F(CheckFile, names_with_control_characters_are_refused_and_repaired) {
  const std::string urdf = "<robot name=\"a&#27;[2J\"><link name=\"b&#10;c\"/></robot>";
  const std::string yaml = "robot: \"a\\x1b[2J\"\nbodies: [{name: \"b\\nc\"}]\n";
  for (const auto& [name, text] : {std::pair{"a.urdf", urdf}, {"a.yaml", yaml}}) {
    const FileCheck found = check(name, text);
    EXPECT_EQ(lines(found).size(), 2u);
    EXPECT_TRUE(says(found, "link \"b\\nc\": the name holds a control character"));
    try {
      (void)load_robot((folder / name).string());
      ADD_FAILURE();
    } catch (const Error& refused) {
      EXPECT_EQ(std::string(refused.what()).find_first_of("\n\x1b"), std::string::npos);
    }
    const FileRepair repair = repair_file(found);
    EXPECT_TRUE(lines(repair.after).empty()) << repair.after.text;
    EXPECT_EQ(repair.after.robot.name, "a_[2J");
    EXPECT_EQ(repair.after.robot.links[0].name, "b_c");
  }
}

TEST_F(CheckFile, a_name_that_other_programs_use_is_not_changed) {
  const std::string before = R"(<robot name="r"><link name="a"/><link name="my arm"/>
<joint name="j" type="fixed"><parent link="a"/><child link="my arm"/></joint>
<gazebo reference="my arm"/></robot>)";
  const FileRepair repair = repair_file(check("name.urdf", before));
  EXPECT_TRUE(repair.changes.empty());
  EXPECT_EQ(repair.after.text, before);
}

TEST_F(CheckFile, a_repair_of_a_robot_file_leaves_every_other_byte) {
  const std::string before = R"(# an arm of ours
robot: "r"     # the name
unit: deg
bodies:
  - name: base
  - name: my arm   # with a blank
    mass: 2
    inertia: {xx: 0.1, yy: 0.1, zz: 0.5}  # typed from paper
  - {name: hand, mass: 1, com: [0, 0, 0.1], inertia: [0.1, 0, 0.1, 0, 0, 0.1]}
joints:
  - name: shoulder
    type: revolute
    parent: base
    child: 'my arm'
    axis: [0, 0, 2.0]
    limits:
      lower: 1.50   # swapped
      upper: -90
      velocity: 0   # not known
  - {name: elbow, type: revolute, parent: my arm, child: hand, placement: {xyz: [1, 0, 0]},
     limits: {velocity: 0, lower: -1, upper: 1, effort: 0}, friction: {coulomb: 1, viscous: 2}}
frames:
  - {name: tip, link: "my arm"}
)";
  const FileRepair repair = repair_file(check("arm.yaml", before));
  const std::string& now = repair.after.text;
  const std::size_t xx = now.find("xx: "), end = now.find("}  # typed");
  expect_edits(before, now,
               {{"my arm", "my_arm"},
                {"xx: 0.1, yy: 0.1, zz: 0.5", now.substr(xx, end - xx)},
                {"'my arm'", "my_arm"},
                {"2.0", "1"},
                {"1.50 ", "-90 "},
                {"-90", "1.50"},
                {"velocity: 0   #", "# velocity: 0   #"},
                {"my arm", "my_arm"},
                {"velocity: 0, ", ""},
                {", effort: 0}", "}"},
                {"\"my arm\"", "my_arm"}});
  EXPECT_EQ(lines(repair.after, Severity::warning), std::vector<std::string>{}) << now;
  EXPECT_NEAR(repair.after.robot.links[1].inertial.about_com.xx, 0.25, 1e-5);
}

TEST_F(CheckFile, a_repair_of_a_table_writes_inertias_in_the_frame_of_the_row) {
  const std::string before = R"(robot: r
unit: deg
dh:
  convention: standard
  rows:
    - {a: 1, alpha: 90, d: 0, theta: 0, mass: 1, inertia: [0.1, 0.5, 0.1],
       limits: {lower: 90, upper: -90}}
)";
  const FileRepair repair = repair_file(check("dh.yaml", before));
  const std::string& now = repair.after.text;
  const std::size_t begin = now.find("inertia: "), end = now.find("],");
  expect_edits(before, now,
               {{"inertia: [0.1, 0.5, 0.1", now.substr(begin, end - begin)},
                {"lower: 90, upper: -90", "lower: -90, upper: 90"}});
  EXPECT_EQ(lines(repair.after, Severity::warning), std::vector<std::string>{}) << now;
  EXPECT_NEAR(*parse_number(now.substr(begin + 10, now.find(',', begin) - begin - 10)), 0.25, 1e-5);
}

TEST_F(CheckFile, a_repair_leaves_what_is_no_number_as_it_stands) {
  const std::string text =
      "robot: r\nbodies:\n  - name: a\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\njoints:\n"
      "  - name: j\n    type: revolute\n    parent: a\n    child: b\n"
      "    placement: {xyz: [0, 0, abc], rpy: [0, 0, 0.3]}\n"
      "    friction: {viscous: abc, coulomb: 1}\n"
      "    limits: {lower: 1, upper: -1}\n";
  const FileCheck bad = check("r.yaml", text);
  const FileRepair repair = repair_file(bad);
  expect_edits(text, repair.after.text, {{"lower: 1", "lower: -1"}, {"upper: -1", "upper: 1"}});
}

/// Of every format, every fourth number: one that is none is told, and no edit writes another over it.
TEST_F(CheckFile, no_edit_touches_what_is_no_number) {
  const auto look = [](const RobotFormat& format, const std::string& name,
                       const std::string& text) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
      const std::size_t end = text.find_first_not_of("0123456789.e-", at);
      const bool number = at > 0 && std::string_view(" [\"-,").find(text[at - 1]) < 6;
      const std::size_t begin = at;
      at = end == std::string::npos ? text.size() : end;
      if (!number || ++count % 4 != 0) continue;
      const std::string odd = text.substr(0, begin) + "1x" + text.substr(at);
      Findings found;
      RobotDescription robot;
      try {
        robot = format.examine(odd, name, found);
      } catch (const Error&) {
        continue;  // no file of this format any more
      }
      ASSERT_EQ(format.edit(odd, robot, robot), odd) << name << ": " << text.substr(begin, 40);
    }
    EXPECT_GT(count, 10) << name;
  };
  for (const char* name : {"planar2r", "puma560", "panda", "five_bar", "scara"}) {
    const RobotDescription robot = load_robot(name).description();
    for (const RobotFormat& format : robot_formats()) {
      if (format.edit == nullptr || format.examine == nullptr || format.write == nullptr) continue;
      Conversion written;
      try {
        written = format.write(robot, "");
      } catch (const Error&) {
        continue;  // it has no words for the robot
      }
      if (written.ok()) look(format, name + std::string(format.extensions.front()), written.text);
    }
    if (const std::string file = TORSOR_SOURCE_DIR "/models/" + std::string(name) + ".yaml";
        std::filesystem::exists(file))
      look(robot_format("robot"), file, read_text_file(file));
  }
}

}  // namespace
}  // namespace torsor
