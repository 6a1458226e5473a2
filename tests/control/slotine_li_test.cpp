/// Slotine and Li's adaptive law: golden runs of Huo 2005, sec. 3.9, its power balance and that
/// of the parameter errors, and what happens where its conditions fail.
#include "torsor/control/uncertain/slotine_li.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "support/random_model.hpp"
#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/trajectory/periodic.hpp"

namespace torsor {
namespace {

using Numbers = std::vector<double>;
using testing::r2_names;

SlotineLiGains gains() { return {Gain({5, 5}), Gain({20, 10})}; }
AdaptationOptions adapts(double rate, Numbers p0 = {0, 0, 0, 0, 0}) {
  AdaptationOptions o;
  o.parameters = r2_names();
  o.p0 = std::move(p0);
  o.rate = Gain::uniform(5, rate);
  return o;
}
/// p of R2 in the order of the spec.
const Numbers p_r2{5.0 / 3, 0.5, 1.0 / 3, 1.5, 0.5};

/// int |r|^2 over a recording, by Simpson's rule.
double squared_filtered_error(const Recording& r) {
  double sum = 0;
  for (int k = 0; k < r.size(); ++k) {
    const double weight = k == 0 || k == r.size() - 1 ? 1 : k % 2 == 1 ? 4 : 2;
    for (int c = 0; c < r.s.width(); ++c) sum += weight * r.s(k, c) * r.s(k, c);
  }
  return sum * (r.t[1] - r.t[0]) / 3;
}

class SlotineLi : public ::testing::Test {
 protected:
  const Model<double> arm = load_robot("planar2r");
  const Model<double> nothing =
      testing::with_inertia_times(arm, 0);  // what the law knows: the links' lengths
};

TEST_F(SlotineLi, G_3_9b_tracks_from_no_knowledge_as_the_proof_says) {
  SlotineLiAdaptive law(nothing, gains(), adapts(2));  // Gamma = 0.5
  SimulateOptions o = testing::start_a(20);
  o.record_every = 1e-3;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 1.7847222222, 1e-10);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 0.2347773872, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(5), 0), 0.1751475784, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(20), 0), 0.1104494376, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_LT(r.lyapunov_increase(), 1e-12);
  const double squared = squared_filtered_error(r);
  EXPECT_NEAR(squared, 0.11436, 5e-6);
  EXPECT_LE(squared, r.lyapunov(0, 0) / 10);
  const std::vector<Comparison> claims = compare_predictions(r);
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_NEAR(claims[0].prediction.value, 0.17847, 5e-6);
  EXPECT_NEAR(claims[0].observed, 0.11436, 2e-3);  // from below, by rows of 1 ms
  EXPECT_TRUE(claims[0].kept);
  Recording less = r;  // a robot that starts with less than it spends
  for (double& V : less.lyapunov.data) V *= 0.5;
  EXPECT_FALSE(compare_predictions(less)[0].kept);
  const double e[3][2] = {
      {-0.00326895, -0.00918855}, {0.00460057, -0.00428460}, {0.00053146, 0.00237652}};
  const double times[3] = {1, 5, 20};
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 2; ++c) EXPECT_NEAR(r.e(r.at(times[k]), c), e[k][c], 1e-8) << k;
  const double p[5] = {1.01443491, 0.57737599, 0.34867485, 1.40090876, 0.50820728};
  for (int c = 0; c < 5; ++c) EXPECT_NEAR(r.x_c(r.at(20), c), p[c], 2e-8) << c;
}

TEST_F(SlotineLi, G_3_9b_without_adaptation_leaves_an_error_and_says_so) {
  SlotineLiAdaptive law(nothing, gains(), adapts(0));
  SimulateOptions o = testing::start_a(20);
  o.record_every = 0.01;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  EXPECT_FALSE(all_satisfied(r.conditions));
  EXPECT_GT(r.lyapunov_balance(), 0.1);
  EXPECT_NEAR(metrics(r, 0, 15).max_error, 0.22674833, 1e-7);
  EXPECT_NEAR(metrics(r, 1, 15).max_error, 0.13496958, 1e-7);
  for (int c = 0; c < 5; ++c) EXPECT_EQ(r.x_c(r.size() - 1, c), 0);
}

