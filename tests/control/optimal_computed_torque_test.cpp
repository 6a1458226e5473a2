/// Optimal computed torque: its cost is what it predicts and the least there is; textbook 3.6.
#include "torsor/control/joint/optimal_computed_torque.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

OptimalWeights decoupled() { return {Gain({100, 400, 1, 4}), Gain({1, 2})}; }
OptimalWeights coupled() {
  return {Gain::full(4, {200, 80, 0, 10, 80, 100, -10, 0, 0, -10, 3, 1, 10, 0, 1, 2}),
          Gain::full(2, {2, 0.8, 0.8, 1})};
}

/// tau = ID(q, qd, qdd_d + Kd edot + Kp e); its "balance" is the cost of the run.
struct Priced final : ControlLaw {
  Gain Kp, Kd;
  OptimalWeights weights;
  std::vector<double> x = std::vector<double>(4), a = std::vector<double>(2);
  Priced(const Model<double>& model, Gain p, Gain d, OptimalWeights w)
      : ControlLaw("priced", model), Kp(std::move(p)), Kd(std::move(d)), weights(std::move(w)) {}
  void feed_back(const ControlInput& input) {
    tracking_error(model(), input, {x.data(), 2}, {x.data() + 2, 2});
    a = {0, 0};
    Kp.add_product({x.data(), 2}, a);
    Kd.add_product({x.data() + 2, 2}, a);
  }
  void torque(const ControlInput& input, Out<double> tau) override {
    feed_back(input);
    for (int k = 0; k < 2; ++k) a[static_cast<std::size_t>(k)] += input.reference.qdd[k];
    RneaWorkspace<double> ws(model());
    rigid_inverse_dynamics(model(), ws, input.state.q, input.state.qd, a, {}, tau);
  }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run&) override { return {}; }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>&) override {
    feed_back(input);
    return {0, -0.5 * (weights.Q.quadratic(x) + weights.R0.quadratic(a))};
  }
};
double cost_of(const Model<double>& arm, Gain Kp, Gain Kd, OptimalWeights weights) {
  Priced law{arm, std::move(Kp), std::move(Kd), std::move(weights)};
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(16));
  return r.lyapunov(r.size() - 1, 2);
}
Gain transposed(const Gain& g) { return Gain::full(2, {g(0, 0), g(1, 0), g(0, 1), g(1, 1)}); }

TEST(OptimalComputedTorque, G_3_6a_gains_and_cost_of_decoupled_weights) {
  const Model<double> arm = load_robot("planar2r");
  OptimalComputedTorque law(arm, decoupled());
  const Gain kp = law.position_gain(0), kd = law.velocity_gain(0);
  EXPECT_NEAR(kp(0, 0), 10, 1e-11);
  EXPECT_NEAR(kp(1, 1), 14.142135624, 1e-9);
  EXPECT_NEAR(kp(0, 1), 0, 1e-13);
  EXPECT_NEAR(kd(0, 0), 4.582575695, 1e-9);
  EXPECT_NEAR(kd(1, 1), 5.503114686, 1e-9);
  EXPECT_NEAR(law.cost_matrix(0)[0], 45.82575695, 1e-8);
  EXPECT_NEAR(law.cost_matrix(0)[5], 155.651588485, 1e-9);
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(16));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 8.2121244683, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-10);
  EXPECT_LT(r.lyapunov(r.size() - 1, 0), 1e-12);  // so that the rest of the cost is in the balance
  ASSERT_EQ(compare_predictions(r).size(), 2u);
  EXPECT_TRUE(compare_predictions(r)[0].kept) << compare_predictions(r)[0].observed;
  EXPECT_TRUE(compare_predictions(r)[1].kept) << compare_predictions(r)[1].observed;
  EXPECT_GT(r.predictions[1].value, 1);
}

