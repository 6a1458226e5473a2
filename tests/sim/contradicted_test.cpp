/// Conditions that a run contradicts: what it did counts, not only what it was meant to do.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/reference_runs.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/joint/pd_gravity.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/control/task/operational_space.hpp"
#include "torsor/control/uncertain/sliding_computed_torque.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

using testing::not_covered;
using testing::row;
using Names = std::vector<std::string>;

/// 1 kg on a slide within -1 and 1 m, and a spring of 100 N/m to 0.5 m with little damping: from 0
/// it swings to almost 1 m.
Model<double> slide() {
  ModelBuilder b("slide");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0}).limits(-0.9, 0.9);
  b.inertia("block", 1, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}
SimulateOptions two_seconds() {
  SimulateOptions o;
  o.duration = 2;
  o.record_every = 0.5;
  return o;
}

class Swinging : public ::testing::Test {
 protected:
  const Model<double> model = slide();
  IndependentPd law{model, {Gain({100}), Gain({0.2})}};
  const ReferenceFunction goal = hold({0.5}, 1);
  /// Undamped, x = 0.5 - 0.5 cos(10 t): this is when it first reaches a place.
  static double passes(double x) { return std::acos(1 - 2 * x) / 10; }
};

TEST_F(Swinging, free_is_covered) {
  EXPECT_TRUE(all_satisfied(simulate(Plant(model), law, goal, two_seconds()).conditions));
}

TEST_F(Swinging, into_a_wall_that_start_and_goal_do_not_touch_is_not_covered) {
  Plant plant(model);
  plant.surfaces = {{.name = "wall",
                     .frame = "block",
                     .origin = {0.8, 0, 0},
                     .normal = {-1, 0, 0},
                     .stiffness = 1e4}};
  const Recording r = simulate(plant, law, goal, two_seconds());
  EXPECT_EQ(not_covered(r.conditions), Names{"nothing is touched"});
  const std::string note = row(r.conditions, "nothing is touched").note;
  EXPECT_NE(note.find("touched wall at t = 0.22"), std::string::npos) << note;  // 0.2214 undamped
  EXPECT_NEAR(passes(0.8), 0.2214, 1e-4);
}

TEST_F(Swinging, beyond_a_stop_is_not_covered) {
  Plant plant(model);
  plant.stops = {1e4, 0};
  const Recording r = simulate(plant, law, goal, two_seconds());
  EXPECT_EQ(not_covered(r.conditions), Names{"no stop is touched"});
  const Condition c = row(r.conditions, "no stop is touched");
  EXPECT_LT(c.value, 0);
  EXPECT_NE(c.note.find("slide of the run, first at t = 0.2"), std::string::npos) << c.note;
}

/// The first torque is 50 N, as much as any later one: the swing meets 49.9 N at once, and 51 N never.
TEST_F(Swinging, at_a_torque_limit_is_not_covered) {
  SimulateOptions o = two_seconds();
  o.v0 = {-3};  // away first: the spring is stretched by 0.5 + 0.2 m before it pulls back
  o.actuators.torque_limit = {55};
  const Recording r = simulate(Plant(model), law, goal, o);
  EXPECT_EQ(not_covered(r.conditions), Names{"torques of the reference within their limits"});
  const Condition c = row(r.conditions, "torques of the reference within");
  EXPECT_NE(c.note.find("slide reached its limit at t = 0.0"), std::string::npos) << c.note;
  o.actuators.torque_limit = {80};
  EXPECT_TRUE(all_satisfied(simulate(Plant(model), law, goal, o).conditions));
}

TEST_F(Swinging, without_a_certificate_nothing_is_asked) {
  SimulateOptions o = two_seconds();
  o.certificate = false;
  const Recording r = simulate(Plant(model), law, goal, o);
  EXPECT_TRUE(r.conditions.empty());
  EXPECT_TRUE(r.predictions.empty());
  EXPECT_EQ(r.lyapunov.width(), 0);
  EXPECT_EQ(r.stop, StopReason::finished);
}

