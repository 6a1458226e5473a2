#include <gtest/gtest.h>

#include <filesystem>

#include "same_description.hpp"
#include "support/refusal.hpp"
#include "torsor/formats/convert.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

namespace fs = std::filesystem;
using testing::refusal;

class LoadRobot : public ::testing::Test {
 protected:
  LoadRobot() : folder_(fs::path(::testing::TempDir()) / "torsor_load_robot") {
    fs::create_directories(folder_);
  }
  ~LoadRobot() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string message(const std::string& robot) {
    return refusal([&] { return load_description(robot); });
  }

 private:
  fs::path folder_;
};

TEST_F(LoadRobot, the_extension_chooses_the_reader) {
  const RobotDescription robot = load_description("stanford");
  const std::string yaml = write_robot_file(robot), urdf = write_urdf(robot);
  for (const char* name : {"a.yaml", "a.yml", "a.YAML"}) {
    write_text_file_atomically(path(name), yaml);
    EXPECT_EQ(testing::difference(load_description(path(name)), robot), "") << name;
  }
  for (const char* name : {"a.urdf", "a.xml", "a.URDF"}) {
    write_text_file_atomically(path(name), urdf);
    EXPECT_EQ(load_description(path(name)).joints.size(), robot.joints.size()) << name;
  }
}

TEST_F(LoadRobot, a_built_in_robot_is_the_text_of_its_file) {
  const RobotDescription loaded = load_description("puma560");
  EXPECT_EQ(testing::difference(loaded, read_robot_file(builtin_robot_text("puma560"), "x.yaml")),
            "");
  EXPECT_EQ(loaded.joints[0].origin.file, "built-in puma560.yaml");
}

TEST_F(LoadRobot, an_unknown_name_gets_the_nearest_one_and_the_list) {
  EXPECT_EQ(message("puma56"),
            "unknown robot \"puma56\"; did you mean \"puma560\"? (`torsor robots` lists the "
            "built-in ones; "
            "a file name ends in .urdf, .xml, .yaml, .yml, .xacro, .mjcf, .sdf or .world)");
  EXPECT_NE(message("").find("unknown robot \"\""), std::string::npos);
}

TEST_F(LoadRobot, a_name_that_differs_in_more_than_half_of_its_letters_is_not_suggested) {
  EXPECT_NE(message("pandas").find("did you mean \"panda\"?"), std::string::npos);
  EXPECT_EQ(message("zzzzzz").find("did you mean"), std::string::npos);
  // Distance 2 of 4 letters is near, 3 of 4 is not, and a far name does not hide a near one.
  EXPECT_EQ(internal::nearest_name("abcd", {"abxy"}), "abxy");
  EXPECT_EQ(internal::nearest_name("abcd", {"axyz"}), "");
  EXPECT_EQ(internal::nearest_name("ab", {"c", "abcd"}), "abcd");
  EXPECT_EQ(internal::nearest_name("abcd", {}), "");
  EXPECT_EQ(internal::nearest_name("", {"a"}), "");
}

TEST_F(LoadRobot, a_suggestion_is_a_name_that_somebody_could_have_meant) {
  EXPECT_EQ(did_you_mean("elbw", {"elbow", "wrist"}), "; did you mean \"elbow\"?");
  EXPECT_EQ(did_you_mean("elbw", {"elbow"}, ""), "did you mean \"elbow\"?");
  EXPECT_EQ(did_you_mean("elbw", {}), "");
  EXPECT_EQ(did_you_mean("elbw", {"elb\nw"}), "");
  EXPECT_EQ(did_you_mean(std::string(61, 'a'), {std::string(60, 'a')}), "");
  EXPECT_EQ(did_you_mean(std::string(60, 'a'), {std::string(61, 'a')}), "");
  EXPECT_NE(did_you_mean(std::string(60, 'a'), {std::string(59, 'a')}), "");
}

