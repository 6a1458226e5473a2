/// Tracking by passivity: its power balance, the golden runs of Huo 2005, sec. 3.8, and what is
/// left of the claim with a wrong model.
#include "torsor/control/joint/passivity_tracking.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/friction.hpp"

namespace torsor {
namespace {

PassivityGains gains() { return {Gain({5, 5}), Gain({20, 10})}; }

/// int |r|^2 over a recording, by Simpson's rule.
double squared_filtered_error(const Recording& r) {
  double sum = 0;
  for (int k = 0; k < r.size(); ++k) {
    const double weight = k == 0 || k == r.size() - 1 ? 1 : k % 2 == 1 ? 4 : 2;
    for (int c = 0; c < r.s.width(); ++c) sum += weight * r.s(k, c) * r.s(k, c);
  }
  return sum * (r.t[1] - r.t[0]) / 3;
}

/// One joint has the rate of the bound itself: its last digits are those of the integration.
TEST(PassivityTracking, decay_at_the_bound_itself_is_kept) {
  const Model<double> swing = testing::frictionless(load_robot("pendulum"));
  const ReferenceFunction quintic = [](double t, ReferencePoint& point) {
    const double T = 0.5192, x = std::min(1.0, t / T), y = 1 - x;
    point.q = {0.3 * x * x * x * (10 - 15 * x + 6 * x * x)};
    point.qd = {0.3 / T * 30 * x * x * y * y};
    point.qdd = {0.3 / (T * T) * 60 * x * y * (1 - 2 * x)};
  };
  for (const double Kd : {3.0, 4.0, 5.0, 6.0, 6.67, 7.0, 8.0, 9.0}) {
    PassivityTracking law(swing, {Gain({5}), Gain({Kd})});
    SimulateOptions o;
    o.q0 = {-0.003};
    o.duration = 1;
    const Recording r = simulate(Plant(swing), law, quintic, o);
    const std::vector<Comparison> all = compare_predictions(r);
    ASSERT_FALSE(all.empty());
    EXPECT_NEAR(all[0].prediction.value, 6 * Kd, 1e-9);  // 2 Kd / H, H = 1/3 kg m^2
    for (const Comparison& c : all)
      EXPECT_TRUE(c.kept) << c.prediction.name << " " << c.prediction.value << " " << c.observed;
  }
}

TEST(PassivityTracking, G_3_8_tracks_as_the_proof_says) {
  const Model<double> arm = load_robot("planar2r");
  PassivityTracking law(arm, gains());
  SimulateOptions o = testing::start_a(4);
  o.record_every = 2.5e-4;
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 0.375, 1e-15);
  EXPECT_NEAR(r.lyapunov(r.at(0.1), 0), 0.0367204439, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(0.25), 0), 0.0023770021, 1e-9);
  EXPECT_NEAR(r.lyapunov(r.at(0.5), 0), 2.58517e-5, 1e-9);
  EXPECT_NEAR(r.e(r.at(0.5), 0), -0.00981527, 1e-8);
  EXPECT_NEAR(r.e(r.at(0.5), 1), 0.03077842, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 0), -0.00072053, 1e-8);
  EXPECT_NEAR(r.e(r.at(1), 1), 0.00258003, 1e-8);
  EXPECT_LT(r.lyapunov_balance(), 1e-11);
  EXPECT_LT(r.lyapunov_increase(), 1e-20);
  const double squared = squared_filtered_error(r);
  EXPECT_NEAR(squared, 0.0318815610, 1e-9);
  EXPECT_LE(squared, 0.375 / 10);  // V(0) / l_m(Kd)
  const std::vector<Comparison> claims = compare_predictions(r);
  ASSERT_EQ(claims.size(), 2u);
  EXPECT_NEAR(claims[0].prediction.value, 2 * 10 / 2.9337209, 1e-6);
  EXPECT_TRUE(claims[0].kept) << claims[0].observed;
  EXPECT_NEAR(claims[1].prediction.value, 0.0375, 1e-15);
  EXPECT_NEAR(claims[1].observed, 0.0318815610, 5e-4);  // from below, by rows of 0.25 ms
  EXPECT_TRUE(claims[1].kept);
}

