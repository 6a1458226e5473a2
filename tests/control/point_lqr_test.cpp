/// The regulator around a point: closed form of one joint, and its cost close to the point.
#include "torsor/control/joint/point_lqr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

TEST(PointLqr, slider_has_the_gains_of_the_double_integrator) {
  ModelBuilder b("slider");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0});
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> slider = b.build();
  const double q_star[1] = {0.5}, q[1] = {0.8}, v[1] = {-0.4};
  PointLqr law(slider, q_star, Gain({8, 0}), Gain({0.5}));
  // m x'' = u, int 8 x^2 + 1/2 u^2: u = -k x - d x', k = sqrt(8 / 0.5), d = sqrt(2 m k)
  double tau[1];
  law.torque({0, {.q = q, .qd = v}, {}, {}}, tau);
  EXPECT_NEAR(tau[0], -4 * 0.3 + std::sqrt(2 * 2 * 4.0) * 0.4, 1e-12);
  EXPECT_TRUE(all_satisfied(law.conditions(testing::run_from(slider, hold({0.5}, 1), {0}))));
}

/// The law with its running cost as the balance of a run.
struct Priced final : ControlLaw {
  PointLqr law;
  Gain Q, R;
  Array<double> rest, q_star;
  Priced(const Model<double>& arm, const std::vector<double>& point, const Gain& q, const Gain& r)
      : ControlLaw("priced", arm), law(arm, point, q, r), Q(q), R(r), q_star(point) {}
  void torque(const ControlInput& input, Out<double> tau) override { law.torque(input, tau); }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run& run) override { return law.conditions(run); }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>&) override {
    Array<double> x(4), u(2);
    torque(input, u);
    for (int k = 0; k < 2; ++k)
      x[k] = input.state.q[k] - q_star[k], x[k + 2] = input.state.qd[k], u[k] -= rest[k];
    return {0, -0.5 * (Q.quadratic(x) + R.quadratic(u))};
  }
};

TEST(PointLqr, cost_near_an_upright_arm_is_the_predicted_one_up_to_third_order) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> up{1.2, 0.5};
  const Gain Q({10, 10, 1, 1}), R({0.1, 0.2});
  Priced law(arm, up, Q, R);
  const double g = 9.81, c12 = std::cos(1.7);  // G of the arm
  law.rest = {g * (1.5 * std::cos(1.2) + 0.5 * c12), g * 0.5 * c12};
  EXPECT_TRUE(
      all_satisfied(law.conditions(testing::run_from(arm, hold({1.2, 0.5}, 2), {1.22, 0.48}))));
  const auto elsewhere = law.conditions(testing::run_from(arm, hold({-1, 0.5}, 2), {1.22, 0.48}));
  EXPECT_EQ(testing::not_covered(elsewhere),
            std::vector<std::string>{"the reference is the point"});
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double size = k == 0 ? 0.02 : 0.01;
    SimulateOptions o;
    o.q0 = {1.2 + size, 0.5 - size};
    o.duration = 20;
    o.record_every = 1;
    o.control = {.relative = 1e-11, .absolute = 1e-14};
    const Recording r = simulate(Plant(arm), law, hold(up, 2), o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_LT(std::abs(r.e(r.size() - 1, 0)), 1e-9);
    const double zero[2] = {0, 0};
    const double predicted = law.law.predicted_cost({.q = o.q0, .qd = zero});
    error[k] = r.lyapunov(r.size() - 1, 2) - predicted;
    EXPECT_LT(std::abs(error[k]), 0.05 * predicted);
  }
  EXPECT_NEAR(error[0] / error[1], 8, 1.5);  // half the deviation, an eighth of the difference
}

/// A local law: V falls near the point, not from everywhere, and not with too little torque.
TEST(PointLqr, starts_from_which_V_does_not_fall_are_told) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> up{1.5707963267948966, 0};
  PointLqr law(arm, up, Gain({10, 10, 1, 1}), Gain({0.1, 0.2}));
  const auto falls = [&](const torsor::Run& run) {
    return testing::row(law.conditions(run), "V falls wherever").satisfied();
  };
  EXPECT_TRUE(falls(testing::run_from(arm, hold(up, 2), {1.58, 0.01})));
  EXPECT_FALSE(falls(testing::run_from(arm, hold(up, 2), {-1.5, 0})));
  auto weak = testing::run_from(arm, hold(up, 2), {1.58, 0.01});
  weak.torque_limit = {0.01, 0.01};
  EXPECT_FALSE(falls(weak));
}

TEST(PointLqr, conditions_and_the_door_catch_weights_that_do_not_fit) {
  const Model<double> arm = load_robot("planar2r");
  const double q[2] = {0.3, 0.2};
  EXPECT_FALSE(
      all_satisfied(testing::conditions_of(PointLqr(arm, q, Gain({10, -1, 1, 1}), Gain({1, 1})))));
  EXPECT_THROW(PointLqr(arm, q, Gain({1, 1}), Gain({1, 1})), Error);
  EXPECT_THROW(PointLqr(arm, q, Gain({1, 1, 1, 1}), Gain({1, 0})), Error);
  EXPECT_THROW(PointLqr(arm, View<const double>(q, 1), Gain({1, 1, 1, 1}), Gain({1, 1})), Error);
}

TEST(PointLqr, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("point", std::vector<double>{0});
  p.set("Q", std::vector<double>{10});
  p.set("R", std::vector<double>{0.01});
  const std::unique_ptr<ControlLaw> law_made = make_law("point_lqr", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6);
  const testing::AllocationCounter counter;
  law.torque({0, {.q = q, .qd = v}, {}, {}}, tau);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(std::isfinite(tau[0]));
}

}  // namespace
}  // namespace torsor
