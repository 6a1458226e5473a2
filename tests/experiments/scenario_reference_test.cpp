/// References of scenario files: each kind is the curve its formula says, and mistakes are refused
/// with their line.
#include <gtest/gtest.h>

#include <cmath>

#include "house/process.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

const std::string scenarios = TORSOR_SOURCE_DIR "/examples/scenarios";

/// A scenario whose reference, from line 8 on, is `text`; resolved acceleration of the tip or PD.
std::string scenario(const std::string& text, bool task) {
  return std::string("scenario: any\ntitle: any\nrobot: planar2r\n") +
         (task ? "controller:\n  law: resolved_acceleration\n"
                 "  gains: {frame: tip, axes: xy, kp: 100, kd: 20}\n"
               : "controller:\n  law: pd_gravity\n  gains: {Kp: 100, Kd: 20}\n") +
         "reference:\n  " + text + "\n";
}

ReferencePoint at(double t, const std::string& text, bool task = false) {
  const Scenario s = read_scenario(scenario(text, task), "any.yaml");
  ReferencePoint p;
  s.reference(t, p);
  return p;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-14) << k;
}

TEST(ScenarioReference, motions_of_joints_are_their_formulas) {
  ReferencePoint p = at(3, "hold: [1, -0.5]");
  expect_equal(p.q, {1, -0.5});
  expect_equal(p.qd, {0, 0});
  p = at(0.5, "quintic: {from: [0, 1], to: [2, 0], duration: 1}");
  expect_equal(p.q, {1, 0.5});
  expect_equal(p.qd, {15.0 / 8 * 2, -15.0 / 8});
  p = at(0.25, "sinusoid: {amplitude: [1, 2], frequency: 2, offset: [0, 1]}");
  expect_equal(p.q, {std::sin(0.5), 1 + 2 * std::sin(0.5)});
  expect_equal(p.qdd, {-4 * std::sin(0.5), -8 * std::sin(0.5)});
  // 2 rad at 1 rad/s and 2 rad/s^2: ramps of 0.5 s; the other joint goes along
  p = at(0.5, "trapezoid: {from: [0, 0], to: [2, 1], velocity: 1, acceleration: [2, 2]}");
  expect_equal(p.q, {0.25, 0.125});
  expect_equal(p.qd, {1, 0.5});
  // Three points on a line at even times with natural ends: the line.
  p = at(0.5, "spline: {times: [0, 1, 2], points: [[0, 0], [1, 2], [2, 4]], ends: natural}");
  expect_equal(p.q, {0.5, 1});
  expect_equal(p.qd, {1, 2});
  p = at(0.3, "fourier: {frequency: 2, offset: [1, 0], a: [[3], [0]], b: [[0], [4]]}");
  expect_equal(p.q, {1 + 1.5 * std::sin(0.6), -2 * std::cos(0.6)});
  expect_equal(p.qd, {3 * std::cos(0.6), 4 * std::sin(0.6)});
}

TEST(ScenarioReference, tasks_and_forces_are_their_formulas) {
  const double angle = 2 * 0.4 + 0.1, c = 0.3 * std::cos(angle), s = 0.3 * std::sin(angle);
  ReferencePoint p =
      at(0.4, "task: {circle: {centre: [1, 0.5], radius: 0.3, rate: 2, phase: 0.1}}", true);
  EXPECT_TRUE(p.q.empty());
  expect_equal(p.x, {1 + c, 0.5 + s});
  expect_equal(p.xd, {-2 * s, 2 * c});
  expect_equal(p.xdd, {-4 * c, -4 * s});
  const std::string turned = "radius: 0.3, rate: 2, phase: 0.1, axes: [[0, -1], [1, 0]]";
  p = at(0.4, "task: {circle: {centre: [1, 0.5], " + turned + "}}", true);
  expect_equal(p.x, {1 + s, 0.5 - c});
  expect_equal(p.xd, {2 * c, 2 * s});
  p = at(0.5, "task: {quintic: {from: [1, 0], to: [1, 1], duration: 1}}", true);
  expect_equal(p.x, {1, 0.5});
  expect_equal(p.xd, {0, 15.0 / 8});
}

