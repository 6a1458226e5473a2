// The command as a whole: help, version, words it does not know, outputs that fail.
#include "apps/command.hpp"

using namespace torsor::testing;

namespace {

const std::vector<std::string> verbs = {
    "robots",   "laws",     "info",   "check",       "convert",   "fk",
    "ik",       "jacobian", "id",     "fd",          "hd",        "mass",
    "coriolis", "gravity",  "energy", "derivatives", "regressor", "trajectory",
    "simulate", "compare",  "sweep",  "report",      "eval",      "demo"};

TEST(Command, help_lists_every_verb_and_says_how_to_go_on) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--help"}, {"-h"}, {"help"}}) {
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.err, "");
    for (const std::string& verb : verbs)
      EXPECT_TRUE(result.says("\n  " + verb + "  ")) << verb << "\n" << result.out;
    EXPECT_TRUE(result.says("torsor info puma560"));
  }
}
TEST(Command, alone_shows_what_most_people_want_and_where_the_rest_is) {
  const CommandResult result = torsor_command({});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  for (const char* line : {"torsor view puma560", "torsor check", "torsor id", "torsor simulate",
                           "torsor identify", "torsor --help"})
    EXPECT_TRUE(result.says(line)) << line << "\n" << result.out;
}
TEST(Command, every_verb_explains_itself_with_an_example) {
  for (const std::string& verb : verbs) {
    SCOPED_TRACE(verb);
    const CommandResult result = torsor_command({verb, "--help"});
    EXPECT_EQ(result.code, 0);
    // eval's example begins with what is piped into it
    const std::string example = verb == "eval" ? "Example\n  echo" : "Example\n  torsor " + verb;
    EXPECT_TRUE(result.says(example)) << result.out;
    EXPECT_TRUE(result.says("torsor " + verb + (verb == "robots" ? "" : " "))) << result.out;
    EXPECT_TRUE(verb == "eval" || result.says("--json"));  // eval speaks nothing else
    EXPECT_EQ(torsor_command({"help", verb}).out, result.out);
  }
}
TEST(Command, version_is_one_line) {
  for (const char* word : {"--version", "-V", "version"}) {
    const CommandResult result = torsor_command({word});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with("torsor ")) << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  }
}

TEST(Command, unknown_words_get_the_nearest_known_one) {
  expect_refusal(torsor_command({"inof", "puma560"}), "did you mean \"info\"?");
  expect_refusal(torsor_command({"info", "puma506"}), "did you mean \"puma560\"?");
  expect_refusal(torsor_command({"info", "puma560", "--jsno"}), "did you mean \"--json\"?");
  expect_refusal(torsor_command({"info", "puma560", "--flaoting=1"}),
                 "did you mean \"--floating\"?");
  expect_refusal(torsor_command({"convert", "puma560", "x.urdf", "--to", "urfd"}),
                 "did you mean \"urdf\"?");
  expect_refusal(torsor_command({"--jsno"}), "unknown option --jsno");
  const CommandResult far = torsor_command({"convert", "puma560", "x.urdf", "--to", "zzzz"});
  expect_refusal(far, "zzzz");
  EXPECT_EQ(far.err.find("did you mean"), std::string::npos) << far.err;
}
TEST(Command, missing_and_surplus_words_are_named) {
  expect_refusal(torsor_command({"info"}), "ROBOT is required");
  expect_refusal(torsor_command({"convert", "puma560"}), "OUT is required");
  expect_refusal(torsor_command({"info", "puma560", "panda"}), "unexpected argument \"panda\"");
  expect_refusal(torsor_command({"check", "puma560", "-o", "x.yaml"}), "belong to --fix");
}
TEST(Command, a_full_disk_is_a_failure_with_one_line) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));
  const CommandResult result = torsor_command({"robots"}, ".", "/dev/full");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("cannot write the output"), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
}
TEST(Command, a_closed_pipe_ends_the_run_in_silence) {
  const ProcessResult result =
      run({"bash", "-c", "set -o pipefail; '" TORSOR_COMMAND "' info chain:3000 | head -1"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

TEST(Robots, every_built_in_robot_is_listed_and_loads) {
  const CommandResult text = torsor_command({"robots"}),
                      data = torsor_command({"robots", "--json"});
  EXPECT_EQ(text.code, 0);
  const auto robots = data.json()["robots"];
  EXPECT_GE(robots.size(), 15u);
  for (const auto& robot : robots) {
    const std::string name = robot["name"];
    EXPECT_TRUE(text.says(name)) << name;
    EXPECT_FALSE(robot["title"].get<std::string>().empty()) << name;
    EXPECT_FALSE(robot["source"].get<std::string>().empty()) << name;
    if (robot["dof"].is_null()) continue;
    const CommandResult info = torsor_command({"info", name, "--json"});
    EXPECT_EQ(info.code, 0) << name << info.err;
    EXPECT_EQ(info.json()["n_v"], robot["dof"]) << name;
    EXPECT_EQ(info.err, "");
  }
}
TEST(Laws, all_are_listed_and_one_shows_its_gains) {
  const CommandResult text = torsor_command({"laws"});
  EXPECT_EQ(text.code, 0);
  const auto laws = torsor_command({"laws", "--json"}).json()["laws"];
  EXPECT_GE(laws.size(), 28u);
  for (const auto& law : laws) EXPECT_TRUE(text.says(law["name"].get<std::string>()));
  const CommandResult one = torsor_command({"laws", "slotine_li"});
  for (const char* word : {"Lambda", "1/s", "required", "two_velocities", "Slotine & Li 1987",
                           "law: slotine_li", "uncertain/slotine_li.hpp"})
    EXPECT_TRUE(one.says(word)) << word << "\n" << one.out;
  const auto gains = torsor_command({"laws", "pd_gravity", "--json"}).json()["gains"];
  EXPECT_EQ(gains[0]["name"], "Kp");
  EXPECT_EQ(gains[0]["required"], true);
  EXPECT_EQ(gains[2]["default"], nullptr);
  expect_refusal(torsor_command({"laws", "slotin_li"}), "did you mean \"slotine_li\"?");
}
TEST(Robots, tables_fit_a_hundred_columns) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"robots"},
                                                {"robots", "--sources"},
                                                {"info", "puma560"},
                                                {"info", "humanoid38"},
                                                {"check", "puma560"}}) {
    const CommandResult result = torsor_command(words);
    std::size_t width = 0;
    for (const char c : result.out) {
      width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0);
      ASSERT_LE(width, 100u) << words[0] << "\n" << result.out;
    }
  }
}

}  // namespace