TEST(PassivityTracking, Example_3_3_direct_drive_arm_joins_its_trajectory) {
  const Model<double> arm = load_robot("ddarm");
  PassivityTracking law(arm, {Gain({4, 4, 5}), Gain({100, 20, 10})});
  const Recording r = simulate(Plant(arm), law, testing::trajectory_d(), testing::start_d(3));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double t[4] = {0.25, 0.5, 1, 3};
  const double e[4][3] = {{0.069959, -0.6841021, -0.3578095},
                          {0.0322645, -0.2567947, -0.1042206},
                          {0.0049643, -0.0351939, -0.0086912},
                          {1.7e-6, -11.8e-6, -0.4e-6}};
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(r.e(r.at(t[k]), c), e[k][c], 1e-6) << t[k];
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  EXPECT_TRUE(compare_predictions(r)[0].kept);
}

TEST(PassivityTracking, X_3_12_torque_of_the_recursion_is_that_of_the_matrices) {
  for (const char* robot : {"planar2r", "ddarm", "puma560", "ur5", "scara"}) {
    const Model<double> arm = load_robot(robot);
    const int n = arm.n_v();
    const auto size = static_cast<std::size_t>(n);
    PassivityTracking law(arm, {Gain::uniform(n, 3), Gain::uniform(n, 7)});
    std::vector<double> q(size), qd(size), q_d(size), qd_d(size), qdd_d(size), tau(size), G(size);
    random_configuration(arm, 3, q);
    random_configuration(arm, 4, q_d);
    for (std::size_t k = 0; k < size; ++k)
      qd[k] = 0.3 * static_cast<double>(k) - 0.5, qd_d[k] = 0.8 - 0.2 * static_cast<double>(k),
      qdd_d[k] = 1 + static_cast<double>(k);
    law.torque({0, {.q = q, .qd = qd}, {}, {.q = q_d, .qd = qd_d, .qdd = qdd_d}}, tau);

    std::vector<double> H(size * size), C(size * size), e(size);
    CrbaWorkspace<double> crba(arm);
    CoriolisWorkspace<double> coriolis(arm);
    RneaWorkspace<double> rnea(arm);
    mass_matrix(arm, crba, q, column_major(H.data(), n, n));
    coriolis_matrix(arm, coriolis, q, qd, column_major(C.data(), n, n));
    gravity_torque(arm, rnea, q, G);
    difference(arm, View<const double>(q), View<const double>(q_d), View<double>(e));
    std::vector<double> joint(size);
    add_joint_torques(arm, q, qd, joint);  // friction; rotors are in H
    for (std::size_t i = 0; i < size; ++i) {
      double expected = G[i] + joint[i], scale = 1 + std::abs(expected);
      for (std::size_t k = 0; k < size; ++k) {
        const double edot = qd_d[k] - qd[k], qd_r = qd_d[k] + 3 * e[k];
        const double term = H[i + size * k] * (qdd_d[k] + 3 * edot) + C[i + size * k] * qd_r +
                            (i == k ? 7 * (qd_r - qd[k]) : 0);
        expected += term, scale += std::abs(term);
      }
      EXPECT_NEAR(tau[i], expected, 1e-13 * scale) << robot << " " << i;
    }
  }
}

/// C(q, qd) qd where the law has C(q, qd) qd_r: right at r = 0, but the structure is lost.
struct OneVelocity final : ControlLaw {
  PassivityTracking law;
  explicit OneVelocity(const Model<double>& arm)
      : ControlLaw("one_velocity", arm), law(arm, gains()) {}
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run& run) override { return law.conditions(run); }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override {
    return law.lyapunov(input, plant);
  }
  void torque(const ControlInput& input, Out<double> tau) override {
    law.torque(input, tau);
    std::vector<double> r(2), C(4);
    law.filtered_error(input, r);
    CoriolisWorkspace<double> ws(model());
    coriolis_matrix(model(), ws, input.state.q, input.state.qd, column_major(C.data(), 2, 2));
    for (int i = 0; i < 2; ++i)
      for (int k = 0; k < 2; ++k)
        tau[i] -= C[static_cast<std::size_t>(i + 2 * k)] * r[static_cast<std::size_t>(k)];
  }
};

