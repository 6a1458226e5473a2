// torsor calibrate: text, JSON, the file it writes, refusals, and the worked example of its document.
#include <fstream>
#include <sstream>

#include "apps/command.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {
namespace {

const std::string source = TORSOR_SOURCE_DIR;
const std::string poses = source + "/examples/calibration/puma560_poses.csv";

/// What the poses of the example were made with: a (mm), alpha (mrad), d (mm), theta (mrad).
constexpr double truth[6][4] = {{0.4, -0.9, 0.3, 1.8}, {-0.7, 0.0, 0.6, -2.4},
                                {0.3, 1.2, 0.0, 3.1},  {-0.2, 0.8, -0.9, -1.5},
                                {0.1, -0.6, 0.2, 2.2}, {0.15, 0.4, 0.5, -0.7}};

TEST(CalibrateCommand, json_holds_the_robot_that_the_example_was_made_with) {
  const nlohmann::json found =
      torsor_command({"calibrate", "puma560", poses, "--base", "unknown", "--json"}).json();
  EXPECT_EQ(found["rejected_lines"], nlohmann::json::parse("[23]"));
  EXPECT_NEAR(found["sigma_position"].get<double>(), 3e-5, 6e-6);
  EXPECT_NEAR(found["sigma_rotation"].get<double>(), 6e-5, 1.2e-5);
  EXPECT_LT(found["after"]["position_rms"].get<double>(), 6e-5);
  EXPECT_GT(found["before"]["position_rms"].get<double>(), 1e-3);
  EXPECT_EQ(found["held_out"]["poses"], 59);
  int held = 0, seen = 0;
  const std::string words[] = {"a", "alpha", "d", "theta"};
  for (const nlohmann::json& p : found["parameters"]) {
    if (p["held"].get<bool>()) {
      ++held;
      EXPECT_FALSE(p["same_as"].empty());
      continue;
    }
    const std::string name = p["name"];
    if (!name.starts_with("dh.")) continue;
    for (std::size_t e = 0; e < 4; ++e)
      if (name.ends_with("." + words[e])) {
        const double wanted = 1e-3 * truth[name[3] - '1'][e];
        EXPECT_NEAR(p["change"].get<double>(), wanted, 4 * p["sigma"].get<double>()) << name;
        ++seen;
      }
  }
  EXPECT_EQ(held, 3);
  EXPECT_EQ(seen, 21);
}

TEST(CalibrateCommand, the_file_that_it_writes_needs_no_further_calibration) {
  const ScratchFolder folder;
  const std::string out = (folder / "new.yaml").string();
  EXPECT_EQ(torsor_command({"calibrate", "puma560", poses, "--base", "unknown", "-o", out}).code,
            0);
  const std::string text = read_text(out), before = builtin_robot_text("puma560");
  EXPECT_NE(text, before);
  EXPECT_EQ(text.substr(0, text.find("robot:")), before.substr(0, before.find("robot:")));
  EXPECT_NE(text.find("      mass: 17.4\n      com: [-0.3638, 0.006, 0.2275]"), std::string::npos);
  const nlohmann::json again =
      torsor_command({"calibrate", out, poses, "--base", "unknown", "--json"}).json();
  EXPECT_LT(again["before"]["position_max"].get<double>(), 0.0085);  // the wrong row
  for (const nlohmann::json& p : again["parameters"])
    EXPECT_LT(std::abs(p["change"].get<double>()), 1e-7) << p;
  expect_refusal(torsor_command({"calibrate", "puma560", poses, "--base", "unknown", "-o", out}),
                 "exists");
}
TEST(CalibrateCommand, a_urdf_file_takes_placements_and_the_tool) {
  const ScratchFolder folder;
  const std::string in = (folder / "arm.urdf").string(), out = (folder / "new.urdf").string();
  save_urdf(load_description("puma560"), in);
  const CommandResult result =
      torsor_command({"calibrate", in, poses, "--base", "unknown", "--tool", "unknown",
                      "--parameters", "placement", "-o", out});
  EXPECT_EQ(result.code, 0) << result.err;
  const nlohmann::json again = torsor_command({"calibrate", out, poses, "--base", "unknown",
                                               "--parameters", "offsets", "--json"})
                                   .json();
  EXPECT_LT(again["after"]["position_rms"].get<double>(), 6e-5);
}

TEST(CalibrateCommand, bad_input_is_one_line) {
  const ScratchFolder folder;
  const auto file = [&](const std::string& text) {
    write_text(folder / "p.csv", text);
    return (folder / "p.csv").string();
  };
  expect_refusal(torsor_command({"calibrate", "puma560", "none.csv"}), "none.csv");
  expect_refusal(torsor_command({"calibrate", "puma560", poses, "--base", "maybe"}), "--base");
  expect_refusal(torsor_command({"calibrate", "puma560", poses, "--parameters", "dh.7.a"}),
                 "row 7");
  expect_refusal(torsor_command({"calibrate", "puma560", poses, "--frame", "tol"}), "tool");
  expect_refusal(torsor_command({"calibrate", "puma560", poses, "--separation", "2"}), "between");
  expect_refusal(torsor_command({"calibrate", "four_bar", file("q.crank,x,y,z\n")}), "");
  std::string text = read_text(poses);
  text = text.substr(0, text.find('\n', text.find('\n') + 1) + 1);
  expect_refusal(torsor_command({"calibrate", "puma560", file(text)}), "24 parameters");
  expect_refusal(torsor_command({"calibrate", "puma560", file(text + "1,2,3\n")}), "p.csv:3");
}

/// Blocks of a document between fences of that kind.
std::vector<std::string> blocks(const std::string& text, const std::string& kind) {
  std::vector<std::string> found;
  const std::string fence = "```" + kind + "\n";
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}
TEST(CalibrateCommand, the_worked_example_prints_what_its_document_shows) {
  const std::string document = read_text(source + "/docs/calibration.md");
  const std::vector<std::string> commands = blocks(document, "sh"),
                                 shown = blocks(document, "text");
  ASSERT_EQ(commands.size(), 1U);
  ASSERT_EQ(shown.size(), 3U);
  std::vector<std::string> words;
  std::istringstream stream(commands[0]);
  for (std::string word; stream >> word;) words.push_back(word);
  ASSERT_EQ(words.front(), "torsor");
  words.erase(words.begin());
  for (std::string& word : words)
    if (word.starts_with("examples/")) word = source + "/" + word;
  const ScratchFolder folder;
  const CommandResult result = torsor_command(words, folder.path());
  ASSERT_EQ(result.code, 0) << result.err;
  for (const std::string& text : shown) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(result.says(line)) << line << "\n" << result.out;
  }
}

}  // namespace
}  // namespace torsor::testing
