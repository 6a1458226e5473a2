/// Every law by name: entries, gains and their refusals, and the page that shows them.
#include "torsor/control/law_registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

/// As a file would give it.
void set(LawParameters& p, const GainEntry& gain, const std::string& value) {
  if (gain.kind == GainKind::word || gain.kind == GainKind::words) {
    p.set(gain.name, value);
    return;
  }
  std::istringstream in(value);
  p.set(gain.name, std::vector<double>(std::istream_iterator<double>(in), {}));
}
LawParameters example(const LawEntry& law, const Model<double>& model) {
  LawParameters p;
  for (const GainEntry& gain : law.gains)
    if (std::string(gain.name) == "frame")
      p.set("frame", model.frames().back().name);
    else if (gain.required)
      set(p, gain, gain.value);
  if (law.gains.size() > 0 && law.chapter() == "Beside other laws" &&
      std::string(law.name) != "gravity_float") {
    p.set("Kp", {100});  // of the law inside
    p.set("Kd", {20});
  }
  if (std::string(law.name) == "adaptive_hybrid_position_force")
    p.set("angles", "rotation");  // as many coordinates as the arm has joints
  return p;
}
std::string refusal(const std::string& law, const Model<double>& model, const LawParameters& p) {
  try {
    (void)make_law(law, model, p);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LawRegistry, entries_are_in_order_and_complete) {
  const std::vector<std::string> names = law_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GE(names.size(), 28u);
  for (const LawEntry& law : laws()) {
    SCOPED_TRACE(law.name);
    EXPECT_FALSE(std::string(law.claim).empty() || std::string(law.reference).empty() ||
                 std::string(law.source).empty());
    std::ifstream header(std::string(TORSOR_SOURCE_DIR "/include/torsor/control/") + law.header);
    EXPECT_TRUE(header.good()) << law.header;
    std::set<std::string> gains;
    for (const GainEntry& gain : law.gains) {
      EXPECT_TRUE(gains.insert(gain.name).second) << gain.name << " twice";
      EXPECT_FALSE(std::string(gain.meaning).empty()) << gain.name;
      if (gain.required) {
        EXPECT_FALSE(std::string(gain.value).empty()) << gain.name;
      }
    }
  }
}

TEST(LawRegistry, the_example_of_every_law_for_one_arm_makes_it) {
  const Model<double> arm = load_robot("puma560");
  for (const LawEntry& law : laws()) {
    if (law.chapter() == "Several arms") continue;  // a robot with loops: multi_arm tests
    SCOPED_TRACE(law.name);
    const std::unique_ptr<ControlLaw> made = make_law(law.name, arm, example(law, arm));
    EXPECT_STREQ(made->name(), law.name);
    EXPECT_EQ(&made->model(), &arm);
  }
}

TEST(LawRegistry, what_does_not_fit_gets_one_line) {
  const Model<double> arm = load_robot("planar2r");
  LawParameters p;
  p.set("Kp", {100});
  EXPECT_EQ(refusal("independent_dp", arm, p),
            "unknown control law \"independent_dp\"; did you mean \"independent_pd\"?");
  EXPECT_NE(refusal("magic", arm, p).find("\"magic\"; known are adaptive_computed_torque, "),
            std::string::npos);
  EXPECT_EQ(refusal("independent_pd", arm, p), "parameter \"Kd\" is missing");
  LawParameters small;
  small.set("kp", {100});
  small.set("Kd", {20});
  EXPECT_EQ(refusal("independent_pd", arm, small),
            "parameter \"Kp\" is missing; \"kp\" is none: is it meant?");
  p.set("Kd", {1, 2, 3});
  EXPECT_EQ(refusal("independent_pd", arm, p), "parameter \"Kd\" has 3 numbers; 1 or 2 are needed");
  LawParameters q;
  q.set("Kp", {100});
  q.set("Kd", {20});
  EXPECT_EQ(refusal("independent_pd", arm, q), "");
  q.set("Kj", {20});
  EXPECT_NE(
      refusal("independent_pd", arm, q).find("law \"independent_pd\" has no parameter \"Kj\""),
      std::string::npos);
}

/// The page is written from the entries: name, header, gains (those that may be missing in
/// brackets) and claim.
TEST(LawRegistry, the_page_on_control_has_the_row_of_every_law_under_its_chapter) {
  std::ifstream file(TORSOR_SOURCE_DIR "/docs/control.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const LawEntry& law : laws()) {
    std::string required, optional, claim;
    for (const GainEntry& gain : law.gains) {
      std::string& list = gain.required ? required : optional;
      list += (list.empty() ? "" : " ") + std::string(gain.name);
    }
    if (!optional.empty()) required += (required.empty() ? "(" : " (") + optional + ")";
    for (const char* c = law.claim; *c; ++c) claim += *c == '|' ? "&#124;" : std::string(1, *c);
    const std::string row = std::string("\n| `") + law.name + "` | " + law.header + " | " +
                            required + " | " + claim + " |\n";
    const std::size_t chapter = page.find("\n## " + law.chapter() + "\n");
    ASSERT_NE(chapter, std::string::npos) << law.chapter();
    const std::size_t end = std::min(page.find("\n## ", chapter + 1), page.size());
    const std::size_t found = page.find(row, chapter);
    EXPECT_LT(found, end) << row;
  }
}

}  // namespace
}  // namespace torsor
