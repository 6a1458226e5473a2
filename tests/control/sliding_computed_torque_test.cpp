/// Sliding mode on computed torque: reaching times, the consistent bound of the disturbance, and
/// the golden runs of Huo 2005, sec. 3.10.
#include "torsor/control/uncertain/sliding_computed_torque.hpp"

#include "control/sliding_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

SlidingComputedTorqueGains gains(ReachingLaw reaching, double layer = 0) {
  return {Gain({5, 5}), std::move(reaching), layer > 0 ? Switching({layer, layer}) : Switching()};
}
/// s(0) = (-0.5, 1.8).
SimulateOptions start_i(double duration) {
  SimulateOptions o = testing::start_a(duration);
  o.v0 = {0.5, -0.3};
  return testing::held(o, 1e-4);
}
double first_zero(const Recording& r, int column, double near = 0) {
  for (int k = 0; k < r.s.rows(); ++k)
    if (r.s(k, column) * r.s(0, column) <= near * std::abs(r.s(0, column)))
      return r.t[static_cast<std::size_t>(k)];
  return infinity;
}
/// What the believed robot would do under the recorded torque, less what the true one did.
double largest_disturbance(const Recording& r, const Model<double>& believed, int column) {
  AbaWorkspace<double> ws(believed);
  std::vector<double> v(static_cast<std::size_t>(believed.n_v()));
  double x = 0;
  for (int k = 0; k < r.size(); ++k) {
    (void)rigid_forward_dynamics(believed, ws, r.q.row(k), r.qd.row(k), r.tau.row(k), {}, v);
    x = std::max(x, std::abs(v[static_cast<std::size_t>(column)] - r.qdd(k, column)));
  }
  return x;
}

TEST(SlidingComputedTorque, G_3_10a_i_exact_model_reaches_the_surface_at_the_time_of_the_theory) {
  const Model<double> arm = load_robot("planar2r");
  SlidingComputedTorque law(arm, gains(ReachingLaw::constant({2, 4})), DisturbanceBound({0, 0}));
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), start_i(1));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_EQ(testing::not_covered(r.conditions),
            (std::vector<std::string>{"continuous control"}));  // it switches once a period
  EXPECT_TRUE(testing::violated(r.conditions).empty());
  EXPECT_NEAR(r.s(0, 0), -0.5, 1e-14);
  EXPECT_NEAR(r.s(0, 1), 1.8, 1e-14);
  EXPECT_NEAR(first_zero(r, 0), 0.2501, 1.01e-4);
  EXPECT_NEAR(first_zero(r, 1), 0.4500, 1.01e-4);
  const std::vector<Comparison> claims = compare_predictions(r);
  ASSERT_EQ(claims.size(), 2u);
  for (const Comparison& c : claims) {
    EXPECT_TRUE(c.kept) << c.observed;
    EXPECT_NEAR(c.observed, c.prediction.value, 1e-3 * c.prediction.value);
  }
  for (int k = r.at(0.46); k < r.size(); ++k)  // and stays: within one period of both rates
    for (int c = 0; c < 2; ++c) EXPECT_LT(std::abs(r.s(k, c)), 4e-3);
  EXPECT_FALSE(r.rate_is_bound);  // nothing is unknown: s s' = -eta |s|
}

TEST(SlidingComputedTorque, G_3_10a_ii_20_percent_are_outweighed) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> believed = testing::with_inertia_times(arm, 0.8);
  SlidingComputedTorque law(believed, gains(ReachingLaw::constant({2, 2})),
                            DisturbanceBound({15, 40}));
  const Recording r =
      simulate(Plant(arm), law, testing::trajectory_a(), testing::held(testing::start_a(4), 1e-4));
  EXPECT_NEAR(largest_disturbance(r, believed, 0), 6.66, 0.01);
  EXPECT_NEAR(largest_disturbance(r, believed, 1), 12.89, 0.01);
  EXPECT_NEAR(first_zero(r, 1), 0.0399, 1.01e-4);
  testing::expect_row(r, 2, {{4.5e-5, 8.1e-5}}, 0.02, 5e-7);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
}

