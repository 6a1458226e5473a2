/// `torsor compare`, `torsor sweep` and `torsor demo` as a user runs them.
#include <csignal>
#include <fstream>
#include <thread>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

const std::string scenarios = TORSOR_SOURCE_DIR "/examples/scenarios/";
const std::string exact = scenarios + "planar_arm_computed_torque.yaml",
                  load = scenarios + "planar_arm_unknown_load.yaml",
                  pd = scenarios + "planar_arm_pd_under_gravity.yaml",
                  sweep = scenarios + "sweep_unknown_load.yaml";

int lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  int n = 0;
  for (std::string line; std::getline(file, line);) n += file.eof() ? 0 : 1;
  return n;
}

TEST(CompareCommand, runs_every_law_in_the_first_files_experiment) {
  const auto j = torsor_command({"compare", load, exact, pd, "--json"}).json();
  ASSERT_EQ(j["runs"].size(), 3u);
  EXPECT_EQ(j["runs"][0]["law"], "computed_torque");
  EXPECT_EQ(j["runs"][2]["law"], "independent_pd");
  // The exact scenario's law is the same as the load's: in one plant they do the same.
  EXPECT_EQ(j["runs"][0]["final_error"], j["runs"][1]["final_error"]);
  EXPECT_NEAR(j["runs"][0]["final_error"].get<double>(), 0.030313564, 1e-8);
  ASSERT_EQ(j["notes"].size(), 2u);
  EXPECT_NE(j["notes"][0].get<std::string>().find("has another plant"), std::string::npos);
  EXPECT_EQ(j["runs"][2]["violated"], 1);
}
TEST(CompareCommand, prints_a_table_and_says_what_differs) {
  const CommandResult r = torsor_command({"compare", load, pd});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.says("planar_arm_unknown_load")) << r.out;
  EXPECT_TRUE(r.says("rms e")) << r.out;
  EXPECT_TRUE(r.says("has another plant, start, reference, run")) << r.out;
  EXPECT_TRUE(r.says("violated no gravity")) << r.out;
}
TEST(CompareCommand, writes_page_and_table_and_overwrites_neither) {
  const ScratchFolder folder;
  const std::string page = (folder / "page.html").string(), table = (folder / "t.csv").string();
  EXPECT_EQ(torsor_command({"compare", load, exact, "--report", page, "-o", table}).code, 0);
  EXPECT_TRUE(read_text(page).starts_with("<!doctype html>"));
  EXPECT_TRUE(read_text(table).starts_with("run,law,stop,rms_error,"));
  EXPECT_EQ(lines_of(table), 3);
  expect_refusal(torsor_command({"compare", load, exact, "--report", page}), "exists already");
  expect_refusal(torsor_command({"compare", load, exact, "-o", table}), "exists already");
  const std::string picture = (folder / "e.svg").string();
  EXPECT_EQ(
      torsor_command({"compare", load, exact, "--report", page, "--figure", picture, "--force"})
          .code,
      0);
  EXPECT_TRUE(read_text(picture).starts_with("<svg "));
}
TEST(CompareCommand, tells_two_runs_of_one_file_apart) {
  const auto j = torsor_command({"compare", load, load, "--json"}).json();
  EXPECT_EQ(j["runs"][0]["run"], "planar_arm_unknown_load");
  EXPECT_EQ(j["runs"][1]["run"], "planar_arm_unknown_load (2)");
}
TEST(CompareCommand, bad_input_is_one_line) {
  const ScratchFolder folder;
  write_text(folder / "pendulum.yaml",
             "robot: pendulum\ncontroller: {law: independent_pd, gains: {Kp: 1, Kd: 1}}\n"
             "reference: {hold: [0]}\n");
  write_text(folder / "bad.yaml", "robot: planar2r\ncontroler: {}\n");
  expect_refusal(torsor_command({"compare"}), "SCENARIOS is required");
  expect_refusal(torsor_command({"compare", load, "none.yaml"}), "none.yaml: no such file");
  expect_refusal(torsor_command({"compare", load, (folder / "bad.yaml").string()}), "bad.yaml:2");
  expect_refusal(torsor_command({"compare", load, (folder / "pendulum.yaml").string()}),
                 "other joints than \"planar2r\"");
  expect_refusal(torsor_command({"compare", load, "--reprot", "x"}), "did you mean \"--report\"?");
}

