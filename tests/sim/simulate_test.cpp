/// The simulator against closed forms: free fall, sampling, limits, noise, and runs that must stop.
#include "torsor/sim/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/allocation_counter.hpp"
#include "support/nothing.hpp"
#include "support/random_model.hpp"
#include "torsor/control/beside/no_law.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {
namespace {

/// One slider of 2 kg along x, without gravity.
ModelBuilder slider_builder() {
  ModelBuilder b("slider");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0});
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  return b;
}
Model<double> slider() { return slider_builder().build(); }

/// tau = f(t, measured state), with one state that counts time.
template <class Function>
struct OpenLoop final : testing::LawOfTests {
  Function f;
  int states = 0;
  std::function<void()> at_reset = [] {};  // conditions ask the law before the run begins
  OpenLoop(Function function, int n) : LawOfTests("open_loop"), f(function), states(n) {}
  int n_states() const override { return states; }
  void reset(Out<double> x_c) override {
    LawOfTests::reset(x_c);
    at_reset();
  }
  void torque(const ControlInput& input, Out<double> tau) override {
    for (int k = 0; k < tau.size; ++k) tau[k] = f(input.t, input.state, k);
  }
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override {
    for (double& x : xdot_c) x = input.t;
  }
};
template <class Function>
OpenLoop<Function> open_loop(Function f, int states = 0) {
  return OpenLoop<Function>(f, states);
}
const auto none = [](double, const ControlState&, int) { return 0.0; };
using testing::nothing;

TEST(Simulate, every_integrator_follows_a_driven_slider) {
  const Model<double> model = slider();
  auto law = open_loop([](double t, const ControlState&, int) { return 2 * std::cos(t); }, 1);
  for (const Integrator integrator :
       {Integrator::taylor, Integrator::semi_implicit_euler, Integrator::rk4,
        Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    SimulateOptions o;
    o.integrator = integrator;
    o.duration = 2;
    o.record_every = 0.1;
    o.v0 = {0.5};
    const Recording r = simulate(Plant(model), law, nothing, o);
    ASSERT_EQ(r.size(), 21) << name_of(integrator);
    // x = 1 - cos t + t / 2, v = sin t + 1/2; x_c' = t
    const bool exact = integrator >= Integrator::rk4;
    EXPECT_NEAR(r.q(20, 0), 1 - std::cos(2.0) + 1, exact ? 1e-9 : 2e-3) << name_of(integrator);
    EXPECT_NEAR(r.qd(13, 0), std::sin(1.3) + 0.5, exact ? 1e-9 : 1e-3) << name_of(integrator);
    EXPECT_NEAR(r.x_c(20, 0), 2, exact ? 1e-9 : 2e-3) << name_of(integrator);
    EXPECT_NEAR(r.tau(7, 0), 2 * std::cos(0.7), 1e-12);
    EXPECT_NEAR(r.qdd(7, 0), std::cos(0.7), 1e-12);
    if (exact) {
      EXPECT_LT(r.energy_balance(), 1e-8) << name_of(integrator);
    }
  }
}

TEST(Simulate, energy_balance_holds_with_friction_springs_disturbances_and_wrenches) {
  testing::RandomTree options;
  options.limits = false;
  const Model<double> model(testing::random_tree(7, 6, options));  // smooth friction
  Plant plant(model);
  plant.disturbance = [](double t, View<const double>, View<const double>, View<double> tau) {
    for (double& x : tau) x += std::sin(3 * t);
  };
  plant.wrench = [](double t, View<const double>, View<const double>, View<Wrench<double>> F) {
    F[2] += Wrench<double>{{std::cos(t), 0.2, 0}, {1, t, -0.5}};
  };
  auto law = open_loop(
      [](double t, const ControlState& s, int k) { return std::cos(t + k) - 0.5 * s.qd[k]; });
  SimulateOptions o;
  o.q0 = testing::random_q(model, 7);
  o.v0 = testing::random_velocity(model, 7);
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  EXPECT_GT(r.energy(last, 3), 1e-3);            // friction took some
  EXPECT_GT(std::abs(r.energy(last, 4)), 1e-3);  // disturbances gave some
  EXPECT_LT(r.energy_balance(), 1e-8);
}

TEST(Simulate, the_end_is_recorded_where_no_row_is_due) {
  const Model<double> model = slider();
  auto law = open_loop([](double t, const ControlState&, int) { return 2 * (1 + t); });
  SimulateOptions o;
  o.duration = 3;
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8})
    for (const double every : {0.4, 0.5, 7.0}) {
      o.integrator = integrator;
      o.record_every = every;
      const Recording r = simulate(Plant(model), law, nothing, o);
      ASSERT_EQ(r.size(), every == 0.4 ? 9 : every == 0.5 ? 7 : 2);
      EXPECT_EQ(r.t.back(), 3);
      EXPECT_NEAR(r.qd(r.size() - 1, 0), 3 + 4.5, 1e-9);  // of the force over the mass, 1 + t
      for (int k = 0; k + 1 < r.size(); ++k)
        EXPECT_NEAR(r.t[static_cast<std::size_t>(k)], k * every, 1e-12);
    }
}