/// A load that start and goal do not feel: its weight is straight above the axis there.
TEST(Contradicted, weight_that_only_the_way_shows_is_not_covered) {
  const auto arm = [](double mass) {
    ModelBuilder b("arm");
    b.gravity({0, -9.81, 0});
    b.revolute("joint", "base", "link");
    b.inertia("link", mass, {0, 1, 0}, {1, 0, 1, 0, 0, 1});
    return b.build();
  };
  const Model<double> heavy = arm(1.2), believed = arm(1);
  PdGravity law(believed, {Gain({100}), Gain({20})});
  SimulateOptions o = two_seconds();
  o.v0 = {8};  // it starts upright, is thrown aside and comes back
  const Recording r = simulate(Plant(heavy), law, hold({0.0}, 1), o);
  EXPECT_EQ(not_covered(r.conditions), Names{"the weight is known"});
  const Condition c = row(r.conditions, "the weight is known");
  EXPECT_NE(c.note.find("postures of the run"), std::string::npos) << c.note;
  EXPECT_GT(c.value, 0.01);
  EXPECT_LT(c.value, 0.2 * 9.81);
}

/// The friction of a robot's file is no part of a plant without friction: neither the certificate nor
/// V takes it for masses.
TEST(Contradicted, without_the_friction_of_its_file_is_told_apart) {
  const Model<double> puma = load_robot("puma560"), smooth = testing::frictionless(puma);
  AdaptationOptions o;
  o.parameters = {"link_2"};
  o.rate = Gain::uniform(10, 1);
  SlotineLiAdaptive law(smooth, {Gain::uniform(6, 5), Gain({100, 100, 30, 8, 7, 8})}, o);
  const Model<double> loaded = attach_payload(puma, "link_2", {1, {-0.2, 0, 0.1}, {}});
  Plant plant(loaded);
  plant.friction = false;
  SimulateOptions options;
  options.q0 = {0.4, -0.1, 0.4, 0.2, -0.6, 0};
  options.duration = 0.5;
  const Recording r = simulate(plant, law, hold(options.q0, 6), options);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_GT(r.lyapunov(0, 0), 0);
  EXPECT_LE(r.lyapunov_balance(), r.figures.lyapunov_tolerance);
}

/// 0.1 s steps of first order do not integrate a swing of 10 rad/s.
TEST_F(Swinging, in_steps_that_are_too_long_is_not_covered) {
  SimulateOptions o = two_seconds();
  o.integrator = Integrator::semi_implicit_euler;
  o.step = 0.1;
  const Recording r = simulate(Plant(model), law, goal, o);
  EXPECT_EQ(not_covered(r.conditions), Names{"the integration is accurate"});
  EXPECT_EQ(row(r.conditions, "integration").value, r.figures.energy_balance);
  o.integrator = Integrator::rk4;
  o.step = 1e-3;
  EXPECT_TRUE(all_satisfied(simulate(Plant(model), law, goal, o).conditions));
}