TEST_F(LoadRobot, messages_without_a_near_name_end_before_the_suggestion) {
  EXPECT_EQ(refusal([] { return joint_kind("zz"); }), "unknown joint kind \"zz\"");
  EXPECT_TRUE(
      refusal([] { return robot_format("zzzz"); }).starts_with("unknown format \"zzzz\" ("));
  RobotDescription robot = load_description("planar2r");
  EXPECT_EQ(refusal([&] { return extract(Model<double>(robot), "zzzz", "zzzz"); }),
            "robot \"planar2r\" has no link \"zzzz\"");
  robot.couplings.push_back({"c", {{"zzzz", 1}}, 0, {}});
  EXPECT_EQ(refusal([&] { return Model<double>(robot); }),
            "coupling \"c\": joint \"zzzz\" does not exist");
  robot.couplings.clear();
  robot.springs.push_back({"s", "zzzz", "", {}, {}, 1, 0, 0, {}});
  EXPECT_EQ(refusal([&] { return Model<double>(robot); }),
            "spring \"s\": link \"zzzz\" does not exist");
}

TEST_F(LoadRobot, each_format_loads_the_same_model_as_the_common_door) {
  const RobotDescription robot = load_description("stanford");
  save_robot_file(robot, path("arm.yaml"));
  save_urdf(robot, path("arm.urdf"));
  const Model<double> yaml = load_robot_file(path("arm.yaml")), urdf = load_urdf(path("arm.urdf"));
  EXPECT_EQ(testing::difference(yaml.description(), load_robot(path("arm.yaml")).description()),
            "");
  EXPECT_EQ(testing::difference(urdf.description(), load_robot(path("arm.urdf")).description()),
            "");
  EXPECT_EQ(yaml.n_v(), static_cast<int>(robot.joints.size()));
  EXPECT_EQ(urdf.n_v(), yaml.n_v());
  EXPECT_THROW(static_cast<void>(load_robot_file(path("none.yaml"))), Error);
  EXPECT_THROW(static_cast<void>(load_urdf(path("none.urdf"))), Error);
}

TEST_F(LoadRobot, no_door_makes_a_model_of_limits_of_the_wrong_order) {
  const auto by_robot = [](const std::string& file) { return load_robot(file); };
  const auto by_urdf = [](const std::string& file) { return load_urdf(file); };
  const auto by_robot_file = [](const std::string& file) { return load_robot_file(file); };
  const std::string urdf = path("bad.urdf"), yaml = path("bad.yaml");
  const std::string what = "joint \"joint_1\": lower limit 2 is above the upper limit 1";
  RobotDescription robot = internal::chain_robot(1);
  robot.joints[0].limits[0].lower = 2, robot.joints[0].limits[0].upper = 1;
  save_urdf(robot, urdf);
  const int line = load_description(urdf).joints[0].origin.line;
  EXPECT_GT(line, 1);
  for (const std::string& refused :
       {refusal([&] { return by_robot(urdf); }), refusal([&] { return by_urdf(urdf); })})
    EXPECT_EQ(refused, urdf + ":" + std::to_string(line) + ": " + what);
  save_robot_file(load_description(urdf), yaml);  // as it stands: nothing mends it in passing
  const int yaml_line = load_description(yaml).joints[0].origin.line;
  for (const std::string& refused :
       {refusal([&] { return by_robot(yaml); }), refusal([&] { return by_robot_file(yaml); })})
    EXPECT_EQ(refused, yaml + ":" + std::to_string(yaml_line) + ": " + what);
}

TEST_F(LoadRobot, a_file_without_a_known_extension_is_told_so) {
  write_text_file_atomically(path("robot.txt"), "robot: a\n");
  EXPECT_EQ(
      message(path("robot.txt")),
      path("robot.txt") +
          ": a robot's file name ends in .urdf, .xml, .yaml, .yml, .xacro, .mjcf, .sdf or .world");
}