TEST(OptimalComputedTorque, G_3_6b_coupled_weights_need_the_transposed_block) {
  const Model<double> arm = load_robot("planar2r");
  OptimalComputedTorque law(arm, coupled());
  const double K2[2][2] = {{19.657270925, 10.012600888}, {5.713215852, 9.828635463}};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) EXPECT_NEAR(law.cost_matrix(0)[i * 4 + 2 + j], K2[i][j], 1e-9);
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(16));
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 4.0894673105, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-10);
  const Gain kp = law.position_gain(0), kd = law.velocity_gain(0);
  EXPECT_NEAR(cost_of(arm, kp, kd, coupled()), 4.0894673105, 1e-8);
  // as printed: R0^-1 K2
  const double d = 2 * 1 - 0.8 * 0.8;
  const auto row = [&](double a, double b, int j) { return (a * K2[0][j] + b * K2[1][j]) / d; };
  const Gain printed =
      Gain::full(2, {row(1, -0.8, 0), row(1, -0.8, 1), row(-0.8, 2, 0), row(-0.8, 2, 1)});
  EXPECT_NEAR(cost_of(arm, printed, kd, coupled()), 4.2853031487, 1e-8);
}

TEST(OptimalComputedTorque, any_other_gains_cost_more) {
  const Model<double> arm = load_robot("planar2r");
  OptimalComputedTorque law(arm, coupled());
  const Gain kp = law.position_gain(0), kd = law.velocity_gain(0);
  const double best = cost_of(arm, kp, kd, coupled());
  for (const double factor : {0.8, 0.95, 1.05, 1.3}) {
    EXPECT_GT(cost_of(arm, kp.scaled(factor), kd, coupled()), best + 1e-5) << factor;
    EXPECT_GT(cost_of(arm, kp, kd.scaled(factor), coupled()), best + 1e-5) << factor;
  }
  EXPECT_GT(cost_of(arm, transposed(kp), kd, coupled()), best + 1e-3);
}

TEST(OptimalComputedTorque, G_3_6c_finite_horizon_costs_what_it_predicts) {
  const Model<double> arm = load_robot("planar2r");
  OptimalComputedTorque law(arm, decoupled(), Gain({10, 10, 1, 1}), 1);
  const double K1[2] = {44.733825347, 152.826142108}, K2[2] = {9.883377387, 27.829558198},
               K3[2] = {4.559495396, 10.911087552};
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(law.cost_matrix(0)[i * 5], K1[i], 1e-9);
    EXPECT_NEAR(law.cost_matrix(0)[i * 5 + 2], K2[i], 1e-9);
    EXPECT_NEAR(law.cost_matrix(0)[(i + 2) * 5], K3[i], 1e-9);
  }
  EXPECT_EQ(law.cost_matrix(1)[0], 10);
  EXPECT_GT(std::abs(law.velocity_gain(0)(0, 0) - law.velocity_gain(0.9)(0, 0)), 0.5);
  const Recording r = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(1));
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.lyapunov(0, 0), 8.0749251224, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);  // V(0) = V(tf) + cost until then
  const Recording later = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(2));
  EXPECT_LT(later.lyapunov_balance(), 1e-8);
}

TEST(OptimalComputedTorque, a_run_beyond_the_horizon_is_not_covered) {
  const Model<double> arm = load_robot("planar2r");
  OptimalComputedTorque law(arm, decoupled(), Gain::uniform(4, 0), 0.3);
  const Recording within =
      simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(0.3));
  EXPECT_TRUE(all_satisfied(within.conditions));
  EXPECT_EQ(within.predictions.size(), 1u);
  const Recording beyond = simulate(Plant(arm), law, testing::trajectory_a(), testing::start_a(5));
  EXPECT_EQ(testing::not_covered(beyond.conditions),
            (std::vector<std::string>{"the run ends by the horizon"}));
  EXPECT_TRUE(beyond.predictions.empty());
  EXPECT_GT(std::abs(beyond.e(beyond.size() - 1, 0)), 1);  // without feedback e goes on
}

