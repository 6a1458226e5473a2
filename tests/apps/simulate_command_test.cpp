/// `torsor simulate` as a user runs it.
#include <fstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

const std::string scenario =
    TORSOR_SOURCE_DIR "/examples/scenarios/planar_arm_pd_under_gravity.yaml";

/// Without the line breaks that a narrow page needs.
std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (const char x = c == '\n' ? ' ' : c; x != ' ' || line.empty() || line.back() != ' ')
      line += x;
  return line;
}

TEST(SimulateCommand, reports_conditions_metrics_and_checks) {
  const CommandResult r = torsor_command({"simulate", scenario});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.says("planar2r under independent_pd"));
  EXPECT_TRUE(r.says("violated     no gravity: gravity of the plant in m/s^2 = 9.81"));
  EXPECT_TRUE(r.says("4 hold, 1 violated"));
  EXPECT_TRUE(r.says("smallest eigenvalue of Kp = 60"));
  EXPECT_TRUE(r.says("joint_2"));
  EXPECT_TRUE(r.says("energy balance: off by"));
}

TEST(SimulateCommand, json_holds_the_series_and_the_verdicts) {
  const auto j = torsor_command({"simulate", scenario, "--json"}).json();
  EXPECT_EQ(j["stop"], "finished");
  EXPECT_EQ(j["columns"][0], "t");
  EXPECT_EQ(j["rows"].size(), 81u);
  EXPECT_EQ(j["rows"][0].size(), j["columns"].size());
  EXPECT_NEAR(j["metrics"][0]["final_error"].get<double>(), 0.143573378, 1e-8);
  EXPECT_EQ(j["conditions"].back()["verdict"], "violated");
  EXPECT_EQ(j["conditions"][0]["verdict"], "holds");
  EXPECT_TRUE(j["predictions"].empty());  // the proof's bound needs an arm without weight
  const auto light =
      torsor_command({"simulate",
                      TORSOR_SOURCE_DIR "/examples/scenarios/planar_arm_pd_without_gravity.yaml",
                      "--json"})
          .json();
  ASSERT_EQ(light["predictions"].size(), 1u);
  EXPECT_EQ(light["predictions"][0]["verdict"], "kept");
}

const auto shipped = [](const std::string& name) {
  return TORSOR_SOURCE_DIR "/examples/scenarios/" + name + ".yaml";
};

TEST(SimulateCommand, tells_apart_what_is_violated_and_what_is_not_covered) {
  const CommandResult r =
      torsor_command({"simulate", shipped("direct_drive_tracking_feedforward")});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.says(" hold, 1 not covered by the proof: constant q_d")) << r.out;
  EXPECT_TRUE(r.says("not covered  constant q_d: largest speed of the reference")) << r.out;
  const auto j =
      torsor_command({"simulate", shipped("direct_drive_tracking_feedforward"), "--json"});
  EXPECT_EQ(j.json()["conditions"][0]["verdict"], "not_covered");
  EXPECT_TRUE(torsor_command({"simulate", shipped("planar_arm_pd_without_gravity")})
                  .says("all 5 conditions hold"));
}

/// The loop is stable at this period, and not the continuous one of the predictions.
TEST(SimulateCommand, what_samples_do_not_keep_was_a_claim_of_continuous_control) {
  const ScratchFolder folder;
  const std::string path = (folder / "sampled.yaml").string();
  std::ofstream(path) << "robot: planar2r\n"
                         "controller: {law: optimal_computed_torque, gains: {Q: 1, R0: 0.01}}\n"
                         "reference: {hold: [1.1, -1.9]}\n"
                         "start: {q: [1.0, -1.8]}\n"
                         "run: {duration: 3, period: 0.01, delay: 0.01}\n";
  const CommandResult r = torsor_command({"simulate", path});
  EXPECT_TRUE(r.says("8 hold, 1 not covered by the proof: continuous control")) << r.out;
  EXPECT_TRUE(
      r.says("not kept (within 0.002): a claim of continuous control, and this run is "
             "sampled every 0.01 s"))
      << r.out;
  EXPECT_TRUE(r.says("; the rate of the proof is that of continuous control")) << r.out;
  EXPECT_EQ(torsor_command({"simulate", path, "--strict"}).code, 1);
  EXPECT_NE(in_one_line(torsor_command({"compare", path, path}).out)
                .find("; a claim of continuous control, and this run is sampled every 0.01 s"),
            std::string::npos);
}

