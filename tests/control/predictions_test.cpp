/// Laws predict what their runs show, and a robot that is not the believed one is found out.
#include <gtest/gtest.h>

#include <cmath>

#include "reference_runs.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using Parameters = std::vector<std::pair<std::string, std::vector<double>>>;

struct Case {
  const char* law;
  Parameters parameters;
  PredictedQuantity quantity;  ///< that it must predict
  std::size_t count;
};

std::unique_ptr<ControlLaw> made(const Case& c, const Model<double>& arm) {
  LawParameters p;
  for (const auto& [name, numbers] : c.parameters) p.set(name, numbers);
  if (std::string(c.law) == "resolved_acceleration") {
    p.set("frame", "tip");
    p.set("axes", "xy");
  }
  return make_law(c.law, arm, p);
}

Recording run(const Case& c, const Model<double>& plant, const Model<double>& believed,
              double period = 0) {
  const std::unique_ptr<ControlLaw> law_made = made(c, believed);
  ControlLaw& law = *law_made;
  SimulateOptions o;
  o.q0 = {0.2, 1.2};
  o.duration = 3;
  o.record_every = 0.05;
  if (period > 0) {
    o.period = period;
    o.integrator = Integrator::rk4;
  } else {
    o.control = {.relative = 1e-11, .absolute = 1e-13};
  }
  const ReferenceFunction reference = [](double t, ReferencePoint& r) {
    hold({0.5, 0.9}, 2)(t, r);
    r.x.assign({0.9, 1.3});
    r.xd.assign({0, 0});
    r.xdd.assign({0, 0});
  };
  return simulate(Plant(plant), law, reference, o);
}

const std::vector<Case> cases{
    {"computed_torque", {{"Kp", {100, 40}}, {"Kd", {20, 8}}}, PredictedQuantity::linear_error, 2},
    {"computed_torque",
     {{"Kp", {100, 40}}, {"Kd", {20, 8}}, {"Ki", {50, 20}}},
     PredictedQuantity::linear_error,
     2},
    {"computed_torque", {{"Kp", {100, 5, 5, 60}}, {"Kd", {20, 8}}}, PredictedQuantity::reach, 1},
    {"nonlinear_decoupling",
     {{"Lambda0", {18, 25}}, {"Lambda1", {9, 8}}},
     PredictedQuantity::linear_error,
     2},
    {"optimal_computed_torque",
     {{"Q", {100, 400, 1, 4}}, {"R0", {1, 2}}},
     PredictedQuantity::cost,
     1},
    {"optimal_computed_torque",
     {{"Q", {100, 400, 1, 4}}, {"R0", {1, 2}}, {"P", {10, 10, 1, 1}}, {"horizon", {3}}},
     PredictedQuantity::cost,
     1},
    {"resolved_acceleration",
     {{"kp", {100}}, {"kd", {20}}},
     PredictedQuantity::linear_task_error,
     2},
};

std::size_t count(const std::vector<Comparison>& list, PredictedQuantity quantity, bool kept) {
  std::size_t n = 0;
  for (const Comparison& c : list) n += c.prediction.quantity == quantity && c.kept == kept;
  return n;
}

TEST(Predictions, of_the_exact_model_are_kept_and_a_load_breaks_them) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> loaded = attach_payload(arm, "link_2", {1.5, {1, 0, 0}, {}});
  for (const Case& c : cases) {
    const Recording r = run(c, arm, arm);
    ASSERT_EQ(r.stop, StopReason::finished) << c.law << r.message;
    const auto list = compare_predictions(r);
    EXPECT_EQ(count(list, c.quantity, true), c.count) << c.law;
    for (const Comparison& k : list)
      EXPECT_TRUE(k.kept) << c.law << ": " << k.prediction.name << " " << k.observed;
    if (c.quantity == PredictedQuantity::reach) continue;  // a load need not leave that far
    const auto broken = compare_predictions(run(c, loaded, arm));
    EXPECT_GT(count(broken, c.quantity, false), 0u) << c.law;
  }
}

TEST(Predictions, of_sampled_control_are_compared_as_closely_as_the_theory_reaches) {
  const Model<double> arm = load_robot("planar2r");
  for (const Case& c : cases) {
    const Recording r = run(c, arm, arm, 1e-3);
    EXPECT_EQ(r.period, 1e-3);
    for (const Comparison& k : compare_predictions(r)) {
      if (k.prediction.quantity == PredictedQuantity::cost) continue;  // of the continuous law
      EXPECT_TRUE(k.kept) << c.law << ": " << k.prediction.name << " " << k.observed;
    }
    const auto strict = compare_predictions(r, 1e-9);
    if (c.quantity == PredictedQuantity::linear_error) {
      EXPECT_GT(count(strict, c.quantity, false), 0u) << c.law;
    }
  }
}