TEST(Simulate, sampled_torque_is_held_and_comes_after_its_delay) {
  const Model<double> model = slider();
  auto law = open_loop([](double t, const ControlState&, int) { return 2 * (1 + t); });
  SimulateOptions o;
  o.period = 0.1;
  o.delay = 0.25;
  o.record_every = 0.05;
  o.duration = 1;
  const Recording r = simulate(Plant(model), law, nothing, o);
  double v = 0, x = 0;
  for (int k = 0; k <= 20; ++k) {
    const double t = 0.05 * k;
    // torque of the last sample at least 0.25 s ago
    const double sampled = std::floor((t - 0.25) / 0.1 + 1e-9) * 0.1;
    const double tau = sampled < -1e-12 ? 0 : 2 * (1 + sampled);
    EXPECT_NEAR(r.tau(k, 0), tau, 1e-12) << t;
    EXPECT_NEAR(r.q(k, 0), x, 1e-10) << t;
    x += 0.05 * v + 0.5 * 0.0025 * tau / 2;
    v += 0.05 * tau / 2;
  }
}

TEST(Simulate, torques_saturate_and_their_rate_is_limited) {
  const Model<double> model = slider();
  auto law = open_loop([](double, const ControlState&, int) { return 50.0; });
  SimulateOptions o;
  o.actuators.torque_limit = {6};
  o.duration = 1;
  Recording r = simulate(Plant(model), law, nothing, o);
  EXPECT_NEAR(r.q(100, 0), 1.5, 1e-10);  // 3 m/s^2 for 1 s
  EXPECT_NEAR(r.figures.saturated, 1, 1e-12);
  o.period = 0.1;
  o.actuators.rate_limit = {20};  // 2 N per period
  r = simulate(Plant(model), law, nothing, o);
  for (int k = 0; k < 100; ++k) EXPECT_NEAR(r.tau(k, 0), std::min(6.0, 2.0 + 2 * (k / 10)), 1e-12);
}

TEST(Simulate, encoders_round_and_noise_has_its_deviation_and_seed) {
  const Model<double> model = slider();
  std::vector<double> seen, speed;
  auto law = open_loop([&](double, const ControlState& s, int) {
    seen.push_back(s.q[0]);
    speed.push_back(s.qd[0]);
    return 0.0;
  });
  law.at_reset = [&] { seen.clear(), speed.clear(); };
  SimulateOptions o;
  o.period = 0.01;
  o.duration = 20;
  o.v0 = {0.1};
  o.sensors.encoder_step = {0.004};
  o.sensors.velocity_by_difference = true;
  (void)simulate(Plant(model), law, nothing, o);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_NEAR(seen[k], 0.004 * std::round(0.001 * static_cast<double>(k) / 0.004 - 1e-9),
                0.00401);
    EXPECT_NEAR(std::remainder(seen[k], 0.004), 0, 1e-12);
    EXPECT_NEAR(std::remainder(speed[k], 0.4), 0, 1e-9);
  }
  o.sensors = {};
  o.sensors.position_noise = 0.01;
  o.sensors.seed = 3;
  seen.clear();
  (void)simulate(Plant(model), law, nothing, o);
  double mean = 0, squares = 0;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const double d = seen[k] - 0.001 * static_cast<double>(k);
    mean += d / static_cast<double>(seen.size());
    squares += d * d / static_cast<double>(seen.size());
  }
  EXPECT_NEAR(mean, 0, 4 * 0.01 / std::sqrt(2000.0));
  EXPECT_NEAR(std::sqrt(squares), 0.01, 4 * 0.01 / std::sqrt(4000.0));
  const std::vector<double> first = seen;
  seen.clear();
  (void)simulate(Plant(model), law, nothing, o);
  EXPECT_EQ(seen, first);
  o.sensors.seed = 4;
  seen.clear();
  (void)simulate(Plant(model), law, nothing, o);
  EXPECT_NE(seen, first);
}

