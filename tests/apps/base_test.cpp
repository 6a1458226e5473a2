// torsor base: counts that books print, values that give the torques back, and the JSON of the design.
#include <sstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

TEST(BaseCommand, counts_are_the_published_ones) {
  const struct {
    const char* robot;
    int rigid, with_rotors;
  } cases[] = {{"puma560", 36, 40}, {"ur5", 36, 40},    {"ur10", 36, 40},
               {"panda", 43, 48},   {"iiwa14", 43, 48}, {"ddarm", 15, 16}};
  for (const auto& [robot, rigid, with_rotors] : cases) {
    SCOPED_TRACE(robot);
    const nlohmann::json answer = torsor_command({"base", robot, "--json"}).json();
    EXPECT_EQ(answer["n"], rigid);
    EXPECT_EQ(answer["n_with_rotors"], with_rotors);
    EXPECT_EQ(answer["parameters"].size(), static_cast<std::size_t>(rigid));
  }
}

TEST(BaseCommand, both_ways_print_the_same_values) {
  for (const char* robot : {"stanford", "scara", "humanoid38"}) {
    SCOPED_TRACE(robot);
    const nlohmann::json one = torsor_command({"base", robot, "--rotors", "--json"}).json();
    const nlohmann::json other =
        torsor_command({"base", robot, "--rotors", "--way", "numeric", "--json"}).json();
    ASSERT_EQ(one["parameters"].size(), other["parameters"].size());
    for (std::size_t k = 0; k < one["parameters"].size(); ++k) {
      const nlohmann::json &a = one["parameters"][k], &b = other["parameters"][k];
      EXPECT_EQ(a["name"], b["name"]);
      EXPECT_NEAR(a["value"].get<double>(), b["value"].get<double>(), 1e-8);
    }
  }
}

TEST(BaseCommand, says_in_words_how_loops_were_treated) {
  const CommandResult result = torsor_command({"base", "four_bar"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("found numerically"));
}

TEST(BaseCommand, three_ways_have_the_same_count) {
  for (const char* robot : {"puma560", "stanford", "scara", "panda", "ddarm"})
    for (const char* way : {"closed", "generic", "numeric"}) {
      SCOPED_TRACE(std::string(robot) + " " + way);
      EXPECT_EQ(torsor_command({"base", robot, "--way", way, "--json"}).json()["n"],
                torsor_command({"base", robot, "--json"}).json()["n"]);
    }
}

TEST(BaseCommand, symbols_in_text_LaTeX_and_JSON) {
  EXPECT_TRUE(
      torsor_command({"base", "puma560", "--symbols"}).says("MX2 = mx2 + a3 (m3 + m4 + m5 + m6)"));
  const CommandResult latex = torsor_command({"base", "puma560", "--latex", "--rotors"});
  EXPECT_TRUE(latex.says("MX_{2} &= mx_{2} + a_{3} (m_{3} + m_{4} + m_{5} + m_{6}) \\\\\n"));
  EXPECT_TRUE(latex.out.starts_with("\\begin{align}\n"));
  const nlohmann::json answer =
      torsor_command({"base", "puma560", "--symbols", "--rotors", "--classes", "--json"}).json();
  ASSERT_EQ(answer["parameters"].size(), 40u);
  EXPECT_EQ(answer["classes"], (nlohmann::json{"R3", "R1", "R1", "R1", "R1", "R1"}));
  EXPECT_EQ(answer["symbols"][0]["name"], "a3");
  EXPECT_EQ(answer["symbols"][0]["value"], 0.4318);
  for (const nlohmann::json& one : answer["parameters"])
    if (one["symbol"] == "ZZ2") {
      EXPECT_EQ(one["symbolic"], "zz2 + Ia2 + a3^2 (m3 + m4 + m5 + m6)");
      EXPECT_EQ(one["name"], "link_2.zz");
    }
}

// The letters are those of the file's own frames, whatever other table would do: both ways print the same numbers.
TEST(BaseCommand, symbols_are_of_the_frames_of_the_file) {
  const ScratchFolder folder;
  write_text(folder / "skew.yaml",
             "robot: skew\ndh:\n  convention: modified\n  rows:\n"
             "    - {a: 0.1, alpha: 0.3, d: 0.2, theta: 0.4, mass: 4, com: [0.1, 0.02, -0.1], "
             "inertia: [0.2, 0.3, 0.25]}\n"
             "    - {type: prismatic, a: 0.2, alpha: 1.1, d: 0.3, theta: -0.5, mass: 3, com: "
             "[0.05, 0.1, 0.2], inertia: [0.1, 0.12, 0.15]}\n"
             "    - {a: 0.25, alpha: -0.7, d: 0.15, theta: 0.6, mass: 2, com: [0.1, -0.05, 0.03], "
             "inertia: [0.05, 0.06, 0.07]}\n"
             "    - {a: 0.05, alpha: 0.9, d: 0.4, theta: 0, mass: 1, com: [0.02, 0.03, 0.05], "
             "inertia: [0.01, 0.02, 0.015]}\n");
  const auto answer = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"base", "skew.yaml"});
    words.emplace_back("--json");
    return torsor_command(words, folder.path()).json();
  };
  const nlohmann::json symbols = answer({"--symbols"}), generic = answer({});
  const double a[] = {0.1, 0.2, 0.25, 0.05}, alpha[] = {0.3, 1.1, -0.7, 0.9},
               d[] = {0.2, 0.3, 0.15, 0.4}, theta[] = {0.4, -0.5, 0.6, 0};
  ASSERT_EQ(symbols["table"].size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const nlohmann::json& row = symbols["table"][k];
    EXPECT_NEAR(row["a"].get<double>(), a[k], 1e-12);
    EXPECT_NEAR(row["alpha"].get<double>(), alpha[k], 1e-12);
    EXPECT_NEAR(row["d"].get<double>(), d[k], 1e-12);
    EXPECT_NEAR(row["theta"].get<double>(), theta[k], 1e-12);
    EXPECT_EQ(row["type"], k == 1 ? "prismatic" : "revolute");
  }
  ASSERT_EQ(symbols["parameters"].size(), generic["parameters"].size());
  for (const nlohmann::json& one : symbols["parameters"])
    for (const nlohmann::json& other : generic["parameters"])
      if (one["name"] == other["name"] && one["formula"] == other["formula"]) {
        EXPECT_NEAR(one["value"].get<double>(), other["value"].get<double>(), 1e-10) << one["name"];
      }
  const CommandResult text = torsor_command({"base", "skew.yaml", "--symbols"}, folder.path());
  EXPECT_TRUE(text.says("q + 0.3")) << text.out;
}