/// Of joints with several velocities the table says which: the same words as every other verb.
TEST(SimulateCommand, velocities_of_a_free_base_have_names) {
  const ScratchFolder folder;
  const std::string path = (folder / "falls.yaml").string();
  std::ofstream(path) << "robot: panda\n"
                         "floating: true\n"
                         "controller: {law: none}\n"
                         "run: {duration: 0.05}\n";
  const CommandResult r = torsor_command({"simulate", path});
  EXPECT_EQ(r.code, 0) << r.err;
  for (const char* name : {".wx ", ".wy ", ".wz ", ".vx ", ".vy ", ".vz ", "  joint_2 "})
    EXPECT_TRUE(r.says(name)) << name << r.out;
  EXPECT_FALSE(r.says("root_joint.0")) << r.out;
}

/// Gravity that the law does not know of: its conditions are violated, and so it claims nothing.
TEST(SimulateCommand, what_is_kept_without_a_proof_was_not_claimed) {
  const ScratchFolder folder;
  write_text(folder / "run.yaml",
             "robot: planar2r\ncontroller: {law: independent_pd, gains: {Kp: 100, Kd: 20}, "
             "believes: {gravity: [0, 0, 0]}}\nreference: {hold: [1, 0]}\nstart: {q: [0.8, 0]}\n"
             "run: {duration: 3}\n");
  const CommandResult r = torsor_command({"simulate", "run.yaml"}, folder.path());
  EXPECT_TRUE(r.says(" violated")) << r.out;
  EXPECT_TRUE(
      r.says("  kept (within 1e-06), though not claimed: a condition of the proof is violated"))
      << r.out;
}

TEST(SimulateCommand, strict_asks_for_every_condition_and_every_prediction) {
  const auto code = [](const std::string& name) {
    return torsor_command({"simulate", shipped(name), "--strict"}).code;
  };
  EXPECT_EQ(code("planar_arm_pd_without_gravity"), 0);
  EXPECT_EQ(code("planar_arm_pd_under_gravity"), 1);        // a condition is violated
  EXPECT_EQ(code("direct_drive_tracking_feedforward"), 1);  // the proof does not cover the run
  EXPECT_EQ(code("planar_arm_unknown_load"), 1);            // another robot than believed
}

TEST(SimulateCommand, a_run_that_stopped_early_keeps_nothing) {
  const ScratchFolder folder;
  const std::string path = (folder / "far_too_slow.yaml").string();
  std::ofstream(path) << "robot: planar2r\n"
                         "controller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
                         "reference: {hold: [0.5, 0.5]}\n"
                         "start: {q: [0.3, 0.3]}\n"
                         "run: {duration: 5, period: 0.15}\n";
  const CommandResult r = torsor_command({"simulate", path});
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_TRUE(r.says("1 violated")) << r.out;
  EXPECT_TRUE(r.says("violated     the sampled loop is stable")) << r.out;
  EXPECT_TRUE(r.says("not judged: the run stopped early")) << r.out;
  EXPECT_FALSE(r.says("  kept")) << r.out;
  const auto j = torsor_command({"simulate", path, "--json"}).json();
  EXPECT_EQ(j["predictions"][0]["verdict"], "not_judged");
  const CommandResult table = torsor_command({"compare", path});
  EXPECT_EQ(table.code, 1);
  EXPECT_TRUE(table.says("0/2")) << table.out;  // none of its predictions is kept
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

TEST(SimulateCommand, what_only_the_run_can_refuse_names_the_file) {
  const ScratchFolder folder;
  const std::string path = (folder / "noise.yaml").string();
  std::ofstream(path) << "robot: planar2r\n"
                         "controller: {law: pd_gravity, gains: {Kp: 50, Kd: 15}}\n"
                         "reference: {hold: [0, 0]}\n"
                         "run: {duration: 0.1}\n"
                         "sensors: {position_noise: 1}\n"
                         "sweep: {samples: 2, uncertainties: {noise: true}}\n";
  for (const char* verb : {"simulate", "compare", "sweep"}) {
    const CommandResult r = torsor_command({verb, path}, folder.path());
    EXPECT_EQ(r.code, 2) << verb;
    EXPECT_EQ(r.out, "") << verb;
    EXPECT_EQ(r.err.find("torsor: " + path + ": "), 0u) << verb << ": " << r.err;
  }
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
