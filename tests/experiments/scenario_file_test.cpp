/// Scenario files: what they say is what runs, and what they say wrongly is refused with its line.
#include "torsor/experiments/scenario_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/certificate.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/internal/chain_robot.hpp"

namespace torsor {
namespace {

const std::string scenarios = TORSOR_SOURCE_DIR "/examples/scenarios";

TEST(ScenarioFile, G_3_2_without_gravity_gives_the_golden_numbers) {
  const Recording r =
      run_scenario(load_scenario(scenarios + "/planar_arm_pd_without_gravity.yaml"));
  EXPECT_DOUBLE_EQ(r.lyapunov(0, 0), 180);
  EXPECT_NEAR(r.lyapunov(r.at(0.5), 0), 6.22363196, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.01728564, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), -0.04537483, 1e-8);
  EXPECT_TRUE(all_satisfied(r.conditions));
}

TEST(ScenarioFile, G_3_2_under_gravity_gives_the_golden_error) {
  const Recording r = run_scenario(load_scenario(scenarios + "/planar_arm_pd_under_gravity.yaml"));
  EXPECT_NEAR(r.e(r.size() - 1, 0), 0.143573378, 1e-9);
  EXPECT_NEAR(r.e(r.size() - 1, 1), 0.078615546, 1e-9);
}

TEST(ScenarioFile, every_scenario_of_the_examples_runs_to_its_end) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scenarios)) {
    if (entry.path().extension() != ".yaml") continue;
    const Recording r = run_scenario(load_scenario(entry.path().string()));
    EXPECT_EQ(r.stop, StopReason::finished) << entry.path() << ": " << r.message;
    ++count;
  }
  EXPECT_GE(count, 2);
}

TEST(ScenarioFile, whoever_loads_one_hears_the_warnings_about_its_robot) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "torsor_scenario_findings";
  std::filesystem::create_directories(folder);
  RobotDescription robot = internal::chain_robot(1);
  robot.joints[0].limits[0].effort = 0;
  save_urdf(robot, (folder / "arm.urdf").string());
  const std::string rest =
      "\ncontroller: {law: computed_torque, gains: {Kp: 1, Kd: 1}}\n"
      "reference: {hold: [0]}\n";
  Findings findings;
  (void)read_scenario("robot: arm.urdf" + rest, (folder / "run.yaml").string(), &findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Finding::Kind::effort_limit);
  EXPECT_EQ(findings[0].severity, Finding::Severity::warning);
  EXPECT_EQ(findings[0].element, "joint \"joint_1\"");
  findings.clear();
  (void)read_scenario("robot: chain:1" + rest, "run.yaml", &findings);
  EXPECT_TRUE(findings.empty());
  std::filesystem::remove_all(folder);
}

TEST(ScenarioFile, parameters_that_no_body_has_are_warned_about_in_the_plant) {
  const auto findings_of = [](const std::string& plant, const std::string& believes) {
    Findings findings;
    (void)read_scenario(
        "robot: planar2r\nplant: {parameters: {" + plant +
            "}}\ncontroller: {law: computed_torque, gains: {Kp: 1, Kd: 1}, believes: "
            "{parameters: {" +
            believes + "}}}\nreference: {hold: [0, 0]}\n",
        "run.yaml", &findings);
    return findings;
  };
  EXPECT_TRUE(findings_of("link_2.zz: 0.3333", "link_2.xx: -5").empty());  // a law may believe so
  EXPECT_TRUE(findings_of("link_2.m: 2, link_2.mx: 0.6", "").empty());
  for (const char* plant : {"link_2.xx: -5", "link_2.yy: 9", "link_2.mx: 0.6"}) {
    const Findings found = findings_of(plant, "");
    ASSERT_EQ(found.size(), 1u) << plant;
    EXPECT_EQ(found[0].severity, Finding::Severity::warning);
    EXPECT_EQ(found[0].kind, Finding::Kind::impossible_inertia);
    EXPECT_EQ(found[0].line().find("run.yaml:2: plant: parameters: link \"link_2\": no body has"),
              0u)
        << found[0].line();
  }
}