TEST(Predictions, set_point_laws_stay_within_what_the_energy_at_the_start_allows) {
  const Model<double> arm = load_robot("planar2r"), weightless = with_gravity(arm, {});
  for (const char* law : {"independent_pd", "pd_gravity", "pd_fixed_gravity"}) {
    const bool plain = std::string(law) == "independent_pd";
    const Case c{law, {{"Kp", {100, 60}}, {"Kd", {2, 1}}}, PredictedQuantity::reach, 1};
    const auto list =
        compare_predictions(run(c, plain ? weightless : arm, plain ? weightless : arm));
    ASSERT_EQ(list.size(), 1u) << law;
    EXPECT_TRUE(list[0].kept) << law << list[0].observed;
    EXPECT_GT(list[0].prediction.value, list[0].observed);
    // A robot on which far more weight pulls than the gains know leaves it.
    const Model<double> heavy =
        attach_payload(with_gravity(arm, {0, -9.81, 0}), "link_2", {60, {1, 0, 0}, {}});
    const Recording fallen = run(c, heavy, plain ? weightless : arm);
    const auto broken = compare_predictions(fallen);
    if (fallen.lyapunov(0, 0) < 0) {  // its own weight in V: no measure of e
      EXPECT_TRUE(broken.empty()) << law;
    } else {
      ASSERT_EQ(broken.size(), 1u) << law;
      EXPECT_FALSE(broken[0].kept) << law;
    }
    const Case integral{
        law, {{"Kp", {100, 60}}, {"Kd", {2, 1}}, {"Ki", {1, 1}}}, PredictedQuantity::reach, 0};
    if (!plain) {
      EXPECT_TRUE(testing::predictions_of(*made(integral, arm)).empty()) << law;
    }
  }
  const Case under_gravity{
      "independent_pd", {{"Kp", {100, 60}}, {"Kd", {2, 1}}}, PredictedQuantity::reach, 0};
  EXPECT_TRUE(testing::predictions_of(*made(under_gravity, arm)).empty());
}

/// Near its point the run costs what the linear system would; far away the prediction is off.
TEST(Predictions, of_the_regulator_around_a_point_hold_near_it) {
  const Model<double> arm = load_robot("planar2r");
  const auto cost = [&](double deviation) {
    LawParameters p;
    p.set("point", {1.2, 0.5});
    p.set("Q", {10, 10, 1, 1});
    p.set("R", {0.1, 0.2});
    const std::unique_ptr<ControlLaw> law_made = make_law("point_lqr", arm, p);
    ControlLaw& law = *law_made;
    SimulateOptions o;
    o.q0 = {1.2 - deviation, 0.5 + deviation};
    o.duration = 5;
    return compare_predictions(simulate(Plant(arm), law, hold({1.2, 0.5}, 2), o)).at(0);
  };
  EXPECT_NEAR(cost(1e-4).observed, 1, 1e-4);
  EXPECT_NEAR(cost(1e-2).observed, 1, 1e-2);
  EXPECT_TRUE(cost(1e-2).kept);
  EXPECT_FALSE(cost(2.5).kept);
}

/// Orientation by Euler angles on a six-axis arm: all six components by their poles.
TEST(Predictions, of_resolved_euler_angles_cover_the_whole_pose) {
  const Model<double> arm = without_friction(load_robot("puma560"));
  LawParameters p;
  p.set("frame", arm.frames().back().name);
  p.set("kp", {100});
  p.set("kd", {20});
  p.set("orientation", "euler");
  const std::unique_ptr<ControlLaw> law_made = make_law("resolved_acceleration", arm, p);
  ControlLaw& law = *law_made;
  SimulateOptions o;
  o.q0 = {0.3, 0.6, -0.4, 0.3, 1.2, -0.2};
  o.duration = 1;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  KinematicsWorkspace<double> ws(arm);
  forward_kinematics(arm, ws, o.q0);
  SE3<double> goal = frame_pose(ws, arm.frames().back());
  goal.R = exp(Vec3<double>{0.1, -0.2, 0.15}) * goal.R;
  goal.p += Vec3<double>{0.02, -0.03, 0.01};
  const Recording r = simulate(
      Plant(arm), law,
      [&](double, ReferencePoint& point) {
        point.pose = {goal, {}, {}};
        point.has_pose = true;
      },
      o);
  const auto list = compare_predictions(r);
  ASSERT_EQ(list.size(), 6u);
  for (const Comparison& c : list) EXPECT_TRUE(c.kept) << c.prediction.name << c.observed;
}

}  // namespace
}  // namespace torsor
