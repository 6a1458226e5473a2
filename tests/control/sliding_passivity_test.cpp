/// Sliding mode on the passive structure: the table of Huo 2005, sec. 3.10, example 3-5, and what
/// is promised for every robot within the stated bounds.
#include "torsor/control/uncertain/sliding_passivity.hpp"

#include "control/sliding_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

/// p believed 0.8 p, a = 0.3 p, the formula of the section for Ybar.
class R2Sliding : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  const Model<double> believed = testing::with_inertia_times(arm, 0.8);

  SlidingPassivity law(double layer = 0) {
    return SlidingPassivity(believed, testing::r2_gains(layer),
                            RegressorBound(arm, 5, testing::r2_bound),
                            testing::times(0.3, testing::r2_parameters()));
  }
  Recording run(double layer, double period = 1e-3) {
    SlidingPassivity sliding = law(layer);
    return simulate(Plant(arm), sliding, testing::trajectory_a(),
                    testing::held(testing::start_a(4), period));
  }
};

TEST_F(R2Sliding, G_3_10b_switching_chatters_as_the_table_says) {
  const Recording r = run(0);
  testing::expect_row(r, 2, {{8.57e-4, 2.71e-3}, {0.0159, 0.0358}, {8.81, 2.71}, {29.9, 7.19}},
                      0.004);
  EXPECT_EQ(testing::not_covered(r.conditions),
            (std::vector<std::string>{"continuous control"}));  // it switches once a period
  EXPECT_TRUE(testing::violated(r.conditions).empty());
}

TEST_F(R2Sliding, G_3_10d_layers_take_the_chatter_away_and_keep_their_bound) {
  Recording r = run(0.1);
  testing::expect_row(r, 2, {{0.01198, 0.01176}, {0.0602, 0.0607}, {0.0078, 0.0046}, {27.5, 6.61}},
                      0.006);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
  r = run(0.02);
  testing::expect_row(r, 2, {{2.42e-3, 2.41e-3}, {0.0121, 0.0124}, {0.0078, 0.0046}, {29.5, 6.61}},
                      0.006);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
}

/// Friction at the elbow alone is unknown; inside its thick layer it is not outweighed, and moves
/// the shoulder through H^-1, far out of a layer of its own.
TEST(SlidingPassivity, a_layer_of_one_joint_moves_the_others_and_the_bound_is_one_for_all) {
  const Model<double> believed = load_robot("planar2r");
  RobotDescription rough = believed.description();
  rough.joints[1].friction.assign(1, {});
  rough.joints[1].friction[0].viscous = 3;
  const Model<double> plant(std::move(rough));
  const double Lambda = 5;
  SlidingPassivity law(believed, {Gain({Lambda, Lambda}), Gain({1, 1}), {}, Switching({0.01, 2})},
                       RegressorBound(believed, {"joint_2.viscous"}), {3});
  SimulateOptions o;
  o.v0 = {1, 3};
  o.duration = 6;
  o.record_every = 1e-3;
  const Recording r =
      simulate(Plant(plant), law, follow(Sinusoid{{0, 0}, {0.5, 0.5}, {2, 6}, {0, 0}}), o);
  EXPECT_TRUE(all_satisfied(law.conditions([&] {
    auto run = testing::run_from(believed, follow(Sinusoid{{0, 0}, {0.5, 0.5}, {2, 6}, {0, 0}}),
                                 {0, 0}, {1, 3}, 6);
    run.plant = &plant;
    return run;
  }())));
  EXPECT_GT(testing::largest(r.e, r, 0, 4.5), 10 * 0.01 / Lambda);  // not in its own layer
  const std::vector<Comparison> claims = compare_predictions(r);
  ASSERT_EQ(claims.size(), 2u);
  for (const Comparison& c : claims) EXPECT_TRUE(c.kept) << c.observed;
  // sigma = sqrt(l_M / l_m) sqrt(sum_i layer_i k_i / 4 / l_m(Kd)), k of the friction alone: at least
  // that of the speed of the reference, 3 rad/s
  const double sigma = std::sqrt(2.9337209 / 0.0662791) * std::sqrt(2 * 3 * 3 / 4.);
  EXPECT_GE(claims[0].prediction.value, sigma / Lambda);
  EXPECT_LT(claims[0].prediction.value, 100 * sigma / Lambda);
}

