/// Many runs at once are the runs: lanes, threads and neighbours change nothing but rounding, and of
/// lanes, threads and neighbours only lanes change that.
#include "torsor/batch/rollout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

Scenario sampled(const Model<double>& robot, const std::string& law) {
  Scenario s{
      .name = "sampled", .title = {}, .plant_model = robot, .controller_model = robot, .law = law};
  const int n = robot.n_v();
  s.reference = [n](double t, ReferencePoint& r) {
    r.q.resize(n), r.qd.resize(n), r.qdd.resize(n);
    for (int k = 0; k < n; ++k) {
      const double w = 2 + 0.3 * k;
      r.q[k] = 0.4 * std::sin(w * t), r.qd[k] = 0.4 * w * std::cos(w * t);
      r.qdd[k] = -0.4 * w * w * std::sin(w * t);
    }
  };
  s.options.duration = 0.5;
  s.options.period = s.options.step = 2e-3;
  s.options.integrator = Integrator::rk4;
  s.sweep.parameter_factor = Distribution::uniform(0.8, 1.2);
  s.sweep.start_q = Distribution::normal(0, 0.05);
  s.sweep.start_qd = Distribution::normal(0, 0.1);
  return s;
}
Scenario computed_torque(const Model<double>& robot) {
  Scenario s = sampled(robot, "computed_torque");
  s.parameters.set("Kp", {100});
  s.parameters.set("Kd", {20});
  return s;
}
Scenario noisy(Scenario s) {
  s.options.sensors.position_noise = 1e-5, s.options.sensors.velocity_noise = 1e-3;
  s.sweep.noise = true;
  return s;
}

std::vector<SweepSample> draws(const Scenario& s, int count) {
  std::vector<SweepSample> samples;
  for (long k = 0; k < count; ++k) samples.push_back(draw_sample(s, k));
  return samples;
}

void expect_near(double a, double b, double scale, const std::string& what) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return;
  EXPECT_NEAR(a, b, 1e-9 * std::fmax(std::abs(b), scale)) << what;
}
void expect_same_run(const Recording& a, const Recording& b) {
  ASSERT_EQ(a.stop, b.stop) << a.message << "; " << b.message;
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.integrator, b.integrator);
  ASSERT_EQ(a.t, b.t);
  for (std::size_t s = 0; s < b.series().size(); ++s) {
    const Series &x = *a.series()[s], &y = *b.series()[s];
    ASSERT_EQ(x.data.size(), y.data.size()) << y.name;
    double size = 1e-3;
    for (const double v : y.data) size = std::fmax(size, std::abs(v));
    for (std::size_t k = 0; k < y.data.size(); ++k)
      expect_near(x.data[k], y.data[k], size, y.name + " " + std::to_string(k));
  }
  const RunSummary x = summarise(a), y = summarise(b);
  for (const RunFigure& f : run_figures()) expect_near(x.*f.value, y.*f.value, 1e-3, f.name);
  ASSERT_EQ(a.conditions.size(), b.conditions.size());
  for (std::size_t k = 0; k < a.conditions.size(); ++k)
    EXPECT_EQ(a.conditions[k].verdict, b.conditions[k].verdict) << a.conditions[k].name;
  for (const auto& [of_a, of_b] : {std::pair{&a.figures.position, &b.figures.position},
                                   std::pair{&a.figures.velocity, &b.figures.velocity},
                                   std::pair{&a.figures.torque, &b.figures.torque}}) {
    EXPECT_EQ(of_a->beyond, of_b->beyond);
    EXPECT_EQ(of_a->dof, of_b->dof);
    expect_near(of_a->value, of_b->value, 1, "beyond a limit");
    expect_near(of_a->first, of_b->first, 1, "when it was left");
  }
  expect_near(a.figures.saturated, b.figures.saturated, 1, "saturated");
}
void expect_rollouts_are_runs(const Scenario& s, int count = 11) {
  const std::vector<SweepSample> samples = draws(s, count);
  const std::vector<Rollout> runs = rollout(s, samples, {.threads = 2});
  ASSERT_EQ(runs.size(), samples.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    SCOPED_TRACE("sample " + std::to_string(k));
    EXPECT_EQ(runs[k].impossible, "");
    expect_same_run(runs[k].recording, run_scenario(with_sample(s, samples[k])));
  }
}

