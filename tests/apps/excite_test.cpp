// torsor excite: figures, files that other verbs read, limits that are kept, an interrupt, refusals.
#include <csignal>
#include <thread>

#include "apps/command.hpp"
#include "torsor/formats/csv.hpp"

namespace torsor::testing {
namespace {

const std::vector<std::string> quick = {"excite", "planar2r", "--starts", "2", "--harmonics", "3"};

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ExciteCommand, says_condition_assumptions_and_use_of_limits) {
  const CommandResult text = torsor_command(quick);
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part :
       {"condition number", "--max-velocity 2 rad/s assumed", "largest use of limits", "%"})
    EXPECT_TRUE(text.says(part)) << text.out;
  const nlohmann::json answer = torsor_command(with(quick, {"--json"})).json();
  EXPECT_GT(answer["condition"], 1);
  EXPECT_LT(answer["condition"], answer["start_condition"]);
  EXPECT_GT(answer["log_det"], answer["start_log_det"]);
  EXPECT_EQ(answer["stopped"], false);
  EXPECT_FALSE(answer["notes"].empty());
  for (const auto& use : answer["limits"]) EXPECT_LE(use["share"], 1) << use;
  const auto& series = answer["trajectories"][0];
  EXPECT_NEAR(series["frequency"].get<double>(), 0.6283185307179586, 1e-12);
  for (const char* key : {"a", "b"}) {  // at rest at t = 0
    ASSERT_EQ(series[key].size(), 2u);
    for (const auto& row : series[key]) {
      double sum = 0;
      for (std::size_t l = 0; l < 3; ++l)
        sum += row[l].get<double>() * (*key == 'b' ? static_cast<double>(l + 1) : 1);
      EXPECT_NEAR(sum, 0, 1e-12);
    }
  }
}

TEST(ExciteCommand, writes_a_table_for_each_trajectory_that_id_reads) {
  const ScratchFolder folder;
  const CommandResult result = torsor_command(
      with(quick,
           {"--trajectories", "2", "--rate", "50", "-o", "m.csv", "--max-velocity", "90", "--deg"}),
      folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.says("wrote m_1.csv, m_2.csv")) << result.out;
  EXPECT_FALSE(std::filesystem::exists(folder / "m.csv"));
  for (const char* name : {"m_1.csv", "m_2.csv"}) {
    const CsvTable table = read_csv((folder / name).string());
    ASSERT_EQ(table.columns.size(), 7u);
    EXPECT_EQ(table.columns[0], "t");
    EXPECT_TRUE(table.columns[1].starts_with("q."));
    EXPECT_TRUE(table.columns[3].starts_with("qd."));
    EXPECT_TRUE(table.columns[5].starts_with("qdd."));
    ASSERT_EQ(table.rows.size(), 501u);
    EXPECT_NEAR(table.rows.back()[0], 10, 1e-12);
    for (const auto& row : table.rows)
      for (std::size_t k : {3u, 4u}) EXPECT_LE(std::abs(row[k]), 1.5707963267948966);
    EXPECT_EQ(torsor_command({"id", "planar2r", "--csv", name}, folder.path()).code, 0);
  }
  expect_refusal(torsor_command(with(quick, {"--trajectories", "2", "-o", "m.csv"}), folder.path()),
                 "m_1.csv: exists already");
}