TEST(Contradicted, a_joint_that_moves_no_mass_is_not_covered) {
  ModelBuilder b("massless");
  b.gravity({});
  b.revolute("first", "base", "rod");
  b.revolute("second", "rod", "nothing", {.p = {1, 0, 0}});
  b.inertia("rod", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> arm = b.build();
  IndependentPd law(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  const Recording r = simulate(Plant(arm), law, hold({0.1, 0.1}, 2), two_seconds());
  EXPECT_EQ(r.stop, StopReason::singular);
  EXPECT_EQ(not_covered(r.conditions), Names{"mass matrix regular"});
  EXPECT_NE(row(r.conditions, "mass matrix").note.find("second moves no mass"), std::string::npos);
}

class Trace : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  RunInstant at(Array<double> q) const {
    return {0.7, std::move(q), Array<double>(2), Array<double>(2), {}};
  }
};

/// What no row names makes a row of its own.
TEST_F(Trace, of_a_run_that_breaks_its_promise_leaves_no_green_summary) {
  PdGravity law(arm, {Gain({100, 60}), Gain({30, 15})});
  torsor::Run run = ideal_run(arm);
  run.reference = hold({0.5, 0.5}, 2);
  const std::vector<Condition> before = certificate(law, run);
  ASSERT_TRUE(all_satisfied(before));
  const auto after = [&](auto change) {
    std::vector<Condition> rows = before;
    RunTrace trace;
    change(trace);
    hold_to_run(rows, law, run, trace);
    return not_covered(rows);
  };
  EXPECT_TRUE(after([](RunTrace&) {}).empty());
  const auto off = [](RunTrace& t) { t.value_balance = 0.2, t.value_tolerance = 0.1; };
  EXPECT_EQ(after(off), Names{"V follows its rate"});
  EXPECT_TRUE(after([](RunTrace& t) { t.value_balance = 0.1, t.value_tolerance = 0.2; }).empty());
  EXPECT_EQ(after([&](RunTrace& t) { off(t), t.diverged_at = 1; }), Names{"errors stay bounded"});
  // where a row says why, no other one is needed
  EXPECT_EQ(after([&](RunTrace& t) { off(t), t.touched_at = 1; }), Names{"nothing is touched"});
}

TEST_F(Trace, a_singular_posture_on_the_way_is_violated) {
  OperationalSpaceOptions o;
  o.task.frame = "tip";
  o.task.axes = "xy";
  o.Kp = Gain::uniform(2, 100);
  o.Kd = Gain::uniform(2, 20);
  OperationalSpace law(arm, o);
  torsor::Run run = ideal_run(arm);
  run.q0 = {-0.4, 1.2};
  run.reference = [](double, ReferencePoint& p) {
    p.x.assign({1.2, 0.2}), p.xd.assign({0, 0}), p.xdd.assign({0, 0});
  };
  std::vector<Condition> rows = certificate(law, run);
  ASSERT_TRUE(all_satisfied(rows));
  RunTrace trace;
  trace.speed = {1, 1};
  trace.instants = {at({-0.4, 1.2}), at({-0.4, 0.9})};
  hold_to_run(rows, law, run, trace);
  EXPECT_TRUE(all_satisfied(rows));
  trace.instants.push_back(at({-0.4, 1e-4}));
  hold_to_run(rows, law, run, trace);
  const Condition c = row(rows, "not singular");
  EXPECT_EQ(c.verdict, Verdict::violated);
  EXPECT_NE(c.note.find("worst at 0.7 s"), std::string::npos) << c.note;
  EXPECT_NE(c.note.find("postures of the run"), std::string::npos) << c.note;
}

/// Upright, an arm and a heavier one weigh the same: d_bar covers the difference along the reference,
/// and not where the run throws it.
TEST(Contradicted, a_stated_d_bar_that_the_way_exceeds_is_not_covered) {
  const auto arm = [](double mass) {
    ModelBuilder b("arm");
    b.gravity({0, -9.81, 0});
    b.revolute("joint", "base", "link");
    b.inertia("link", mass, {0, 1, 0}, {1, 0, 1, 0, 0, 1});
    return b.build();
  };
  const Model<double> heavy = arm(1.2), believed = arm(1);
  const auto rows_from = [&](double speed, double d_bar) {
    SlidingComputedTorque law(believed,
                              {Gain({5}), ReachingLaw::constant({0.5}), Switching({0.05})},
                              DisturbanceBound({d_bar}));
    SimulateOptions o = two_seconds();
    o.v0 = {speed};
    return simulate(Plant(heavy), law, hold({0.0}, 1), o).conditions;
  };
  const Names missed{"d_bar covers the plant along the reference"};
  EXPECT_TRUE(not_covered(rows_from(0, 0.6)).empty());
  EXPECT_EQ(not_covered(rows_from(4, 0.6)), missed);
  EXPECT_TRUE(not_covered(rows_from(4, 20)).empty());
  const Condition c = row(rows_from(4, 0.6), missed[0]);
  EXPECT_NE(c.note.find("postures of the run"), std::string::npos) << c.note;
}

/// Near its target the sampled loop is stable; from an error of 1.5 rad it is not.
TEST(Contradicted, a_sampled_run_that_diverges_leaves_no_stable_loop) {
  const char* const text = R"(
robot: stanford
controller:
  law: operational_space
  gains: {frame: tool, axes: xyz, angles: rotation, Kp: 413.4, Kd: 13.04,
          origin_rpy: [-0.1685, 0.03398, -0.5483]}
reference: {task: {hold: [0.4, 0.27, 1.049, 0, 0, 0]}}
start: {q: [0.569, 0.784, 0.598, -0.652, 0.744, -0.072]}
run: {duration: 6, period: 0.03}
)";
  const Recording r = run_scenario(read_scenario(text, "far.yaml"));
  ASSERT_EQ(r.stop, StopReason::blow_up) << r.message;
  const Condition c = row(r.conditions, "the sampled loop is stable");
  EXPECT_EQ(c.verdict, Verdict::not_covered);
  EXPECT_LT(c.value, 1);
  EXPECT_NE(c.note.find("the run diverged until t = "), std::string::npos) << c.note;
}