TEST_F(R2Sliding, G_3_10b_error_and_chatter_of_s_scale_with_the_period) {
  const Recording slow = run(0), fast = run(0, 1e-4);
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(testing::largest(fast.e, fast, c, 2) / testing::largest(slow.e, slow, c, 2), 0.1,
                0.02);
    EXPECT_NEAR(testing::largest(fast.s, fast, c, 2) / testing::largest(slow.s, slow, c, 2), 0.1,
                0.02);
  }
}

TEST(SlidingPassivity, Example_3_5_direct_drive_arm_joins_its_trajectory) {
  const Model<double> arm = load_robot("ddarm");
  const Model<double> believed = testing::ddarm_with(arm, testing::ddarm_believed());
  const auto run = [&](double layer) {
    SlidingPassivity law(believed, testing::ddarm_gains(layer),
                         RegressorBound(arm, 9, testing::ddarm_bound), testing::ddarm_half_width());
    return simulate(Plant(arm), law, testing::trajectory_d(),
                    testing::held(testing::start_d(3), 1e-3));
  };
  const Recording sharp = run(0);
  testing::expect_row(sharp, 1.5, {{0.00085, 0.00996, 0.00154}}, 0.001, 5e-6);
  testing::expect_row(sharp, 1.5, {{}, {}, {0.03, 6.8, 1.7}, {36.0, 39.8, 8.9}}, 0.001, 0.05);
  const Recording smooth = run(0.25);
  testing::expect_row(smooth, 1.5, {{0.00518, 0.03014, 0.00632}}, 0, 5e-6);
  for (int c = 0; c < 3; ++c) EXPECT_LT(metrics(smooth, c, 1.5).chatter * smooth.period, 1e-3);
  for (const Comparison& c : compare_predictions(smooth)) EXPECT_TRUE(c.kept) << c.observed;
}

TEST(RegressorBound,
     formulas_of_the_textbook_bound_every_regressor_and_absolute_values_are_tighter) {
  const Model<double> r2 = load_robot("planar2r"), ddarm = load_robot("ddarm");
  RegressorBound r2_formula(r2, 5, testing::r2_bound), r2_own(r2, testing::r2_names());
  RegressorBound dd_formula(ddarm, 9, testing::ddarm_bound), dd_own(ddarm, testing::ddarm_names());
  unsigned long word = 12345;
  const auto draw = [&] {
    word = word * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<double>(static_cast<long>(word)) * 0x1p-63;
  };
  const std::vector<double> a5 = testing::times(0.3, testing::r2_parameters()),
                            a9 = testing::ddarm_half_width();
  for (int sample = 0; sample < 20000; ++sample) {
    std::vector<double> q(3), qd(3), v(3), w(3), k(3), loose(3);
    for (std::size_t i = 0; i < 3; ++i)
      q[i] = 3 * draw(), qd[i] = 4 * draw(), v[i] = 4 * draw(), w[i] = 8 * draw();
    dd_own.times(q, qd, v, w, a9, k);
    dd_formula.times(q, qd, v, w, a9, loose);
    for (std::size_t i = 0; i < 3; ++i) ASSERT_LE(k[i], loose[i] * (1 + 1e-13));
    const auto Y = testing::ddarm_regressor(q, qd, v, w);
    for (std::size_t i = 0; i < 3; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < 9; ++j) expected += std::abs(Y[i][j]) * a9[j];
      ASSERT_NEAR(k[i], expected, 1e-12 * (1 + expected));
    }
    q.resize(2), qd.resize(2), v.resize(2), w.resize(2), k.resize(2), loose.resize(2);
    r2_own.times(q, qd, v, w, a5, k);
    r2_formula.times(q, qd, v, w, a5, loose);
    for (std::size_t i = 0; i < 2; ++i) ASSERT_LE(k[i], loose[i] * (1 + 1e-13));
  }
}