TEST(ScenarioReference, several_parts_stand_together) {
  const ReferencePoint p = at(0.25,
                              "hold: [1, 2]\n"
                              "  task: {sinusoid: {amplitude: [0, 0.2], frequency: 2, offset: "
                              "[1.2, 0]}}\n"
                              "  force: {sinusoid: {amplitude: [5], frequency: [4], offset: [10]}}",
                              true);
  expect_equal(p.q, {1, 2});
  expect_equal(p.x, {1.2, 0.2 * std::sin(0.5)});
  expect_equal(p.f_on_environment, {10 + 5 * std::sin(1)});
  expect_equal(at(1, "force: {hold: [3, 4]}\n  task: {hold: [1, 1]}", true).f_on_environment,
               {3, 4});
}

TEST(ScenarioReference, poses_go_along_the_screw_or_straight) {
  const std::string ends =
      "from: {xyz: [1, 0, 0]}, to: {xyz: [0, 1, 0], rpy: [0, 0, 1.5707963267948966]}, duration: 2";
  // A quarter turn about the world's z axis: half way at 45 degrees on the same circle.
  ReferencePoint p = at(1, "pose: {" + ends + "}", true);
  ASSERT_TRUE(p.has_pose);
  EXPECT_NEAR(p.pose.T.p.x, std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(p.pose.T.p.y, std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(p.pose.V.w.z, 15.0 / 8 / 2 * 1.5707963267948966, 1e-14);
  p = at(1, "pose: {" + ends + ", straight: true}", true);
  EXPECT_NEAR(p.pose.T.p.x, 0.5, 1e-14);
  EXPECT_NEAR(p.pose.T.p.y, 0.5, 1e-14);
  p = at(1, "pose: {hold: {xyz: [1, 2, 3]}}", true);
  EXPECT_EQ(p.pose.T.p.z, 3);
  EXPECT_EQ(norm(p.pose.V.v), 0);
}

TEST(ScenarioReference, robots_with_quaternions_hold_and_take_the_geodesic) {
  const testing::ScratchFolder folder;
  write_text_file_atomically((folder / "ball.yaml").string(), R"(
robot: ball
bodies:
  - {name: base}
  - {name: bob, mass: 2, com: [0.2, 0, 0], inertia: [0.1, 0.2, 0.3]}
joints:
  - {name: ball, type: spherical, parent: base, child: bob}
)");
  const auto run = [&](const std::string& reference) {
    return read_scenario(
        "robot: ball.yaml\ncontroller: {law: pd_gravity, gains: {Kp: 30, Kd: 9}}\n"
        "reference: {" +
            reference + "}\nrun: {duration: 4}\n",
        (folder / "any.yaml").string());
  };
  const double h = std::sqrt(0.5);
  const std::string ends =
      "from: [0, 0, 0, 1], to: [0, 0, 0.70710678118654757, 0.70710678118654757]";
  const Scenario turn = run("quintic: {" + ends + ", duration: 2}");
  ReferencePoint p;
  turn.reference(1, p);  // half of a quarter turn about z
  expect_equal(p.q, {0, 0, std::sin(std::acos(h) / 2), std::cos(std::acos(h) / 2)});
  expect_equal(p.qd, {0, 0, 15.0 / 8 / 2 * 2 * std::acos(h)});
  const Recording r = run_scenario(turn);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_LT(metrics(r, 2).final_error, 1e-3);
  EXPECT_THROW(run("sinusoid: {amplitude: [1, 1, 1, 1], frequency: 1}"), Error);
  EXPECT_THROW(run("quintic: {from: [0, 0, 0, 1], to: [0, 0, 1, 1], duration: 2}"), Error);
}

TEST(ScenarioReference, mistakes_are_refused_with_their_line) {
  const auto refused = [](const std::string& text, const std::string& part, bool task = false) {
    try {
      (void)read_scenario(scenario(text, task), "any.yaml");
      ADD_FAILURE() << "not refused: " << text;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(part), std::string::npos) << message;
      EXPECT_EQ(message.find("any.yaml:8: "), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  };
  refused("holds: [1, 2]", "did you mean \"hold\"?");
  refused("hold: [1]", "1 numbers instead of 2");
  refused("{hold: [1, 2], quintic: {from: [0, 0], to: [1, 1], duration: 1}}", "both");
  refused("quintic: {from: [0, 0], to: [1, 1], duration: -1}", "duration");
  refused("trapezoid: {from: [0, 0], to: [1, 1], velocity: 0, acceleration: 1}", "velocity");
  refused("spline: {times: [0, 2, 1], points: [[0, 0], [1, 1], [0, 0]]}", "times");
  refused("spline: {times: [0, 1], points: [[0, 0], [1]]}", "1 numbers instead of 2");
  refused("spline: {times: [0, 1], points: [[0, 0], [1, 1]], ends: clampd}", "\"clamped\"?");
  refused("fourier: {frequency: 1, offset: [0, 0], a: [[1]], b: [[1], [1]]}", "a");
  refused("{}", "is empty");
  refused("task: {hold: [1, 1]}", "follows a motion of the joints");  // pd_gravity
  refused("task: {hold: [1, 1, 1]}", "3 numbers", true);
  refused("task: {circle: {centre: [1], radius: 1, rate: 1}}", "two coordinates", true);
  refused("task: {circle: {centre: [1, 1], radius: 1, rate: 1, axes: [[1, 0], [1, 0]]}}",
          "right angles", true);
  refused("task: {circle: {centre: [1, 1], raduis: 1, rate: 1}}", "did you mean \"radius\"?", true);
  refused("task: {}", "holds no motion", true);
  refused("task: {hold: []}", "holds no number", true);
  refused("force: {circle: {}}", "unknown key", true);
  refused("pose: {from: {xyz: [0, 0, 0]}, duration: 1}", "\"to\" is missing", true);
  refused("pose: {from: {}, to: {}, duration: 0}", "pose: duration: 0 s is out of bounds", true);
  refused("pose: {hold: {xyz: [0, 0, 0]}, duration: 1}", "leaves no room", true);
}

TEST(ScenarioReference, G_3_5a_as_a_scenario_records_the_error_of_its_task) {
  const Recording r = run_scenario(load_scenario(scenarios + "/planar_arm_draws_a_circle.yaml"));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_EQ(r.task_e.columns, (std::vector<std::string>{"task_e.x", "task_e.y"}));
  EXPECT_EQ(r.e.width(), 0);
  EXPECT_NEAR(r.tau(0, 0), 41.244514, 1e-6);
  EXPECT_NEAR(r.tau(0, 1), 0.367450, 1e-6);
  EXPECT_NEAR(r.task_e(r.at(0.5), 0), 0.004042768, 1e-8);
  EXPECT_NEAR(r.task_e(r.at(0.5), 1), 0.005558806, 1e-8);
  const Metrics m = task_metrics(r, 1);
  EXPECT_EQ(m.final_error, std::abs(r.task_e(r.size() - 1, 1)));
  EXPECT_NEAR(m.max_error, 0.1 + 0, 0.01);
}

TEST(ScenarioReference, G_3_5b_as_a_scenario_follows_a_pose) {
  const Recording r = run_scenario(load_scenario(scenarios + "/puma_turns_its_tool.yaml"));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const auto theta = [&](double t) {
    const int k = r.at(t);
    return std::asin(std::hypot(r.task_e(k, 0), r.task_e(k, 1), r.task_e(k, 2)));
  };
  EXPECT_NEAR(theta(0.25), 0.6879905, 1e-6);
  EXPECT_NEAR(theta(0.5), 0.3345051, 1e-6);
  EXPECT_NEAR(theta(1), 0.0519495, 1e-6);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.prediction.name;
}

}  // namespace
}  // namespace torsor
