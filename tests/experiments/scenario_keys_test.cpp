/// docs/scenarios.md: its tables are the table of keys, its scenarios run.
#include "torsor/experiments/scenario_keys.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "house/process.hpp"
#include "torsor/experiments/scenario_file.hpp"

namespace torsor {
namespace {

const std::string page_file = TORSOR_SOURCE_DIR "/docs/scenarios.md";

std::string tables() {
  std::string out;
  for (const std::string& section : scenario_sections())
    out += (section.empty() ? "**The file**" : "**`" + section + "`**") + std::string("\n\n") +
           scenario_keys_table(section) + "\n";
  return out;
}

/// TORSOR_WRITE_SCENARIO_KEYS=1 writes the tables into the page.
TEST(ScenarioKeys, the_page_has_the_table_of_every_section) {
  const std::string begin = "<!-- keys -->\n", end = "<!-- end of keys -->";
  std::string page = testing::read_text(page_file);
  const std::size_t from = page.find(begin) + begin.size(), to = page.find(end);
  ASSERT_NE(to, std::string::npos);
  if (std::getenv("TORSOR_WRITE_SCENARIO_KEYS") != nullptr) {
    page.replace(from, to - from, tables());
    testing::write_text(page_file, page);
    return;
  }
  EXPECT_EQ(page.substr(from, to - from), tables());
}

TEST(ScenarioKeys, no_key_is_there_twice) {
  std::set<std::pair<std::string, std::string>> all;
  for (const ScenarioKey& k : scenario_keys())
    EXPECT_TRUE(all.insert({k.section, k.key}).second) << k.section << ": " << k.key;
}

TEST(ScenarioKeys, every_scenario_of_the_page_runs_to_its_end) {
  const std::string page = testing::read_text(page_file), fence = "```yaml\n";
  int count = 0;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const std::string text = page.substr(at, page.find("```", at) - at);
    const Scenario s = read_scenario(text, TORSOR_SOURCE_DIR "/examples/scenarios/page.yaml");
    const Recording r = run_scenario(s);
    EXPECT_EQ(r.stop, StopReason::finished) << r.message << "\n" << text;
    ++count;
  }
  EXPECT_GE(count, 7);
}

}  // namespace
}  // namespace torsor