const std::string full = R"(
scenario: all_of_it
title: Every key
robot: planar2r
plant:
  parameter_factor: 1.5
  payloads: [{link: link_2, mass: 0.5, com: [1, 0, 0]}]
  friction: false
  stops: {stiffness: 1000, damping: 0.1}
  surfaces: [{name: wall, frame: tip, origin: [1.2, 0, 0], normal: [-1, 0, 0], stiffness: 2000}]
  disturbance: {torque: [5, 0], from: 1, to: 2}
controller:
  law: independent_pd
  gains: {Kp: 50, Kd: [30, 1, 1, 15]}
  believes: {gravity: [0, 0, 0], parameters: {link_1.zz: 0.7}}
reference:
  sinusoid: {offset: [0, 1], amplitude: [0.5, 0.5], frequency: [2, 2], phase: [0, 1.5707963267948966]}
start: {q: [0.2, 1.2], qd: [0.1, 0]}
run: {duration: 0.5, record_every: 0.1, integrator: rk4, step: 0.002, period: 0.01, delay: 0.005}
sensors: {encoder_step: [0.001, 0.001], velocity_noise: 0.01, seed: 7}
actuators: {torque_limit: [60, 30], rate_limit: [1000, 1000]}
output: [run.csv]
)";

TEST(ScenarioFile, every_key_arrives) {
  const Scenario s = read_scenario(full, "all.yaml");
  EXPECT_EQ(s.name, "all_of_it");
  EXPECT_EQ(s.title, "Every key");
  EXPECT_FALSE(s.friction);
  EXPECT_EQ(s.stops.stiffness, 1000);
  ASSERT_EQ(s.surfaces.size(), 1u);
  EXPECT_EQ(s.surfaces[0].stiffness, 2000);
  // 1.5 (1 kg) + 0.5 kg, first moment 1.5 (0.5) + 0.5
  EXPECT_NEAR(parameters(s.plant_model)[10], 2, 1e-12);
  EXPECT_NEAR(parameters(s.plant_model)[11], 1.25, 1e-12);
  EXPECT_NEAR(parameters(s.controller_model)[10], 1, 1e-12);
  EXPECT_EQ(parameters(s.controller_model)[9], 0.7);
  EXPECT_NEAR(parameters(s.plant_model)[9], 0.5, 1e-12);
  EXPECT_EQ(norm(s.controller_model.gravity()), 0);
  EXPECT_EQ(s.plant_model.gravity().y, -9.81);
  double tau[2] = {0, 0};
  s.disturbance(0.5, {}, {}, tau);
  EXPECT_EQ(tau[0], 0);
  s.disturbance(1.5, {}, {}, tau);
  EXPECT_EQ(tau[0], 5);
  ReferencePoint p;
  s.reference(0.3, p);
  EXPECT_NEAR(p.q[1], 1 + 0.5 * std::cos(0.6), 1e-15);
  EXPECT_NEAR(p.qd[1], -std::sin(0.6), 1e-15);
  EXPECT_NEAR(p.qdd[0], -2 * std::sin(0.6), 1e-15);
  EXPECT_EQ(s.options.integrator, Integrator::rk4);
  EXPECT_EQ(s.options.period, 0.01);
  EXPECT_EQ(s.options.sensors.seed, 7u);
  EXPECT_EQ(s.options.actuators.torque_limit[1], 30);
  EXPECT_EQ(s.outputs, (std::vector<std::string>{"run.csv"}));
  const Recording r = run_scenario(s);
  EXPECT_EQ(r.stop, StopReason::finished) << r.message;
  // The proof of a set point without limits, noise and pushes is about another run.
  const std::vector<std::string> missing = testing::not_covered(r.conditions);
  for (const char* name :
       {"constant q_d", "torques may jump", "exact measurement", "nothing disturbs"})
    EXPECT_EQ(std::count(missing.begin(), missing.end(), name), 1) << name;
}