/// Start and goal have the elbow bent by a quarter turn either way; between them the arm is
/// stretched, where Kd T of joint_1 is more than twice its inertia (control/sampled_control_test).
TEST(Contradicted, a_sampled_loop_that_is_unstable_on_the_way_is_violated) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, {Gain({300, 2}), Gain({180, 6})});
  SimulateOptions o;
  o.q0 = {0.5, -1.57};
  o.duration = 12;
  o.record_every = 1;
  o.period = 0.01;
  const auto of_loop = [&] {
    return row(simulate(Plant(arm), law, hold({0.5, 1.57}, 2), o).conditions,
               "the sampled loop is stable");
  };
  const Condition c = of_loop();
  EXPECT_EQ(c.verdict, Verdict::violated);
  EXPECT_NE(c.note.find("of the run"), std::string::npos) << c.note;
  o.period = 1e-3;
  EXPECT_EQ(of_loop().verdict, Verdict::holds);
}

/// The loop of computed torque is stable up to 0.1 s: its errors do not move as the poles say.
TEST(Contradicted, a_sampled_run_that_misses_its_claims_is_not_covered) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::uniform(2, 100), Gain::uniform(2, 20)});
  SimulateOptions o = two_seconds();
  o.q0 = {0, 1};
  const auto rows_every = [&](double period) {
    o.period = period;
    return simulate(Plant(arm), law, hold({0.5, 0.5}, 2), o).conditions;
  };
  EXPECT_TRUE(all_satisfied(rows_every(0)));
  EXPECT_TRUE(all_satisfied(rows_every(1e-3)));
  const std::vector<Condition> rows = rows_every(0.05);
  EXPECT_EQ(row(rows, "the sampled loop is stable").verdict, Verdict::holds);
  EXPECT_EQ(not_covered(rows), Names{"continuous control"});
  const Condition c = row(rows, "continuous control");
  EXPECT_EQ(c.value, 0.05);
  EXPECT_NE(c.note.find("2 of 2 claims of continuous control missed"), std::string::npos) << c.note;
}

/// Gains beyond anything that steps can follow: nothing is wrong with the proof, but there is no run.
TEST(Contradicted, a_run_that_is_stopped_leaves_no_green_summary) {
  const Model<double> arm = load_robot("planar2r");
  ComputedTorque law(arm, {Gain::uniform(2, 1e300), Gain::uniform(2, 10)});
  SimulateOptions o = two_seconds();
  o.q0 = {0, 1};
  o.most_evaluations = 1000;
  const Recording r = simulate(Plant(arm), law, hold({0.5, 0.5}, 2), o);
  ASSERT_NE(r.stop, StopReason::finished);
  EXPECT_FALSE(all_satisfied(r.conditions));
  EXPECT_TRUE(testing::violated(r.conditions).empty());
}

TEST_F(Trace, of_predictions_that_are_not_kept_leaves_no_green_summary) {
  PdGravity law(arm, {Gain({100, 60}), Gain({30, 15})});
  torsor::Run run = ideal_run(arm);
  run.q0 = {-0.5, 1};
  run.reference = hold({0.5, 0.5}, 2);
  const auto after = [&](double period, int missed) {
    run.period = period;
    std::vector<Condition> rows = certificate(law, run);
    RunTrace trace;
    trace.claims = 3, trace.missed = missed;
    hold_to_run(rows, law, run, trace);
    return not_covered(rows);
  };
  EXPECT_TRUE(after(0, 0).empty());
  EXPECT_EQ(after(0, 1), Names{"the run is as predicted"});
  EXPECT_TRUE(after(1e-3, 0).empty());
  EXPECT_EQ(after(1e-3, 1), Names{"continuous control"});
}

/// What is said of V in sampled runs, whatever its size: starts of 1e-4 rad are no smaller than what
/// samples leave where nothing else moves.
class SampledDecay : public ::testing::Test {
 protected:
  const Model<double> model = load_robot("planar2r");
  PassivityTracking law{model, {Gain({5, 5}), Gain({20, 20})}};
  SimulateOptions options;

  SampledDecay() {
    options.duration = 3;
    options.period = 1e-3;
    options.record_every = 0.5;
  }
  static Comparison decay(const Recording& r) {
    for (Comparison& c : compare_predictions(r))
      if (c.prediction.quantity == PredictedQuantity::decay_rate) return c;
    return {};
  }
};

TEST_F(SampledDecay, of_a_small_V_that_grows_first_is_not_kept) {
  options.q0 = {0.5001, 0.5};
  options.delay = 5e-3;  // the arm falls before the first torque arrives
  const Recording r = simulate(Plant(model), law, hold({0.5, 0.5}, 2), options);
  const Comparison c = decay(r);
  EXPECT_TRUE(c.covered) << c.why_open;
  EXPECT_FALSE(c.kept);
  EXPECT_LT(c.observed, 0);
  EXPECT_FALSE(all_satisfied(r.conditions));
}

