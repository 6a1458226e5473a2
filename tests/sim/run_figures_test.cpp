/// Figures of runs: the same however they are recorded, and those of closed forms.
#include "torsor/sim/run_figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "support/nothing.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/sim/run_summary.hpp"
#include "torsor/sim/scenario.hpp"
#include "torsor/trajectory/polynomial.hpp"

namespace torsor {
namespace {

using std::numbers::pi;
const std::string folder = TORSOR_SOURCE_DIR "/examples/scenarios";

void expect_same(const char* what, double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return;
  if (std::isinf(a) && a == b) return;
  EXPECT_NEAR(a, b, 1e-9 * std::max(std::abs(a), std::abs(b))) << what;
}
void expect_same(const Recording& a, const Recording& b) {
  const RunSummary x = summarise(a), y = summarise(b);
  for (const RunFigure& f : run_figures()) expect_same(f.name, x.*f.value, y.*f.value);
  for (int k = 0; k < a.tau.width(); ++k)
    for (const MetricFigure& f : metric_figures())
      expect_same(f.name, metrics(a, k).*f.value, metrics(b, k).*f.value);
  for (int k = 0; k < a.task_e.width(); ++k)
    for (const MetricFigure& f : metric_figures())
      expect_same(f.name, task_metrics(a, k).*f.value, task_metrics(b, k).*f.value);
  const std::vector<Comparison> p = compare_predictions(a), q = compare_predictions(b);
  for (std::size_t k = 0; k < p.size(); ++k)
    expect_same(p[k].prediction.name.c_str(), p[k].observed, q[k].observed);
}

TEST(RunFigures, a_torque_at_its_limit_is_no_larger) {
  const Model<double> arm = load_robot("planar3r");
  IndependentPd law(arm, {Gain::uniform(3, 100), Gain::uniform(3, 30)});
  SimulateOptions o;
  o.q0 = {0.2, 0.2, 0.1};
  o.duration = 3;
  o.actuators.torque_limit = {6, 3, 1};
  const Recording r = simulate(Plant(arm), law, hold({0.2, 0.2, 0.1}, 3), o);
  ASSERT_GT(r.figures.saturated, 0);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(metrics(r, k).max_torque, o.actuators.torque_limit[k]);
    EXPECT_GT(metrics(r, k).max_torque, 0.999 * o.actuators.torque_limit[k]);
  }
}

TEST(RunFigures, of_every_shipped_scenario_do_not_depend_on_how_often_it_is_recorded) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    SCOPED_TRACE(file.path().filename().string());
    Scenario s = load_scenario(file.path().string());
    s.options.duration = std::min(s.options.duration, 3.0);
    const Recording a = run_scenario(s);
    s.options.record_every *= 2.7;  // rows within steps
    const Recording b = run_scenario(s);
    ASSERT_TRUE(a.figures.given());
    EXPECT_NE(a.size(), b.size());
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.events, b.events);
    expect_same(a, b);
    ++count;
  }
  EXPECT_GT(count, 50);
}