TEST(OptimalComputedTorque, final_weights_are_checked) {
  const Model<double> arm = load_robot("planar2r");
  const auto message = [&](const Gain& P, double tf) {
    try {
      OptimalComputedTorque law(arm, decoupled(), P, tf);
      return std::string("taken");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(message(Gain({-30, -30, -8, -8}), 1).find("escapes to infinity"), std::string::npos);
  EXPECT_NE(message(Gain({10, 10, 1}), 1).find("weight P is of size 3"), std::string::npos);
  std::vector<double> skew(16);
  for (std::size_t k = 0; k < 4; ++k) skew[5 * k] = 10;
  skew[1] = 1;
  EXPECT_NE(message(Gain::full(4, skew), 1).find("not symmetric"), std::string::npos);
  // a little negative, over a short time: it does not escape, and a condition says it
  OptimalComputedTorque law(arm, decoupled(), Gain({10, 10, 1, -0.01}), 0.2);
  auto run = testing::run_from(arm, testing::trajectory_a(), {0.2, 1.2}, {}, 0.2);
  EXPECT_EQ(testing::violated(law.conditions(run)),
            (std::vector<std::string>{"P positive semidefinite"}));
}

TEST(OptimalComputedTorque, X_3_8_weights_that_give_the_gains_of_example_3_2) {
  const Model<double> arm = load_robot("ddarm");
  OptimalComputedTorque law(arm, {Gain({2500, 2500, 2500, 0, 0, 0}), Gain::uniform(3, 1)});
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(law.position_gain(0)(k, k), 50, 1e-10);
    EXPECT_NEAR(law.velocity_gain(0)(k, k), 10, 1e-11);
  }
  const Recording r = simulate(Plant(arm), law, testing::trajectory_d(), testing::start_d(6));
  EXPECT_NEAR(r.lyapunov(0, 0), 815, 1e-9);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  const double e[3] = {-0.000455, 0.0068248, 0.0045499};  // e(1) of example 3-2
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(r.e(r.at(1), k), e[k], 1e-6);
}

TEST(OptimalComputedTorque, conditions_catch_weights_that_the_proof_does_not_cover) {
  const Model<double> arm = load_robot("planar2r");
  // positions without weight: the limit of the Riccati equation is diag(0, sqrt(Q22 R0))
  OptimalComputedTorque blind(arm, {Gain({0, 0, 9, 16}), Gain({1, 4})});
  const std::vector<Condition> conditions = testing::conditions_of(blind);
  EXPECT_FALSE(all_satisfied(conditions));
  EXPECT_TRUE(conditions.back().satisfied()) << conditions.back().text();
  EXPECT_NEAR(blind.cost_matrix(0)[10], 3, 1e-12);
  EXPECT_NEAR(blind.cost_matrix(0)[15], 8, 1e-12);
  EXPECT_NEAR(blind.position_gain(0)(0, 0), 0, 1e-12);
  EXPECT_FALSE(all_satisfied(
      testing::conditions_of(OptimalComputedTorque(arm, {Gain({100, -1, 1, 4}), Gain({1, 2})}))));
  EXPECT_THROW(OptimalComputedTorque(arm, {Gain({1, 1}), Gain({1, 1})}), Error);
  EXPECT_THROW(OptimalComputedTorque(arm, {Gain({1, 1, 1, 1}), Gain({1, -1})}), Error);
  EXPECT_THROW(OptimalComputedTorque(arm, decoupled(), Gain({1, 1, 1, 1}), 0), Error);
}

TEST(OptimalComputedTorque, calls_allocate_nothing) {
  const Model<double> arm = load_robot("puma560");
  LawParameters p;
  p.set("Q", std::vector<double>{1});
  p.set("R0", std::vector<double>{1});
  p.set("P", std::vector<double>{2});
  p.set("horizon", std::vector<double>{2});
  const std::unique_ptr<ControlLaw> law_made = make_law("optimal_computed_torque", arm, p);
  ControlLaw& law = *law_made;
  std::vector<double> q(6, 0.1), v(6, 0.2), tau(6);
  const testing::AllocationCounter counter;
  law.torque({0.3, {.q = q, .qd = v}, {}, {.q = v, .qd = q, .qdd = v}}, tau);
  const LyapunovValue V = law.lyapunov({0.3, {.q = q, .qd = v}, {}, {.q = v, .qd = q}}, arm);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(V.value, 0);
  EXPECT_LT(V.rate, 0);
}

}  // namespace
}  // namespace torsor
