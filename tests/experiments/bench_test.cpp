#include "torsor/experiments/bench.hpp"

#include <map>
#include <set>

#include "torsor/formats/load_robot.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

Bench of(const std::vector<BenchFigure>& figures) {
  return {.robot = "arm",
          .processor = "some processor",
          .instruction_set = "baseline",
          .compiler = "",
          .n_v = 2,
          .figures = figures,
          .peers = {}};
}

/// Verbs by mode.
std::map<std::string, int> count_by_mode(const Bench& bench) {
  std::map<std::string, int> count;
  for (const BenchFigure& f : bench.figures) ++count[f.mode];
  return count;
}

TEST(Bench, every_verb_is_measured_both_ways_and_those_of_many_states_in_lanes) {
  const Bench bench = measure_speed(load_robot("planar2r"), {.seconds = 1e-4, .go_on = {}});
  std::set<std::string> verbs;
  for (const BenchFigure& f : bench.figures) {
    EXPECT_GT(f.ns, 1) << f.verb;    // a call takes time,
    EXPECT_LT(f.ns, 1e6) << f.verb;  // of two joints not a millisecond
    verbs.insert(f.verb);
  }
  EXPECT_EQ(verbs.size(), 12u);
  EXPECT_EQ(count_by_mode(bench),
            (std::map<std::string, int>{
                {"single", 12}, {"latency", 12}, {"batch", 7}, {"batch_float", 7}}));
  EXPECT_FALSE(bench.processor.empty());
  EXPECT_EQ(bench.n_v, 2);
}

// A longer chain takes longer: the figures are about the robot.
TEST(Bench, figures_grow_with_the_robot) {
  const BenchOptions quick{.seconds = 2e-3, .go_on = {}};
  const Bench small = measure_speed(load_robot("planar2r"), quick);
  const Bench large = measure_speed(load_robot("humanoid38"), quick);
  for (const SpeedChange& c : speed_changes(small, [&] {
         Bench renamed = large;
         renamed.robot = small.robot;
         return renamed;
       }()))
    EXPECT_GT(c.ratio(), 1.5) << c.verb << " " << c.mode;
}

TEST(Bench, robots_with_loops_have_the_verbs_of_their_tree) {
  const Bench bench = measure_speed(load_robot("four_bar"), {.seconds = 1e-4, .go_on = {}});
  for (const BenchFigure& f : bench.figures) {
    EXPECT_NE(f.verb, "inverse_dynamics");
    EXPECT_NE(f.verb, "forward_dynamics");
  }
  EXPECT_EQ(count_by_mode(bench),
            (std::map<std::string, int>{
                {"single", 10}, {"latency", 10}, {"batch", 7}, {"batch_float", 7}}));
}

TEST(Bench, can_be_ended_with_what_there_is) {
  int asked = 0;
  const Bench bench = measure_speed(
      load_robot("planar2r"),
      {.seconds = 1e-4,
       .go_on = [&](const std::string&, const std::string&, double) { return ++asked < 4; }});
  EXPECT_EQ(bench.figures.size(), 3u);
}

TEST(Bench, changes_are_those_of_figures_that_both_have) {
  const std::vector<SpeedChange> changes = speed_changes(
      of({{"mass_matrix", "single", 100}, {"jacobian", "single", 50}, {"jacobian", "latency", 60}}),
      of({{"jacobian", "latency", 90}, {"mass_matrix", "single", 80}, {"new", "single", 1}}));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].verb, "jacobian");
  EXPECT_DOUBLE_EQ(changes[0].ratio(), 1.5);
  EXPECT_DOUBLE_EQ(changes[1].ratio(), 0.8);
}

TEST(Bench, other_machines_do_not_compare) {
  const Bench before = of({{"jacobian", "single", 50}});
  for (auto change : {+[](Bench& b) { b.robot = "leg"; }, +[](Bench& b) { b.processor = "other"; },
                      +[](Bench& b) { b.instruction_set = "x86-64-v3"; }}) {
    Bench after = before;
    change(after);
    EXPECT_THROW((void)speed_changes(before, after), Error);
  }
}

TEST(Bench, the_share_of_what_is_done_rises_to_the_end) {
  std::vector<double> shares;
  const Bench bench = measure_speed(
      load_robot("planar2r"),
      {.seconds = 1e-5, .go_on = [&](const std::string&, const std::string&, double share) {
         shares.push_back(share);
         return true;
       }});
  const auto n = bench.figures.size();
  ASSERT_EQ(shares.size(), n);
  for (std::size_t k = 0; k < n; ++k)
    EXPECT_DOUBLE_EQ(shares[k], static_cast<double>(k) / static_cast<double>(n));
}

TEST(Bench, the_page_names_robot_processor_verbs_and_libraries) {
  Bench bench = of({{"mass_matrix", "single", 123.25}});
  bench.peers = {{"mass_matrix", "pinocchio", 456, 123.5, 1e-15}};
  const std::string page = bench_page(bench, {{"command", "torsor bench arm"}});
  for (const char* words :
       {"arm", "some processor", "baseline", "mass_matrix", "123", "pinocchio", "456", "<svg"})
    EXPECT_NE(page.find(words), std::string::npos) << words;
}

}  // namespace
}  // namespace torsor