TEST(SlidingPassivity, torque_is_that_of_passivity_tracking_and_the_switched_one) {
  const Model<double> arm = load_robot("puma560");  // with friction and rotors
  const std::vector<double> q{0.3, -0.2, 0.5, 0.1, -0.4, 0.2}, qd{0.5, -0.1, 0.3, 0.2, 0.1, -0.6},
      q_d{0.1, 0.2, 0.4, 0.3, -0.6, 0.2}, qd_d{0.1, 0.2, -0.3, 0.4, 0.5, 0.6}, qdd_d(6, 1.5);
  const ControlState state{.q = q, .qd = qd};
  const ControlReference reference{.q = q_d, .qd = qd_d, .qdd = qdd_d};
  std::vector<double> a;
  for (const double x : parameters(arm)) a.push_back(0.1 * std::abs(x));
  SlidingPassivity sliding(arm, {Gain::uniform(6, 3), Gain::uniform(6, 7), {1, 2, 3, 4, 5, 6}},
                           RegressorBound(arm, {}), a);
  PassivityTracking smooth(arm, {Gain::uniform(6, 3), Gain::uniform(6, 7)});
  std::vector<double> tau(6), expected(6), k(6), s(6), qd_r(6), qdd_r(6);
  sliding.torque({0, state, {}, reference}, tau);
  smooth.torque({0, state, {}, reference}, expected);
  sliding.filtered_error({.state = state, .reference = reference}, s);
  for (std::size_t i = 0; i < 6; ++i) {
    qd_r[i] = qd_d[i] + 3 * (q_d[i] - q[i]);
    qdd_r[i] = qdd_d[i] + 3 * (qd_d[i] - qd[i]);
    EXPECT_NEAR(s[i], qd_r[i] - qd[i], 1e-15);
  }
  RegressorBound(arm, {}).times(q, qd, qd_r, qdd_r, a, k);
  for (std::size_t i = 0; i < 6; ++i) {
    const double sign = s[i] > 0 ? 1 : -1, eta = static_cast<double>(i + 1);
    EXPECT_NEAR(tau[i], expected[i] + sign * (k[i] + eta), 1e-12 * (1 + std::abs(expected[i])));
  }
}