/// e = e_0 exp(-5 t) (cos 5t + sin 5t) of the direct-drive arm under computed torque, and tau of the
/// motion q_d - e by inverse dynamics.
TEST(RunFigures, of_computed_torque_are_those_of_the_motion_in_closed_form) {
  const Scenario s = load_scenario(folder + "/direct_drive_tracking_computed_torque.yaml");
  ASSERT_GT(s.options.record_every, 0.2);
  const Recording r = run_scenario(s);
  const Model<double>& m = s.plant_model;
  const double e0[3] = {0.1, -1.5, -1}, T = 3;
  const auto e = [&](double t) { return std::exp(-5 * t) * (std::cos(5 * t) + std::sin(5 * t)); };

  // int_0^T e^2 = int exp(-10 t) (1 + sin 10t), whose antiderivative is
  // -exp(-10 t) (2 + sin 10t + cos 10t) / 20.
  const auto square = [](double t) {
    return -std::exp(-10 * t) * (2 + std::sin(10 * t) + std::cos(10 * t)) / 20;
  };
  // The last time at which |e_0 e| = 0.01, by bisection below the extremum before it.
  const auto settled = [&](double size) {
    double low = 0, high = T;
    for (double t = T; t > 0; t -= 1e-3)
      if (size * std::abs(e(t)) > 0.01) {
        low = t, high = t + 1e-3;
        break;
      }
    for (int k = 0; k < 60; ++k)
      (size * std::abs(e((low + high) / 2)) > 0.01 ? low : high) = (low + high) / 2;
    return low;
  };
  // int |tau qd| and the variation of tau, by the rule of Simpson and by differences.
  DynamicsWorkspace<double> ws(m);
  ReferencePoint point;
  std::vector<double> q(3), qd(3), qdd(3), tau(3), before(3);
  double energy[3] = {}, variation[3] = {}, most[3] = {};
  const int n = 60000;
  for (int i = 0; i <= n; ++i) {
    const double t = T * i / n, x = e(t), c = std::exp(-5 * t) * std::sin(5 * t);
    s.reference(t, point);
    for (std::size_t k = 0; k < 3; ++k) {  // e' = -10 exp(-5t) sin 5t, e'' = -10 e' - 50 e
      const int j = static_cast<int>(k);
      q[k] = point.q[j] - e0[k] * x;
      qd[k] = point.qd[j] + 10 * e0[k] * c;
      qdd[k] = point.qdd[j] - e0[k] * (100 * c - 50 * x);
    }
    ASSERT_TRUE(inverse_dynamics(m, ws, q, qd, qdd, {}, tau));
    for (std::size_t k = 0; k < 3; ++k) {
      const double weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
      energy[k] += weight * std::abs(tau[k] * qd[k]) * T / n / 3;
      if (i > 0) variation[k] += std::abs(tau[k] - before[k]);
      most[k] = std::max(most[k], std::abs(tau[k]));
    }
    before = tau;
  }
  for (int k = 0; k < 3; ++k) {
    const Metrics f = metrics(r, k);
    const double size = std::abs(e0[k]);
    EXPECT_FALSE(f.from_rows);
    EXPECT_NEAR(f.overshoot, std::exp(-pi), 1e-8);
    EXPECT_NEAR(f.rms_error, size * std::sqrt((square(T) - square(0)) / T), 1e-9);
    EXPECT_NEAR(f.max_error, size, 1e-12);
    EXPECT_NEAR(f.settling_time, settled(size), 1e-7);
    EXPECT_NEAR(f.energy, energy[k], 1e-6 * energy[k]);
    EXPECT_NEAR(f.max_torque, most[k], 1e-6 * most[k]);
    EXPECT_NEAR(f.chatter, variation[k] / T, 1e-6 * variation[k]);
  }
  EXPECT_NEAR(metrics(r, 1).energy, 47.36, 0.005);
}

/// A block of 2 kg on a slide under tau = A cos(w t) with A = 4, w = 7 starts with v = A / (m w): its
/// speed never changes sign where x = -A / (m w^2) cos(w t) + ...; all is known.
struct Shaker final : testing::LawOfTests {
  static constexpr double A = 4, w = 7;
  Shaker() : LawOfTests("shaker") {}
  void torque(const ControlInput& input, Out<double> tau) override {
    tau[0] = A * std::cos(w * input.t);
  }
};