TEST(SlidingComputedTorque, X_3_17_reaching_laws_take_their_time) {
  const Model<double> arm = load_robot("planar2r");
  const auto reached = [&](const ReachingLaw& reaching, double near = 0) {
    SlidingComputedTorque law(arm, gains(reaching), DisturbanceBound({0, 0}));
    const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), start_i(0.7));
    for (const std::string& name : testing::not_covered(r.conditions))
      EXPECT_EQ(name, "continuous control");  // it switches once a period, but for the power
    EXPECT_TRUE(testing::violated(r.conditions).empty());
    for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
    return std::vector<double>{first_zero(r, 0, near), first_zero(r, 1, near)};
  };
  const ReachingLaw exponential = ReachingLaw::exponential({1, 1}, {4, 4});
  EXPECT_NEAR(exponential.time(0, -0.5), 0.274653, 5e-7);
  EXPECT_NEAR(exponential.time(1, 1.8), 0.526034, 5e-7);
  std::vector<double> t = reached(exponential);
  EXPECT_NEAR(t[0], 0.2747, 1.01e-4);
  EXPECT_NEAR(t[1], 0.5260, 1.01e-4);
  // s(t) = (sqrt(s0) - k t / 2)^2 for the square root
  const ReachingLaw power = ReachingLaw::power({4, 6}, {0.5, 0.5});
  EXPECT_NEAR(power.time(0, -0.5), 2 * std::sqrt(0.5) / 4, 1e-15);
  EXPECT_NEAR(power.time(1, 1.8), 2 * std::sqrt(1.8) / 6, 1e-15);
  t = reached(power, 1e-4);  // held torques leave that much
  EXPECT_NEAR(t[0], power.time(0, -0.5) - power.time(0, 1e-4), 1e-3);
  EXPECT_NEAR(t[1], power.time(1, 1.8) - power.time(1, 1e-4), 1e-3);
  const ReachingLaw constant = ReachingLaw::constant({2, 4});
  EXPECT_EQ(constant.time(1, 1.8), 0.45);
  EXPECT_EQ(constant.time(1, 0), 0);
  EXPECT_EQ(ReachingLaw::constant({0, 1}).time(0, 1), infinity);
}

/// |d~| <= d for states, accelerations and robots drawn within the half widths, with the bound in
/// the acceleration itself.
TEST(DisturbanceBound, covers_every_robot_within_the_half_widths) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> p = testing::r2_parameters(), a = testing::times(0.02, p);
  RegressorBound regressor(arm, testing::r2_names());
  const InertiaMismatch mismatch = inertia_mismatch(*regressor.parameters(), a);
  EXPECT_EQ(mismatch.robots, 8);  // b1 and b2 do not move H
  EXPECT_GT(mismatch.spectral_radius(), 0.1);
  EXPECT_LT(mismatch.spectral_radius(), 1);
  DisturbanceBound bound(mismatch, regressor, a);
  AbaWorkspace<double> aba(arm);
  DynamicsWorkspace<double> id(arm);
  unsigned long word = 99;
  const auto draw = [&] {
    word = word * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<double>(static_cast<long>(word)) * 0x1p-63;
  };
  double tightest = 0;
  for (int sample = 0; sample < 4000; ++sample) {
    const auto at = [&](std::size_t j) {
      return p[j] + a[j] * (sample % 2 ? draw() : draw() > 0 ? 1 : -1);
    };
    const double a2 = at(1);
    const Model<double> robot = testing::r2_with(arm, {at(0), a2, at(2), at(3), a2});
    const double q[2] = {3 * draw(), 3 * draw()}, qd[2] = {2 * draw(), 2 * draw()};
    const double v0[2] = {5 * draw(), 5 * draw()}, u = 2;
    double size[2], d[2], v[2], tau[2], qdd[2];
    for (int i = 0; i < 2; ++i) size[i] = std::abs(v0[i]) + u;
    bound.at(q, qd, size, d);
    for (int i = 0; i < 2; ++i) v[i] = v0[i] + (draw() > 0 ? 1 : -1) * (d[i] + u);
    tree_inverse_dynamics(arm, id, q, qd, v, {}, tau);
    (void)rigid_forward_dynamics(robot, aba, q, qd, tau, {}, qdd);
    for (int i = 0; i < 2; ++i) {
      ASSERT_LE(std::abs(v[i] - qdd[i]), d[i]) << sample;
      tightest = std::max(tightest, std::abs(v[i] - qdd[i]) / d[i]);
    }
  }
  EXPECT_GT(tightest, 0.3);  // a bound, not an infinity
}

TEST(SlidingComputedTorque, computed_bound_makes_every_uncertain_robot_slide_in_time) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> p = testing::r2_parameters(), a = testing::times(0.02, p);
  LawParameters named;
  named.set("Lambda", {5});
  named.set("eta", {2, 4});
  named.set("parameters", testing::r2_names());
  named.set("half_width", a);
  const std::unique_ptr<ControlLaw> law_made = make_law("sliding_computed_torque", arm, named);
  ControlLaw& law = *law_made;
  EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
  for (int corner = 0; corner < 8; ++corner) {
    const auto at = [&](std::size_t j, int bit) {
      return p[j] + ((corner >> bit & 1) ? 1 : -1) * a[j];
    };
    const double a2 = at(1, 1);
    const Model<double> robot = testing::r2_with(arm, {at(0, 0), a2, at(2, 2), at(3, 0), a2});
    const Recording r = simulate(Plant(robot), law, testing::trajectory_a(), start_i(0.5));
    EXPECT_TRUE(r.rate_is_bound);
    for (const Comparison& c : compare_predictions(r))
      EXPECT_TRUE(c.kept) << corner << " " << c.observed;
    EXPECT_LE(first_zero(r, 0), 0.25);
    EXPECT_LE(first_zero(r, 1), 0.45);
  }
}