TEST(SweepCommand, gives_quantiles_and_worst_cases) {
  const ScratchFolder folder;
  const CommandResult r = torsor_command({"sweep", sweep, "--samples", "20"}, folder.path());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(r.says("20 of 20 runs, seed 1")) << r.out;
  EXPECT_TRUE(r.says("95 %")) << r.out;
  EXPECT_TRUE(r.says("worst rms_error")) << r.out;
  EXPECT_TRUE(r.says("payload.mass")) << r.out;
  EXPECT_EQ(lines_of(folder / "sweep_unknown_load.sweep.csv"), 22);
  const CommandResult again = torsor_command({"sweep", sweep, "--samples", "20"}, folder.path());
  EXPECT_TRUE(again.says("20 of them from the journal")) << again.out;
}
TEST(SweepCommand, counts_runs_that_diverged_whether_or_not_they_stopped) {
  const ScratchFolder folder;
  write_text(folder / "loop.yaml",
             "robot: planar2r\ncontroller: {law: pd_gravity, gains: {Kp: 100, Kd: 20}}\n"
             "reference: {hold: [0.5, 0.5]}\nstart: {q: [0.3, 0.3]}\n"
             "run: {duration: 0.4, period: 0.015}\n"
             "sweep: {samples: 6, uncertainties: {gains: {Kd: [2.5, 3]}}}\n");
  const CommandResult r = torsor_command({"sweep", "loop.yaml"}, folder.path());
  EXPECT_TRUE(r.says("6 runs stopped before their end")) << r.out;
  EXPECT_TRUE(r.says("6 of them diverged")) << r.out;
  EXPECT_EQ(torsor_command({"sweep", "loop.yaml", "--json"}, folder.path()).json()["diverged"], 6);
}
TEST(SweepCommand, numbers_do_not_depend_on_threads) {
  const ScratchFolder folder;
  const auto run = [&](const std::string& threads) {
    return torsor_command({"sweep", sweep, "--samples", "30", "--threads", threads, "--json",
                           "--restart", "--journal", "j.csv"},
                          folder.path())
        .out;
  };
  const std::string one = run("1");
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, run("2"));
}

/// Starts a sweep in `folder` and returns once its journal has `lines` lines.
pid_t start_sweep(const std::filesystem::path& folder, int lines) {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (chdir(folder.c_str()) != 0) _exit(126);
    execl(TORSOR_COMMAND, "torsor", "sweep", sweep.c_str(), "--samples", "400", "--threads", "2",
          "--journal", "j.csv", static_cast<char*>(nullptr));
    _exit(127);
  }
  while (lines_of(folder / "j.csv") < lines)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return child;
}

TEST(SweepCommand, a_killed_sweep_goes_on_to_the_same_end) {
  const ScratchFolder whole, killed;
  const std::vector<std::string> words = {"sweep",  sweep,       "--samples", "400",
                                          "--json", "--journal", "j.csv"};
  const std::string truth = torsor_command(words, whole.path()).out;
  for (const int lines : {10, 40}) {
    const pid_t child = start_sweep(killed.path(), lines);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_GE(lines_of(killed / "j.csv"), lines);
    EXPECT_LT(lines_of(killed / "j.csv"), 402);
  }
  std::ofstream(killed / "j.csv", std::ios::app) << "399,12,fini";  // as a kill may leave it
  EXPECT_EQ(torsor_command(words, killed.path()).out, truth);
  EXPECT_EQ(lines_of(killed / "j.csv"), 402);
}
TEST(SweepCommand, an_interrupt_finishes_cleanly) {
  const ScratchFolder folder;
  const pid_t child = start_sweep(folder.path(), 10);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_LT(lines_of(folder / "j.csv"), 402);
  EXPECT_EQ(read_text(folder / "j.csv").back(), '\n');
}
TEST(SweepCommand, runs_one_sample_again) {
  const ScratchFolder folder;
  const auto all =
      torsor_command({"sweep", sweep, "--samples", "10", "--json"}, folder.path()).json();
  const auto worst = all["worst_cases"][0];
  const std::string index = std::to_string(worst["sample"].get<int>());
  const auto one =
      torsor_command({"sweep", sweep, "--sample", index, "--json", "--report", "p.html"},
                     folder.path())
          .json();
  EXPECT_EQ(one["values"], worst["values"]);
  EXPECT_EQ(one["figures"], worst["figures"]);
  EXPECT_TRUE(std::filesystem::exists(folder / "p.html"));
}
TEST(SweepCommand, writes_a_page_of_distributions_drivers_and_worst_cases) {
  const ScratchFolder folder;
  const CommandResult r = torsor_command(
      {"sweep", sweep, "--samples", "12", "--report", "sweep.html", "--journal", "j.csv"},
      folder.path());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("sweep.html"), std::string::npos);
  const std::string page = read_text(folder / "sweep.html");
  for (const char* part : {"Distributions", "Which uncertainty drives which figure", "Worst cases",
                           "Errors over all samples", "as in the file", "What was run"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const std::string still =
      page.substr(0, page.find("<script"));  // what follows is data and script
  for (const char* word : {"nan", "inf"}) EXPECT_EQ(still.find(word), std::string::npos) << word;
  EXPECT_LT(page.size(), 3'000'000u);
}

TEST(SweepCommand, bad_input_is_one_line) {
  const ScratchFolder folder;
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), "sweep");
    expect_refusal(torsor_command(words, folder.path()), text);
  };
  refused({}, "SCENARIO is required");
  refused({"none.yaml"}, "none.yaml: no such file");
  refused({exact}, "has no sweep: block");
  refused({sweep, "--samples", "0"}, "--samples");
  refused({sweep, "--samples", "many"}, "--samples");
  refused({sweep, "--threads", "0"}, "--threads");
  refused({sweep, "--journal", "/no/such/folder/j.csv"}, "cannot write");
  write_text(folder / "mine.csv", "a,b\n1,2\n");
  refused({sweep, "--journal", "mine.csv"}, "is no journal of a sweep");
  EXPECT_EQ(torsor_command({"sweep", sweep, "--samples", "2"}, folder.path()).code, 0);
  refused({sweep, "--samples", "2", "--seed", "5"}, "another scenario or seed; --restart");
}