/// Every corner of the box of parameters: V falls at least as fast as promised, layer or not.
TEST_F(R2Sliding, V_never_exceeds_its_bound_for_robots_within_the_half_widths) {
  const std::vector<double> p = testing::r2_parameters();
  int robots = 0;
  for (int corner = 0; corner < 16; ++corner) {
    const auto at = [&](std::size_t j, int bit) {
      return p[j] * (0.8 + 0.3 * ((corner >> bit & 1) ? 1 : -1));
    };
    const double a1 = at(0, 0), a2 = at(1, 1), a3 = at(2, 2);
    if (a3 * (a1 - a3) < 1.2 * a2 * a2) continue;  // no robot: H is indefinite where c2 = 1
    ++robots;
    const Model<double> robot = testing::r2_with(arm, {a1, a2, a3, at(3, 3), a2});
    SlidingPassivity smooth = law(0.05);
    SimulateOptions o = testing::start_a(2);
    o.control = {.relative = 1e-9, .absolute = 1e-11};
    const Recording r = simulate(Plant(robot), smooth, testing::trajectory_a(), o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(r.rate_is_bound);
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << corner;
    for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
  }
  EXPECT_GE(robots, 6);
  // and a robot far outside breaks it
  SlidingPassivity smooth = law(0.05);
  const Model<double> heavy = testing::with_inertia_times(arm, 2.5);
  const Recording r = simulate(Plant(heavy), smooth, testing::trajectory_a(), testing::start_a(1));
  EXPECT_GT(r.lyapunov_balance(), 0.01);
}

TEST_F(R2Sliding, eta_reaches_the_surface_in_finite_time) {
  SlidingGains gains = testing::r2_gains();
  gains.eta = {2, 2};
  SlidingPassivity sliding(believed, gains, RegressorBound(arm, 5, testing::r2_bound),
                           testing::times(0.3, testing::r2_parameters()));
  const Recording r = simulate(Plant(arm), sliding, testing::trajectory_a(),
                               testing::held(testing::start_a(2), 1e-4));
  const double by = std::sqrt(2 * r.lyapunov(0, 0) * inertia_bounds(arm).largest) / 2;
  EXPECT_LT(by, 1);
  for (int k = r.at(by); k < r.size(); ++k)
    EXPECT_LT(std::hypot(r.s(k, 0), r.s(k, 1)), 0.01) << r.t[static_cast<std::size_t>(k)];
}

TEST(SlidingPassivity, holds_the_arm_at_1_kHz_with_20_percent_parameter_error_within_its_layer) {
  for (const char* robot : {"puma560", "ur5"}) {
    const Model<double> believed = testing::frictionless(load_robot(robot));
    const Model<double> truth = testing::with_inertia_times(believed, 1.2);
    std::vector<double> a;
    for (const double x : parameters(believed)) a.push_back(0.2 * std::abs(x));
    const std::vector<double> Lambda(6, 8), Kd = testing::damping(believed, 50);
    RegressorBound bound(believed, {});
    // layers that 1 kHz can bear: k / layer < 300 H_ii at the goal
    const std::vector<double> goal{0.3, 0.4, -0.6, 0.2, 0.5, -0.1}, zero(6);
    std::vector<double> k(6), layer;
    bound.times(goal, zero, zero, zero, a, k);
    for (std::size_t i = 0; i < 6; ++i) layer.push_back(k[i] / (6 * Kd[i]) + 0.01);
    SlidingPassivity law(believed, {Gain(Lambda), Gain(Kd), {}, Switching(layer)}, bound, a);
    SimulateOptions o;
    o.q0 = {0.1, -0.2, 0.3, 0, 0.2, 0};
    o.duration = 2;
    o = testing::held(o, 1e-3);
    o.record_every = 0.02;
    o.certificate = false;
    const Recording r = simulate(Plant(truth), law, hold(goal, 6), o);
    ASSERT_EQ(r.stop, StopReason::finished) << robot << ": " << r.message;
    for (const Comparison& c : compare_predictions(r)) {
      EXPECT_TRUE(c.kept) << robot << " " << c.prediction.name << " " << c.observed << " "
                          << c.prediction.value;
    }
  }
}

TEST_F(R2Sliding, conditions_catch_gains_that_the_proof_does_not_cover) {
  const RegressorBound bound(arm, 5, testing::r2_bound);
  const std::vector<double> a(5, 0.1);
  const auto fine = [&](SlidingGains g) {
    return all_satisfied(
        testing::conditions_of(SlidingPassivity(believed, std::move(g), bound, a)));
  };
  EXPECT_TRUE(fine(testing::r2_gains(0.1)));
  EXPECT_FALSE(fine({Gain({5, -1})}));
  EXPECT_FALSE(fine({Gain::full(2, {5, 1, 0, 5})}));
  EXPECT_FALSE(fine({Gain({5, 5}), Gain({1, 0})}));
  EXPECT_FALSE(fine({Gain({5, 5}), {}, {0, -0.1}}));
  const auto make = [&](SlidingGains g, std::vector<double> half) {
    SlidingPassivity(believed, std::move(g), bound, std::move(half));
  };
  EXPECT_THROW(make(testing::r2_gains(), {0.1}), Error);
  EXPECT_THROW(make(testing::r2_gains(), {0.1, 0.1, -0.1, 0.1, 0.1}), Error);
  EXPECT_THROW(make({Gain({5, 5}), {}, {}, Switching({0.1})}, a), Error);
  EXPECT_THROW(make({Gain({5, 5}), {}, {}, Switching({0.1, -0.1})}, a), Error);
}

TEST(SlidingPassivity, calls_allocate_nothing_and_names_work) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Lambda", {8});
  p.set("Kd", {100, 100, 60, 4, 4, 2});
  p.set("half_width_share", {0.2});
  p.set("layer", {0.1});
  const std::unique_ptr<ControlLaw> law_made = make_law("sliding_passivity", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6), s(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  law.filtered_error({.state = {.q = q, .qd = v}, .reference = {.q = v, .qd = q}}, s);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(s[0], -0.1 + 8 * 0.1, 1e-15);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
