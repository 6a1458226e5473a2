/// Files that the command writes and reads: tried before the work, kept where they belong, and told.
#include <csignal>
#include <thread>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

const std::string scenarios = TORSOR_SOURCE_DIR "/examples/scenarios/";
const std::string pd = scenarios + "planar_arm_pd_under_gravity.yaml",
                  sweep = scenarios + "sweep_unknown_load.yaml";

/// `command` in a shell, with the name of the program as "$T".
ProcessResult shell(const std::string& command, const std::filesystem::path& folder) {
  return run({"sh", "-c", "T=" TORSOR_COMMAND "; " + command}, folder);
}

TEST(Outputs, are_tried_before_the_work) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "page.html");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& text) {
    expect_refusal(torsor_command(words, folder.path()), text);
  };
  refused({"demo", "-o", "page.html"}, "page.html: cannot write: is a folder, not a file");
  refused({"simulate", pd, "--report", "page.html", "--force"}, "is a folder, not a file");
  refused({"simulate", pd, "-o", "none/run.csv"}, "there is no folder \"none\"");
  refused({"compare", pd, "--report", "none/page.html"}, "there is no folder \"none\"");
}

TEST(Outputs, of_a_scenario_stay_below_the_current_folder) {
  const ScratchFolder folder;
  const std::string text = read_text(pd);
  for (const std::string& name :
       std::vector<std::string>{"../x.csv", (folder / "a" / "y.csv").string(), "sub/../../z.csv"}) {
    write_text(folder / "run.yaml", text + "\noutput: [\"" + name + "\"]\n");
    std::filesystem::create_directories(folder / "a");
    expect_refusal(torsor_command({"simulate", "../run.yaml"}, folder / "a"),
                   "output: \"" + name + "\" is not below the current folder");
  }
  write_text(folder / "run.yaml", text + "\noutput: [../x.csv]\n");
  EXPECT_EQ(torsor_command({"simulate", "../run.yaml", "--force"}, folder / "a").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "x.csv"));
}

TEST(Outputs, are_told) {
  const ScratchFolder folder;
  const CommandResult run =
      torsor_command({"simulate", pd, "-o", "run.trec", "--report", "page.html"}, folder.path());
  EXPECT_TRUE(run.says("\nwrote run.trec, page.html\n")) << run.out;
  const std::string page = read_text(folder / "page.html");
  for (const char* part : {"What was run", "gains: {Kp: [100, 60]", "integrator dormand_prince8",
                           "torsor simulate ", "version"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_TRUE(torsor_command({"report", "run.trec", "-o", "p.html"}, folder.path())
                  .says("\nwrote p.html\n"));
}

/// Standard output is theirs, as a pipe would have it.
TEST(Outputs, of_verbs_whose_answer_is_the_file_are_told_on_standard_error) {
  const ScratchFolder folder;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"id", "planar2r"},
        {"fk", "planar2r"},
        {"jacobian", "planar2r", "--frame", "tip"},
        {"ik", "planar2r", "--frame", "tip", "--xyz", "1.2,0.7,0"},
        {"trajectory", "planar2r", "--to", "1,1", "--duration", "1"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"-o", words[0] + ".csv"});
    const CommandResult result = torsor_command(all, folder.path());
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "torsor: wrote " + words[0] + ".csv\n");
  }
}

TEST(Outputs, a_run_without_a_title_has_that_of_its_file_and_says_where_it_starts) {
  const ScratchFolder folder;
  write_text(folder / "my_run.yaml",
             "robot: planar2r\ncontroller: {law: none}\nrun: {duration: 0.1}\n");
  const CommandResult r = torsor_command({"simulate", "my_run.yaml"}, folder.path());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.out.starts_with("my_run\n")) << r.out;
  EXPECT_TRUE(r.says("starts at the neutral configuration: the file says no start")) << r.out;
}

