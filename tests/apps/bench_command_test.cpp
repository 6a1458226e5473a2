// torsor bench: figures, files that compare, instruction sets by TORSOR_ARCH, refusals.
#include <cstdlib>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

std::string figures(double jacobian, const std::string& processor = "p") {
  return R"({"robot": "arm", "processor": ")" + processor +
         R"(", "instruction_set": "baseline", "figures": [)" +
         R"({"verb": "mass_matrix", "mode": "single", "ns": 100},)" +
         R"({"verb": "jacobian", "mode": "single", "ns": )" + std::to_string(jacobian) + "}]}";
}

TEST(BenchCommand, names_machine_and_verbs) {
  const CommandResult text = torsor_command({"bench", "planar2r", "--time", "0.0005"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"2 degrees of freedom", "ns per state", "single", "latency",
                           "rigid_inverse_dynamics", "mass_matrix"})
    EXPECT_TRUE(text.says(part)) << text.out;
  const auto answer = torsor_command({"bench", "planar2r", "--time", "0.0005", "--json"}).json();
  EXPECT_FALSE(answer["processor"].get<std::string>().empty());
  EXPECT_FALSE(answer["instruction_set"].get<std::string>().empty());
  EXPECT_EQ(answer["n_v"], 2);
  ASSERT_EQ(answer["figures"].size(), 2 * 12u + 2 * 7u);  // two modes of calls, two in lanes
  for (const auto& f : answer["figures"]) EXPECT_GT(f["ns"], 0);
}

TEST(BenchCommand, what_got_slower_is_exit_code_1) {
  const ScratchFolder folder;
  write_text(folder / "before.json", figures(50));
  write_text(folder / "same.json", figures(52));
  write_text(folder / "slower.json", figures(53));
  const CommandResult same =
      torsor_command({"bench", "--compare", "before.json", "same.json"}, folder.path());
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_TRUE(same.says("0 of 2 slower by more than 5 %")) << same.out;
  const CommandResult slower =
      torsor_command({"bench", "--compare", "before.json", "slower.json"}, folder.path());
  EXPECT_EQ(slower.code, 1);
  EXPECT_TRUE(slower.says("1 of 2 slower")) << slower.out;
  EXPECT_TRUE(slower.says("1.06")) << slower.out;
}

// What scripts/release --bench does when all is built.
TEST(BenchCommand, a_release_is_held_against_the_figures_of_the_one_before) {
  const ScratchFolder folder;
  const std::string script = TORSOR_SOURCE_DIR "/scripts/speed";
  const auto speed = [&](const std::string& before) {
    std::vector<std::string> words{script, TORSOR_COMMAND, "new.json"};
    if (!before.empty()) words.insert(words.end(), {before, "0.0005"});
    return run(words, folder.path());
  };
  auto before = torsor_command({"bench", "panda", "--time", "0.0005", "--json"}).json();
  const auto write_before = [&](double factor) {
    nlohmann::json old = before;
    for (auto& figure : old["figures"]) figure["ns"] = figure["ns"].get<double>() * factor;
    write_text(folder / "old.json", old.dump());
  };
  write_before(1e3);
  const ProcessResult faster = speed("old.json");
  EXPECT_EQ(faster.exit_code, 0) << faster.output;
  EXPECT_NE(faster.output.find("0 of 38 slower"), std::string::npos) << faster.output;
  EXPECT_EQ(nlohmann::json::parse(read_text(folder / "new.json"))["robot"], "panda");
  write_before(1e-3);
  const ProcessResult slower = speed("old.json");
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_NE(slower.output.find("38 of 38 slower"), std::string::npos) << slower.output;

  EXPECT_EQ(speed("none.json").exit_code, 2);
  EXPECT_EQ(speed("new.json").exit_code, 2);
  const ProcessResult release =
      run({TORSOR_SOURCE_DIR "/scripts/release", "--bench", "none.json"}, folder.path());
  EXPECT_EQ(release.exit_code, 2);
  EXPECT_NE(release.output.find("--bench none.json: no file of"), std::string::npos)
      << release.output;
}

TEST(BenchCommand, what_does_not_compare_is_refused) {
  const ScratchFolder folder;
  write_text(folder / "a.json", figures(50));
  write_text(folder / "b.json", figures(50, "another"));
  write_text(folder / "no.json", "{\"robot\": \"arm\"}");
  const auto compare = [&](const char* before, const char* after) {
    return torsor_command({"bench", "--compare", before, after}, folder.path());
  };
  expect_refusal(compare("a.json", "b.json"), "the processor differs");
  expect_refusal(compare("a.json", "no.json"), "no.json: has no text");
  expect_refusal(compare("a.json", "none.json"), "none.json");
  expect_refusal(torsor_command({"bench", "--compare", "a.json"}, folder.path()), "--compare");
  expect_refusal(torsor_command({"bench"}), "ROBOT");
  expect_refusal(torsor_command({"bench", "planar2r", "--time", "0"}), "--time");
}

TEST(BenchCommand, the_page_is_written) {
  const ScratchFolder folder;
  const CommandResult made = torsor_command(
      {"bench", "planar2r", "--time", "0.0005", "--report", "speed.html"}, folder.path());
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.says("wrote speed.html")) << made.out;
  EXPECT_NE(read_text(folder / "speed.html").find("mass_matrix"), std::string::npos);
}

TEST(InstructionSets, one_is_forced_by_the_environment_and_told) {
  setenv("TORSOR_ARCH", "baseline", 1);
  EXPECT_TRUE(torsor_command({"--version"}).says("instruction set baseline"));
  setenv("TORSOR_ARCH", "pentium", 1);
  expect_refusal(torsor_command({"info", "planar2r"}), "TORSOR_ARCH");
  unsetenv("TORSOR_ARCH");
  EXPECT_TRUE(torsor_command({"--version"}).says("instruction set "));
}

}  // namespace
}  // namespace torsor::testing
