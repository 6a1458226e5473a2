/// Adaptive hybrid position and force control: Huo 2005, exercise 3-22, and six-axis arms.
#include "torsor/control/task/adaptive_hybrid_position_force.hpp"

#include <gtest/gtest.h>

#include "control/hybrid_runs.hpp"
#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using namespace testing;

/// The five parameters of R2, half of each known at the start; Gamma = 0.5 I.
AdaptationOptions half_of_r2() {
  AdaptationOptions o;
  o.parameters = r2_names();
  o.p0 = {5.0 / 6, 0.25, 1.0 / 6, 0.75, 0.25};
  o.rate = Gain::uniform(5, 2);
  return o;
}
AdaptiveHybridGains exercise_gains(double KF) {
  AdaptiveHybridGains gains{Gain::uniform(1, 8), Gain({30, 0})};
  if (KF > 0) gains.KF = Gain::uniform(1, KF);
  return gains;
}

TEST(AdaptiveHybridPositionForce, X_3_22_adapts_as_published_with_and_without_force_feedback) {
  const Model<double> arm = load_robot("planar2r"), shell = with_inertia_times(arm, 0);
  Plant plant(arm);
  plant.surfaces = {ring()};
  double force[2];
  for (const double KF : {0.0, 20.0}) {
    AdaptiveHybridPositionForce law(shell, ring_task(), exercise_gains(KF), half_of_r2());
    SimulateOptions o = ring_start(20);
    o.control = {.relative = 1e-10, .absolute = 1e-12};
    const Recording r = simulate(plant, law, circle_reference, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    const int last = r.size() - 1;
    EXPECT_NEAR(r.lyapunov(0, 0), 0.3567893, 1e-7);
    EXPECT_NEAR(r.lyapunov(last, 0), 0.2126389, 1e-7);
    EXPECT_LT(r.lyapunov_balance(), 1e-9);
    EXPECT_LT(r.lyapunov_increase(), 1e-12);
    EXPECT_LE(task_metrics(r, 0, 18).max_error, 5.75e-4);
    force[KF > 0] = task_metrics(r, 1, 18).max_error;
    ASSERT_EQ(r.predictions.size(), 1u);
    EXPECT_TRUE(compare_predictions(r)[0].kept);
  }
  EXPECT_NEAR(force[0], 0.605, 5e-4);
  EXPECT_NEAR(force[1], 0.0255, 5e-5);
}

/// One velocity in both places of Y, or the sign of the adaptation turned: the balance shows it.
TEST(AdaptiveHybridPositionForce, a_plant_that_the_parameters_cannot_say_breaks_the_balance) {
  const Model<double> arm = load_robot("planar2r"), shell = with_inertia_times(arm, 0);
  AdaptationOptions some = half_of_r2();
  some.parameters.pop_back();
  some.p0.pop_back();
  some.rate = Gain::uniform(4, 2);
  AdaptiveHybridPositionForce law(shell, ring_task(), exercise_gains(0), some);
  Plant plant(arm);
  plant.surfaces = {ring()};
  const Recording r = simulate(plant, law, circle_reference, ring_start(2));
  EXPECT_GT(r.lyapunov_balance(), 1e-3);
  EXPECT_FALSE(compare_predictions(r)[0].kept);
}

/// rate (1/s) times the inertia that the flange has along each direction of E_p alone, at the start:
/// what a sampled loop bears. Nothing along E_f.
Gain task_damping(const Model<double>& arm, const TableArm& table, double rate) {
  std::vector<double> diagonal;
  for (const int row : {3, 4, 0, 1, 2}) {
    const OperationalTask one(table.flange, Reference::world_aligned, {row});
    OperationalWorkspace<double> ws(arm);
    OperationalDynamics<double> d(arm, one);
    (void)operational_dynamics(arm, ws, table.q0, std::vector<double>(6), one, d);
    diagonal.push_back(rate * d.lambda(0, 0));
  }
  diagonal.push_back(0);
  return Gain(diagonal);
}

/// Six axes at 1 kHz: all ten numbers of every link start 20 % too small. V falls, the position
/// error stays small and shrinks, the force error is integrated away.
TEST(AdaptiveHybridPositionForce,
     holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"}) {
    const TableArm table(name);
    const Model<double> arm = frictionless(table.arm), believed = with_inertia_times(arm, 0.8);
    AdaptationOptions adaptation;
    adaptation.rate = Gain::uniform(60, 0.02);
    AdaptiveHybridGains gains{Gain::uniform(5, 10), task_damping(believed, table, 400),
                              Gain::uniform(1, 5)};
    AdaptiveHybridPositionForce law(
        believed,
        {.coordinates = table.coordinates(TaskAngles::rotation), .constraint = table.plane()},
        gains, adaptation);
    Plant plant(arm);
    plant.surfaces = {table.table()};
    SimulateOptions o = table.start(10);
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    o.record_every = 0.02;
    const auto wave = [](double t, ReferencePoint& r) {
      r.x.assign({0.05 * std::sin(2 * t), 0.05 - 0.05 * std::cos(2 * t), 0, 0, 0});
      r.xd.assign({0.1 * std::cos(2 * t), 0.1 * std::sin(2 * t), 0, 0, 0});
      r.xdd.assign({-0.2 * std::sin(2 * t), 0.2 * std::cos(2 * t), 0, 0, 0});
      r.f_on_environment.assign({40});
    };
    const Recording r = simulate(plant, law, wave, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    for (int k = 0; k < 5; ++k) {
      const double early = task_metrics(r, k).max_error, late = task_metrics(r, k, 8).max_error;
      EXPECT_LT(late, k < 2 ? 2e-3 : infinity) << name << k;  // m
      EXPECT_LT(late, 0.8 * early) << name << k;
    }
    EXPECT_LT(task_metrics(r, 5, 8).max_error, 0.5) << name;
    EXPECT_LT(r.lyapunov(r.size() - 1, 0), r.lyapunov(0, 0)) << name;
  }
}

TEST(AdaptiveHybridPositionForce, conditions_and_door) {
  const Model<double> arm = load_robot("planar2r");
  const auto satisfied = [&](AdaptiveHybridGains gains) {
    return all_satisfied(testing::conditions_from(
        AdaptiveHybridPositionForce(arm, ring_task(), std::move(gains), half_of_r2()),
        ring_start(1).q0));
  };
  EXPECT_TRUE(satisfied(exercise_gains(20)));
  EXPECT_FALSE(satisfied({Gain({-8.0}), Gain({30, 0})}));
  EXPECT_FALSE(satisfied({Gain({8.0}), Gain({0, 0})}));
  EXPECT_FALSE(satisfied({Gain({8.0}), Gain({30, -1})}));
  EXPECT_FALSE(satisfied({Gain({8.0}), Gain({30, 0}), Gain({-1.0})}));
  AdaptationOptions wrong = half_of_r2();
  wrong.rate = Gain({2, 2, 2, 2, -2});
  EXPECT_FALSE(all_satisfied(testing::conditions_from(
      AdaptiveHybridPositionForce(arm, ring_task(), exercise_gains(0), wrong), ring_start(1).q0)));
  const Model<double> three = load_robot("planar3r");
  HybridTaskOptions task = ring_task();
  task.coordinates.frame = three.frames().back().name;
  AdaptationOptions all;
  all.rate = Gain::uniform(30, 1);
  EXPECT_THROW(AdaptiveHybridPositionForce(three, task, exercise_gains(0), all), Error);
}

TEST(AdaptiveHybridPositionForce, calls_allocate_nothing) {
  const TableArm table("puma560");
  AdaptationOptions adaptation;
  adaptation.rate = Gain::uniform(60, 0.1);
  AdaptiveHybridPositionForce law(
      table.arm, {.coordinates = table.coordinates(TaskAngles::euler), .constraint = table.plane()},
      {Gain::uniform(5, 8), Gain::uniform(6, 10), Gain::uniform(1, 2)}, adaptation);
  std::vector<Wrench<double>> F(static_cast<std::size_t>(table.arm.n_bodies()));
  std::vector<double> x_c(66), v(6, 0.2), tau(6), rate(66), e(6);
  law.reset(x_c);
  const std::vector<double> x(5, 0.1), f{5};
  const ControlState state{.q = table.q0, .qd = v, .F_contact = F};
  const ControlReference reference{.x = x, .f_on_environment = f};
  (void)law.lyapunov({0, state, x_c, reference}, table.arm);  // looks for the plant's p
  const AllocationCounter counter;
  law.torque({0, state, x_c, reference}, tau);
  law.state_derivative({0, state, x_c, reference}, rate);
  (void)law.lyapunov({0, state, x_c, reference}, table.arm);
  law.task_error({0, state, x_c, reference}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