TEST(Outputs, a_disk_that_takes_no_more_is_exit_code_1) {
  const ScratchFolder folder;
  for (const std::string& words :
       {"simulate " + pd + " -o run.csv", "sweep " + sweep + " --samples 20 --journal j.csv",
        "simulate " + pd + " --report page.html"}) {
    const ProcessResult r = shell("ulimit -f 1; $T " + words, folder.path());
    EXPECT_EQ(r.exit_code, 1) << r.output;
    EXPECT_NE(r.output.find("cannot write: File too large"), std::string::npos) << r.output;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename(), "j.csv") << "left behind";
}

TEST(Outputs, parts_of_killed_runs_do_not_stop_the_next) {
  const ScratchFolder folder;
  for (int k = 0; k < 120; ++k) write_text(folder / ("run.csv.part" + std::to_string(k)), "x");
  EXPECT_EQ(torsor_command({"simulate", pd, "-o", "run.csv"}, folder.path()).code, 0);
}

TEST(Outputs, an_interrupted_run_keeps_what_it_has) {
  const ScratchFolder folder;
  write_text(folder / "long.yaml",
             "robot: planar2r\ncontroller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
             "reference: {sinusoid: {amplitude: [1, 1], frequency: 1}}\n"
             "run: {duration: 1.0e6, record_every: 100, integrator: rk4, step: 0.001}\n");
  const ProcessResult r = shell(
      "$T simulate long.yaml -o run.trec & p=$!; sleep 1; kill -TERM $p; "
      "wait $p",
      folder.path());
  EXPECT_EQ(r.exit_code, 1) << r.output;
  EXPECT_NE(r.output.find("wrote run.trec"), std::string::npos) << r.output;
  EXPECT_TRUE(std::filesystem::exists(folder / "run.trec"));
}

