// What a file holds does not reach the terminal as it is.
#include "apps/command.hpp"

using namespace torsor::testing;

namespace {

bool is_clean(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\n' || c == '\t';
  });
}

TEST(Terminal, titles_and_names_of_a_scenario_are_printed_without_control_characters) {
  const ScratchFolder folder;
  const std::string file = (folder / "run.yaml").string();
  write_text(file,
             "scenario: \"a\\x1b[2Jb\"\ntitle: \"c\\x1b]0;owned\\x07d\\x7f\"\nrobot: planar2r\n"
             "controller: {law: independent_pd, gains: {Kp: 100, Kd: 20}}\n"
             "reference: {hold: [0, 0]}\nstart: {q: [0, 0]}\nrun: {duration: 0.01}\n");
  const CommandResult result = torsor_command({"simulate", file});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(is_clean(result.out)) << result.out;
  EXPECT_TRUE(result.says("c\\x1b]0;owned\\x07d")) << result.out;
  EXPECT_TRUE(is_clean(torsor_command({"simulate", file, "--json"}).out));
}

TEST(Terminal, names_of_a_robot_are_refused_with_one_clean_line) {
  const ScratchFolder folder;
  const std::string file = (folder / "robot.urdf").string();
  write_text(file, "<robot name=\"a&#27;[31m\"><link name=\"b&#10;error: c\"/></robot>");
  for (const char* verb : {"info", "fk", "id"}) {
    const CommandResult result = torsor_command({verb, file});
    expect_refusal(result, "control character");
    EXPECT_TRUE(is_clean(result.err)) << result.err;
  }
  EXPECT_TRUE(is_clean(torsor_command({"check", file}).out));
}

}  // namespace