TEST(SlidingComputedTorque, a_bound_that_is_too_small_misses_the_reaching_time_and_is_seen) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> believed = testing::with_inertia_times(arm, 0.5);
  SlidingComputedTorque law(believed, gains(ReachingLaw::constant({2, 4})),
                            DisturbanceBound({0, 0}));
  SimulateOptions o = start_i(2);
  o.v0 = {-1.5, -0.3};  // s(0) = (1.5, 1.8): the weight that is not believed pulls against both
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  const std::vector<Comparison> claims = compare_predictions(r);
  EXPECT_FALSE(claims[0].kept) << claims[0].observed;
  EXPECT_GT(r.lyapunov_balance(), 0.01);
}

TEST(SlidingComputedTorque, V_never_exceeds_its_bound_in_a_layer_and_the_layer_is_kept) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> believed = testing::with_inertia_times(arm, 0.8);
  SlidingComputedTorque law(believed, gains(ReachingLaw::constant({2, 2}), 0.1),
                            DisturbanceBound({15, 40}));
  SimulateOptions o = testing::start_a(4);
  o.control = {.relative = 1e-9, .absolute = 1e-11};
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  for (int c = 0; c < 2; ++c) {
    bool inside = false;
    for (int k = 0; k < r.size(); ++k) {
      EXPECT_TRUE(!inside || std::abs(r.s(k, c)) <= 0.1) << r.s(k, c);
      inside = inside || std::abs(r.s(k, c)) <= 0.1;
    }
    EXPECT_TRUE(inside);
  }
  const std::vector<Comparison> claims = compare_predictions(r);
  ASSERT_EQ(claims.size(), 2u);
  // e(0) = (-0.2, 0.3), s(0) = (0, 1.5): met at s(0) / 2, looked at from 3 s on
  const double left[2] = {0.2 * std::exp(-5 * 3.0), 0.3 * std::exp(-5 * (3 - 0.75))};
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(claims[k].prediction.value, 0.1 / 5 + left[k], 1e-12);
    EXPECT_TRUE(claims[k].kept) << claims[k].observed;
  }
}

TEST(SlidingComputedTorque, a_d_bar_that_does_not_cover_the_plant_is_not_covered) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> believed = testing::with_inertia_times(arm, 0.8);
  for (const double share : {1.0, 0.05}) {
    SlidingComputedTorque law(believed, gains(ReachingLaw::constant({2, 2}), 0.1),
                              DisturbanceBound({share * 15, share * 40}));
    auto run = testing::run_from(believed, testing::trajectory_a(), {0, 1.5}, {1, 0}, 4);
    run.plant = &arm;
    EXPECT_EQ(testing::row(law.conditions(run), "d_bar covers the plant").verdict,
              share == 1 ? Verdict::holds : Verdict::not_covered);
    run.plant = &believed;
    EXPECT_EQ(testing::row(law.conditions(run), "d_bar covers the plant").value, 0);
  }
}

TEST(SlidingComputedTorque, adaptive_steps_are_refused_where_the_law_switches_without_end) {
  const Model<double> arm = load_robot("planar2r");
  const auto refused = [&](SlidingComputedTorqueGains g, double d, SimulateOptions o) {
    SlidingComputedTorque law(arm, std::move(g), DisturbanceBound({d, d}));
    o.duration = 0.01;
    try {
      (void)simulate(Plant(arm), law, testing::trajectory_a(), o);
    } catch (const Error& error) {
      return std::string(error.what()).find("switches without end") != std::string::npos;
    }
    return false;
  };
  const SimulateOptions adaptive = testing::start_a(0.01);
  SimulateOptions fixed = adaptive;
  fixed.integrator = Integrator::rk4;
  const ReachingLaw constant = ReachingLaw::constant({2, 2});
  EXPECT_TRUE(refused(gains(constant), 0, adaptive));
  EXPECT_FALSE(refused(gains(constant), 0, fixed));
  EXPECT_FALSE(refused(gains(constant), 0, testing::held(adaptive, 1e-3)));
  EXPECT_FALSE(refused(gains(constant, 0.1), 1, adaptive));
  EXPECT_TRUE(refused({Gain({5, 5}), constant, Switching({0.1, 0})}, 1, adaptive));
  EXPECT_FALSE(refused(gains(ReachingLaw::power({4, 4}, {0.5, 0.5})), 0, adaptive));
  EXPECT_TRUE(refused(gains(ReachingLaw::power({4, 4}, {0.5, 0.5})), 1, adaptive));
}

