/// Sweeps: draws that depend on seed and index alone, and statistics with closed forms.
#include "torsor/batch/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

constexpr double g = 9.81;

/// 2 kg on a vertical slide, held by PD: the error m g / Kp remains.
Scenario lift() {
  ModelBuilder b("lift");
  b.prismatic("slide", "base", "cage").friction({.viscous = 1});
  b.inertia("cage", 2, {0, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> robot = b.build();
  Scenario s{.name = "lift",
             .title = {},
             .plant_model = robot,
             .controller_model = robot,
             .law = "independent_pd"};
  s.parameters.set("Kp", {1000});
  s.parameters.set("Kd", {90});
  s.reference = hold({0.5}, 1);
  s.options.duration = 2;
  s.options.record_every = 0.1;
  return s;
}

TEST(Sweep, quantiles_of_a_linear_figure_are_those_of_the_draw) {
  Scenario s = lift();
  s.sweep.parameter_factor = Distribution::uniform(0.8, 1.2);
  const std::vector<SweepRow> rows = run_sweep(s, first_samples(400), {});
  ASSERT_EQ(rows.size(), 400u);
  std::vector<double> factors;
  for (const SweepRow& row : rows) factors.push_back(row.sample.values[0]);
  std::sort(factors.begin(), factors.end());
  bool found = false;
  for (const FigureStatistics& f : statistics(rows)) {
    if (std::string(f.figure.name) != "final_error") continue;
    found = true;
    const double unit = 2 * g / 1000;
    EXPECT_EQ(f.count, 400u);
    EXPECT_NEAR(f.q05, unit * quantile(factors, 0.05), 1e-9);
    EXPECT_NEAR(f.median, unit * quantile(factors, 0.5), 1e-9);
    EXPECT_NEAR(f.q95, unit * quantile(factors, 0.95), 1e-9);
    EXPECT_NEAR(f.worst, unit * factors.back(), 1e-9);
    EXPECT_EQ(rows[static_cast<std::size_t>(f.worst_sample)].sample.values[0], factors.back());
    // Four standard deviations of the sample quantile, sqrt(p (1 - p) / n) / density.
    EXPECT_NEAR(f.q05 / unit, 0.82, 4 * std::sqrt(0.05 * 0.95 / 400) * 0.4);
    EXPECT_NEAR(f.median / unit, 1, 4 * std::sqrt(0.25 / 400) * 0.4);
    EXPECT_NEAR(f.q95 / unit, 1.18, 4 * std::sqrt(0.05 * 0.95 / 400) * 0.4);
  }
  EXPECT_TRUE(found);
}

TEST(Sweep, rows_do_not_depend_on_threads_or_on_which_samples_run) {
  Scenario s = lift();
  s.sweep.parameter_factor = Distribution::normal(1, 0.1);
  s.sweep.start_q = Distribution::uniform(-0.1, 0.1);
  s.sweep.noise = true;
  s.options.period = 0.01;
  s.options.sensors.position_noise = 1e-4;
  s.options.integrator = Integrator::rk4;
  const std::vector<SweepRow> one = run_sweep(s, first_samples(24), {.threads = 1});
  const std::vector<SweepRow> two = run_sweep(s, first_samples(24), {.threads = 2});
  const std::vector<SweepRow> some = run_sweep(s, {17, 3}, {.threads = 2});
  ASSERT_EQ(two.size(), one.size());
  const auto expect_same = [](const SweepRow& a, const SweepRow& b) {
    EXPECT_EQ(a.sample.index, b.sample.index);
    EXPECT_EQ(a.sample.seed, b.sample.seed);
    EXPECT_EQ(a.sample.values, b.sample.values);
    for (const RunFigure& f : run_figures()) {
      const double x = a.summary.*f.value, y = b.summary.*f.value;
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << f.name << x << " " << y;
    }
  };
  for (std::size_t k = 0; k < one.size(); ++k) expect_same(one[k], two[k]);
  expect_same(one[3], some[0]);
  expect_same(one[17], some[1]);
  EXPECT_NE(one[0].summary.rms_error, one[1].summary.rms_error);
}

TEST(Sweep, draws_have_the_quantiles_of_their_distributions) {
  Scenario s = lift();
  s.sweep.parameter_factor = Distribution::uniform(2, 6);
  s.sweep.friction_factor = Distribution::normal(3, 0.5);
  constexpr int n = 20000;
  std::vector<double> uniform, normal;
  double together = 0;
  for (long k = 0; k < n; ++k) {
    const SweepSample x = draw_sample(s, k);
    uniform.push_back(x.values[0]);
    normal.push_back(x.values[1]);
    together += (x.values[0] - 4) / 4 * (x.values[1] - 3) / 0.5;
  }
  std::sort(uniform.begin(), uniform.end());
  std::sort(normal.begin(), normal.end());
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_GE(uniform.front(), 2);
  EXPECT_LE(uniform.back(), 6);
  for (const double p : {0.05, 0.25, 0.5, 0.75, 0.95})
    EXPECT_NEAR(quantile(uniform, p), 2 + 4 * p, 4 * std::sqrt(p * (1 - p)) * 4 / root) << p;
  EXPECT_NEAR(quantile(normal, 0.5), 3, 4 * 0.5 / (0.3989 * root) * 0.5);
  EXPECT_NEAR(quantile(normal, 0.05), 3 - 1.6448536 * 0.5,
              4 * std::sqrt(0.0475) / 0.1031 * 0.5 / root);
  EXPECT_NEAR(quantile(normal, 0.95), 3 + 1.6448536 * 0.5,
              4 * std::sqrt(0.0475) / 0.1031 * 0.5 / root);
  EXPECT_NEAR(together / n, 0, 4 * std::sqrt(1.0 / 12) / root);  // they know nothing of each other
}

TEST(Sweep, quantile_interpolates_between_ordered_values) {
  EXPECT_EQ(quantile({7}, 0.95), 7);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0), 1);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0.5), 3);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 1), 5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.05), 1.2);
  EXPECT_DOUBLE_EQ(quantile({10, 20}, 0.25), 12.5);
  EXPECT_EQ(quantile({1, INFINITY, INFINITY}, 0.75), INFINITY);
  EXPECT_EQ(quantile({1, 2, INFINITY}, 0.5), 2);
}