TEST_F(SlotineLi, G_3_9b_learns_a_payload) {
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  SlotineLiAdaptive law(nothing, gains(), adapts(4, p_r2));  // Gamma = 0.25
  SimulateOptions o = testing::start_a(20);
  o.record_every = 0.01;
  const Recording r = simulate(Plant(loaded), law, testing::trajectory_a(), o);
  EXPECT_NEAR(metrics(r, 0, 15).max_error, 0.00049795, 2e-8);
  EXPECT_NEAR(metrics(r, 1, 15).max_error, 0.00102505, 2e-8);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  // the believed robot with the same start: other parameters, the same motion
  SlotineLiAdaptive knows(arm, gains(), adapts(4, {}));
  const Recording same = simulate(Plant(loaded), knows, testing::trajectory_a(), o);
  for (int k = 0; k < r.size(); k += 50)
    for (int c = 0; c < 2; ++c) EXPECT_NEAR(same.e(k, c), r.e(k, c), 1e-9);
}

TEST_F(SlotineLi, G_3_9b_set_point_finds_gravity_and_nothing_else) {
  SlotineLiAdaptive law(nothing, gains(), adapts(2));
  SimulateOptions o;
  o.q0 = {-0.5, 1};
  o.duration = 30;
  o.record_every = 0.05;
  o.control = {.relative = 1e-11, .absolute = 1e-13};
  const Recording r = simulate(Plant(arm), law, hold({1, -0.5}, 2), o);
  const int last = r.size() - 1;
  for (int c = 0; c < 2; ++c) EXPECT_LT(std::abs(r.e(last, c)), 1e-12);
  const double p[5] = {4.020509, 3.363926, 3.253159, 1.5, 0.5};
  for (int c = 0; c < 5; ++c) EXPECT_NEAR(r.x_c(last, c), p[c], 1e-6) << c;
  EXPECT_NEAR(r.x_c(last, 3), 1.5, 1e-10);
  EXPECT_NEAR(r.x_c(last, 4), 0.5, 1e-10);
}

TEST_F(SlotineLi, G_3_9b_ordinary_form_falls_only_where_its_condition_says) {
  const auto run = [&](double k) {
    SlotineLiGains g{Gain({5, 5}), Gain::uniform(2, k), true, {}};
    SlotineLiAdaptive law(nothing, g, adapts(2, p_r2));
    SimulateOptions o = testing::start_a(5);
    o.record_every = 1e-3;
    return simulate(Plant(arm), law, testing::trajectory_a(), o);
  };
  const Recording strong = run(20), weak = run(0.2);
  EXPECT_TRUE(all_satisfied(strong.conditions));
  EXPECT_LT(strong.lyapunov_increase(), 1e-12);
  EXPECT_LT(run(1).lyapunov_increase(), 1e-12);
  EXPECT_FALSE(all_satisfied(weak.conditions));
  double most = 0;  // in a millisecond
  for (int k = 0; k + 1 < weak.size(); ++k)
    most = std::max(most, weak.lyapunov(k + 1, 0) - weak.lyapunov(k, 0));
  EXPECT_NEAR(most, 7e-6, 5e-7);
  EXPECT_GT(weak.lyapunov_increase(), most);  // it rises for longer
  // and the rate is exact for all of them
  EXPECT_LT(strong.lyapunov_balance(), 1e-9);
  EXPECT_LT(weak.lyapunov_balance(), 1e-9);
}

TEST_F(SlotineLi, the_ordinary_form_is_asked_for_the_speeds_of_the_run) {
  SlotineLiGains g{Gain({5, 5}), Gain({1, 1}), true, {}};
  SlotineLiAdaptive law(arm, g, adapts(2, {}));
  const Sinusoid wave{{0, 1}, {1.5, 1.5}, {6, 6}, {0, std::numbers::pi / 2}};
  SimulateOptions o;
  o.q0 = {0, 2.5};
  o.v0 = {9, 0};  // on the reference
  o.duration = 1;
  o.record_every = 1e-3;
  const Recording r = simulate(Plant(arm), law, follow(wave), o);
  const Condition c = testing::row(r.conditions, "(3-84)");
  EXPECT_EQ(c.verdict, Verdict::violated) << c.text();
  // at 9 rad/s: 1 - 1/2 * 9 (1 + sqrt 2) / 2
  EXPECT_NEAR(c.value, 1 - 0.5 * 9 * (1 + std::sqrt(2)) / 2, 1e-3);
}