TEST(Simulate, a_run_that_explodes_stops_with_time_joint_and_value_and_keeps_its_rows) {
  const Model<double> model = load_robot("planar2r");
  IndependentPd law(model, {Gain({-100, 60}), Gain({-30, 15})});
  SimulateOptions o;
  o.duration = 100;
  o.control = {.relative = 1e-6, .absolute = 1e-6};
  Recording r = simulate(Plant(model), law, hold({0.5, 0}, 2), o);
  EXPECT_EQ(r.stop, StopReason::blow_up) << r.message;
  EXPECT_NE(r.message.find("velocity of joint_"), std::string::npos) << r.message;
  EXPECT_GT(r.size(), 10);
  EXPECT_LT(r.size(), 10000);
  EXPECT_EQ(r.q.rows(), r.size());
  for (const Series* s : r.series())
    for (const double x : s->data) EXPECT_TRUE(std::isfinite(x)) << s->name;

  auto bad = open_loop(
      [](double t, const ControlState&, int k) { return k == 1 && t > 0.5 ? std::nan("") : 0.0; });
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8}) {
    o.integrator = integrator;
    r = simulate(Plant(model), bad, hold({0.5, 0}, 2), o);
    EXPECT_EQ(r.stop, StopReason::not_finite);
    EXPECT_NE(r.message.find("stopped at t = 0.5"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("is nan"), std::string::npos) << r.message;
    EXPECT_EQ(r.size(), 51);
  }
}

TEST(Simulate, what_could_be_known_is_refused_before_the_run) {
  const Model<double> model = slider();
  auto law = open_loop(none);
  const auto message = [&](const SimulateOptions& o, const ReferenceFunction& ref = nothing) {
    try {
      (void)simulate(Plant(model), law, ref, o);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  SimulateOptions o;
  o.q0 = {1, 2};
  EXPECT_EQ(message(o), "simulate: q0 has 2 numbers; 1 are needed");
  o = {};
  o.q0 = {std::nan("")};
  EXPECT_NE(message(o), "");
  o = {};
  o.delay = 0.1;
  EXPECT_NE(message(o).find("give a period"), std::string::npos);
  o = {};
  o.duration = -1;
  EXPECT_NE(message(o).find("duration"), std::string::npos);
  EXPECT_EQ(message({}, hold({1, 2}, 2)),
            "simulate: the reference has 2 coordinates; the robot has 1");
  IndependentPd pd(model, {Gain({10}), Gain({1})});
  try {
    (void)simulate(Plant(model), pd, nothing, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "law \"independent_pd\" follows a motion of the joints; there is none");
  }
}

TEST(Simulate, a_longer_run_allocates_no_more_than_a_short_one) {
  const Model<double> model = load_robot("planar2r");
  IndependentPd law(model, {Gain({100, 60}), Gain({30, 15})});
  ControlLaw& controller = law;
  const ReferenceFunction goal = hold({0.5, -0.3}, 2);
  for (const double period : {0.0, 1e-3})
    for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8}) {
      std::size_t counts[2];
      for (const int k : {0, 1}) {
        SimulateOptions o;
        o.integrator = integrator;
        o.period = period;
        o.delay = period > 0 ? 2.5e-3 : 0;
        o.duration = k == 0 ? 0.1 : 1;
        const testing::AllocationCounter counter;
        (void)simulate(Plant(model), controller, goal, o);
        counts[k] = counter.count();
      }
      EXPECT_EQ(counts[0], counts[1]) << period << " " << name_of(integrator);
    }
}

/// A law that wants accelerations: tau = -m a(measured) / 2 would never settle; here it only looks.
TEST(Simulate, measured_accelerations_are_those_under_the_torque_that_acts) {
  const Model<double> model = slider();
  std::vector<double> seen;
  auto law = open_loop([&](double t, const ControlState& s, int) {
    seen.push_back(s.qdd.empty() ? -1 : s.qdd[0]);
    return 2 * std::floor(t / 0.1 + 0.5);
  });
  law.at_reset = [&] { seen.clear(); };
  SimulateOptions o;
  o.measure_acceleration = true;
  o.period = 0.1;
  o.duration = 0.5;
  (void)simulate(Plant(model), law, nothing, o);
  ASSERT_GE(seen.size(), 5u);
  EXPECT_EQ(seen[0], 0);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(seen[k], static_cast<double>(k - 1), 1e-12);
}

TEST(Simulate, a_quintic_is_followed_and_held) {
  const Model<double> model = slider();
  IndependentPd law(model, {Gain({400}), Gain({40})});
  const auto path = quintic(Boundary<double>{{0.0}}, Boundary<double>{{1.0}}, 1.5);
  SimulateOptions o;
  o.duration = 3;
  o.record_every = 0.05;
  const Recording r = simulate(Plant(model), law, follow(path, 1, 1), o);
  EXPECT_NEAR(r.q_d(60, 0), 1, 1e-12);
  EXPECT_NEAR(r.e(60, 0), 0, 1e-4);
  EXPECT_NEAR(r.qd_d(15, 0), 15.0 / 8 / 1.5, 1e-12);  // the peak speed of a quintic, at its middle
  EXPECT_EQ(r.q_d.rows(), r.size());
}