TEST(Sweep, a_sample_changes_what_its_names_say) {
  Scenario s = lift();
  s.options.q0 = {0.25};
  s.options.duration = 5;
  s.sweep.parameter_factor = s.sweep.link_factor = s.sweep.friction_factor =
      Distribution::uniform(0.5, 2);
  s.sweep.payloads = {{"cage", {0, 0, 0.1}, 0.2, Distribution::uniform(0, 1)}};
  s.sweep.start_q = s.sweep.start_qd = Distribution::uniform(-1, 1);
  s.sweep.noise = true;
  s.sweep.gains = {{"Kp", Distribution::uniform(0.5, 2)}};
  EXPECT_EQ(sweep_value_names(s),
            (std::vector<std::string>{"parameter_factor", "cage.factor", "friction_factor",
                                      "payload.mass", "start.q.slide", "start.qd.slide",
                                      "noise_seed", "gain.Kp"}));
  const Scenario x = with_sample(s, {0, 0, {1.5, 2, 3, 0.5, 0.125, -0.25, 99, 4}});
  const std::vector<double> p = parameters(x.plant_model);
  EXPECT_NEAR(p[0], 2 * 1.5 * 2 + 0.5, 1e-12);
  EXPECT_NEAR(p[3], 0.5 * 0.1, 1e-12);
  EXPECT_NEAR(p[9], 0.1 * 1.5 * 2 + 0.4 * 0.5 * 0.04, 1e-12);
  EXPECT_NEAR(p[4], p[9] + 0.5 * 0.01, 1e-12);
  EXPECT_EQ(x.plant_model.dof(0).viscous, 3);
  EXPECT_EQ(x.options.q0, (std::vector<double>{0.375}));
  EXPECT_EQ(x.options.v0, (std::vector<double>{-0.25}));
  EXPECT_EQ(x.options.sensors.seed, 99u);
  EXPECT_EQ(parameters(x.controller_model), parameters(s.controller_model));
  // (2 * 3 + 0.5) g / (4 Kp) remains
  const RunSummary run = summarise(run_scenario(x));
  EXPECT_NEAR(run.final_error, 6.5 * g / 4000, 1e-9);
}