TEST_F(SlotineLi, speeds_that_the_start_allows_count_too) {
  SlotineLiGains g{Gain({5, 5}), Gain({20, 20}), true, {}};
  SlotineLiAdaptive law(arm, g, adapts(2, {}));
  const auto rest = testing::run_from(arm, hold({0, 0}, 2), {0, 0});
  EXPECT_NEAR(testing::row(law.conditions(rest), "(3-84)").value, 20, 1e-9);
  // e = (0.4, 0): r = (2, 0), V = 1/2 4 (8/3); |r| <= sqrt(2 V / l_m(H)), twice beside the reference
  const auto away = testing::run_from(arm, hold({0.4, 0}, 2), {0, 0});
  const double b = std::sqrt(4 * 8. / 3 / 0.0662791), speed = 2 * b;
  EXPECT_NEAR(testing::row(law.conditions(away), "(3-84)").value,
              20 - 0.5 * speed * (1 + std::sqrt(2)) / 2, 1e-3);
  // a speed that is stated must cover reference and start
  g.speed = {1, 1};
  SlotineLiAdaptive stated(arm, g, adapts(2, {}));
  EXPECT_TRUE(all_satisfied(stated.conditions(rest)));
  const auto fast = testing::run_from(arm, hold({0, 0}, 2), {0, 0}, {3, 0});
  EXPECT_EQ(testing::not_covered(stated.conditions(fast)),
            (std::vector<std::string>{"the stated speed covers reference and start"}));
}

TEST_F(SlotineLi, a_plant_that_the_parameters_cannot_say_is_not_covered) {
  AdaptationOptions o;
  o.parameters = {"link_2"};
  o.rate = Gain::uniform(10, 2);
  SlotineLiAdaptive law(arm, gains(), o);
  const Model<double> second = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  const Model<double> first = attach_payload(arm, "link_1", {0.5, {0.5, 0, 0}, {}});
  auto run = testing::run_from(arm, testing::trajectory_a(), {0, 1.5}, {}, 5);
  for (const Model<double>* plant : {&arm, &second, &first}) {
    run.plant = plant;
    EXPECT_EQ(testing::row(law.conditions(run), "stated parameters alone").verdict,
              plant == &first ? Verdict::not_covered : Verdict::holds);
  }
}

TEST_F(SlotineLi, bounds_that_leave_the_plant_outside_are_not_covered) {
  AdaptationOptions o = adapts(2, p_r2);
  o.lower = {1, 0.4, 0.2, 1, 0.45};
  o.upper = {2, 0.6, 0.4, 2, 0.55};
  o.margin = Array<double>(5, 0.01);
  SlotineLiAdaptive law(nothing, gains(), o);
  auto run = testing::run_from(nothing, testing::trajectory_a(), {0, 1.5}, {}, 5);
  run.plant = &arm;
  EXPECT_TRUE(testing::row(law.conditions(run), "inside their bounds").satisfied());
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  run.plant = &loaded;  // p = 8/3, 1, 5/6, 2, 1
  const Condition c = testing::row(law.conditions(run), "inside their bounds");
  EXPECT_EQ(c.verdict, Verdict::not_covered);
  EXPECT_NEAR(c.value, 2 - 8. / 3 - 0.01, 1e-9);
}

TEST_F(SlotineLi, condition_3_84_of_the_arm_R2_is_the_closed_form) {
  // 1/2 H' = -a2 s2 qd2 [1 1/2; 1/2 0], largest eigenvalue |a2 s2 qd2| (1 + sqrt 2) / 2
  const double largest = 0.5 * 2 * (1 + std::sqrt(2)) / 2;  // |qd2| <= 2
  SlotineLiGains g{Gain({5, 5}), Gain({3, 3}), true, {2, 2}};
  const std::vector<Condition> list =
      testing::conditions_of(SlotineLiAdaptive(arm, g, adapts(2, {})));
  EXPECT_NEAR(list.back().value, 3 - largest, 1e-6);
  EXPECT_TRUE(list.back().satisfied());
  g.Kd = Gain({1, 1});
  EXPECT_FALSE(all_satisfied(testing::conditions_of(SlotineLiAdaptive(arm, g, adapts(2, {})))));
}

TEST_F(SlotineLi, with_the_true_parameters_is_tracking_by_passivity) {
  SlotineLiAdaptive law(arm, gains(), adapts(1, {}));
  PassivityTracking known(arm, {Gain({5, 5}), Gain({20, 10})});
  const Numbers q{0.3, -0.7}, v{0.5, -1.2}, q_d{0.5, -0.4}, v_d{0.2, 0.4}, a_d{1, -2};
  Numbers tau(2), expected(2), p(5);
  law.reset(p);
  law.torque({0, {.q = q, .qd = v}, p, {.q = q_d, .qd = v_d, .qdd = a_d}}, tau);
  known.torque({0, {.q = q, .qd = v}, {}, {.q = q_d, .qd = v_d, .qdd = a_d}}, expected);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-13);
}

