/// Scenarios of several arms with one object: the robot file is the golden robot, and the runs give
/// the golden numbers.
#include <gtest/gtest.h>

#include "support/cooperating_arms.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {
namespace {

const std::string examples = TORSOR_SOURCE_DIR "/examples";

Recording run(const std::string& name) {
  return run_scenario(load_scenario(examples + "/scenarios/" + name + ".yaml"));
}

TEST(MultiArmScenarios, the_robot_file_is_the_golden_robot) {
  const Model<double> file = load_robot(examples + "/robots/two_planar_arms.yaml");
  const Model<double> code = testing::planar_arms(testing::two_planar_grasps());
  const std::vector<double> a = parameters(file), b = parameters(code);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-15);
  const ConstraintSet loops(file), others(code);
  ASSERT_EQ(loops.loops().size(), 1u);
  const LoopConstraint &x = loops.loops()[0], &y = others.loops()[0];
  EXPECT_EQ(x.name, y.name);
  EXPECT_EQ(x.body_a, y.body_a);
  EXPECT_LT(norm(x.T_b.p - y.T_b.p) + norm(x.T_a.p - y.T_a.p), 1e-15);
  EXPECT_LT(norm(log(transpose(x.T_b.R) * y.T_b.R)), 1e-7);
}

TEST(MultiArmScenarios, G_3_13_gives_the_golden_torques_force_and_motion) {
  const Recording r = run("two_arms_press_one_object");
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double tau[6] = {17.23436095,  -2.93826246, 1.90925948,
                         -28.65215902, -1.96097094, -7.26690742};
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(r.tau(0, k), tau[k], 1e-7) << k;
  for (int row = 0; row < r.size(); ++row) EXPECT_NEAR(r.task_e(row, 2), 0, 1e-7);
  EXPECT_NEAR(r.task_e(r.at(0.5), 1), (-0.05 + (0.2 - 0.5) * 0.5) * std::exp(-5), 1e-9);
  EXPECT_EQ(r.loop.width(), 6);
}

TEST(MultiArmScenarios, X_3_24_comes_to_rest_at_the_wall) {
  const Recording r = run("two_arms_object_impedance_at_a_wall");
  EXPECT_NEAR(r.contact(r.size() - 1, 0), 18.181818, 1e-5);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
}

TEST(MultiArmScenarios, X_3_25_learns_while_v_falls) {
  const Recording r = run("two_arms_learn_their_object");
  const int last = r.size() - 1;
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  for (int k = 0; k < 2; ++k) EXPECT_LT(std::abs(r.task_e(last, k)), 1e-3);
  EXPECT_LT(std::abs(r.task_e(last, 2)), 0.1);
}

TEST(MultiArmScenarios, a_wrong_parameter_is_refused_with_its_place) {
  const std::string text = R"(
robot: two_planar_arms.yaml
controller:
  law: multi_arm_hybrid
  gains: {object: objekt, Kp: 1, Kd: 1}
reference: {task: {hold: [0, 0, 0]}}
)";
  try {
    (void)read_scenario(text, examples + "/robots/test.yaml");
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("test.yaml:4"), std::string::npos) << what;
    EXPECT_NE(what.find("objekt"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace torsor