TEST(DemoCommand, compares_laws_with_and_without_a_payload) {
  const ScratchFolder folder;
  const CommandResult r = torsor_command({"demo"}, folder.path());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(r.says("computed torque"));
  EXPECT_TRUE(r.says("2.5 kg"));
  const std::string page = read_text(folder / "torsor-demo.html");
  EXPECT_LT(page.size(), 3'000'000u);
  EXPECT_NE(page.find("wrist_bend"), std::string::npos);
  EXPECT_EQ(torsor_command({"demo"}, folder.path()).code, 0);  // its own page it may replace
  const auto j = torsor_command({"demo", "--json", "--output", "x.html"}, folder.path()).json();
  ASSERT_EQ(j["parts"].size(), 2u);
  const auto error = [&](int part, const std::string& run) {
    for (const auto& x : j["parts"][static_cast<std::size_t>(part)]["runs"])
      if (x["run"] == run) return x["rms_error"].get<double>();
    ADD_FAILURE() << run;
    return 0.0;
  };
  EXPECT_LT(error(0, "PD + gravity"), error(0, "PD"));
  EXPECT_LT(error(0, "computed torque"), 0.3 * error(0, "PD + gravity"));
  EXPECT_GT(error(1, "computed torque"), 4 * error(0, "computed torque"));
  EXPECT_LT(error(1, "Slotine-Li"), 0.3 * error(1, "computed torque"));  // it learns the load
  EXPECT_LT(error(1, "Slotine-Li"), 2 * error(0, "Slotine-Li"));
}
TEST(DemoCommand, does_not_overwrite_what_is_not_its_page) {
  const ScratchFolder folder;
  write_text(folder / "mine.html", "<html>mine</html>");
  expect_refusal(torsor_command({"demo", "--output", "mine.html"}, folder.path()),
                 "exists already");
  EXPECT_EQ(torsor_command({"demo", "--output", "mine.html", "--force"}, folder.path()).code, 0);
  expect_refusal(torsor_command({"demo", "--output", "/no/such/folder/p.html"}),
                 "there is no folder");
  expect_refusal(torsor_command({"demo", "puma560"}), "unexpected argument");
}

TEST(ReportCommand, draws_recordings) {
  const ScratchFolder folder;
  const auto in = [&](const std::vector<std::string>& words) {
    return torsor_command(words, folder.path());
  };
  EXPECT_EQ(in({"simulate", exact, "-o", "a.trec", "-o", "a.csv"}).code, 0);
  EXPECT_EQ(in({"simulate", load, "-o", "b.trec"}).code, 0);
  const CommandResult r =
      in({"report", "a.trec", "b.trec", "-o", "p.html", "--figure", "e.svg", "--title", "Two"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(read_text(folder / "p.html").find("<h1>Two</h1>"), std::string::npos);
  EXPECT_TRUE(read_text(folder / "e.svg").starts_with("<svg "));
  EXPECT_EQ(in({"report", "a.csv", "-o", "c.html", "--json"}).json()["runs"].size(), 1u);
  expect_refusal(in({"report", "a.trec"}), "--output page.html");
  expect_refusal(in({"report", "a.trec", "-o", "p.html"}), "exists already");
  expect_refusal(in({"report", "none.trec", "-o", "q.html"}), "none.trec");
  expect_refusal(in({"report", "p.html", "-o", "q.html"}), "p.html");
}

TEST(SimulateCommand, writes_a_page) {
  const ScratchFolder folder;
  const std::string page = (folder / "page.html").string();
  EXPECT_EQ(torsor_command({"simulate", exact, "--report", page}).code, 0);
  EXPECT_NE(read_text(page).find("<svg"), std::string::npos);
  expect_refusal(torsor_command({"simulate", exact, "--report", page}), "exists already");
}

}  // namespace
}  // namespace torsor::testing
