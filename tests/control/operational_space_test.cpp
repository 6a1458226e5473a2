/// Operational space control against its linear equation; the null space moves on its own.
#include "torsor/control/task/operational_space.hpp"

#include <gtest/gtest.h>

#include "control/hybrid_runs.hpp"
#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/task/resolved_acceleration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using namespace testing;

OperationalSpaceOptions double_poles(TaskCoordinateOptions task, int n) {
  OperationalSpaceOptions o;
  o.task = std::move(task);
  o.Kp = Gain::uniform(n, 100);
  o.Kd = Gain::uniform(n, 20);
  return o;
}

/// A 7-axis arm: all six coordinates follow the double pole while the elbow goes to its posture.
TEST(OperationalSpace, the_task_does_not_feel_the_null_space) {
  const Model<double> arm = without_friction(load_robot("iiwa14"));
  const std::vector<double> q0{0.3, 0.6, -0.2, -1.2, 0.3, 0.9, 0.1};
  const TaskCoordinateOptions task{.frame = arm.frames().back().name,
                                   .angles = TaskAngles::rotation};
  TaskCoordinates here(arm, task);
  here.evaluate(q0, std::vector<double>(7));
  const std::vector<double> X0(here.X().begin(), here.X().end());
  OperationalSpaceOptions o = double_poles(task, 6);
  o.kp_null = 25;
  o.kd_null = 10;
  o.posture = q0;
  o.posture[2] += 0.6;
  OperationalSpace law(arm, o);
  SimulateOptions run;
  run.q0 = q0;
  run.duration = 2;
  run.record_every = 0.05;
  run.control = {.relative = 1e-10, .absolute = 1e-12};
  const auto reference = [X0](double t, ReferencePoint& r) {
    r.x = X0;
    r.xd.assign(6, 0.0);
    r.xdd.assign(6, 0.0);
    r.x[1] += 0.02 + 0.04 * std::sin(2 * t);
    r.xd[1] = 0.08 * std::cos(2 * t);
    r.xdd[1] = -0.16 * std::sin(2 * t);
  };
  const Recording r = simulate(Plant(arm), law, reference, run);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(r.task_e(row, k), k == 1 ? double_pole(0.02, 0.08, t) : 0, 1e-8) << k;
  }
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
  double moved = 0;
  for (int k = 0; k < 7; ++k)
    moved = std::max(moved, std::abs(r.q(r.size() - 1, k) - q0[static_cast<std::size_t>(k)]));
  EXPECT_GT(moved, 0.1);
}

TEST(OperationalSpace, redundant_joints_come_to_rest_only_with_damping) {
  const Model<double> arm = load_robot("planar3r");
  const std::string tip = arm.frames().back().name;
  OperationalSpaceOptions o = double_poles({.frame = tip, .axes = "xy"}, 2);
  EXPECT_FALSE(all_satisfied(testing::conditions_from(OperationalSpace(arm, o), {0.4, 0.9, -0.5})));
  o.kd_null = 5;
  EXPECT_TRUE(all_satisfied(testing::conditions_from(OperationalSpace(arm, o), {0.4, 0.9, -0.5})));
  OperationalSpace law(arm, o);
  SimulateOptions run;
  run.q0 = {0.4, 0.9, -0.5};
  run.v0 = {1, -1, 0.5};
  run.duration = 4;
  run.record_every = 0.5;
  TaskCoordinates here(arm, o.task);
  here.evaluate(run.q0, run.v0);
  const std::vector<double> X0(here.X().begin(), here.X().end());
  const Recording r = simulate(
      Plant(arm), law, [X0](double, ReferencePoint& p) { p.x = X0; }, run);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(r.qd(r.size() - 1, k), 0, 1e-6);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(r.task_e(r.size() - 1, k), 0, 1e-9);
}

TEST(OperationalSpace, without_redundancy_it_is_resolved_acceleration) {
  const Model<double> arm = load_robot("puma560");
  const TableArm table("puma560");
  const std::vector<double> v{0.4, -0.7, 0.5, 0.9, -0.3, 0.8};
  const auto pose = [&] {
    PoseMotion<double> p{table.T, {{0.1, 0.2, -0.3}, {0.2, -0.1, 0.3}}, {{1, 0, 2}, {0, 1, -1}}};
    p.T.p += Vec3<double>{0.02, 0.03, -0.01};
    p.T.R = exp(Vec3<double>{0.1, -0.2, 0.3}) * p.T.R;
    return p;
  }();
  OperationalSpaceOptions whole = double_poles({.frame = table.flange.name}, 6);
  whole.task.angles = TaskAngles::rotation;
  OperationalSpace both(arm, whole);
  ResolvedAcceleration same(arm, {.frame = table.flange.name,
                                  .kp = 100,
                                  .kd = 20,
                                  .orientation = OrientationError::rotation_vector});
  std::vector<double> a(6), b(6);
  both.torque({0, {.q = table.q0, .qd = v}, {}, {.pose = &pose}}, a);
  same.torque({0, {.q = table.q0, .qd = v}, {}, {.pose = &pose}}, b);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  EXPECT_FALSE(both.near_singular());
  const std::vector<double> stretched{0, 0, 0, 0, 0, 0};
  both.torque({0, {.q = stretched, .qd = v}, {}, {.pose = &pose}}, a);
  EXPECT_TRUE(both.near_singular());
  for (const double tau : a) EXPECT_TRUE(std::isfinite(tau));
}