TEST_F(SlotineLi, X_3_15_true_lyapunov_function_falls_at_its_rate) {
  SlotineLiAdaptive law(nothing, gains(), adapts(2));
  SimulateOptions o = testing::start_a(4);
  o.record_every = 2.5e-4;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  const Numbers lambda{5, 5}, kd{20, 10};
  const auto extra = [&](int k) {
    double sum = 0;
    for (int c = 0; c < 2; ++c) sum += r.e(k, c) * r.e(k, c) * lambda[c == 1] * kd[c == 1];
    return sum;
  };
  const auto rate = [&](int k) {
    double sum = 0;
    for (int c = 0; c < 2; ++c) {
      const std::size_t i = c == 1;
      sum -= kd[i] * (r.edot(k, c) * r.edot(k, c) + lambda[i] * lambda[i] * r.e(k, c) * r.e(k, c));
    }
    return sum;
  };
  double integral = 0, worst = 0;
  for (int k = 2; k < r.size(); k += 2) {
    integral += (rate(k - 2) + 4 * rate(k - 1) + rate(k)) * 2.5e-4 / 3;
    const double V = r.lyapunov(k, 0) + extra(k), V0 = r.lyapunov(0, 0) + extra(0);
    worst = std::fmax(worst, std::abs(V - V0 - integral));
    EXPECT_LE(V, r.lyapunov(k - 2, 0) + extra(k - 2) + 1e-12);
  }
  EXPECT_LT(worst, 1e-9);
}

TEST_F(SlotineLi, X_3_14_second_block_is_passive) {
  // int r^T Y p~ over any r: 1/2 p~^T Gamma p~ changes by its negative
  SlotineLiAdaptive law(nothing, gains(), adapts(2));
  Numbers p_hat{0.1, 0.2, -0.1, 0.4, 0}, rate(5), Y(10);
  ParameterSet set(nothing, r2_names());
  const auto state = [](double t) {  // any motion, no robot's
    return std::array<Numbers, 5>{Numbers{std::sin(3 * t), std::cos(2 * t)},
                                  Numbers{std::cos(5 * t), 1 - t}, Numbers{t, std::sin(t)},
                                  Numbers{std::sin(4 * t), -0.3}, Numbers{2 * t, std::cos(7 * t)}};
  };
  const auto work = [&](double t) {  // r^T Y p~ by the dense regressor
    const auto [q, qd, q_d, qd_d, qdd_d] = state(t);
    Numbers r(2), v(2), w(2);
    for (std::size_t k = 0; k < 2; ++k) {
      r[k] = qd_d[k] - qd[k] + 5 * (q_d[k] - q[k]);
      v[k] = qd[k] + r[k];
      w[k] = qdd_d[k] + 5 * (qd_d[k] - qd[k]);
    }
    set.regressor(q, qd, v, w, column_major(Y.data(), 2, 5));
    double sum = 0;
    for (std::size_t c = 0; c < 5; ++c)
      for (std::size_t k = 0; k < 2; ++k) sum += r[k] * Y[2 * c + k] * (p_r2[c] - p_hat[c]);
    law.state_derivative({t, {.q = q, .qd = qd}, p_hat, {.q = q_d, .qd = qd_d, .qdd = qdd_d}},
                         rate);
    return sum;
  };
  const auto energy = [&] { return law.adaptation().energy(p_hat, arm); };
  const double before = energy(), h = 1e-4;
  double integral = 0;
  // the second-order midpoint rule for p_hat and for the work
  for (int k = 0; k < 10000; ++k) {
    const Numbers start = p_hat;
    (void)work(k * h);
    for (std::size_t c = 0; c < 5; ++c) p_hat[c] = start[c] + h / 2 * rate[c];
    integral += h * work((k + 0.5) * h);
    for (std::size_t c = 0; c < 5; ++c) p_hat[c] = start[c] + h * rate[c];
  }
  EXPECT_GT(std::abs(energy() - before), 0.1);
  EXPECT_NEAR(energy() - before, -integral, 1e-4 * std::abs(energy() - before));
}

