/// Huo 2005, example 3-4: the direct-drive arm adapts nine parameters, beside laws that do not, and
/// with the regressor as it is misprinted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/passivity_tracking.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using Numbers = std::vector<double>;

/// The adaptive law on a regressor that is written out by hand, perhaps with the misprint.
struct WrittenOut final : ControlLaw {
  bool misprint;
  MomentumWorkspace<double> momentum;
  Gain Lambda{{4, 4, 5}}, Kd{{100, 20, 10}}, rates{{10, 0.2, 0.4, 0.4, 4, 0.1, 0.01, 0.2, 1}};
  std::array<double, 3> r{}, v{}, w{};

  WrittenOut(bool m, const Model<double>& arm)
      : ControlLaw("written_out", arm), misprint(m), momentum(arm) {}
  int n_states() const override { return 9; }
  void reset(Out<double> p_hat) override {
    const double p0[9] = {8, 1, -1, 0.5, 5, 0, 0, 1, 1};
    std::copy(p0, p0 + 9, p_hat.data);
  }
  void refer(const ControlState& s, const ControlReference& d) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int i = static_cast<int>(k);
      const double l = Lambda(i, i);
      r[k] = d.qd[i] - s.qd[i] + l * (d.q[i] - s.q[i]);
      v[k] = r[k] + s.qd[i];
      w[k] = d.qdd[i] + l * (d.qd[i] - s.qd[i]);
    }
  }
  void torque(const ControlInput& input, Out<double> tau) override {
    const auto& [t, s, p_hat, d] = input;
    refer(s, d);
    const auto Y = testing::ddarm_regressor(s.q, s.qd, v, w, misprint);
    for (std::size_t k = 0; k < 3; ++k) {
      tau[static_cast<int>(k)] = Kd(static_cast<int>(k), static_cast<int>(k)) * r[k];
      for (std::size_t c = 0; c < 9; ++c)
        tau[static_cast<int>(k)] += Y[k][c] * p_hat[static_cast<int>(c)];
    }
  }
  void state_derivative(const ControlInput& input, Out<double> rate) override {
    const auto& [t, s, p_hat, d] = input;
    refer(s, d);
    const auto Y = testing::ddarm_regressor(s.q, s.qd, v, w, misprint);
    for (int c = 0; c < 9; ++c) {
      rate[c] = 0;
      for (std::size_t k = 0; k < 3; ++k)
        rate[c] += rates(c, c) * Y[k][static_cast<std::size_t>(c)] * r[k];
    }
  }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run&) override { return {}; }
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override {
    const auto& [t, s, p_hat, d] = input;
    refer(s, d);
    double V = kinetic_form(plant, momentum, s.q, r);
    const Numbers p = testing::ddarm_parameters();
    for (int c = 0; c < 9; ++c)
      V += std::pow(p[static_cast<std::size_t>(c)] - p_hat[c], 2) / rates(c, c) / 2;
    return {V, -Kd.quadratic(r)};
  }
};

class DirectDrive : public ::testing::Test {
 protected:
  const Model<double> file = load_robot("ddarm");
  const Model<double> arm = with_parameters(file, testing::ddarm_links());  // nine as printed
  const Model<double> nothing = testing::with_inertia_times(file, 0);
  static void expect_error(const Recording& r, double t, const Numbers& e, double tolerance) {
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(r.e(r.at(t), c), e[static_cast<std::size_t>(c)], tolerance) << t << ": " << c;
  }
};

TEST_F(DirectDrive, Example_3_4_adapts_nine_parameters) {
  AdaptationOptions o;
  o.parameters = testing::ddarm_names();
  o.p0 = {8, 1, -1, 0.5, 5, 0, 0, 1, 1};
  o.rate = Gain({10, 0.2, 0.4, 0.4, 4, 0.1, 0.01, 0.2, 1});
  SlotineLiAdaptive law(nothing, {Gain({4, 4, 5}), Gain({100, 20, 10})}, o);
  const Recording r = simulate(Plant(arm), law, testing::trajectory_d(), testing::start_d(10));
  EXPECT_TRUE(all_satisfied(r.conditions));
  expect_error(r, 0.5, {0.0470627, -0.2208628, -0.0893145}, 1e-7);
  expect_error(r, 1.5, {-0.0127336, 0.0130337, -0.0872674}, 1e-7);
  expect_error(r, 3, {0.0001466, 0.0016377, -0.0179339}, 1e-7);
  expect_error(r, 5, {1.0e-5, 7.0e-5, -69.7e-5}, 1e-6);
  EXPECT_NEAR(r.lyapunov(0, 0), 27.76715, 5e-6);
  EXPECT_NEAR(r.lyapunov(r.at(1), 0), 5.39925, 5e-6);
  EXPECT_NEAR(r.lyapunov(r.at(5), 0), 3.34270, 5e-6);
  EXPECT_NEAR(r.lyapunov(r.at(10), 0), 3.34268, 5e-6);
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  EXPECT_LT(r.lyapunov_increase(), 1e-10);
  const Numbers p{9.18685, 0.97289, -1.11331, 1.33229, 3.08130, 0.12710, 0.01440, 0.89104, 0.31080};
  for (int c = 0; c < 9; ++c)
    EXPECT_NEAR(r.x_c(r.at(10), c), p[static_cast<std::size_t>(c)], 1e-5) << c;
}

TEST_F(DirectDrive, Example_3_4_without_adaptation_misses) {
  Numbers ten(30);
  const std::vector<std::string> names = parameter_names(file);
  const auto set = [&](const char* name, double x) {
    ten[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())] = x;
  };
  set("link_1.zz", 8), set("link_2.yy", -1), set("link_2.yz", -1), set("link_2.zz", 0.5);
  set("link_2.my", 5), set("link_3.zz", 1), set("link_3.mx", 1);
  const Model<double> believed = with_parameters(file, ten);
  ComputedTorque torque(believed, {Gain::uniform(3, 50), Gain::uniform(3, 10)});
  Recording r = simulate(Plant(arm), torque, testing::trajectory_d(), testing::start_d(3));
  expect_error(r, 3, {0.0495484, 0.365592, -0.0069309}, 1e-6);
  PassivityTracking passive(believed, {Gain({4, 4, 5}), Gain({100, 20, 10})});
  r = simulate(Plant(arm), passive, testing::trajectory_d(), testing::start_d(3));
  expect_error(r, 3, {0.0000115, 0.1307114, -0.0453778}, 1e-6);
}

TEST_F(DirectDrive, Example_3_4_balance_catches_the_misprint_that_looks_fine) {
  for (const bool misprint : {false, true}) {
    WrittenOut law{misprint, arm};
    const Recording r = simulate(Plant(arm), law, testing::trajectory_d(), testing::start_d(10));
    EXPECT_LT(r.lyapunov_increase(), 1e-6);
    for (int c = 0; c < 3; ++c) EXPECT_LT(std::abs(r.e(r.size() - 1, c)), 1e-4);
    if (misprint)
      EXPECT_NEAR(r.lyapunov_balance(), 0.186, 1e-3);
    else
      EXPECT_LT(r.lyapunov_balance(), 1e-8);
  }
}

}  // namespace
}  // namespace torsor