TEST(Sweep, drawn_bodies_stay_possible_where_they_were) {
  const Model<double> robot = load_robot("ur5");
  Scenario s{.name = {},
             .title = {},
             .plant_model = robot,
             .controller_model = robot,
             .law = "independent_pd"};
  s.sweep.inertial_factor = Distribution::uniform(0.8, 1.2);
  const std::vector<double> p = parameters(robot);
  EXPECT_EQ(sweep_value_names(s), parameter_names(robot));
  bool changed = false;
  for (long k = 0; k < 50; ++k) {
    const SweepSample sample = draw_sample(s, k);
    const std::vector<double> drawn = parameters(with_sample(s, sample).plant_model);
    for (std::size_t i = 0; i < drawn.size(); i += parameters_per_body) {
      ASSERT_TRUE(is_physical(inertia_of(p.data() + i)));
      EXPECT_TRUE(is_physical(inertia_of(drawn.data() + i), 1e-12)) << k << " " << i;
      for (std::size_t j = i; j < i + parameters_per_body; ++j)
        EXPECT_NEAR(drawn[j], p[j] * sample.values[j], 1e-12 * std::abs(p[j]));
    }
    changed = changed || std::abs(drawn[0] - p[0]) > 0.05 * p[0];
  }
  EXPECT_TRUE(changed);
  s.sweep.inertial_factor = Distribution::uniform(-2, -1);
  EXPECT_NE(draw_sample(s, 0).impossible.find("no possible body found for"), std::string::npos);
  EXPECT_THROW((void)with_sample(s, draw_sample(s, 0)), Error);
}

TEST(Sweep, impossible_draws_are_told_and_never_end_a_sweep) {
  const auto rows_of = [](auto vary, const std::string& reason) {
    Scenario s = lift();
    vary(s.sweep);
    const std::vector<SweepRow> rows = run_sweep(s, first_samples(40), {});
    EXPECT_EQ(rows.size(), 40u);
    int impossible = 0;
    for (const SweepRow& row : rows) {
      const bool negative = row.sample.values[0] < 0;
      EXPECT_EQ(!row.sample.impossible.empty(), negative) << row.sample.impossible;
      EXPECT_EQ(row.finished(), !negative);
      if (!negative) continue;
      ++impossible;
      EXPECT_NE(row.sample.impossible.find(reason), std::string::npos) << row.sample.impossible;
    }
    EXPECT_GT(impossible, 5);
    EXPECT_LT(impossible, 35);
    EXPECT_EQ(statistics(rows).front().count, 40u - static_cast<unsigned>(impossible));
  };
  const Distribution wide = Distribution::normal(0.3, 1);
  rows_of([&](SweepPlan& p) { p.parameter_factor = wide; }, "parameter_factor = -");
  rows_of([&](SweepPlan& p) { p.link_factor = wide; }, "cage.factor = -");
  rows_of([&](SweepPlan& p) { p.friction_factor = wide; }, "friction_factor = -");
  rows_of([&](SweepPlan& p) { p.payloads = {{"cage", {}, 0, wide}}; }, "payload.mass = -");
  rows_of([&](SweepPlan& p) { p.gains = {{"Kd", wide}}; }, "gain.Kd = -");
}

TEST(Sweep, stops_between_runs_and_passes_errors_on) {
  Scenario s = lift();
  s.sweep.parameter_factor = Distribution::uniform(0.8, 1.2);
  std::atomic<bool> stop{false};
  int rows = 0;
  SweepOptions options{.threads = 1};
  options.stop = &stop;
  options.on_row = [&](const SweepRow&) { stop = ++rows == 3; };
  EXPECT_EQ(run_sweep(s, first_samples(100), options).size(), 3u);

  options.stop = nullptr;
  options.threads = 2;
  options.on_row = [](const SweepRow&) { throw Error("disk full"); };
  EXPECT_THROW((void)run_sweep(s, first_samples(10), options), Error);
  s.law = "no_such_law";
  EXPECT_THROW((void)run_sweep(s, first_samples(4), {}), Error);
}

TEST(Sweep, runs_that_stop_early_do_not_enter_the_statistics) {
  SweepRow good, bad;
  good.summary.rms_error = 1;
  bad.sample.index = 1;
  bad.summary.rms_error = 100;
  bad.summary.stop = StopReason::blow_up;
  const std::vector<FigureStatistics> all = statistics({good, bad});
  EXPECT_EQ(all.front().count, 1u);
  EXPECT_EQ(all.front().worst, 1);
  EXPECT_TRUE(statistics({bad}).empty());
}

}  // namespace
}  // namespace torsor
