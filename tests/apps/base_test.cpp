// torsor base: counts that books print, values that give the torques back, and the JSON of the design.
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
        torsor_command({"base", robot, "--rotors", "--numeric", "--json"}).json();
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

}  // namespace
}  // namespace torsor::testing