/// A branch, a slider, a spring, smooth friction and limits that are left.
Model<double> tree() {
  ModelBuilder b("tree");
  const auto placed = [](double x, double z) {
    return SE3<double>{SO3<double>::identity(), {x, 0, z}};
  };
  b.revolute("hip", "base", "thigh", placed(0, 0), {0, 1, 0})
      .friction({.viscous = 0.5, .coulomb = 0.3, .width = 0.05})
      .limits(-0.2, 0.2, 0.5, 3);
  b.revolute("left", "thigh", "arm", placed(0.2, 0.3), {0, 1, 0});
  b.prismatic("lift", "thigh", "head", placed(0, 0.5)).rotor(1e-4, 50).spring(500, 0.1);
  for (const char* link : {"thigh", "arm", "head"})
    b.inertia(link, 2, {0.1, 0.02, 0.15}, {0.2, 0.01, 0.25, 0, 0.02, 0.15});
  return b.build();
}

TEST(Rollout, computed_torque_in_lanes_is_that_of_simulate) {
  EXPECT_TRUE(runs_in_lanes(computed_torque(load_robot("planar2r"))));
  expect_rollouts_are_runs(noisy(computed_torque(load_robot("planar2r"))));
  expect_rollouts_are_runs(computed_torque(load_robot("panda")), 5);
  expect_rollouts_are_runs(computed_torque(tree()));
}

TEST(Rollout, other_laws_are_asked_and_keep_their_states) {
  for (const std::string law :
       {"independent_pd", "pd_gravity", "slotine_li", "passivity_tracking"}) {
    SCOPED_TRACE(law);
    Scenario s = noisy(sampled(load_robot("planar2r"), law));
    const bool tracks = law == "slotine_li" || law == "passivity_tracking";
    s.parameters.set(tracks ? "Lambda" : "Kp", {tracks ? 5.0 : 100.0});
    s.parameters.set("Kd", {20});
    if (law == "slotine_li") s.parameters.set("adaptation", {2});
    EXPECT_TRUE(runs_in_lanes(s));
    expect_rollouts_are_runs(s, 9);
  }
}

TEST(Rollout, limits_sensors_and_rows_between_steps_are_those_of_simulate) {
  Scenario s = noisy(computed_torque(load_robot("planar2r")));
  s.options.actuators.torque_limit = {12, 3};
  s.options.actuators.rate_limit = {2000, 500};
  s.options.sensors.encoder_step = {1e-4, 0};
  s.options.step = 1.5e-3;  // a period is one step and a part
  s.options.record_every = 3.7e-3;
  expect_rollouts_are_runs(s);
  s.options.certificate = false;
  expect_rollouts_are_runs(s, 3);
  s.sweep.gains = {{"Kp", Distribution::uniform(0.5, 2)}};
  s.sweep.payloads = {{"link_2", {1, 0, 0}, 0.1, Distribution::uniform(0, 0.5)}};
  s.sweep.friction_factor = Distribution::uniform(0, 2);
  expect_rollouts_are_runs(s);
}

TEST(Rollout, a_run_has_the_same_bits_whatever_runs_beside_it) {
  const Scenario s = noisy(computed_torque(load_robot("planar2r")));
  const std::vector<SweepSample> samples = draws(s, 21);
  const std::vector<Rollout> all = rollout(s, samples, {.threads = 1});
  const std::vector<Rollout> two = rollout(s, samples, {.threads = 2});
  std::vector<SweepSample> back(samples.rbegin(), samples.rend());
  const std::vector<Rollout> turned = rollout(s, back, {.threads = 1});
  const auto expect_bits = [](const Recording& a, const Recording& b) {
    for (std::size_t k = 0; k < a.series().size(); ++k)
      EXPECT_EQ(a.series()[k]->data, b.series()[k]->data) << a.series()[k]->name;
    const RunSummary x = summarise(a), y = summarise(b);
    for (const RunFigure& f : run_figures()) {
      const double p = x.*f.value, q = y.*f.value;
      EXPECT_TRUE(p == q || (std::isnan(p) && std::isnan(q))) << f.name;
    }
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    expect_bits(all[k].recording, two[k].recording);
    expect_bits(all[k].recording, turned[all.size() - 1 - k].recording);
    if (k % 5 == 0) expect_bits(all[k].recording, rollout(s, {samples[k]}, {})[0].recording);
  }
}

