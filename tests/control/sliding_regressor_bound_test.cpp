/// Sliding mode without a model: the table of Huo 2005, sec. 3.10, example 3-5, and the price.
#include "torsor/control/uncertain/sliding_passivity.hpp"

#include "control/sliding_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

/// pbar = 1.1 p, the formula of the section for Ybar.
class R2SlidingBound : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");

  SlidingPassivity law(double layer = 0) {
    return SlidingPassivity(arm, testing::r2_gains(layer),
                            RegressorBound(arm, 5, testing::r2_bound),
                            testing::times(1.1, testing::r2_parameters()), SlidingBound::sizes);
  }
  Recording run(double layer, double period = 1e-3) {
    SlidingPassivity sliding = law(layer);
    return simulate(Plant(arm), sliding, testing::trajectory_a(),
                    testing::held(testing::start_a(4), period));
  }
};

TEST_F(R2SlidingBound, G_3_10c_switching_alone_holds_the_arm_with_more_effort) {
  const Recording r = run(0), fast = run(0, 1e-4);
  testing::expect_row(r, 2, {{3.46e-3, 1.37e-2}, {0.0603, 0.144}, {24.1, 8.60}, {42.8, 12.5}},
                      0.004);
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(testing::largest(fast.e, fast, c, 2) / testing::largest(r.e, r, c, 2), 0.1, 0.02);
    EXPECT_NEAR(testing::largest(fast.s, fast, c, 2) / testing::largest(r.s, r, c, 2), 0.1, 0.02);
  }
}

TEST_F(R2SlidingBound, G_3_10d_a_layer_takes_the_chatter_away_and_keeps_its_bound) {
  const Recording r = run(0.1);
  testing::expect_row(r, 2, {{0.01656, 0.01650}, {0.0822, 0.0849}, {0.0078, 0.0046}, {39.9, 12.7}},
                      0.006);
  for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.observed;
}

TEST(SlidingRegressorBound, Example_3_5_a_thick_layer_leaves_a_visible_error) {
  const Model<double> arm = load_robot("ddarm");
  std::vector<double> p_bar = testing::ddarm_half_width();
  for (std::size_t k = 0; k < p_bar.size(); ++k) p_bar[k] += std::abs(testing::ddarm_believed()[k]);
  const double printed[9] = {14, 0.6, 1.6, 1.1, 3.3, 0.4, 0.02, 0.45, 0.45};
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_NEAR(p_bar[k], printed[k], 1e-12);
    EXPECT_LE(std::abs(testing::ddarm_parameters()[k]), p_bar[k]);
    EXPECT_LE(std::abs(testing::ddarm_parameters()[k] - testing::ddarm_believed()[k]),
              testing::ddarm_half_width()[k]);
  }
  const auto run = [&](double layer) {
    SlidingPassivity law(arm, testing::ddarm_gains(layer),
                         RegressorBound(arm, 9, testing::ddarm_bound), p_bar, SlidingBound::sizes);
    return simulate(Plant(arm), law, testing::trajectory_d(),
                    testing::held(testing::start_d(3), 1e-3));
  };
  const Recording sharp = run(0);
  testing::expect_row(sharp, 1.5, {{0.00023, 0.01113, 0.00066}}, 0.01, 1e-5);
  testing::expect_row(sharp, 1.5, {{}, {}, {0.3, 25.7, 6.4}, {142.4, 84.7, 23.2}}, 0.001, 0.05);
  testing::expect_row(run(0.85), 1.5, {{0.11437, 0.14836, 0.04664}}, 0, 5e-6);
}

