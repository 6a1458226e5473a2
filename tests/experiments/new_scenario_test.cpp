/// A scenario to begin with, for every law: it is read, it runs, and the robot does what it should.
#include "torsor/experiments/new_scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/assemble.hpp"
#include "torsor/sim/run_summary.hpp"

namespace torsor {
namespace {

const std::string two_arms = TORSOR_SOURCE_DIR "/examples/robots/two_planar_arms.yaml";

struct Case {
  std::string law, robot;
};
std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.law + "_" + info.param.robot;
  if (info.param.robot == two_arms) name = info.param.law + "_two_arms";
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const LawEntry& law : laws())
    if (law.chapter() == "Several arms")
      all.push_back({law.name, two_arms});
    else
      for (const char* robot : {"planar2r", "ur5"}) all.push_back({law.name, robot});
  // Robots with slides.
  for (const LawEntry& law : laws())
    if (law.chapter() != "Several arms" && law.chapter() != "Tasks and contact")
      for (const char* robot : {"stanford", "scara"}) all.push_back({law.name, robot});
  // A robot with dry friction.
  for (const char* law : {"computed_torque", "hybrid_position_force", "independent_pd",
                          "operational_space", "resolved_acceleration", "slotine_li"})
    all.push_back({law, "puma560"});
  // A planar arm whose tip turns by itself; a chain whose links are light beside the heaviest.
  for (const char* law : {"impedance", "operational_space", "resolved_acceleration"})
    all.push_back({law, "planar3r"});
  all.push_back({"robust_computed_torque", "chain:4"});
  return all;
}

class NewScenario : public ::testing::TestWithParam<Case> {};

TEST_P(NewScenario, runs_and_does_not_diverge) {
  const auto& [law, robot] = GetParam();
  const std::string text = new_scenario(law, robot, load_robot(robot));
  const Scenario s = read_scenario(text, "new.yaml");
  EXPECT_EQ(s.law, law);
  const Recording r = run_scenario(s);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message << "\n" << text;
  if (law == "none") return;  // it falls
  const RunSummary run = summarise(r);
  if (!std::isnan(run.final_error)) {
    // Plain PD keeps G / Kp, sliding modes their layer; nothing ends farther off than it began.
    EXPECT_LE(run.final_error, 0.35) << text;
    EXPECT_LE(run.max_error, 0.6) << text;
  }
  if (!std::isnan(run.task_final)) {
    // A wall stops those that give way; the others end at their goal, to a newton where they press.
    const bool gives_way = law == "impedance" || law == "admittance";
    EXPECT_LE(run.task_final, gives_way ? 20.0 : r.contact.rows() > 0 ? 1.0 : 0.01) << text;
  }
  for (int k = 0; k < r.qd.width(); ++k) EXPECT_LT(std::abs(r.qd(r.size() - 1, k)), 0.5) << text;
  // Clean: the theorem covers the run, and the run keeps it.
  if (law == "joint_limit_avoidance" && robot == "planar2r") return;  // it has no limits
  for (const Condition& c : r.conditions)
    EXPECT_TRUE(c.satisfied()) << c.name << ": " << c.text() << "\n" << text;
  for (const Comparison& c : compare_predictions(r))
    EXPECT_TRUE(c.kept) << c.prediction.name << c.observed << "\n" << text;
  EXPECT_EQ(r.figures.position.beyond, 0) << r.figures.position.value << "\n" << text;
}

/// These start on their reference, where V is zero: what samples leave of it is no decay that failed.
TEST(NewScenarioSampled, at_one_kilohertz_is_covered_and_kept) {
  const Model<double> arm = load_robot("planar2r");
  for (const char* law : {"computed_torque", "nonlinear_decoupling", "optimal_computed_torque",
                          "passivity_tracking", "slotine_li"}) {
    Scenario s = read_scenario(new_scenario(law, "planar2r", arm), "new.yaml");
    s.options.period = 1e-3;
    s.options.duration = 1;
    const Recording r = run_scenario(s);
    EXPECT_TRUE(all_satisfied(r.conditions)) << law;
    for (const Comparison& c : compare_predictions(r))
      EXPECT_TRUE(c.kept || (c.prediction.quantity == PredictedQuantity::decay_rate &&
                             c.why_open == "V starts below what samples leave"))
          << law << ": " << c.prediction.name << c.observed;
  }
}

/// Robots that a law cannot have are told by law, robot and what is missing, not by a scenario that
/// nobody has written.
TEST(NewScenarioRefusal, says_what_the_robot_lacks) {
  const auto refusal = [](const char* law, const char* robot) -> std::string {
    try {
      (void)new_scenario(law, robot, load_robot(robot));
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refusal("hybrid_position_force", "pendulum"),
            "law \"hybrid_position_force\" needs a task of two coordinates, to press along one and "
            "move along the other; robot \"pendulum\" moves 1 coordinate of frame \"tip\" with 1 "
            "degree of freedom");
  EXPECT_NE(refusal("hybrid_position_force", "slider_crank").find("a task of two coordinates"),
            std::string::npos);
  EXPECT_NE(refusal("adaptive_hybrid_position_force", "iiwa14").find("with 7 degrees of freedom"),
            std::string::npos);
}

/// Starts and goals are inside the limits, loops and couplings closed.
TEST(NewScenarioStart, is_a_posture_that_the_robot_can_have) {
  for (const char* robot :
       {"panda_hand", "five_bar", "palletiser", "stewart", "delta", "humanoid38"}) {
    const Model<double> model = load_robot(robot);
    const Scenario s = read_scenario(new_scenario("pd_gravity", robot, model), "new.yaml");
    ReferencePoint goal;
    s.reference(0, goal);
    const ConstraintSet loops(model);
    for (const Array<double>& q : {s.options.q0, goal.q}) {
      AssemblyWorkspace ws(model, loops);
      EXPECT_LT(constraint_errors(model, loops, ws, q, Array<double>(model.n_v())).position, 1e-6)
          << robot;
      for (int k = 0; k < model.n_v() && model.n_q() == model.n_v(); ++k) {
        EXPECT_GE(q[k], model.limits(k).lower) << robot << k;
        EXPECT_LE(q[k], model.limits(k).upper) << robot << k;
      }
    }
  }
}

TEST_P(NewScenario, has_every_gain_with_its_meaning) {
  const auto& [law, robot] = GetParam();
  const std::string text = new_scenario(law, robot, load_robot(robot));
  for (const GainEntry& gain : find_law(law).gains) {
    EXPECT_NE(text.find(std::string(gain.name) + ": "), std::string::npos) << gain.name;
    EXPECT_NE(text.find(gain.meaning), std::string::npos) << gain.name;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryLaw, NewScenario, ::testing::ValuesIn(cases()), name_of_case);

TEST(NewScenarioRefusal, says_what_the_law_needs) {
  const auto refusal = [](const std::string& law, const std::string& robot) -> std::string {
    try {
      (void)new_scenario(law, robot, load_robot(robot));
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  EXPECT_NE(refusal("computed_torqe", "planar2r").find("did you mean \"computed_torque\"?"),
            std::string::npos);
  EXPECT_NE(refusal("multi_arm_hybrid", "planar2r").find("a link \"object\" that they hold"),
            std::string::npos);
}

}  // namespace
}  // namespace torsor
