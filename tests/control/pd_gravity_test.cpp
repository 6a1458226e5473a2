/// PD with the weight compensated on line, by its proof and by Huo 2005, sec. 3.3.
#include "torsor/control/joint/pd_gravity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {
namespace {

PdiGains gains() { return {Gain({100, 60}), Gain({30, 15})}; }
/// A run that starts on TRJ-A, and the largest |e| of its last period (pi s).
std::array<double, 2> residual(PdGravity& law, const Model<double>& arm) {
  SimulateOptions o;
  o.q0 = {0, 1.5};
  o.v0 = {1, 0};
  o.duration = 10 * std::numbers::pi;
  o.record_every = 0.01;  // the published figures are maxima over samples
  o.certificate = false;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  EXPECT_EQ(r.stop, StopReason::finished) << r.message;
  const double from = o.duration - std::numbers::pi;
  return {metrics(r, 0, from).max_error, metrics(r, 1, from).max_error};
}

TEST(PdGravity, G_3_3a_moves_as_plain_pd_without_gravity) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, gains());
  const Recording r = simulate(Plant(arm), law, hold({1.0, -0.5}, 2), testing::set_a(4));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_DOUBLE_EQ(r.lyapunov(0, 0), 180);
  EXPECT_NEAR(r.lyapunov(r.at(0.5), 0), 6.22363196, 1e-8);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 0.08022762, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 0), 0.74699457, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.25), 1), -0.50105215, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), 0.01728564, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), -0.04537483, 1e-8);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(PdGravity, G_3_3a_does_not_track) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, gains());
  const auto [first, second] = residual(law, arm);
  EXPECT_NEAR(first, 0.04491193, 1e-6);
  EXPECT_NEAR(second, 0.02704766, 1e-6);
}

TEST(PdGravity, X_3_2_nor_does_it_with_an_integral) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, {Gain({100, 60}), Gain({30, 15}), Gain({80, 40})});
  EXPECT_TRUE(all_satisfied(testing::conditions_of(law)));
  const auto [first, second] = residual(law, arm);
  EXPECT_NEAR(first, 0.0557, 5e-5);
  EXPECT_NEAR(second, 0.0278, 5e-5);
}

TEST(PdGravity, with_an_integral_the_power_balance_holds_and_a_wrong_weight_leaves_nothing) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, {Gain({100, 60}), Gain({30, 15}), Gain({80, 40})});
  const Recording exact = simulate(Plant(arm), law, hold({1.0, -0.5}, 2), testing::set_a(3));
  EXPECT_LT(exact.lyapunov_balance(), 1e-9);
  Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  SimulateOptions o = testing::set_a(40);
  const Recording r = simulate(Plant(loaded), law, hold({1.0, -0.5}, 2), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.e(r.size() - 1, 0), 0, 1e-7);
  EXPECT_NEAR(r.e(r.size() - 1, 1), 0, 1e-7);
  // The theorem lets the weight be another one, and the balance has what is not compensated.
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_LE(r.figures.lyapunov_balance, r.figures.lyapunov_tolerance);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
}

/// Viscous friction is covered: V falls faster than the proof without it says, and no balance is off.
TEST(PdGravity, friction_makes_the_rate_a_bound) {
  ModelBuilder b("rubbing");
  b.gravity({0, -9.81, 0});
  b.revolute("joint", "base", "link").friction({.viscous = 3});
  b.inertia("link", 1, {1, 0, 0}, {1, 0, 1, 0, 0, 1});
  const Model<double> arm = b.build();
  PdGravity law(arm, {Gain({100}), Gain({20})});
  SimulateOptions o;
  o.q0 = {1};
  const Recording r = simulate(Plant(arm), law, hold({0.2}, 1), o);
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_TRUE(r.rate_is_bound);
  EXPECT_LE(r.figures.lyapunov_balance, r.figures.lyapunov_tolerance);
  EXPECT_LT(r.lyapunov(r.size() - 1, 2), -0.1);  // what friction took
}

TEST(PdGravity, with_an_integral_the_note_says_what_was_evaluated) {
  const Model<double> arm = load_robot("planar2r");
  PdGravity law(arm, {Gain({100, 60}), Gain({30, 15}), Gain({80, 40})});
  const std::string note = testing::row(testing::conditions_of(law), "integral gain").note;
  // The weight is compensated: what is left of its slope is zero, and of Kp + d(G - Ghat)/dq, Kp.
  EXPECT_NE(note.find("Kp + d(G - Ghat)/dq at least 60"), std::string::npos) << note;
}