TEST_F(SampledDecay, of_a_small_V_is_kept_as_of_a_large_one) {
  for (const double off : {1e-4, 1e-2, 1.0}) {
    options.q0 = {0.5 + off, 0.5};
    const Recording r = simulate(Plant(model), law, hold({0.5, 0.5}, 2), options);
    EXPECT_TRUE(decay(r).covered) << off;
    EXPECT_TRUE(decay(r).kept) << off << ": " << decay(r).observed;
    EXPECT_TRUE(all_satisfied(r.conditions)) << off;
  }
}

/// On a moving reference from the start on V is what samples leave: nothing decays, nothing is judged.
TEST_F(SampledDecay, of_a_V_that_is_the_work_of_samples_alone_is_not_judged) {
  const ReferenceFunction moves = [](double t, ReferencePoint& p) {
    p.q = {0.5 + 0.3 * std::sin(2 * t), 0.5};
    p.qd = {0.6 * std::cos(2 * t), 0};
    p.qdd = {-1.2 * std::sin(2 * t), 0};
  };
  options.q0 = {0.5, 0.5};
  options.v0 = {0.6, 0};
  const Recording r = simulate(Plant(model), law, moves, options);
  EXPECT_FALSE(decay(r).covered);
  EXPECT_EQ(decay(r).why_open, "V starts below what samples leave");
  EXPECT_TRUE(all_satisfied(r.conditions));
  options.q0 = {0.8, 0.5};  // here it does start with something
  EXPECT_TRUE(decay(simulate(Plant(model), law, moves, options)).covered);
}

/// Steps that explain as much as the motion show nothing of it.
TEST(CoarseIntegration, judges_nothing_and_is_not_covered) {
  const Model<double> model = load_robot("planar2r");
  ComputedTorque law(model, {Gain({100, 100}), Gain({20, 20})});
  SimulateOptions options;
  options.q0 = {0.3, 0.3};
  options.duration = 3;
  for (const double tolerance : {1e-1, 1e-4, 1e-10}) {
    options.control.relative = options.control.absolute = tolerance;
    const Recording r = simulate(Plant(model), law, hold({0.5, 0.5}, 2), options);
    const bool fine = tolerance < 1e-5;
    EXPECT_EQ(all_satisfied(r.conditions), fine) << tolerance;
    EXPECT_EQ(not_covered(r.conditions), fine ? Names{} : Names{"the integration is fine enough"});
    for (const Comparison& c : compare_predictions(r)) EXPECT_EQ(c.covered, fine) << tolerance;
  }
}

/// The samples of a reference have no period that a reference could share.
TEST(Aliasing, a_reference_that_turns_once_between_even_samples_is_no_set_point) {
  const Model<double> model = load_robot("planar2r");
  IndependentPd law(model, {Gain({400, 400}), Gain({60, 60})});
  for (const int samples : {257, 511, 512, 1022}) {
    const double w = 2 * std::numbers::pi * samples / 20;
    const ReferenceFunction turns = [w](double t, ReferencePoint& p) {
      p.q = {0.2 + 0.02 * std::cos(w * t), 0.2};
      p.qd = {-0.02 * w * std::sin(w * t), 0};
      p.qdd = {-0.02 * w * w * std::cos(w * t), 0};
    };
    const torsor::Run run = testing::run_from(model, turns, {0.22, 0.2}, {}, 20);
    const Condition c = row(certificate(law, run), "constant q_d");
    EXPECT_EQ(c.verdict, Verdict::not_covered) << samples;
    EXPECT_NEAR(c.value, 0.02 * w, 1e-3 * w) << samples;
  }
}

TEST(Interrupted, nothing_is_observed_of_what_is_claimed_of_the_end) {
  const Model<double> model = load_robot("planar2r");
  ComputedTorque law(model, {Gain({100, 100}), Gain({20, 20})});
  SimulateOptions options;
  options.q0 = {0.3, 0.3};
  options.duration = 100;
  options.progress = [](double t) { return t < 1; };
  const Recording r = simulate(Plant(model), law, hold({0.5, 0.5}, 2), options);
  ASSERT_EQ(r.stop, StopReason::interrupted);
  for (const Comparison& c : compare_predictions(r)) {
    EXPECT_FALSE(c.covered);
    EXPECT_TRUE(std::isnan(c.observed));
  }
}

}  // namespace
}  // namespace torsor