TEST(BaseCommand, D_25_towards_the_hand) {
  const nlohmann::json answer =
      torsor_command({"base", "stanford", "--towards-hand", "--json"}).json();
  EXPECT_EQ(answer["n"], 42);
  EXPECT_EQ(answer["n_with_rotors"], 48);
}

TEST(BaseCommand, D_26_D_27_operations) {
  const nlohmann::json count =
      torsor_command({"base", "puma560", "--operations", "--json"}).json()["operations"];
  for (const char* kind : {"multiplications", "additions"}) {
    EXPECT_LT(count["linear_on_base"][kind], count["linear"][kind]);
    EXPECT_LT(count["composite_on_base"][kind], count["composite"][kind]);
  }
  EXPECT_TRUE(torsor_command({"base", "puma560", "--operations"}).says("linear, base parameters"));
}

// Blocks of docs/base-parameters.md: every line that they show is printed by the command above it.
TEST(BaseCommand, the_examples_of_the_document_are_what_is_printed) {
  const std::string page = read_text(std::string(TORSOR_SOURCE_DIR) + "/docs/base-parameters.md");
  const std::string mark = "```text\n$ torsor ";
  int blocks = 0;
  for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size(), end = page.find("```", begin);
    std::istringstream lines(page.substr(begin, end - begin));
    std::string line;
    std::getline(lines, line);
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    const std::string printed = "\n" + torsor_command(arguments).out;
    while (std::getline(lines, line))
      EXPECT_NE(printed.find("\n" + line + "\n"), std::string::npos) << line;
    ++blocks;
  }
  EXPECT_EQ(blocks, 2);
}

TEST(BaseCommand, refuses_what_is_no_chain_in_one_line) {
  expect_refusal(torsor_command({"base", "four_bar", "--symbols"}), "--symbols");
  expect_refusal(torsor_command({"base", "humanoid38", "--classes"}), "--classes");
  expect_refusal(torsor_command({"base", "puma560", "--way", "magic"}), "magic");
  expect_refusal(torsor_command({"base", "puma560", "--way", "numeric", "--latex"}), "--latex");
}

}  // namespace
}  // namespace torsor::testing
