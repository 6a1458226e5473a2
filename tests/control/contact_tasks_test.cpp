/// Tasks in contact, as scenario files: what each of them promises.
#include <gtest/gtest.h>

#include <cmath>

#include "torsor/experiments/scenario_file.hpp"

namespace torsor {
namespace {

Recording run(const std::string& name) {
  const Recording r =
      run_scenario(load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/" + name + ".yaml"));
  EXPECT_EQ(r.stop, StopReason::finished) << name << ": " << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions)) << name;
  return r;
}
/// What the law predicted of its poles is what happened.
void expect_predictions(const Recording& r, std::size_t count) {
  const std::vector<Comparison> all = compare_predictions(r);
  EXPECT_EQ(all.size(), count);
  for (const Comparison& c : all) EXPECT_TRUE(c.kept) << c.prediction.name << ": " << c.observed;
}
double worst(const Recording& r, int first, int count, double from = 0) {
  double largest = 0;
  for (int k = first; k < first + count; ++k)
    largest = std::fmax(largest, task_metrics(r, k, from).max_error);
  return largest;
}

TEST(ContactTasks, G_3_12a_the_ring_as_a_scenario) {
  const Recording r = run("ring_position_and_force");
  EXPECT_NEAR(r.tau(0, 0), 17.177306143, 1e-8);
  EXPECT_NEAR(r.tau(0, 1), 2.662968797, 1e-8);
  EXPECT_LT(worst(r, 1, 1), 1e-8);
  expect_predictions(r, 1);
}

TEST(ContactTasks, G_3_12b_the_wall_in_three_modes_as_scenarios) {
  const char* const names[3] = {"hogan", "force_tracking", "book"};
  const double force[3] = {18.181818, 25.454545, 120};
  for (int k = 0; k < 3; ++k) {
    const Recording r = run(std::string("wall_impedance_") + names[k]);
    EXPECT_NEAR(r.contact(r.size() - 1, 0), force[k], 1e-6) << names[k];
  }
}

TEST(ContactTasks, X_3_22_the_adaptive_ring_as_a_scenario) {
  const Recording r = run("ring_adaptive_position_and_force");
  EXPECT_NEAR(r.lyapunov(0, 0), 0.3567893, 1e-7);
  EXPECT_NEAR(r.lyapunov(r.size() - 1, 0), 0.2126389, 1e-6);
  EXPECT_LT(worst(r, 1, 1, 18), 0.0256);
}

/// Sampled at 1 kHz: the chalk draws its eight within a millimetre once it moves, and keeps its
/// force to a few millinewtons.
TEST(ContactTasks, X_3_21_a_ur5_writes_on_a_board) {
  const Recording r = run("writing_on_a_board");
  EXPECT_LT(worst(r, 0, 2, 0.8), 1e-3);  // m
  EXPECT_LT(worst(r, 2, 3), 1e-3);       // rad
  EXPECT_LT(worst(r, 5, 1), 0.01);       // N
  for (int row = 1; row < r.size(); ++row) EXPECT_NEAR(r.contact(row, 0), 8, 0.01);
}

TEST(ContactTasks, a_flat_tool_slides_on_a_plane_with_the_commanded_force_and_moments) {
  const Recording r = run("sliding_on_a_plane");
  EXPECT_LT(worst(r, 3, 3), 1e-7);
  EXPECT_LT(worst(r, 0, 3, 1.5), 1e-5);
  expect_predictions(r, 3);
  for (int row = 0; row < r.size(); ++row) {
    EXPECT_NEAR(r.contact(row, 0) + r.contact(row, 1) + r.contact(row, 2), 30, 1e-7);
    for (int k = 0; k < 3; ++k) EXPECT_GT(r.contact(row, k), 5);
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(ContactTasks, a_peg_sinks_along_its_line_without_side_forces) {
  const Recording r = run("peg_in_a_hole");
  EXPECT_LT(worst(r, 0, 6), 1e-8);
  for (int row = 0; row < r.size(); ++row)
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(r.contact(row, k), 0, 1e-8);
}

TEST(ContactTasks, a_crank_is_turned_twice_with_the_commanded_radial_force) {
  const Recording r = run("crank_turning");
  EXPECT_LT(worst(r, 0, 6), 1e-8);
  EXPECT_EQ(r.events, 0);
  expect_predictions(r, 1);  // rotations do not move one by one
  for (int row = 0; row < r.size(); ++row) EXPECT_NEAR(r.contact(row, 0), 5, 1e-8);
}

TEST(ContactTasks, a_redundant_arm_draws_its_circle_while_it_changes_its_posture) {
  const Recording r = run("operational_space_redundant");
  EXPECT_LT(worst(r, 0, 3, 2), 1e-6);
  expect_predictions(r, 3);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_GT(std::abs(r.q(r.size() - 1, 2) - r.q(0, 2)), 0.1);
}

/// What a scenario says wrongly is refused with its line.
TEST(ContactTasks, mistakes_are_refused_with_line_and_nearest_name) {
  const auto refusal = [](const std::string& gains, const std::string& reference) {
    const std::string text =
        "robot: planar2r\ncontroller:\n  law: hybrid_position_force\n  gains: {" + gains +
        "}\nreference: {" + reference + "}\n";
    try {
      (void)run_scenario(read_scenario(text, "bad.yaml"));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  const std::string good =
      "frame: tip, axes: xy, constraint: plane, normal: [0, 1, 0], Kp: 1, Kd: 1";
  const std::string task = "task: {hold: [0]}, force: {hold: [1]}";
  EXPECT_EQ(refusal(good, task), "not refused");
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_NE(message.find("bad.yaml"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return refusal(text, task);
  };
  expect(with("constraint: plane", "constraint: plan"), "did you mean \"plane\"?");
  expect(with("frame: tip", "frame: top"), "top");
  expect(with("Kp: 1", "Kp: [1, 2]"), "Kp");
  expect(with("normal: [0, 1, 0]", "normal: [0, 0, 1]"), "normal");
  expect(with("axes: xy", "axes: xy, angles: eulr"), "did you mean \"euler\"?");
  expect(with("Kd: 1", "Kd: 1, KG: 3"), "KG");
  expect(refusal(good, "task: {hold: [0, 0]}, force: {hold: [1]}"), "2 numbers of the task");
  expect(refusal(good, "task: {hold: [0]}, force: {hold: [1, 1]}"), "2 numbers of force");
  expect(refusal(good, "hold: [0, 0]"), "follows a task");
}

}  // namespace
}  // namespace torsor