/// Two joints that follow sines, at 500 samples each second.
struct SampledArm {
  Model<double> model = load_robot("planar2r");
  ComputedTorque law{model, {Gain({100, 100}), Gain({20, 20})}};
  SimulateOptions options;
  long asked = 0;  // for the reference
  ReferenceFunction reference = [this](double t, ReferencePoint& point) {
    ++asked;
    point.q = {0.3 * std::sin(2 * t), -0.4 * std::sin(3 * t)};
    point.qd = {0.6 * std::cos(2 * t), -1.2 * std::cos(3 * t)};
    point.qdd = {-1.2 * std::sin(2 * t), 3.6 * std::sin(3 * t)};
  };
  SampledArm() {
    options.duration = 2;
    options.period = 0.002;
  }
  Recording run() { return simulate(Plant(model), law, reference, options); }
};

TEST(Simulate, sampled_control_has_an_integrator_of_its_own_and_keeps_the_tolerance) {
  SampledArm arm;
  EXPECT_EQ(integrator_of(arm.options), Integrator::dormand_prince5);
  SimulateOptions seldom = arm.options;
  seldom.period = 0.01;
  EXPECT_EQ(integrator_of(seldom), Integrator::dormand_prince8);
  EXPECT_EQ(integrator_of({}), Integrator::dormand_prince8);
  const Recording chosen = arm.run();
  arm.options.integrator = Integrator::dormand_prince8;
  EXPECT_EQ(integrator_of(arm.options), Integrator::dormand_prince8);
  const Recording exact = arm.run();
  arm.options.integrator = Integrator::rk4;
  const Recording fixed = arm.run();

  EXPECT_EQ(chosen.integrator, "dormand_prince5");
  EXPECT_EQ(exact.integrator, "dormand_prince8");
  EXPECT_LT(chosen.evaluations, 0.7 * static_cast<double>(exact.evaluations));
  for (const Recording* r : {&chosen, &exact}) {
    EXPECT_GT(r->step_error, 0);
    EXPECT_LE(r->step_error, 1);
  }
  EXPECT_TRUE(std::isnan(fixed.step_error));
  // each of 1000 steps may be off by 1e-10 of the state
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(chosen.q(200, k), exact.q(200, k), 1e-7);
    EXPECT_NEAR(metrics(chosen, k).rms_error, metrics(exact, k).rms_error, 2e-8);
    EXPECT_NEAR(metrics(chosen, k).energy, metrics(exact, k).energy,
                1e-6 * metrics(exact, k).energy);
  }
}

TEST(Simulate, a_reference_is_asked_once_for_every_instant) {
  SampledArm arm;
  arm.options.integrator = Integrator::rk4;
  arm.options.step = arm.options.period;
  arm.options.certificate = false;
  const Recording r = arm.run();
  ASSERT_EQ(r.steps, 1000);
  // The middle and the end of each step; the start, and 257 instants of its own size. Steps whose
  // inside is looked at ask for five points more.
  EXPECT_LT(arm.asked, 2 * 1000 + 1 + 257 + 5 * 50);
  EXPECT_GE(arm.asked, 2 * 1000);
}

/// What docs/simulation.md says of the explicit Euler steps: a robot that swings freely gains energy in
/// proportion to the step, and loses none of it again.
TEST(Simulate, energy_of_a_free_robot_drifts_with_the_step_of_order_one) {
  const Model<double> arm = with_gravity(load_robot("planar2r"), {});
  NoLaw law(arm);
  const auto gain = [&](Integrator integrator, double step) {
    SimulateOptions o;
    o.q0 = {0.3, 0.7};
    o.v0 = {2, -1};
    o.duration = 20;
    o.integrator = integrator;
    o.step = step;
    const Recording r = simulate(Plant(arm), law, testing::nothing, o);
    return r.energy(r.size() - 1, 0) / r.energy(0, 0) - 1;
  };
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::taylor}) {
    const double coarse = gain(integrator, 1e-3), fine = gain(integrator, 5e-4);
    EXPECT_GT(coarse, 0.01);
    EXPECT_NEAR(coarse / fine, 2, 0.1);
  }
  EXPECT_LT(std::abs(gain(Integrator::dormand_prince8, 1e-3)), 1e-8);
}

}  // namespace
}  // namespace torsor