TEST_F(LoadRobot, a_missing_file_is_named) {
  EXPECT_EQ(message(path("none.yaml")), path("none.yaml") + ": no such file");
  EXPECT_EQ(message(path("none.urdf")).find(path("none.urdf") + ": "), 0u);
}

TEST_F(LoadRobot, only_xacro_files_take_arguments) {
  for (const char* robot : {"puma560", "chain:3"})
    EXPECT_THROW((void)load_robot(robot, nullptr, {.arguments = {"a:=1"}}), Error);
}

TEST_F(LoadRobot, chains_have_a_sensible_number_of_joints) {
  EXPECT_EQ(load_description("chain:7").joints.size(), 7u);
  const std::string usage = ": write chain:N with a number of joints from 1 to 10000";
  EXPECT_EQ(message("chain:"), "\"chain:\"" + usage);
  EXPECT_EQ(message("chain:x"), "\"chain:x\"" + usage);
  EXPECT_EQ(message("chain:3.5"), "\"chain:3.5\"" + usage);
  EXPECT_EQ(message("chain:99999999999"), "\"chain:99999999999\"" + usage);
  EXPECT_EQ(message("chain:0"), "chain:0: the number of joints must be 1 to 10000");
  EXPECT_EQ(message("chain:10001"), "chain:10001: the number of joints must be 1 to 10000");
}

TEST_F(LoadRobot, the_list_is_sorted_and_ends_with_the_chains) {
  const std::vector<BuiltinRobot> robots = builtin_robots();
  ASSERT_GT(robots.size(), 2u);
  EXPECT_EQ(robots.back().name, "chain:N");
  for (std::size_t k = 2; k < robots.size(); ++k) EXPECT_LT(robots[k - 2].name, robots[k - 1].name);
}

TEST_F(LoadRobot, findings_are_those_of_the_reader_and_of_the_check_each_once) {
  RobotDescription robot = internal::chain_robot(2);
  robot.links[1].inertial.mass = 1e6;                                    // for the check
  robot.links[2].inertial.about_com = Sym3<double>::diagonal(-1, 1, 1);  // for both
  std::string urdf = write_urdf(robot);
  urdf.insert(urdf.find("</robot>"), "<sensor/>\n");  // for the reader
  write_text_file_atomically(path("arm.urdf"), urdf);
  Findings findings, of_reader;
  EXPECT_EQ(load_robot(path("arm.urdf"), &findings).n_v(), 2);
  static_cast<void>(read_urdf(urdf, path("arm.urdf"), &of_reader));
  const auto of_kind = [](const Findings& list, Finding::Kind kind) {
    Findings found;
    for (const Finding& f : list)
      if (f.kind == kind) found.push_back(f);
    return found;
  };
  using Kind = Finding::Kind;
  ASSERT_EQ(of_kind(findings, Kind::impossible_inertia).size(), 1u);
  ASSERT_EQ(of_kind(of_reader, Kind::impossible_inertia).size(), 1u);
  EXPECT_EQ(of_kind(findings, Kind::impossible_inertia)[0].origin.line,
            of_kind(of_reader, Kind::impossible_inertia)[0].origin.line);
  EXPECT_EQ(findings.front().kind, Kind::impossible_inertia);  // most severe first
  EXPECT_EQ(findings.front().severity, Finding::Severity::error);
  EXPECT_EQ(of_kind(findings, Kind::not_used).size(), 1u);
  const auto heavy = [](const Finding& f) { return f.message.find("1e+06") != std::string::npos; };
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), heavy));
  EXPECT_TRUE(std::none_of(of_reader.begin(), of_reader.end(), heavy));
}