TEST(Rollout, a_run_that_breaks_down_leaves_its_neighbours_alone) {
  Scenario s = sampled(load_robot("planar2r"), "computed_torque");
  s.parameters.set("Kp", {4e4});
  s.parameters.set("Kd", {900});  // with more than 2 / period the sampled loop is unstable
  s.options.duration = 1;
  s.sweep.gains = {{"Kd", Distribution::uniform(0.2, 3)}};
  const std::vector<SweepSample> samples = draws(s, 24);
  const std::vector<Rollout> runs = rollout(s, samples, {});
  int broken = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const Recording alone = run_scenario(with_sample(s, samples[k]));
    EXPECT_EQ(runs[k].recording.stop, alone.stop);
    EXPECT_EQ(runs[k].recording.message, alone.message);
    broken += alone.stop == StopReason::finished ? 0 : 1;
    if (alone.stop != StopReason::finished) {
      EXPECT_EQ(runs[k].recording.q.data, alone.q.data);
    }
  }
  EXPECT_GT(broken, 2);
  EXPECT_LT(broken, 22);
}

TEST(Rollout, impossible_samples_are_told_one_by_one) {
  Scenario s = computed_torque(load_robot("planar2r"));
  s.sweep.parameter_factor = Distribution::normal(0.5, 1);
  const std::vector<SweepSample> samples = draws(s, 16);
  const std::vector<Rollout> runs = rollout(s, samples, {});
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const double factor = samples[k].values[0];
    EXPECT_EQ(runs[k].impossible.empty(), factor > 0) << factor;
    EXPECT_EQ(runs[k].recording.size() > 0, factor > 0);
  }
  s.law = "no_such_law";
  EXPECT_THROW((void)rollout(s, draws(s, 4), {}), Error);
}

TEST(Rollout, what_lanes_do_not_know_is_simulated_run_by_run) {
  Scenario s = computed_torque(load_robot("planar2r"));
  s.options.integrator = Integrator::dormand_prince5;
  EXPECT_FALSE(runs_in_lanes(s));
  const std::vector<SweepSample> samples = draws(s, 3);
  const std::vector<Rollout> runs = rollout(s, samples, {});
  for (std::size_t k = 0; k < runs.size(); ++k)
    EXPECT_EQ(runs[k].recording.q.data, run_scenario(with_sample(s, samples[k])).q.data);
  const auto not_in_lanes = [](auto change) {
    Scenario x = computed_torque(load_robot("planar2r"));
    change(x);
    EXPECT_FALSE(runs_in_lanes(x));
  };
  not_in_lanes([](Scenario& x) { x.options.period = 0; });
  not_in_lanes([](Scenario& x) { x.options.delay = 1e-3; });
  not_in_lanes([](Scenario& x) { x.stops.stiffness = 1e4; });
  not_in_lanes([](Scenario& x) { x.surfaces.emplace_back(); });
  not_in_lanes([](Scenario& x) { x.plant_model = load_robot("four_bar"); });
}

TEST(Rollout, rows_of_a_sweep_are_summaries_of_its_runs) {
  const Scenario s = noisy(computed_torque(load_robot("planar2r")));
  const std::vector<SweepRow> rows =
      run_sweep(s, {3, 4, 5, 6, 7, 8, 9, 10, 11, 30}, {.threads = 2});
  ASSERT_EQ(rows.size(), 10u);
  const std::vector<SweepSample> samples = draws(s, 31);
  for (const SweepRow& row : rows) {
    const RunSummary in_full = summarise(
        rollout(s, {samples[static_cast<std::size_t>(row.sample.index)]}, {})[0].recording);
    for (const RunFigure& f : run_figures()) {  // rows of the recording change no bit
      const double x = row.summary.*f.value, y = in_full.*f.value;
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << f.name;
    }
    const RunSummary alone = summarise(run_scenario(with_sample(s, row.sample)));
    EXPECT_EQ(row.summary.stopped_at, alone.stopped_at);
    for (const RunFigure& f : run_figures())
      expect_near(row.summary.*f.value, alone.*f.value, 1e-3, f.name);
  }
}

}  // namespace
}  // namespace torsor