/// At rest Kp e = Lambda_hat-weighted gravity error: small, and bounded by it.
TEST(OperationalSpace, holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"}) {
    const TableArm table(name);
    const Model<double> believed = with_inertia_times(table.arm, 0.8);
    OperationalSpaceOptions o;
    o.task = table.coordinates(TaskAngles::rotation);
    o.Kp = Gain::uniform(6, 400);
    o.Kd = Gain::uniform(6, 40);
    o.effects.friction = false;
    OperationalSpace law(believed, o);
    Plant plant(table.arm);
    plant.friction = false;
    SimulateOptions run = table.start(3);
    run.period = 1e-3;
    run.integrator = Integrator::rk4;
    run.record_every = 0.5;
    const std::vector<double> goal{
        table.T.p.x + 0.03, table.T.p.y - 0.02, table.T.p.z + 0.02, 0, 0.1, 0};
    const Recording r = simulate(
        plant, law, [&](double, ReferencePoint& p) { p.x = goal; }, run);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const int last = r.size() - 1;
    // Lambda_hat Kp e = J^-T (G - Ghat)
    std::vector<double> G(6), Ghat(6), zero(6), expected(6);
    RneaWorkspace<double> rnea(table.arm);
    gravity_torque(table.arm, rnea, r.q.row(last), G);
    gravity_torque(believed, rnea, r.q.row(last), Ghat);
    OperationalTask rows(table.flange);
    for (int k = 0; k < 6; ++k) rows.rows[k] = (k + 3) % 6;  // linear first
    OperationalWorkspace<double> ws(believed);
    OperationalDynamics<double> d(believed, rows);
    (void)operational_dynamics(believed, ws, r.q.row(last), zero, rows, d);
    TaskVector f{};
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < 6; ++k)
        f[static_cast<std::size_t>(i)] += d.lambda(i, k) * 400 * r.task_e(last, k);
    for (int c = 0; c < 6; ++c) {
      double torque = Ghat[static_cast<std::size_t>(c)];
      for (int i = 0; i < 6; ++i) torque += d.jacobian(i, c) * f[static_cast<std::size_t>(i)];
      EXPECT_NEAR(torque, G[static_cast<std::size_t>(c)], 1e-2) << name << c;
    }
  }
}

TEST(OperationalSpace, conditions_and_door) {
  const Model<double> arm = load_robot("planar2r");
  const TaskCoordinateOptions tip{.frame = "tip", .axes = "xy"};
  EXPECT_TRUE(all_satisfied(
      testing::conditions_from(OperationalSpace(arm, double_poles(tip, 2)), {0.3, 1.2})));
  OperationalSpaceOptions bad = double_poles(tip, 2);
  bad.Kd = Gain({20, -1});
  EXPECT_FALSE(all_satisfied(testing::conditions_from(OperationalSpace(arm, bad), {0.3, 1.2})));
  OperationalSpaceOptions too_much = double_poles(tip, 3);
  too_much.task.angles = TaskAngles::planar;
  EXPECT_FALSE(
      all_satisfied(testing::conditions_from(OperationalSpace(arm, too_much), {0.3, 1.2})));
  OperationalSpaceOptions euler = double_poles(tip, 5);
  euler.task.angles = TaskAngles::euler;
  EXPECT_THROW(OperationalSpace(arm, euler), Error);
  OperationalSpaceOptions posture = double_poles(tip, 2);
  posture.posture = {1};
  EXPECT_THROW(OperationalSpace(arm, posture), Error);
}

TEST(OperationalSpace, calls_allocate_nothing) {
  const TableArm table("puma560");
  OperationalSpaceOptions o = double_poles(table.coordinates(TaskAngles::rotation), 6);
  o.posture = table.q0;
  o.kp_null = 1;
  OperationalSpace law(table.arm, o);
  const std::vector<double> v(6, 0.2), x(6, 0.1);
  std::vector<double> tau(6), e(6);
  const AllocationCounter counter;
  law.torque({0, {.q = table.q0, .qd = v}, {}, {.x = x}}, tau);
  (void)law.lyapunov({0, {.q = table.q0, .qd = v}, {}, {.x = x}}, table.arm);
  law.task_error({0, {.q = table.q0, .qd = v}, {}, {.x = x}}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
