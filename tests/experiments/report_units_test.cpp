// Units on pages: of estimates, of components of tasks, of joints of both kinds and of free ones.
#include <gtest/gtest.h>

#include "torsor/experiments/report.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/experiment.hpp"

namespace torsor {
namespace {

struct Simulated {
  Scenario scenario;
  Recording recording;
};
Simulated of_text(const std::string& text) {
  Scenario scenario = read_scenario(text, "a.yaml");
  Recording recording = run_scenario(scenario);
  return {std::move(scenario), std::move(recording)};
}
Simulated example(const std::string& name) {
  Scenario scenario = load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/" + name + ".yaml");
  Recording recording = run_scenario(scenario);
  return {std::move(scenario), std::move(recording)};
}
std::string still_page(const Simulated& run) {
  Report page;
  page.sections = {{"", "", {{"run", &run.recording}}, &run.scenario.plant_model}};
  page.linear = linear_dofs(run.scenario.plant_model);
  page.still = true;
  return report_page(page);
}
bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}

TEST(ReportUnits, estimates_of_one_unit_share_a_panel) {
  const std::string page = still_page(example("planar_arm_learns_a_payload"));
  EXPECT_TRUE(has(page, ">kg m²</text>"));
  EXPECT_TRUE(has(page, "kg\u00a0m²: <span><i class=\"k0\"></i>link_1.zz</span>"));
  EXPECT_TRUE(has(page, "kg\u00a0m: <span><i class=\"k0\"></i>link_2.mx.inertia</span>"));
}

TEST(ReportUnits, estimates_beside_the_states_have_a_heading_and_units) {
  const std::string page = still_page(example("momentum_observer"));
  EXPECT_TRUE(has(page, "<summary>Estimates</summary>"));
  EXPECT_TRUE(has(page, ">N m s</text>"));  // of momenta
  EXPECT_FALSE(has(page, "Recorded as"));
}

/// Two arms press a point beside that of their task: rows that mix both count in m and N.
TEST(ReportUnits, every_component_of_a_task_has_one_unit) {
  const Simulated pair = example("two_arms_learn_their_object");
  EXPECT_EQ(pair.recording.task_e.columns,
            (std::vector<std::string>{"task_e.motion_1", "task_e.motion_2", "task_e.force_1"}));
  const std::string page = still_page(pair);
  EXPECT_TRUE(has(page, ">m</text>") && has(page, ">N</text>"));
  EXPECT_FALSE(has(page, "m or rad") || has(page, "N or N m"));
  // Paths and integrals are named, too.
  EXPECT_TRUE(has(page, "path.motion_1</span>") && has(page, "integral.force_1</span>"));
  EXPECT_TRUE(has(page, "N\u00a0s: "));
  // And the components stand in the table of figures.
  EXPECT_TRUE(has(page, "<td>force_1</td><td>N</td>"));
}

TEST(ReportUnits, tables_of_a_robot_that_slides_and_turns_say_which_is_which) {
  const std::string page = still_page(
      of_text("robot: scara\ncontroller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
              "reference: {hold: [0.1, 0.2, 0.05, 0]}\nstart: {q: [0, 0.2, 0.1, 0]}\nrun: "
              "{duration: 0.2}\n"));
  EXPECT_TRUE(has(page, "<td>quill</td><td>m,\u00a0N</td>"));
  EXPECT_TRUE(has(page, "<td>joint_1</td><td>rad,\u00a0N\u00a0m</td>"));
  EXPECT_TRUE(has(page, "rms ‖e‖ of all joints, rad,\u00a0m</th>"));
}

TEST(ReportUnits, coordinates_of_a_free_base_have_their_names_and_units) {
  const std::string page = still_page(
      of_text("robot: panda\nfloating: true\ncontroller: {law: none}\nrun: {duration: 0.05}\n"));
  EXPECT_TRUE(has(page, ">root_joint.z</text>") && has(page, ">root_joint.qw</text>"));
  EXPECT_TRUE(has(page, ">root_joint.wx</text>") && has(page, ">root_joint.vz</text>"));
  EXPECT_FALSE(has(page, ">root_joint.0</text>"));
}

}  // namespace
}  // namespace torsor