TEST(ExciteCommand, writes_the_reference_of_a_scenario_that_replays_it) {
  const ScratchFolder folder;
  const CommandResult result = torsor_command(
      with(quick, {"--series", "s.yaml", "-o", "m.csv", "--rate", "10"}), folder.path());
  EXPECT_EQ(result.code, 0) << result.err;
  write_text(folder / "run.yaml",
             "robot: planar2r\ncontroller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
             "run: {duration: 10, record_every: 0.1}\n" +
                 read_text(folder / "s.yaml"));
  const CommandResult run = torsor_command({"simulate", "run.yaml", "-o", "r.csv"}, folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  const CsvTable asked = read_csv((folder / "m.csv").string()),
                 done = read_csv((folder / "r.csv").string());
  ASSERT_EQ(asked.rows.size(), done.rows.size());
  for (std::size_t c = 1; c < 5; ++c) {
    const auto at = std::find(done.columns.begin(), done.columns.end(), asked.columns[c]);
    ASSERT_NE(at, done.columns.end()) << asked.columns[c];
    const auto column = static_cast<std::size_t>(at - done.columns.begin());
    for (std::size_t k = 0; k < asked.rows.size(); ++k)
      EXPECT_NEAR(asked.rows[k][c], done.rows[k][column], 1e-5);
  }
}

TEST(ExciteCommand, splines_boxes_and_shares_are_kept) {
  const nlohmann::json answer =
      torsor_command({"excite", "puma560", "--spline", "8", "--starts", "1", "--time", "1", "--box",
                      "tool:x=-0.6..0.6,z=-0.5..", "--share", "50", "--max-torque",
                      "200,200,100,20,20,20", "--without", "offset", "--json"})
          .json();
  bool boxed = false, half = false;
  for (const auto& use : answer["limits"]) {
    if (use["of"] == "tool" && use["what"] == "x") {
      boxed = true;
      EXPECT_LE(std::abs(use["attained"].get<double>()), 0.6);
    }
    if (use["what"] == "velocity") half = use["limit"] == 1.0;  // half of what is assumed
  }
  EXPECT_TRUE(boxed);
  EXPECT_TRUE(half);
  EXPECT_EQ(answer["unknowns"].size(), 52u);
  EXPECT_EQ(answer["trajectories"][0]["points"].size(), 10u);
}

TEST(ExciteCommand, an_interrupt_writes_the_best_motion_so_far) {
  const ScratchFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (chdir(folder.path().c_str()) != 0) _exit(126);
    execl(TORSOR_COMMAND, "torsor", "excite", "puma560", "--starts", "5000", "-o", "m.csv",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(read_csv((folder / "m.csv").string()).rows.size(), 2001u);
}

TEST(ExciteCommand, refuses_in_one_line) {
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
    expect_refusal(torsor_command(with(quick, more)), text);
  };
  refused({"--criterion", "a"}, "--criterion");
  expect_refusal(torsor_command({"excite", "planar2r", "--harmonics", "0"}), "0 harmonics");
  refused({"--period", "0"}, "period is 0");
  refused({"--rate", "-1"}, "--rate");
  refused({"--rate", "1e9"}, "million");
  refused({"--max-velocity", "1,2,3"}, "--max-velocity: has 3 numbers");
  refused({"--max-velocity", "0"}, "--max-velocity: 0 is not positive");
  refused({"--lower", "2", "--upper", "1"}, "no room");
  refused({"--share", "0"}, "--share");
  refused({"--box", "nothing"}, "--box");
  refused({"--box", "link_2:w=1..2"}, "--box");
  refused({"--box", "link_9:x=1..2"}, "link_9");
  refused({"--box", "link_2:x=8..9"}, "no posture");
  refused({"--start", "9,9"}, "no posture");
  refused({"--without", "friction"}, "--without");
  refused({"--spline", "8", "--series", "s.yaml"}, "--series");
  refused({"-o", "no/such/folder/m.csv"}, "no/such/folder");
  const std::vector<std::string> loops = {"excite", "four_bar", "--time", "1"};
  expect_refusal(torsor_command(with(loops, {"--series", "s.yaml"})), "--series: is for trees");
  expect_refusal(torsor_command(with(loops, {"--start", "0,1,2"})), "each joint that drives");
}

TEST(ExciteCommand, of_a_robot_with_loops_writes_all_joints_and_says_which_are_moved) {
  const ScratchFolder folder;
  const CommandResult text = torsor_command({"excite", "four_bar", "--starts", "1", "--without",
                                             "coulomb,viscous", "-o", "m.csv", "--rate", "50"},
                                            folder.path());
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.says("all other joints follow through the loops")) << text.out;
  const CommandResult torques = torsor_command({"id", "four_bar", "--csv", "m.csv"}, folder.path());
  EXPECT_EQ(torques.code, 0) << torques.err;
}

}  // namespace
}  // namespace torsor::testing
