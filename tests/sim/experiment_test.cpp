/// One experiment, several laws.
#include "torsor/sim/experiment.hpp"

#include <gtest/gtest.h>

#include "torsor/experiments/scenario_file.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

using Names = std::vector<std::string>;

const std::string text = R"(
robot: planar2r
plant:
  payloads: [{link: link_2, mass: 0.5, com: [1, 0, 0]}]
  disturbance: {torque: [5, 0], from: 0.5, to: 1}
controller: {law: independent_pd, gains: {Kp: 50, Kd: 10}}
reference: {sinusoid: {offset: [0, 1], amplitude: [0.5, 0.5], frequency: [2, 2], phase: [0, 1]}}
start: {q: [0.2, 1.2]}
run: {duration: 1.5, record_every: 0.1, period: 0.01}
sensors: {velocity_noise: 0.01, seed: 7}
actuators: {torque_limit: [60, 30]}
)";

Scenario scenario(const std::string& from = "", const std::string& to = "") {
  std::string changed = text;
  if (!from.empty()) changed.replace(changed.find(from), from.size(), to);
  return read_scenario(changed, "test.yaml");
}

TEST(Experiment, laws_and_beliefs_are_no_difference) {
  EXPECT_EQ(differences(scenario(), scenario()), Names{});
  EXPECT_EQ(differences(scenario(), scenario("Kp: 50", "Kp: 70")), Names{});
  EXPECT_EQ(
      differences(scenario(), scenario("Kd: 10}}", "Kd: 10}, believes: {parameter_factor: 2}}")),
      Names{});
}

TEST(Experiment, every_other_part_is) {
  EXPECT_EQ(differences(scenario(), scenario("mass: 0.5", "mass: 0.6")), Names{"plant"});
  EXPECT_EQ(differences(scenario(), scenario("[5, 0]", "[5, 1]")), Names{"plant"});
  EXPECT_EQ(differences(scenario(), scenario("phase: [0, 1]", "phase: [0, 2]")),
            Names{"reference"});
  EXPECT_EQ(differences(scenario(), scenario("q: [0.2, 1.2]", "q: [0.2, 1.3]")), Names{"start"});
  EXPECT_EQ(differences(scenario(), scenario("period: 0.01", "period: 0.02")), Names{"run"});
  EXPECT_EQ(differences(scenario(), scenario("seed: 7", "seed: 8")), Names{"sensors"});
  EXPECT_EQ(differences(scenario(), scenario("[60, 30]", "[60, 40]")), Names{"actuators"});
}

TEST(Experiment, one_law_in_the_plant_of_another) {
  const Scenario a = scenario();
  const Scenario b =
      scenario("{law: independent_pd, gains: {Kp: 50, Kd: 10}}",
               "{law: computed_torque, gains: {Kp: 100, Kd: 20}, believes: {parameter_factor: 2}}");
  const Scenario c = with_law_of(a, b);
  EXPECT_EQ(c.law, "computed_torque");
  EXPECT_EQ(parameters(c.controller_model), parameters(b.controller_model));
  EXPECT_EQ(parameters(c.plant_model), parameters(a.plant_model));
  EXPECT_EQ(differences(a, c), Names{});
  EXPECT_EQ(run_scenario(c).controller, "computed_torque");
}

TEST(Experiment, other_joints_are_refused) {
  const Scenario other = read_scenario(
      "robot: pendulum\ncontroller: {law: independent_pd, gains: {Kp: 1, Kd: 1}}\n"
      "reference: {hold: [0]}\n",
      "other.yaml");
  EXPECT_THROW((void)with_law_of(scenario(), other), Error);
}

}  // namespace
}  // namespace torsor
