/// What runs came to: divergence, limits, stops.
#include "torsor/sim/outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/nothing.hpp"
#include "torsor/control/beside/gravity_float.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/control/joint/pd_fixed_gravity.hpp"
#include "torsor/control/task/operational_space.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/sim/run_summary.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

const OutcomeRow& row(const std::vector<OutcomeRow>& rows, const std::string& name) {
  for (const OutcomeRow& r : rows)
    if (r.name == name) return r;
  throw Error("no row " + name);
}

/// A wheel of 1e-3 kg m^2 that turns within -3 and 3 rad at 8 rad/s and 2 N m at most.
Model<double> wheel() {
  ModelBuilder b("wheel");
  b.gravity({});
  b.revolute("axle", "base", "disc", {}, {0, 0, 1})
      .limits({.lower = -3, .upper = 3, .velocity = 8, .effort = 2});
  b.inertia("disc", 1, {}, {1e-3, 0, 1e-3, 0, 0, 1e-3});
  return b.build();
}

/// PD with Kd T / M = 10, far above 2: sampled at 1 kHz the wheel spins up within its torque limit,
/// at 10 kHz it stands still.
TEST(Outcome, a_sampled_loop_that_spins_up_has_diverged_although_it_finished) {
  const Model<double> model = wheel();
  IndependentPd law(model, {Gain({100}), Gain({10})});
  SimulateOptions o;
  o.integrator = Integrator::rk4;
  o.step = 1e-4;
  o.period = 1e-3;
  o.duration = 0.008;  // v grows by 1 - Kd T / M = -9 each millisecond
  o.v0 = {0.01};
  o.blow_up = 1e9;
  Recording r = simulate(Plant(model), law, hold({0.1}, 1), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(diverged(r));
  EXPECT_EQ(summarise(r).diverged, 1);
  const std::vector<OutcomeRow> bad = outcome(r);
  EXPECT_EQ(row(bad, "end").verdict, OutcomeVerdict::good);
  EXPECT_EQ(row(bad, "divergence").verdict, OutcomeVerdict::bad);
  EXPECT_EQ(row(bad, "divergence").value, r.figures.late_error);
  EXPECT_NE(row(bad, "divergence").text.find("diverged"), std::string::npos);
  EXPECT_EQ(row(bad, "position limits").verdict, OutcomeVerdict::bad);
  EXPECT_EQ(row(bad, "velocity limits").verdict, OutcomeVerdict::bad);
  EXPECT_EQ(row(bad, "torque limits").verdict, OutcomeVerdict::bad);
  EXPECT_NE(row(bad, "torque limits").text.find("axle"), std::string::npos);
  EXPECT_EQ(row(bad, "saturation").verdict, OutcomeVerdict::good);  // no actuator is limited

  o.period = o.step = 1e-4;
  r = simulate(Plant(model), law, hold({0.1}, 1), o);
  EXPECT_FALSE(diverged(r));
  EXPECT_EQ(summarise(r).diverged, 0);
  const std::vector<OutcomeRow> good = outcome(r);
  EXPECT_EQ(row(good, "divergence").verdict, OutcomeVerdict::good);
  EXPECT_EQ(row(good, "energy balance").verdict, OutcomeVerdict::good);
  EXPECT_EQ(row(good, "balance of V").verdict, OutcomeVerdict::told);  // of continuous control
}

/// A law that follows nothing has no errors; friction that the wheel has not, compensated, drives it:
/// 1e-3 v' = (0.9 * 0.005 - 0.001) v, so that V grows by exp(7 t).
TEST(Outcome, of_a_law_that_follows_nothing_is_seen_in_its_V) {
  ModelBuilder b("wheel");
  b.gravity({});
  b.revolute("axle", "base", "disc", {}, {0, 0, 1}).friction({.viscous = 0.005});
  b.inertia("disc", 1, {}, {1e-3, 0, 1e-3, 0, 0, 1e-3});
  const Model<double> model = b.build();
  GravityFloat law(model, {.Kd = Gain({1e-3}), .friction = 0.9});
  Plant plant(model);
  SimulateOptions o;
  o.v0 = {1};
  o.duration = 2;
  EXPECT_FALSE(diverged(simulate(plant, law, testing::nothing, o)));
  plant.friction = false;
  const Recording r = simulate(plant, law, testing::nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(diverged(r));
  const OutcomeRow bad = row(outcome(r), "divergence");
  EXPECT_EQ(bad.verdict, OutcomeVerdict::bad);
  EXPECT_NEAR(bad.value, 5e-4 * std::exp(14), 1e-4);
  // A hand that gave the energy is no divergence.
  plant.friction = true;
  plant.disturbance = [](double, In<double>, In<double>, Out<double> tau) { tau[0] = 1; };
  o.v0 = {0};
  const Recording pushed = simulate(plant, law, testing::nothing, o);
  EXPECT_GT(pushed.lyapunov(pushed.size() - 1, 0), 10);
  EXPECT_FALSE(diverged(pushed));
}

TEST(Outcome, of_a_run_that_is_far_off_but_does_not_grow_is_no_divergence) {
  const Model<double> model = wheel();
  IndependentPd law(model, {Gain({1e-3}), Gain({1e-3})});
  SimulateOptions o;
  o.duration = 20;
  const Recording r = simulate(Plant(model), law, hold({40}, 1), o);  // far away, and slow
  EXPECT_FALSE(diverged(r));
  const std::vector<OutcomeRow> rows = outcome(r);
  EXPECT_EQ(row(rows, "position limits").verdict, OutcomeVerdict::bad);  // beyond 3 rad
  EXPECT_EQ(row(rows, "balance of V").verdict, OutcomeVerdict::good);
  EXPECT_LE(r.figures.lyapunov_balance, r.figures.lyapunov_tolerance);
}

/// A heavy wheel without damping gives its swing to a light one beside it: the errors grow to more
/// than ten times those of the start, and V falls as its proof says.
TEST(Outcome, of_errors_that_grow_while_V_falls_is_no_divergence) {
  ModelBuilder b("coupled");
  b.gravity({});
  b.revolute("heavy", "base", "disc", {}, {0, 0, 1});
  b.inertia("disc", 1, {}, {1, 0, 1, 0, 0, 1});
  b.revolute("light", "disc", "spinner", {}, {0, 0, 1});
  b.inertia("spinner", 0.01, {}, {1e-3, 0, 1e-3, 0, 0, 1e-3});
  const Model<double> model = b.build();
  IndependentPd law(model, {Gain({100, 0.0998}), Gain({1e-4, 1e-6})});  // 10 rad/s both
  SimulateOptions o;
  o.q0 = {0.5, 0};
  o.duration = 6;
  const Recording r = simulate(Plant(model), law, hold({0.0, 0.0}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished);
  EXPECT_GT(r.figures.late_error, 10 * r.figures.start_error);
  EXPECT_GE(r.figures.late_error, r.figures.early_error);
  EXPECT_FALSE(diverged(r));
  EXPECT_EQ(row(outcome(r), "divergence").verdict, OutcomeVerdict::told);
  EXPECT_TRUE(all_satisfied(r.conditions));
}

TEST(Outcome, tells_the_share_of_time_at_a_torque_limit) {
  const Model<double> model = wheel();
  IndependentPd law(model, {Gain({1}), Gain({0.1})});
  SimulateOptions o;
  o.actuators.torque_limit = {0.5};
  o.duration = 2;
  const Recording r = simulate(Plant(model), law, hold({2}, 1), o);
  const OutcomeRow s = row(outcome(r), "saturation");
  EXPECT_EQ(s.verdict, OutcomeVerdict::bad);
  EXPECT_GT(s.value, 0);
  EXPECT_LT(s.value, 1);
  EXPECT_EQ(row(outcome(r), "torque limits").verdict, OutcomeVerdict::good);
}

/// Asks for as many newton metres as seconds have passed.
struct Ramp final : testing::LawOfTests {
  Ramp() : LawOfTests("ramp") {}
  void torque(const ControlInput& input, Out<double> tau) override { tau[0] = input.t; }
};

/// 0.5 N m are reached at 0.5 s, however long the steps are.
TEST(Outcome, time_at_a_torque_limit_does_not_hang_on_the_steps) {
  const Model<double> model = wheel();
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    Ramp law;
    SimulateOptions o;
    o.actuators.torque_limit = {0.5};
    o.duration = 2;
    o.integrator = integrator;
    const Recording r = simulate(Plant(model), law, testing::nothing, o);
    EXPECT_NEAR(r.figures.saturated, 1.5, 2e-3) << name_of(integrator);
  }
}

/// Of q_d = sin(t) + sin(3 t), found by looking everywhere.
TEST(Outcome, the_excursion_of_a_reference_is_its_own) {
  const Model<double> model = wheel();
  IndependentPd law(model, {Gain({1}), Gain({0.1})});
  const ReferenceFunction wave = [](double t, ReferencePoint& p) {
    p.q.assign({std::sin(t) + std::sin(3 * t)});
    p.qd.assign({std::cos(t) + 3 * std::cos(3 * t)});
    p.qdd.assign({-std::sin(t) - 9 * std::sin(3 * t)});
  };
  double most = 0;
  for (int k = 0; k <= 2000000; ++k) {
    const double t = 1e-6 * k;
    most = std::max(most, std::sin(t) + std::sin(3 * t));
  }
  SimulateOptions o;
  o.duration = 2;
  const Recording r = simulate(Plant(model), law, wave, o);
  EXPECT_NEAR(r.figures.reference_excursion, most, 1e-6);
}

/// A set point that its gain cannot hold is left for another one: no divergence, and not quiet.
TEST(Outcome, errors_far_larger_than_at_the_start_are_told) {
  ModelBuilder b("pole");
  b.gravity({0, -9.81, 0});
  b.revolute("joint", "base", "pole");
  b.inertia("pole", 1, {0, 1, 0}, {});
  const Model<double> model = b.build();
  IndependentPd law(model, {Gain({5}), Gain({3})});
  SimulateOptions o;
  o.q0 = {0.01};
  o.duration = 20;
  const OutcomeRow s = row(outcome(simulate(Plant(model), law, hold({0.0}, 1), o)), "divergence");
  EXPECT_EQ(s.verdict, OutcomeVerdict::told);
  EXPECT_NE(s.text.find("larger than at the start: 0.01 there"), std::string::npos) << s.text;
}

/// Two links without mass and a mass at the tip: three joints, rank two everywhere.
Model<double> tip_mass_only() {
  ModelBuilder b("tip_mass");
  b.gravity({});
  b.revolute("j1", "base", "a", {}, {0, 0, 1});
  b.revolute("j2", "a", "b", {.p = {1, 0, 0}}, {0, 0, 1});
  b.revolute("j3", "b", "c", {.p = {1, 0, 0}}, {0, 0, 1});
  b.inertia("c", 1, {1, 0, 0}, {});
  return b.build();
}
Model<double> massless_link() {
  ModelBuilder b("massless");
  b.revolute("j1", "base", "a", {}, {0, 0, 1});
  b.revolute("j2", "a", "b", {.p = {1, 0, 0}}, {0, 0, 1});
  b.inertia("a", 1, {0.5, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  return b.build();
}

TEST(Outcome, a_singular_mass_matrix_stops_every_integrator_at_once_and_names_the_joint) {
  for (const Model<double>& model : {tip_mass_only(), massless_link()})
    for (const Integrator integrator :
         {Integrator::taylor, Integrator::semi_implicit_euler, Integrator::rk4,
          Integrator::dormand_prince5, Integrator::dormand_prince8})
      for (const double period : {0.0, 1e-3}) {
        IndependentPd law(model, {Gain(Array<double>(model.n_v(), 100.0)),
                                  Gain(Array<double>(model.n_v(), 20.0))});
        SimulateOptions o;
        o.integrator = integrator;
        o.period = period;
        o.q0.assign(model.n_v(), 0.2);
        const Recording r =
            simulate(Plant(model), law, hold(Array<double>(model.n_v(), 1.0), model.n_v()), o);
        EXPECT_EQ(r.stop, StopReason::singular) << name_of(integrator) << r.message;
        EXPECT_NE(r.message.find("the mass matrix is singular: j"), std::string::npos) << r.message;
        EXPECT_NE(r.message.find("t = 0 s"), std::string::npos) << r.message;
        EXPECT_LT(r.evaluations, 20);
        EXPECT_EQ(row(outcome(r), "end").verdict, OutcomeVerdict::bad);
      }
}

TEST(Outcome, no_run_goes_on_without_end) {
  const Model<double> model = wheel();
  IndependentPd law(model, {Gain({100}), Gain({1})});
  SimulateOptions o;
  o.most_evaluations = 1000;
  o.duration = 100;
  Recording r = simulate(Plant(model), law, hold({1}, 1), o);
  EXPECT_EQ(r.stop, StopReason::evaluations);
  EXPECT_NE(r.message.find("evaluations"), std::string::npos);
  EXPECT_GT(r.size(), 1);
  EXPECT_LT(r.evaluations, 1200);
  EXPECT_TRUE(r.figures.given());  // of what was done

  int asked = 0;
  o.most_evaluations = 0;
  o.progress = [&](double t) {
    ++asked;
    return t < 1;
  };
  o.integrator = Integrator::rk4;
  r = simulate(Plant(model), law, hold({1}, 1), o);
  EXPECT_EQ(r.stop, StopReason::interrupted) << r.message;
  EXPECT_GT(asked, 0);
  EXPECT_GT(r.t.back(), 0.5);
  EXPECT_LT(r.t.back(), 10);
  EXPECT_NEAR(r.figures.duration, r.t.back(), 0.1);
  EXPECT_FALSE(diverged(r));
  for (const Series* s : r.series())
    for (const double x : s->data) ASSERT_TRUE(std::isfinite(x)) << s->name;

  o = {};
  for (const double tiny : {1e-300, 1e-12}) {
    o.record_every = tiny;
    EXPECT_THROW((void)simulate(Plant(model), law, hold({1}, 1), o), Error);
  }
  o = {};
  o.control.relative = 1e-300;
  EXPECT_THROW((void)simulate(Plant(model), law, hold({1}, 1), o), Error);
}

/// A task whose Jacobian is singular where the arm starts: the damped inverse is as stiff as its damping
/// is small, and millions of steps do not leave the posture.
TEST(Outcome, a_run_that_comes_to_a_standstill_stops_long_before_its_last_evaluation) {
  const Model<double> arm = load_robot("planar2r");
  OperationalSpaceOptions task;
  task.task.frame = "tip";
  task.task.axes = "xy";
  task.Kp = Gain::uniform(2, 100);
  task.Kd = Gain::uniform(2, 20);
  OperationalSpace law(arm, task);
  SimulateOptions o;
  o.q0 = {0.3, 0};
  o.duration = 2;
  const Recording r = simulate(
      Plant(arm), law,
      [](double, ReferencePoint& p) {
        p.x.assign({1.2, 0.4});
      },
      o);
  EXPECT_EQ(r.stop, StopReason::evaluations);
  EXPECT_NE(r.message.find("several times the 22000000 of most_evaluations"), std::string::npos)
      << r.message;
  EXPECT_LT(r.evaluations, 2'500'000);
}

/// A disturbance of 1e150 N m, and gravity of 1e150 m/s^2.
TEST(Outcome, absurd_forces_stop_soon) {
  const Model<double> model = load_robot("planar2r");
  IndependentPd law(model, {Gain({100, 100}), Gain({20, 20})});
  Plant plant(model);
  plant.disturbance = [](double, View<const double>, View<const double>, View<double> tau) {
    tau[0] += 1e150;
  };
  SimulateOptions o;
  o.most_evaluations = 200'000;
  const Recording r = simulate(plant, law, hold({0, 0}, 2), o);
  EXPECT_NE(r.stop, StopReason::finished);
  EXPECT_NE(r.message, "");
}

/// A ball that turns at 100 rad/s cannot be integrated by steps of 2 pi / 100 s, where the chart of a
/// step ends; adaptive steps stay short of that.
TEST(Outcome, a_fixed_step_that_turns_a_ball_too_far_is_refused_with_its_angle) {
  ModelBuilder b("ball");
  b.gravity({});
  b.spherical("socket", "base", "ball");
  b.inertia("ball", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  testing::Nothing law;
  SimulateOptions o;
  o.v0 = {0, 0, 100};
  o.step = 2 * 3.141592653589793 / 100;
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit_euler}) {
    o.integrator = integrator;
    const Recording r = simulate(Plant(model), law, testing::nothing, o);
    EXPECT_EQ(r.stop, StopReason::step_size);
    EXPECT_NE(r.message.find("turns by 6.28"), std::string::npos) << r.message;
  }
  o.step = 0.02;
  o.integrator = Integrator::rk4;
  EXPECT_EQ(simulate(Plant(model), law, testing::nothing, o).stop, StopReason::finished);
  for (const Integrator integrator : {Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    o.integrator = integrator;
    o.control = {.relative = 1, .absolute = 1, .first_step = 0.0628};
    const Recording r = simulate(Plant(model), law, testing::nothing, o);
    EXPECT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_GE(r.steps, 100 / 3.0);  // 100 rad in steps of 3 at most
  }
}

/// Where the arm is stretched, its one mass moves across it alone: M is singular at q2 = 0, and the
/// damping of the law makes the way there stiffer and stiffer, long before a pivot is zero.
TEST(Outcome, a_run_that_slows_down_before_a_singular_mass_matrix_stops_soon_and_names_the_joint) {
  ModelBuilder b("stretching");
  b.gravity({});
  b.revolute("shoulder", "base", "upper");
  b.revolute("elbow", "upper", "lower", {.p = {1, 0, 0}});
  b.inertia("lower", 1, {1, 0, 0});
  const Model<double> arm = b.build();
  for (const Integrator integrator : {Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    IndependentPd law(arm, {Gain({100, 100}), Gain({20, 20})});
    SimulateOptions o;
    o.integrator = integrator;
    o.q0 = {0.1, 1};
    o.duration = 2;
    const Recording r = simulate(Plant(arm), law, hold({1, -1}, 2), o);
    EXPECT_EQ(r.stop, StopReason::singular) << r.message;
    EXPECT_NE(r.message.find("the mass matrix is nearly singular: shoulder moves almost no mass"),
              std::string::npos)
        << r.message;
    EXPECT_LT(r.evaluations, 500'000);
    EXPECT_GT(r.t.back(), 0.05);
  }
}

/// The bounds that this law's proof asks for take seconds to search on a chain of 40 joints.
TEST(Outcome, a_run_is_stopped_while_its_certificate_is_computed) {
  const Model<double> chain = load_robot("chain:40");
  PdFixedGravity law(chain, {Gain::uniform(40, 1e4), Gain::uniform(40, 1e3)});
  SimulateOptions o;
  o.duration = 0.001;
  for (const int last : {1, 3}) {
    int asked = 0;
    o.progress = [&](double t) {
      EXPECT_EQ(t, 0);
      return ++asked < last;
    };
    const Recording r = simulate(Plant(chain), law, hold(Array<double>(40), 40), o);
    EXPECT_EQ(r.stop, StopReason::interrupted);
    EXPECT_NE(r.message.find("interrupted"), std::string::npos) << r.message;
    EXPECT_EQ(asked, last);
    EXPECT_TRUE(r.conditions.empty());
    EXPECT_TRUE(r.predictions.empty());
    EXPECT_LT(r.evaluations, 10);
    EXPECT_FALSE(diverged(r));
    EXPECT_FALSE(outcome(r).empty());
    (void)summarise(r);
  }
}

}  // namespace
}  // namespace torsor