TEST(ScenarioFile, a_law_may_believe_in_the_robot_of_another_file) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "believed_robot";
  std::filesystem::create_directories(folder);
  RobotDescription lighter = load_robot("planar2r").description();
  for (Link& link : lighter.links) link.inertial.mass *= 0.5;
  save_robot_file(lighter, (folder / "lighter.yaml").string());
  const auto text = [](const std::string& robot) {
    return "robot: planar2r\ncontroller:\n  law: computed_torque\n  gains: {Kp: 100, Kd: 20}\n"
           "  believes: {robot: " +
           robot + "}\nreference: {hold: [0.5, 0.5]}\n";
  };
  const std::string file = (folder / "run.yaml").string();
  const Scenario s = read_scenario(text("lighter.yaml"), file);
  EXPECT_EQ(parameters(s.controller_model)[10], 0.5 * parameters(s.plant_model)[10]);
  RobotDescription renamed = lighter;
  renamed.joints.back().name = "wrist";
  save_robot_file(renamed, (folder / "renamed.yaml").string());
  for (const char* other : {"puma560", "renamed.yaml"}) try {
      (void)read_scenario(text(other), file);
      ADD_FAILURE() << other;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(":5: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(other), std::string::npos) << error.what();
    }
  // A sweep goes on only with the file that it began with.
  const std::string before = scenario_fingerprint(text("lighter.yaml"), file);
  lighter.links.back().inertial.mass *= 1.01;
  save_robot_file(lighter, (folder / "lighter.yaml").string());
  EXPECT_NE(scenario_fingerprint(text("lighter.yaml"), file), before);
  std::filesystem::remove_all(folder);
}

TEST(ScenarioFile, a_robot_may_be_nothing_but_some_parameters) {
  std::string text = full;
  text.replace(text.find("gravity: [0, 0, 0], par"), 18, "parameter_factor: 0");
  const std::vector<double> p = parameters(read_scenario(text, "all.yaml").controller_model);
  for (std::size_t k = 0; k < p.size(); ++k) EXPECT_EQ(p[k], k == 9 ? 0.7 : 0) << k;
}

/// The message for the full scenario with one text replaced.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text = full;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    (void)read_scenario(text, "all.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ScenarioFile, mistakes_are_refused_with_line_and_nearest_name) {
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  expect(refusal("start:", "strat:"), "all.yaml:18");
  expect(refusal("start:", "strat:"), "did you mean \"start\"?");
  expect(refusal("robot: planar2r", "robot: planar2"), "did you mean");
  expect(refusal("law: independent_pd", "law: independant_pd"), "did you mean \"independent_pd\"?");
  expect(refusal("Kp: 50", "Kq: 50"), "\"Kp\" is missing");
  expect(refusal("Kp: 50", "Kp: 50, Ki: 3"), "has no parameter \"Ki\"");
  expect(refusal("Kp: 50", "Kp: [1, 2, 3]"), "3 numbers");
  expect(refusal("Kp: 50", "Kp: [[50, 0], [0, 50]]"), "Kp: is a list of lists");
  expect(refusal("Kp: 50", "Kp: []"), "Kp: is an empty list");
  expect(refusal("record_every: 0.1", "record_every: 1e-9"), "record_every: 8e-08 would do");
  expect(refusal("integrator: rk4", "integrator: rk5"), "did you mean \"rk4\"?");
  expect(refusal("q: [0.2, 1.2]", "q: [0.2]"), "all.yaml:18");
  expect(refusal("link: link_2", "link: link_9"), "link_9");
  expect(refusal("link_1.zz: 0.7", "link_1.zzz: 0.7"),
         "all.yaml:15: scenario: controller: believes: parameters: link_1.zzz: is no inertial "
         "parameter; did you mean \"link_1.zz\"?");
  expect(refusal("link_1.zz: 0.7", "link_1.zz: heavy"), "all.yaml:15");
  expect(refusal("seed: 7", "seed: 7.5"), "whole number");
  expect(refusal("sinusoid: {", "sinusoids: {"), "did you mean");
  expect(refusal("controller:", "controler:"), "did you mean \"controller\"?");
}

}  // namespace
}  // namespace torsor