TEST(PdGravity, Example_3_1_direct_drive_arm) {
  const Model<double> arm = load_robot("ddarm");
  PdGravity law(arm, {Gain({400, 80, 50}), Gain({100, 20, 10})});
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.record_every = 0.5;
  const Recording r = simulate(Plant(arm), law, hold({0.6, 1, -0.5}, 3), o);
  const double e[3] = {0.0456754, -0.0140352, -0.0861839};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(r.e(r.at(0.5), k), e[k], 1e-6) << k;
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

TEST(PdGravity, Example_3_2_tracks_poorly) {
  const Model<double> arm = load_robot("ddarm");
  PdGravity law(arm, {Gain({400, 80, 50}), Gain({100, 20, 10})});
  SimulateOptions o;
  o.q0 = {-0.1, 1.5, 1};
  o.duration = 1.5;
  o.record_every = 0.25;
  Boundary<double> from, to;
  from.q = {0, 0, 0}, to.q = {0.6, 1, -0.5};
  const Recording r = simulate(Plant(arm), law, follow(quintic(from, to, 1.5), 3, 3), o);
  const double late[3] = {-0.0303198, -0.0132067, 0.0142407},
               end[3] = {-0.0373411, -0.0108264, 0.0123326};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.e(r.at(1.25), k), late[k], 1e-6) << k;
    EXPECT_NEAR(r.e(r.at(1.5), k), end[k], 1e-6) << k;
  }
}

TEST(PdGravity, conditions_catch_gains_that_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_TRUE(all_satisfied(testing::conditions_of(PdGravity(arm, gains()))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(PdGravity(arm, {Gain({100, -1}), Gain({30, 15})}))));
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(PdGravity(arm, {Gain({100, 60}), Gain({0, 15})}))));
  const Gain skewed = Gain::full(2, {100, 1, 0, 60});
  EXPECT_FALSE(all_satisfied(testing::conditions_of(PdGravity(arm, {skewed, Gain({30, 15})}))));
  EXPECT_FALSE(all_satisfied(testing::conditions_of(
      PdGravity(arm, {Gain({100, 60}), Gain({30, 15}), Gain({4000, 2000})}))));
  EXPECT_THROW(PdGravity(arm, {Gain({1}), Gain({1, 1})}), Error);
  EXPECT_THROW(PdGravity(arm, {Gain({1, 1}), Gain({1, 1}), Gain({1})}), Error);
}

/// A weight that is believed the wrong way round doubles dG/dq beside Kp.
TEST(PdGravity, with_an_integral_the_weight_that_is_not_compensated_counts) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> weightless = testing::with_inertia_times(arm, 1e-9);
  const double up = 1.5707963267948966;
  PdGravity law(weightless, {Gain({15, 15}), Gain({5, 5}), Gain({0.5, 0.5})});
  auto run = testing::run_from(weightless, hold({up, 0}, 2), {up, 0});
  EXPECT_TRUE(testing::row(law.conditions(run), "integral gain").satisfied());
  run.plant = &arm;
  // l_m(Kp + dG/dq) = 15 - 9.81 (2.5 + sqrt 3.25) / 2 < 0
  const Condition c = testing::row(law.conditions(run), "integral gain");
  EXPECT_EQ(c.verdict, Verdict::violated);
  const double stiffness = 15 - 9.81 * (2.5 + std::sqrt(3.25)) / 2;
  EXPECT_NEAR(c.value, stiffness * 5 / 2.9337209 - 0.5, 1e-6);
}

TEST(PdGravity, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  PdGravity law(arm, {Gain::uniform(6, 10), Gain::uniform(6, 1), Gain::uniform(6, 2)});
  std::vector<double> q(6, 0.1), v(6, 0.2), x(6, 0.5), tau(6), G(6), rate(6);
  RneaWorkspace<double> ws(arm);
  gravity_torque(arm, ws, q, G);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, x, {.q = v}}, tau);
  law.state_derivative({0, {.q = q, .qd = v}, x, {.q = v}}, rate);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, x, {.q = v}}, arm);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(tau[1], G[1] + 10 * 0.1 - 0.2 + 1, 1e-13);
  EXPECT_DOUBLE_EQ(rate[3], 0.1);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