TEST_F(R2SlidingBound, V_never_exceeds_its_bound_within_pbar_and_does_beyond) {
  SimulateOptions o = testing::start_a(1);
  o.control = {.relative = 1e-9, .absolute = 1e-11};
  for (const double factor : {0.3, 0.7, 1.0, 1.09}) {
    SlidingPassivity smooth = law(0.1);
    const Model<double> robot = testing::with_inertia_times(arm, factor);
    const Recording r = simulate(Plant(robot), smooth, testing::trajectory_a(), o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << factor;
  }
  SlidingPassivity smooth = law(0.1);
  const Model<double> heavy = testing::with_inertia_times(arm, 2.5);
  EXPECT_GT(simulate(Plant(heavy), smooth, testing::trajectory_a(), o).lyapunov_balance(), 0.01);
}

/// 20 % too heavy for what is believed, which pbar covers: nothing but |Y| pbar and Kd.
TEST(SlidingRegressorBound, holds_the_arm_at_1_kHz_with_20_percent_parameter_error_in_its_layer) {
  for (const char* robot : {"puma560", "ur5"}) {
    const Model<double> believed = testing::frictionless(load_robot(robot));
    const Model<double> truth = testing::with_inertia_times(believed, 1.2);
    std::vector<double> p_bar;
    for (const double x : parameters(believed)) p_bar.push_back(1.2 * std::abs(x));
    const std::vector<double> Lambda(6, 8), Kd = testing::damping(believed, 50);
    RegressorBound bound(believed, {});
    // layers that 1 kHz can bear: k / layer < 300 H_ii at the goal
    const std::vector<double> goal{0.3, 0.4, -0.6, 0.2, 0.5, -0.1}, zero(6);
    std::vector<double> k(6), layer;
    bound.times(goal, zero, zero, zero, p_bar, k);
    for (std::size_t i = 0; i < 6; ++i) layer.push_back(k[i] / (6 * Kd[i]) + 0.01);
    SlidingPassivity law(believed, {Gain(Lambda), Gain(Kd), {}, Switching(layer)}, bound, p_bar,
                         SlidingBound::sizes);
    EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
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

/// With all ten parameters of every body unknown, what is known is a robot without masses: its
/// friction and rotors.
TEST(SlidingRegressorBound, torque_is_what_is_known_and_the_switched_one) {
  const Model<double> arm = load_robot("puma560");
  const Model<double> weightless = testing::with_inertia_times(arm, 0);
  const std::vector<double> q{0.3, -0.2, 0.5, 0.1, -0.4, 0.2}, qd{0.5, -0.1, 0.3, 0.2, 0.1, -0.6},
      q_d{0.1, 0.2, 0.4, 0.3, -0.6, 0.2}, qd_d{0.1, 0.2, -0.3, 0.4, 0.5, 0.6}, qdd_d(6, 1.5);
  const ControlState state{.q = q, .qd = qd};
  const ControlReference reference{.q = q_d, .qd = qd_d, .qdd = qdd_d};
  std::vector<double> p_bar;
  for (const double x : parameters(arm)) p_bar.push_back(1.1 * std::abs(x));
  SlidingPassivity sliding(arm, {Gain::uniform(6, 3), Gain::uniform(6, 7)}, RegressorBound(arm, {}),
                           p_bar, SlidingBound::sizes);
  PassivityTracking known(weightless, {Gain::uniform(6, 3), Gain::uniform(6, 7)});
  std::vector<double> tau(6), expected(6), k(6), s(6), qd_r(6), qdd_r(6);
  sliding.torque({0, state, {}, reference}, tau);
  known.torque({0, state, {}, reference}, expected);
  sliding.filtered_error({.state = state, .reference = reference}, s);
  for (std::size_t i = 0; i < 6; ++i) {
    qd_r[i] = qd_d[i] + 3 * (q_d[i] - q[i]);
    qdd_r[i] = qdd_d[i] + 3 * (qd_d[i] - qd[i]);
  }
  RegressorBound(arm, {}).times(q, qd, qd_r, qdd_r, p_bar, k);
  double joints = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(tau[i], expected[i] + (s[i] > 0 ? 1 : -1) * k[i], 1e-11);
    joints += std::abs(expected[i] - 7 * s[i]);
  }
  EXPECT_GT(joints, 1);
}

TEST(SlidingRegressorBound, conditions_catch_bounds_that_the_model_already_breaks) {
  const Model<double> arm = load_robot("planar2r");
  const auto fine = [&](SlidingGains g, double share) {
    std::vector<double> p_bar;
    for (const double x : parameters(arm)) p_bar.push_back(share * std::abs(x));
    return all_satisfied(testing::conditions_of(
        SlidingPassivity(arm, std::move(g), RegressorBound(arm, {}), p_bar, SlidingBound::sizes)));
  };
  EXPECT_TRUE(fine(testing::r2_gains(), 1.1));
  EXPECT_FALSE(fine(testing::r2_gains(), 0.9));
  EXPECT_FALSE(fine({Gain({5, -5})}, 1.1));
  EXPECT_FALSE(fine({Gain({5, 5}), Gain({-1, 1})}, 1.1));
}

TEST(SlidingRegressorBound, calls_allocate_nothing_and_names_work) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Lambda", {8});
  p.set("p_bar_share", {1.2});
  p.set("eta", {0.1});
  const std::unique_ptr<ControlLaw> law_made = make_law("sliding_regressor_bound", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6), s(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  law.filtered_error({.state = {.q = q, .qd = v}, .reference = {.q = v, .qd = q}}, s);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