TEST_F(SlotineLi, partly_known_parameters_are_left_alone) {
  // the load's ten are not known, the arm is
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  AdaptationOptions o;
  o.parameters = {"link_2.m", "link_2.mx", "link_2.zz"};
  o.rate = Gain({2, 2, 2});
  SlotineLiAdaptive law(arm, gains(), o);
  EXPECT_EQ(law.n_states(), 3);
  const Recording r = simulate(Plant(loaded), law, testing::trajectory_a(), testing::start_a(20));
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  for (int c = 0; c < 2; ++c) EXPECT_LT(metrics(r, c, 15).max_error, 2e-3);
  const Numbers p = ParameterSet(arm, o.parameters).values_of(loaded);
  EXPECT_NEAR(p[0], 1.5, 1e-12);
  EXPECT_NEAR(p[1], 1, 1e-12);
}

TEST_F(SlotineLi, bad_gains_and_words_are_refused_or_certified) {
  const auto fine = [&](SlotineLiGains g, double rate) {
    return all_satisfied(
        testing::conditions_of(SlotineLiAdaptive(arm, std::move(g), adapts(rate))));
  };
  EXPECT_TRUE(fine(gains(), 1));
  EXPECT_FALSE(fine({Gain({5, -1}), Gain({20, 10})}, 1));
  EXPECT_FALSE(fine({Gain({5, 5}), Gain({20, 0})}, 1));
  EXPECT_FALSE(fine({Gain::full(2, {5, 1, 0, 5}), Gain({20, 10})}, 1));
  EXPECT_FALSE(fine(gains(), -1));
  const auto message = [&](const char* key, std::vector<std::string> words) -> std::string {
    LawParameters p;
    p.set("Lambda", {5});
    p.set("Kd", {20});
    p.set("adaptation", {1});
    p.set(key, std::move(words));
    try {
      (void)make_law("slotine_li", arm, p);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_EQ(message("parameters", {"link_2.m", "link_2.mx"}), "taken");
  EXPECT_EQ(message("parameters", {"all"}), "taken");
  EXPECT_EQ(message("variant", {"ordinary"}), "taken");
  EXPECT_NE(message("variant", {"ordinery"}).find("did you mean \"ordinary\"?"), std::string::npos);
  EXPECT_NE(message("parameters", {"link_2.mass"}).find("link_2.mass"), std::string::npos);
  AdaptationOptions o = adapts(1);
  o.p0 = {1, 2};
  EXPECT_THROW(SlotineLiAdaptive(arm, gains(), o), Error);
  o = adapts(1);
  o.rate = Gain({1, 1});
  EXPECT_THROW(SlotineLiAdaptive(arm, gains(), o), Error);
}

/// Every parameter unknown, on drawn robots with every joint of one degree of freedom.
TEST(SlotineLiRobots, keep_the_balance_whatever_the_robot) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> robot(
        testing::random_tree(seed, 5, {.kinds = testing::one_dof_kinds(), .dissipation = false}));
    const int n = robot.n_v();
    AdaptationOptions o;
    o.rate = Gain::uniform(10 * (robot.n_bodies() - 1), 0.3);
    o.natural = seed % 2 == 0 ? 0.5 : 0;
    const Model<double> believed = testing::with_inertia_times(robot, 0.6);
    SlotineLiAdaptive law(believed, {Gain::uniform(n, 3), Gain::uniform(n, 5)}, o);
    SimulateOptions s;
    s.duration = 2;
    s.record_every = 0.05;
    s.control = {.relative = 1e-10, .absolute = 1e-12};
    Sinusoid wave{Array<double>(s.q0.size()), {}, {}, {}};
    for (int k = 0; k < n; ++k) {
      wave.offset.push_back(0.1 * k), wave.amplitude.push_back(0.4);
      wave.frequency.push_back(1.5 + 0.4 * k), wave.phase.push_back(k);
    }
    const Recording r = simulate(Plant(robot), law, follow(wave), s);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_LT(r.lyapunov_balance(), 1e-8 * r.lyapunov(0, 0)) << seed;
    EXPECT_LT(r.lyapunov_increase(), 1e-10 * r.lyapunov(0, 0)) << seed;
  }
}