/// 1 kHz, all parameters 20 % too small; d_bar is answered for and checked afterwards.
TEST(SlidingComputedTorque, holds_puma560_and_ur5_at_1_kHz_with_20_percent_of_the_mass_missing) {
  for (const char* robot : {"puma560", "ur5"}) {
    const Model<double> believed = testing::frictionless(load_robot(robot));
    const Model<double> truth = testing::with_inertia_times(believed, 1.2);
    const std::vector<double> d_bar(6, 40), layer(6, 0.1), eta(6, 4);
    SlidingComputedTorque law(believed,
                              {Gain::uniform(6, 8), ReachingLaw::constant(eta), Switching(layer)},
                              DisturbanceBound(d_bar));
    SimulateOptions o;
    o.q0 = {0.1, -0.2, 0.3, 0, 0.2, 0};
    o.duration = 2;
    o = testing::held(o, 1e-3);
    const Recording r = simulate(Plant(truth), law, hold({0.3, 0.4, -0.6, 0.2, 0.5, -0.1}, 6), o);
    ASSERT_EQ(r.stop, StopReason::finished) << robot << ": " << r.message;
    for (int c = 0; c < 6; ++c) {
      EXPECT_LT(largest_disturbance(r, believed, c), 40) << robot << c;
      EXPECT_LT(testing::largest(r.s, r, c, 1.8), 0.1) << robot << c;
    }
    for (const Comparison& c : compare_predictions(r))
      EXPECT_TRUE(c.kept) << robot << c.prediction.name << c.observed;
  }
}

TEST(SlidingComputedTorque, conditions_catch_what_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  const auto fine = [&](SlidingComputedTorqueGains g) {
    return all_satisfied(
        testing::conditions_of(SlidingComputedTorque(arm, std::move(g), DisturbanceBound({1, 1}))));
  };
  const ReachingLaw good = ReachingLaw::constant({2, 2});
  EXPECT_TRUE(fine({Gain({5, 5}), good}));
  EXPECT_FALSE(fine({Gain({5, -5}), good}));
  EXPECT_FALSE(fine({Gain({5, 5}), ReachingLaw::constant({2, 0})}));
  EXPECT_FALSE(fine({Gain({5, 5}), ReachingLaw::exponential({2, 0}, {1, 1})}));
  EXPECT_FALSE(fine({Gain({5, 5}), ReachingLaw::exponential({2, 2}, {1, -1})}));
  EXPECT_FALSE(fine({Gain({5, 5}), ReachingLaw::power({2, 0}, {0.5, 0.5})}));
  // half widths of 8 % are too much for any consistent bound
  LawParameters named;
  named.set("Lambda", {5});
  named.set("eta", {2});
  named.set("parameters", testing::r2_names());
  named.set("half_width", testing::times(0.08, testing::r2_parameters()));
  const std::vector<Condition> wide =
      testing::conditions_of(*make_law("sliding_computed_torque", arm, named));
  const Condition consistent = testing::row(wide, "the bound of the disturbance is consistent");
  EXPECT_FALSE(consistent.satisfied());
  EXPECT_GT(consistent.value, 1);
  EXPECT_NE(consistent.note.find("8 robots"), std::string::npos) << consistent.note;
  const auto make = [&](ReachingLaw reaching, std::vector<double> d_bar) {
    SlidingComputedTorque(arm, {Gain({5, 5}), std::move(reaching)},
                          DisturbanceBound(std::move(d_bar)));
  };
  EXPECT_THROW(make(good, {1}), Error);
  EXPECT_THROW(make(good, {1, -1}), Error);
  EXPECT_THROW(make(ReachingLaw::constant({1}), {1, 1}), Error);
  EXPECT_THROW(make(ReachingLaw::power({1, 1}, {0.5, 1.5}), {1, 1}), Error);
  LawParameters odd;
  odd.set("Lambda", {5});
  odd.set("reaching", "exponental");
  odd.set("d_bar", {1});
  EXPECT_THROW((void)make_law("sliding_computed_torque", arm, odd), Error);
}

TEST(SlidingComputedTorque, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  RegressorBound regressor(arm, {"link_6"});
  const std::vector<double> a(10, 1e-3);
  const InertiaMismatch mismatch = inertia_mismatch(*regressor.parameters(), a);
  SlidingComputedTorque law(
      arm,
      {Gain::uniform(6, 8),
       ReachingLaw::exponential(std::vector<double>(6, 1), std::vector<double>(6, 2))},
      DisturbanceBound(mismatch, regressor, a));
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6), s(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  (void)law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  law.filtered_error({.state = {.q = q, .qd = v}, .reference = {.q = v, .qd = q}}, s);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(s[0], -0.1 + 8 * 0.1, 1e-15);
}

}  // namespace
}  // namespace torsor