Model<double> slider() {
  ModelBuilder b("slider");
  b.gravity({});
  b.prismatic("slide", "base", "block", {}, {1, 0, 0})
      .limits({.lower = -0.01, .upper = 0.05, .velocity = 0.2, .effort = 3});
  b.inertia("block", 2, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

TEST(RunFigures, of_a_shaken_block_are_exact_for_every_integrator_of_order_four_and_more) {
  const Model<double> model = slider();
  Shaker law;
  constexpr double A = Shaker::A, w = Shaker::w, v = A / (2 * w);  // v = A / (m w) sin(w t)
  SimulateOptions o;
  o.duration = 10 * pi / w;  // five periods
  o.record_every = 0.4;
  for (const Integrator integrator :
       {Integrator::rk4, Integrator::dormand_prince5, Integrator::dormand_prince8}) {
    o.integrator = integrator;
    const Recording r = simulate(Plant(model), law, testing::nothing, o);
    const RunFigures& f = r.figures;
    ASSERT_TRUE(f.given());
    const double tolerance = integrator == Integrator::rk4 ? 1e-7 : 1e-8;
    EXPECT_NEAR(f.joints[0].max_torque, A, tolerance);
    EXPECT_NEAR(f.joints[0].rms_torque, A / std::sqrt(2.0), tolerance);
    // |A v cos sin| = A v / 2 |sin 2 w t|: two thirds of pi on average
    EXPECT_NEAR(f.joints[0].energy, A * v / pi * o.duration, 10 * tolerance) << name_of(integrator);
    EXPECT_NEAR(f.joints[0].chatter, 4 * A * 5 / o.duration, 100 * tolerance);
    EXPECT_TRUE(std::isnan(f.joints[0].rms_error));
    // x = v / w (1 - cos w t) reaches 2 v / w; the limits are left on the way.
    EXPECT_EQ(f.position.limited, 1);
    EXPECT_EQ(f.position.beyond, 1);
    EXPECT_NEAR(f.position.value, 2 * v / w, tolerance);
    EXPECT_EQ(f.position.bound, 0.05);
    EXPECT_NEAR(f.position.first, std::acos(1 - 0.05 * w / v) / w, 2e-3);
    EXPECT_NEAR(std::abs(f.velocity.value), v, tolerance);
    EXPECT_EQ(std::abs(f.velocity.bound), 0.2);
    EXPECT_NEAR(f.velocity.first, std::asin(0.2 / v) / w, 2e-3);
    EXPECT_EQ(f.torque.beyond, 1);
    EXPECT_NEAR(std::abs(f.torque.value), A, tolerance);
    EXPECT_LT(f.energy_balance, f.energy_tolerance);
  }
}

TEST(RunFigures, of_sampled_torques_are_those_of_the_samples) {
  const Model<double> model = slider();
  Shaker law;
  SimulateOptions o;
  o.period = 0.05;
  o.duration = 2;
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8}) {
    o.integrator = integrator;
    double squares = 0, variation = 0, energy = 0, v = 0, before = Shaker::A;
    for (int k = 0; k < 40; ++k) {
      const double tau = Shaker::A * std::cos(Shaker::w * 0.05 * k), after = v + tau / 2 * 0.05;
      squares += tau * tau * 0.05;
      variation += std::abs(tau - before);
      // the work is the change of v^2; where v changes its sign it is first taken, then given
      energy += v * after < 0 ? v * v + after * after : std::abs(after * after - v * v);
      v = after;
      before = tau;
    }
    const Metrics f = simulate(Plant(model), law, testing::nothing, o).figures.joints[0];
    EXPECT_NEAR(f.rms_torque, std::sqrt(squares / 2), 1e-9) << name_of(integrator);
    EXPECT_NEAR(f.chatter, variation / 2, 1e-9);
    EXPECT_NEAR(f.energy, energy, 1e-8);
  }
}

TEST(RunFigures, the_integral_of_s_squared_is_the_integral) {
  Scenario s = load_scenario(folder + "/planar_arm_tracking_passivity.yaml");
  const Recording r = run_scenario(s);
  s.options.record_every = s.options.duration / 4000;
  const Recording fine = run_scenario(s);
  ASSERT_EQ(fine.s.rows(), 4001);
  double sum = 0;  // by the rule of Simpson
  for (int k = 0; k <= 4000; ++k)
    for (const double x : fine.s.row(k))
      sum += (k == 0 || k == 4000 ? 1 : k % 2 == 1 ? 4 : 2) * x * x * s.options.record_every / 3;
  EXPECT_NEAR(r.figures.filtered_square, sum, 1e-7 * sum);
}

TEST(RunFigures, no_mean_is_larger_than_the_largest_value) {
  Scenario s = load_scenario(folder + "/two_arms_press_one_object.yaml");
  s.options.duration = 0.5;
  const Recording r = run_scenario(s);
  ASSERT_FALSE(r.figures.task.empty());
  for (const Metrics& m : r.figures.task) EXPECT_LE(m.rms_error, m.max_error);
  for (const Metrics& m : r.figures.joints) EXPECT_LE(m.rms_torque, m.max_torque);
}

TEST(RunFigures, stay_away_from_runs_that_did_not_begin) {
  Recording empty;
  EXPECT_FALSE(empty.figures.given());
  EXPECT_TRUE(metrics(empty, 0).from_rows);
}

}  // namespace
}  // namespace torsor