TEST(PassivityTracking, balance_fails_where_the_structure_or_the_model_is_wrong) {
  const Model<double> arm = load_robot("planar2r");
  OneVelocity wrong(arm);
  const Recording r = simulate(Plant(arm), wrong, testing::trajectory_a(), testing::start_a(1));
  EXPECT_GT(r.lyapunov_balance(), 1e-4);
  const Model<double> heavier = testing::with_inertia_times(arm, 1.01);
  PassivityTracking law(arm, gains());
  const Recording h = simulate(Plant(heavier), law, testing::trajectory_a(), testing::start_a(1));
  EXPECT_GT(h.lyapunov_balance(), 1e-5);
}

TEST(PassivityTracking, X_3_11_error_block_is_passive_under_any_disturbance) {
  const Model<double> arm = load_robot("planar2r");
  PassivityTracking law(arm, gains());
  Plant plant(arm);
  const auto w = [](double t, int k) { return k == 0 ? 8 * std::sin(5 * t) : 3 * std::cos(9 * t); };
  plant.disturbance = [&](double t, View<const double>, View<const double>, View<double> tau) {
    for (int k = 0; k < 2; ++k) tau[k] -= w(t, k);
  };
  SimulateOptions o = testing::start_a(2);
  o.record_every = 1e-3;
  const Recording r = simulate(plant, law, testing::trajectory_a(), o);
  // int r^T w = V(T) - V(0) + int r^T Kd r, which is the recorded balance
  double work = 0;
  for (int k = 0; k < r.size(); ++k) {
    const double weight = k == 0 || k == r.size() - 1 ? 1 : k % 2 == 1 ? 4 : 2;
    const double t = r.t[static_cast<std::size_t>(k)];
    for (int c = 0; c < 2; ++c) work += weight * r.s(k, c) * w(t, c) * 1e-3 / 3;
  }
  EXPECT_GT(std::abs(work), 0.1);
  EXPECT_NEAR(r.lyapunov(r.size() - 1, 2), work, 1e-8);
}

TEST(PassivityTracking, conditions_catch_gains_that_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  const auto fine = [&](PassivityGains g) {
    return all_satisfied(testing::conditions_of(PassivityTracking(arm, std::move(g))));
  };
  EXPECT_TRUE(fine(gains()));
  EXPECT_FALSE(fine({Gain({5, -1}), Gain({20, 10})}));
  EXPECT_FALSE(fine({Gain({5, 5}), Gain({20, 0})}));
  EXPECT_FALSE(fine({Gain::full(2, {5, 1, 0, 5}), Gain({20, 10})}));
  EXPECT_THROW(PassivityTracking(arm, {Gain({1}), Gain({1, 1})}), Error);
  // and such gains do let V grow
  PassivityTracking law(arm, {Gain({5, 5}), Gain({20, -1})});
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(0.5));
  EXPECT_FALSE(all_satisfied(r.conditions));
  EXPECT_GT(r.lyapunov_increase(), 0);
}

TEST(PassivityTracking, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Lambda", {8});
  p.set("Kd", {100, 100, 60, 4, 4, 2});
  const std::unique_ptr<ControlLaw> law_made = make_law("passivity_tracking", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6), r(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  const LyapunovValue V = law.lyapunov({0, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  law.filtered_error({.state = {.q = q, .qd = v}, .reference = {.q = v, .qd = q}}, r);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_NEAR(r[0], -0.1 + 8 * 0.1, 1e-15);
  EXPECT_GT(V.value, 0);
}

}  // namespace
}  // namespace torsor