TEST_F(LoadRobot, the_root_element_decides_what_an_xml_file_is) {
  write_text_file_atomically(path("arm.xml"), "<?xml version=\"1.0\"?>\n<!-- <robot> -->\n" +
                                                  write_urdf(internal::chain_robot(1)).substr(22));
  EXPECT_EQ(load_description(path("arm.xml")).joints.size(), 1u);
  write_text_file_atomically(path("world.xml"), "<sdf version=\"1.6\"/>");
  EXPECT_TRUE(message(path("world.xml")).starts_with(path("world.xml") + ":1: <sdf>"));
}

/// A format as anybody could add it: a chain of as many joints as its root element says.
RobotFormat sample_format() {
  RobotFormat format = robot_format("robot");
  format.name = "sample";
  format.title = "sample";
  format.extensions = {".sample", ".xml"};
  format.recognises = [](std::string_view text) { return text.starts_with("<sample "); };
  format.read = [](const std::string& text, const std::string&, Findings* findings) {
    if (findings != nullptr) {
      findings->emplace_back();
      findings->back().message = "read";
    }
    return internal::chain_robot(std::stoi(text.substr(8)));
  };
  format.write = [](const RobotDescription& robot, const std::string&) {
    Conversion result;
    result.text = "<sample " + std::to_string(robot.joints.size()) + "/>";
    result.link_frames = unmoved_links(robot);
    return result;
  };
  return format;
}

TEST_F(LoadRobot, a_format_is_one_row_of_the_table) {
  std::vector<RobotFormat> formats(robot_formats().begin(), robot_formats().end());
  formats.push_back(sample_format());
  const auto load = [&](const std::string& name, Findings* findings = nullptr) {
    return load_description(path(name), findings, {.meshes = false}, formats);
  };
  const std::string text = convert(internal::chain_robot(3), robot_format("sample", formats)).text;
  for (const char* name : {"a.sample", "a.SAMPLE", "a.xml"}) {
    write_text_file_atomically(path(name), text);
    EXPECT_EQ(load(name).joints.size(), 3u) << name;
  }
  Findings findings;
  static_cast<void>(load("a.sample", &findings));
  EXPECT_EQ(findings.size(), 1u);
  write_text_file_atomically(path("b.xml"), write_urdf(internal::chain_robot(2)));  // still URDF
  EXPECT_EQ(load("b.xml").joints.size(), 2u);
  EXPECT_EQ(robot_extensions(" or ", formats),
            ".urdf, .xml, .yaml, .yml, .xacro, .mjcf, .sdf, .world or .sample");
  EXPECT_THROW(static_cast<void>(robot_format("sample")), Error);
}

TEST_F(LoadRobot, every_format_has_all_that_a_row_says_and_reads_what_it_writes) {
  const RobotDescription robot = load_description("puma560");
  for (const RobotFormat& format : robot_formats()) {
    EXPECT_EQ(&robot_format(format.name), &format);
    ASSERT_FALSE(format.extensions.empty()) << format.name;
    EXPECT_NE(robot_format_of_path("a" + std::string(format.extensions[0])), nullptr);
    EXPECT_FALSE(std::string(format.title).empty());
    ASSERT_TRUE(format.recognises && format.read && format.write && format.cannot_say);
    const Conversion conversion = convert(robot, format);
    ASSERT_TRUE(conversion.ok()) << format.name << ": " << conversion.message;
    EXPECT_EQ(conversion.link_frames.size(), robot.links.size()) << format.name;
    const std::string word = format.name;  // of those that have no words for the motors
    EXPECT_EQ(format.cannot_say(robot).empty(), word != "urdf" && word != "xacro" && word != "sdf")
        << format.name;
    const std::string name = "a" + std::string(format.extensions[0]);
    const RobotFormat* const reader = robot_format_of(name, conversion.text);
    ASSERT_NE(reader, nullptr);
    const RobotDescription back = reader->read(conversion.text, name, nullptr);
    for (const Joint& joint : robot.joints)
      EXPECT_NE(back.find_joint(joint.name), nullptr) << format.name << ": " << joint.name;
  }
}

}  // namespace
}  // namespace torsor
