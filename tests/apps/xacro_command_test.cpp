// xacro files as robots of the command, and surgery by torsor convert.
#include "apps/command.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

const std::string arm = std::string(TORSOR_SOURCE_DIR) + "/tests/data/two_link.urdf.xacro";

class XacroCommand : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string at(const std::string& name) { return (folder / name).string(); }
  /// The robot that torsor convert writes.
  RobotDescription converted(std::vector<std::string> words) {
    words.insert(words.begin() + 1, at("out.urdf"));
    words.insert(words.begin(), "convert");
    words.insert(words.end(), {"--force"});
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return load_description(at("out.urdf"));
  }
};

}  // namespace

TEST_F(XacroCommand, arguments_stand_behind_the_robot_or_anywhere) {
  EXPECT_EQ(torsor_command({"info", arm, "--json"}).json()["n_v"], 2);
  EXPECT_EQ(torsor_command({"info", arm, "links:=5", "--json"}).json()["n_v"], 5);
  EXPECT_EQ(torsor_command({"info", "--json", "links:=7", arm}).json()["n_v"], 7);
  EXPECT_EQ(
      torsor_command({"fk", arm, "links:=3", "--q", "0,0,0", "hand:=true", "--frame", "hand"}).code,
      0);
}
TEST_F(XacroCommand, weights_of_the_arm_are_those_of_the_book) {
  // Two uniform rods of mass m and length l, straight out: m g l / 2 + 3 m g l / 2, and m g l / 2.
  const double pi = 3.14159265358979323846, l = 0.5, m = 2700 * pi * l * l / 400 * l, g = 9.81;
  const auto out = torsor_command({"gravity", arm, "--q", "0,0", "--json"}).json();
  const std::string text = out.dump();
  const auto torques = out.contains("gravity") ? out["gravity"] : out["results"][0]["gravity"];
  const double first =
      torques[0].is_array() ? torques[0][0].get<double>() : torques[0].get<double>();
  EXPECT_NEAR(std::abs(first), 2 * m * g * l, 1e-9) << text;
}
TEST_F(XacroCommand, what_no_file_asks_for_is_refused) {
  expect_refusal(torsor_command({"info", arm, "link:=5"}), "did you mean \"links\"?");
  expect_refusal(torsor_command({"info", "puma560", "links:=5"}), "takes no arguments");
  expect_refusal(torsor_command({"info", arm, "links:=many"}), "two_link.urdf.xacro:");
  expect_refusal(torsor_command({"info", at("none.xacro")}), "none.xacro: no such file");
  write_text_file_atomically(at("a.xacro"),
                             "<robot xmlns:xacro='x' name='$(find no_such_package)'/>\n");
  expect_refusal(torsor_command({"info", at("a.xacro")}), "--package-path");
  expect_refusal(torsor_command({"check", arm, "--fix"}), "torsor convert");
}
TEST_F(XacroCommand, convert_writes_the_expansion_with_all_it_has) {
  write_text_file_atomically(
      at("b.xacro"),
      "<robot name='b' xmlns:xacro='x'><link name='l'/><gazebo><plugin n='${1 + 1}'/></gazebo>"
      "</robot>\n");
  const CommandResult result = torsor_command({"convert", at("b.xacro"), at("b.urdf")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(
      read_text_file(at("b.urdf")),
      "<robot name=\"b\">\n  <link name=\"l\"/>\n  <gazebo>\n    <plugin n=\"2\"/>\n  </gazebo>\n"
      "</robot>\n");
  EXPECT_EQ(converted({arm, "links:=4"}).joints.size(), 4u);
  EXPECT_EQ(torsor_command({"convert", arm, at("b.yaml"), "links:=4"}).code, 0);
  EXPECT_EQ(load_description(at("b.yaml")).joints.size(), 4u);
}
TEST_F(XacroCommand, check_names_lines_of_the_xacro_file) {
  const auto out = torsor_command({"check", arm, "--json"}).json();
  for (const auto& finding : out["findings"])
    EXPECT_TRUE(finding["file"].get<std::string>().ends_with("two_link.urdf.xacro"));
  EXPECT_EQ(out["errors"], 0);
}
TEST_F(XacroCommand, convert_cuts_locks_attaches_scales_merges_and_renames) {
  EXPECT_EQ(converted({"puma560", "--root", "link_2", "--tip", "link_5"}).joints.size(), 3u);
  EXPECT_EQ(converted({"puma560", "--root", "link_4"}).joints.size(), 2u);
  const RobotDescription locked = converted({"puma560", "--lock", "elbow=0.5", "--lock", "waist"});
  EXPECT_EQ(locked.find_joint("elbow")->kind, JointKind::fixed);
  EXPECT_EQ(locked.find_joint("waist")->kind, JointKind::fixed);
  EXPECT_EQ(Model<double>(locked).n_v(), 4);
  const RobotDescription merged = converted({"puma560", "--lock", "elbow=0.5", "--merge-fixed"});
  EXPECT_EQ(merged.joints.size(), 5u);
  EXPECT_EQ(merged.find_link("link_3"), nullptr);
  EXPECT_NEAR(converted({"puma560", "--scale", "2"}).find_link("link_2")->inertial.mass, 8 * 17.4,
              1e-9);
  const RobotDescription both =
      converted({"puma560", "--attach", arm + "@tool", "--rename", "tool=flange"});
  EXPECT_EQ(Model<double>(both).n_v(), 8);
  EXPECT_TRUE(std::any_of(both.frames.begin(), both.frames.end(),
                          [](const FrameOnLink& f) { return f.name == "flange"; }));
  const RobotDescription two =
      converted({"puma560", "--attach", arm + "@tool", "--attach", arm + "@tool"});
  EXPECT_EQ(Model<double>(two).n_v(), 10);
  const auto refused = [&](const std::string& option, const std::string& word,
                           const std::string& what) {
    expect_refusal(torsor_command({"convert", "puma560", at("no.urdf"), option, word}), what);
    EXPECT_FALSE(std::filesystem::exists(at("no.urdf")));
  };
  refused("--lock", "elbwo=1", "elbwo");
  refused("--lock", "elbow=x", "\"x\" is not a number");
  refused("--lock", "elbow=9", "beyond the joint's limits");
  refused("--root", "link_9", "link_9");
  refused("--attach", "puma560", "gripper.urdf@link");
  refused("--attach", "nothing@tool", "nothing");
  refused("--scale", "0", "cannot be scaled");
  refused("--rename", "elbow", "old=new");
  refused("--rename", "elbwo=x", "did you mean \"elbow\"?");
}
