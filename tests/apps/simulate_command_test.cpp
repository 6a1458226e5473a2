/// `torsor simulate` as a user runs it.
#include <fstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

const std::string scenario =
    TORSOR_SOURCE_DIR "/examples/scenarios/planar_arm_pd_under_gravity.yaml";

TEST(SimulateCommand, reports_conditions_metrics_and_checks) {
  const CommandResult r = torsor_command({"simulate", scenario});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.says("planar2r under independent_pd"));
  EXPECT_TRUE(r.says("violated  no gravity: gravity in m/s^2 = 9.81"));
  EXPECT_TRUE(r.says("smallest eigenvalue of Kp = 60"));
  EXPECT_TRUE(r.says("joint_2"));
  EXPECT_TRUE(r.says("energy balance within"));
}

TEST(SimulateCommand, json_holds_the_series_and_the_verdicts) {
  const auto j = torsor_command({"simulate", scenario, "--json"}).json();
  EXPECT_EQ(j["stop"], "finished");
  EXPECT_EQ(j["columns"][0], "t");
  EXPECT_EQ(j["rows"].size(), 81u);
  EXPECT_EQ(j["rows"][0].size(), j["columns"].size());
  EXPECT_NEAR(j["metrics"][0]["final_error"].get<double>(), 0.143573378, 1e-8);
  EXPECT_FALSE(j["conditions"].back()["satisfied"]);
}

TEST(SimulateCommand, writes_recordings_and_does_not_overwrite_them) {
  const ScratchFolder folder;
  const std::string csv = (folder / "run.csv").string();
  EXPECT_EQ(torsor_command({"simulate", scenario, "--output", csv}).code, 0);
  std::ifstream file(csv);
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header.substr(0, 12), "t,q.joint_1,");
  EXPECT_EQ(torsor_command({"simulate", scenario, "--output", csv}).code, 2);
  EXPECT_EQ(torsor_command({"simulate", scenario, "--output", csv, "--force"}).code, 0);
}

TEST(SimulateCommand, a_bad_scenario_is_one_line_and_exit_code_2) {
  const ScratchFolder folder;
  const std::string path = (folder / "bad.yaml").string();
  std::ofstream(path) << "robot: planar2r\ncontroler: {}\n";
  const CommandResult r = torsor_command({"simulate", path});
  EXPECT_EQ(r.code, 2);
  EXPECT_NE(r.err.find("bad.yaml:2"), std::string::npos) << r.err;
  EXPECT_EQ(torsor_command({"simulate", "no_such.yaml"}).code, 2);
}

TEST(SimulateCommand, warnings_about_the_robots_file_are_counted_on_standard_error) {
  const ScratchFolder folder;
  write_text(
      folder / "arm.yaml",
      "robot: arm\nbodies:\n  - {name: a}\n  - {name: b, mass: 1, inertia: [1, 1, 1]}\njoints:\n"
      "  - {name: j, type: revolute, parent: a, child: b, limits: {effort: 0}}\n");
  write_text(folder / "run.yaml",
             "robot: arm.yaml\ncontroller: {law: computed_torque, gains: {Kp: 1, Kd: 1}}\n"
             "reference: {hold: [0]}\nrun: {duration: 0.01, step: 0.001}\n");
  const CommandResult r = torsor_command({"simulate", (folder / "run.yaml").string()});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "torsor: 1 warning about " + (folder / "arm.yaml").string() +
                       " (torsor check says which)\n");
}

TEST(SimulateCommand, a_run_that_stops_early_says_where_and_has_exit_code_1) {
  const ScratchFolder folder;
  const std::string path = (folder / "unstable.yaml").string();
  std::ofstream(path)
      << "robot: planar2r\n"
         "controller: {law: independent_pd, gains: {Kp: [-100, 60], Kd: [-30, 15]}}\n"
         "reference: {hold: [0.5, 0]}\n"
         "run: {duration: 100, tolerance: 1.0e-6}\n";
  const CommandResult r = torsor_command({"simulate", path});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(r.says("stopped at t = ")) << r.out;
  EXPECT_TRUE(r.says("velocity of joint_")) << r.out;
}

}  // namespace
}  // namespace torsor::testing