/// The bounds of this law's proof take long to search on so many joints.
TEST(Outputs, a_run_interrupted_before_its_first_row_says_so_and_draws_nothing) {
  const ScratchFolder folder;
  std::string zeros = "0";
  for (int k = 1; k < 100; ++k) zeros += ", 0";
  write_text(folder / "long.yaml",
             "robot: chain:100\ncontroller: {law: pd_fixed_gravity, gains: {Kp: 1e5, Kd: 1e4}}\n"
             "reference: {hold: [" +
                 zeros + "]}\nrun: {duration: 0.001}\n");
  const ProcessResult r = shell(
      "$T simulate long.yaml --report page.html & p=$!; sleep 2; kill -TERM $p; "
      "wait $p",
      folder.path());
  EXPECT_EQ(r.exit_code, 1) << r.output;
  EXPECT_NE(r.output.find("stopped at t = 0 s: interrupted"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("page.html not written: the run has no rows"), std::string::npos)
      << r.output;
  EXPECT_FALSE(std::filesystem::exists(folder / "page.html"));
  const ProcessResult both = shell(
      "$T compare long.yaml long.yaml --report page.html & p=$!; sleep 2; kill -TERM $p; "
      "wait $p",
      folder.path());
  EXPECT_EQ(both.exit_code, 1) << both.output;
  EXPECT_NE(both.output.find("interrupted before the first run ended"), std::string::npos)
      << both.output;
}

TEST(Report, a_file_without_some_columns_is_one_line_or_a_page) {
  const ScratchFolder folder;
  write_text(folder / "r.csv", "t,q.a,e.a,tau.a\n0,0,1,2\n1,0,1,2\n");
  expect_refusal(torsor_command({"report", "r.csv", "-o", "p.html"}, folder.path()),
                 "r.csv: has torques (tau) and no velocities (qd)");
  write_text(folder / "t.csv", "t\n0\n1\n");
  expect_refusal(torsor_command({"report", "t.csv", "--figure", "f.svg"}, folder.path()),
                 "nothing to draw");
  write_text(folder / "e.csv", "t,e.a\n0,1\n1,2\n");
  const CommandResult errors =
      torsor_command({"report", "e.csv", "-o", "e.html", "--json"}, folder.path());
  const auto figures = errors.json()["runs"][0];
  for (const char* name : {"settling_time", "energy", "chatter", "max_torque"})
    EXPECT_TRUE(figures[name].is_null()) << name << errors.out;
  EXPECT_EQ(figures["max_error"], 2);
  EXPECT_TRUE(torsor_command({"report", "e.csv", "-o", "e2.html"}, folder.path())
                  .says("e: has no figures of its own: these are estimated from its 2 rows"));
  expect_refusal(torsor_command({"report", "none.trec", "-o", "p.html"}, folder.path()),
                 "none.trec: no such file");
  std::filesystem::create_directory(folder / "f.trec");
  expect_refusal(torsor_command({"report", "f.trec", "-o", "p.html"}, folder.path()),
                 "f.trec: is a folder, not a file");
}

TEST(Sweep, impossible_draws_are_told_and_the_rest_is_run) {
  const ScratchFolder folder;
  write_text(folder / "s.yaml",
             "robot: planar2r\ncontroller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
             "reference: {hold: [0, 1]}\nrun: {duration: 0.2}\n"
             "sweep:\n  samples: 60\n  uncertainties: {friction_factor: {normal: [1, 0.5]}}\n");
  const CommandResult first = torsor_command({"sweep", "s.yaml"}, folder.path());
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(first.says("60 of 60 runs")) << first.out;
  EXPECT_TRUE(first.says("impossible: friction_factor = -")) << first.out;
  EXPECT_EQ(first.out.find("broken"), std::string::npos);
  const auto j = torsor_command({"sweep", "s.yaml", "--json"}, folder.path()).json();
  ASSERT_GE(j["impossible"].size(), 1u);
  EXPECT_EQ(j["impossible"][0]["stop"], "impossible");
  EXPECT_EQ(j["stopped"].size(), 0u);
  const long sample = j["impossible"][0]["sample"];
  const CommandResult one =
      torsor_command({"sweep", "s.yaml", "--sample", std::to_string(sample)}, folder.path());
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.err.find("is impossible: friction_factor = -"), std::string::npos) << one.err;
}

TEST(Sweep, an_interrupt_that_the_parent_ignores_stays_ignored) {
  const ScratchFolder folder;
  const ProcessResult r = shell("trap '' INT; $T sweep " + sweep +
                                    " --samples 60 --threads 1 --journal j.csv & p=$!; "
                                    "while ! grep -q finished j.csv 2>/dev/null; do sleep 0.01; "
                                    "done; kill -INT $p; wait $p",
                                folder.path());
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_NE(r.output.find("60 of 60 runs"), std::string::npos) << r.output;
}

TEST(ScenarioCommand, writes_a_scenario_that_runs) {
  const ScratchFolder folder;
  const CommandResult made = torsor_command(
      {"scenario", "new", "--law", "computed_torque", "--robot", "planar2r", "-o", "my.yaml"},
      folder.path());
  EXPECT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.says("wrote my.yaml")) << made.out;
  EXPECT_EQ(torsor_command({"simulate", "my.yaml"}, folder.path()).code, 0);
  expect_refusal(torsor_command({"scenario", "new", "--law", "computed_torque", "--robot",
                                 "planar2r", "-o", "my.yaml"},
                                folder.path()),
                 "exists already");
  expect_refusal(torsor_command({"scenario", "new", "--law", "computed_torque"}),
                 "--law and --robot are needed");
  expect_refusal(torsor_command({"scenario", "old"}), "neither new nor keys");
  EXPECT_TRUE(torsor_command({"scenario", "keys"}).says("record_every"));
  EXPECT_GT(torsor_command({"scenario", "keys", "--json"}).json()["keys"].size(), 90u);
}

}  // namespace
}  // namespace torsor::testing