/// A load that nobody told of, everything else 20 % too light, 1 kHz.
TEST(SlotineLiRobots, learn_an_unknown_payload_at_1_khz) {
  for (const char* name : {"puma560", "ur5"}) {
    const Model<double> robot = testing::frictionless(load_robot(name));
    const Model<double> believed = testing::with_inertia_times(robot, 0.8);
    const Model<double> loaded = attach_payload(robot, robot.body_name(6),
                                                {2, {0.05, 0, 0.1}, {0.01, 0, 0.01, 0, 0, 0.005}});
    const std::vector<double> kd = testing::damping(loaded, 40);
    const auto run = [&](double rate) {
      AdaptationOptions o;
      Numbers rates;
      for (int i = 1; i < 7; ++i) {  // squares of what each parameter may be wrong by
        const double m = i < 4 ? 5 : 1, l = i < 4 ? 0.5 : 0.1;
        for (int k = 0; k < 10; ++k)
          rates.push_back(rate * std::pow(k == 0 ? m : k < 4 ? m * l : m * l * l, 2));
      }
      o.rate = Gain(rates);
      SlotineLiAdaptive law(believed, {Gain::uniform(6, 8), Gain(kd)}, o);
      SimulateOptions s;
      s.q0 = {0.1, 0.6, -0.4, 0.1, 0.5, -0.2};
      s.duration = 8;
      s.period = 1e-3;
      s.integrator = Integrator::rk4;
      s.record_every = 0.01;
      const Sinusoid wave{{0, 0.6, -0.6, 0, 0.6, 0},
                          {0.4, 0.3, 0.4, 0.3, 0.4, 0.5},
                          {2, 3, 2.5, 3.5, 4, 5},
                          {0, 0.5, 1, 1.5, 2, 2.5}};
      return simulate(Plant(loaded), law, follow(wave), s);
    };
    const Recording adapted = run(3), fixed = run(0);
    ASSERT_EQ(adapted.stop, StopReason::finished) << name << adapted.message;
    double worst = 0, without = 0;
    for (int c = 0; c < 6; ++c) {
      worst = std::fmax(worst, metrics(adapted, c, 6).max_error);
      without = std::fmax(without, metrics(fixed, c, 6).max_error);
    }
    EXPECT_LT(worst, 0.25 * without) << name;
    // the proof is about continuous control: what sampling changes is small
    EXPECT_LT(adapted.lyapunov_balance(), 0.05 * adapted.lyapunov(0, 0)) << name;
    EXPECT_LT(adapted.lyapunov(adapted.size() - 1, 0), 0.5 * adapted.lyapunov(0, 0)) << name;
  }
}

TEST(SlotineLiRobots, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Lambda", {8});
  p.set("Kd", {100, 100, 60, 4, 4, 2});
  p.set("adaptation", {1});
  p.set("lower", {-100});
  p.set("upper", {100});
  const std::unique_ptr<ControlLaw> law_made = make_law("slotine_li", arm, p);
  ControlLaw& law = *law_made;
  Numbers q(6, 0.1), v(6, 0.2), tau(6), r(6), p_hat(60), rate(60);
  law.reset(p_hat);
  (void)law.lyapunov({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q}}, arm);  // looks for p once
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q, .qdd = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q, .qdd = v}}, rate);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, p_hat, {.q = v, .qd = q}}, arm);
  law.filtered_error({.state = {.q = q, .qd = v}, .reference = {.q = v, .qd = q}}, r);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(V.value, 0);
}

TEST(SlotineLiScenarios, give_the_golden_numbers) {
  const auto run = [](const std::string& name) {
    return run_scenario(load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/" + name + ".yaml"));
  };
  Recording r = run("planar_arm_learns_from_nothing");
  EXPECT_NEAR(r.lyapunov(0, 0), 1.7847222222, 1e-10);
  EXPECT_NEAR(r.lyapunov(r.at(20), 0), 0.1104494376, 1e-7);
  EXPECT_NEAR(r.e(r.at(1), 0), -0.00326895, 1e-7);
  r = run("planar_arm_learns_a_payload");
  EXPECT_NEAR(metrics(r, 0, 15).max_error, 0.00049795, 1e-6);
  EXPECT_NEAR(metrics(r, 1, 15).max_error, 0.00102505, 1e-6);
  r = run("planar_arm_learns_its_weight");
  EXPECT_NEAR(r.x_c(r.size() - 1, 0), 4.020509, 1e-5);
  EXPECT_NEAR(r.x_c(r.size() - 1, 3), 1.5, 1e-6);
  r = run("direct_drive_adapts_nine_parameters");
  EXPECT_NEAR(r.e(r.at(0.5), 1), -0.2208628, 1e-6);
  EXPECT_NEAR(r.e(r.at(3), 2), -0.0179339, 1e-6);
  EXPECT_NEAR(r.x_c(r.size() - 1, 4), 3.0813, 1e-5);
}

}  // namespace
}  // namespace torsor
