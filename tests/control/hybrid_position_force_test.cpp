/// Hybrid position and force control: Huo 2005, sec. 3.12, on the arm R2 and on six-axis arms.
#include "torsor/control/task/hybrid_position_force.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "control/hybrid_runs.hpp"
#include "control/reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/task/task_constraints.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using namespace testing;

HybridGains double_poles(int n) { return {Gain::uniform(n, 100), Gain::uniform(n, 20)}; }

Recording ring_run(const Model<double>& plant_model, const Model<double>& believed,
                   PositionError error = PositionError::integral, double KF = 0) {
  HybridGains gains = double_poles(1);
  if (KF > 0) gains.KF = Gain::uniform(1, KF);
  HybridPositionForce law(believed, ring_task(error), gains);
  Plant plant(plant_model);
  plant.surfaces = {ring()};
  return simulate(plant, law, circle_reference, ring_start(3));
}
double worst_force(const Recording& r, double from = 0) {
  return task_metrics(r, r.task_e.width() - 1, from).max_error;
}

TEST(HybridPositionForce, G_3_12a_force_is_exact_and_the_error_is_the_closed_form) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_NEAR(ring_start(3).q0[0], -0.387988838, 1e-9);
  EXPECT_NEAR(ring_start(3).q0[1], 2.097028925, 1e-9);
  for (const PositionError error : {PositionError::integral, PositionError::coordinates}) {
    const Recording r = ring_run(arm, arm, error);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    EXPECT_NEAR(r.tau(0, 0), 17.177306143, 1e-8);
    EXPECT_NEAR(r.tau(0, 1), 2.662968797, 1e-8);
    for (int row = 0; row < r.size(); ++row) {
      const double t = r.t[static_cast<std::size_t>(row)];
      EXPECT_NEAR(r.task_e(row, 0), double_pole(-0.05, 0.3, t), 1e-9) << t;
      EXPECT_NEAR(r.contact(row, 0), 5 + 2 * std::sin(3 * t), 1e-9) << t;
    }
    EXPECT_LT(worst_force(r), 1e-9);
    EXPECT_EQ(r.lyapunov_increase(), 0);
    EXPECT_LT(r.lyapunov_balance(), 1e-9);
  }
}

/// X_d on the circle; the chord is the arc to second order, so errors vanish with it.
TEST(HybridPositionForce, the_local_error_reaches_a_reference_on_the_constraint) {
  const Model<double> arm = load_robot("planar2r");
  HybridPositionForce law(arm, ring_task(PositionError::local), double_poles(1));
  Plant plant(arm);
  plant.surfaces = {ring()};
  const auto on_the_ring = [](double t, ReferencePoint& r) {
    const double a = 0.75 * std::numbers::pi + 0.5 * std::sin(2 * t) - 0.2, w = std::cos(2 * t),
                 dw = -2 * std::sin(2 * t), c = 0.3 * std::cos(a), s = 0.3 * std::sin(a);
    r.x.assign({1 + c, 0.4 + s});
    r.xd.assign({-s * w, c * w});
    r.xdd.assign({-s * dw - c * w * w, c * dw - s * w * w});
    r.f_on_environment.assign({5 + 2 * std::sin(3 * t)});
  };
  const Recording r = simulate(plant, law, on_the_ring, ring_start(3));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.task_e(0, 0), -0.3 * std::sin(0.2), 1e-9);
  EXPECT_LT(task_metrics(r, 0, 2.5).max_error, 1e-8);
  EXPECT_LT(worst_force(r), 1e-9);
}

/// The published position errors are those of rows every 10 ms after t = 2: they begin at 2.01.
TEST(HybridPositionForce, G_3_12a_an_unknown_load_and_wrong_parameters_cost_the_published_errors) {
  const Model<double> arm = load_robot("planar2r");
  const Model<double> loaded = attach_payload(arm, "link_2", {0.5, {1, 0, 0}, {}});
  const Recording load = ring_run(loaded, arm);
  EXPECT_NEAR(worst_force(load), 4.4155, 1e-4);
  EXPECT_NEAR(task_metrics(load, 0, 2.005).max_error, 0.03856, 1e-5);
  EXPECT_GT(load.lyapunov_balance(), 1e-3);
  EXPECT_FALSE(compare_predictions(load)[0].kept);
  const Model<double> light = with_inertia_times(arm, 0.9);
  const Recording less = ring_run(arm, light);
  EXPECT_NEAR(worst_force(less), 1.3371, 1e-4);
  EXPECT_NEAR(task_metrics(less, 0, 2.005).max_error, 0.01116, 1e-5);
  const Recording measured = ring_run(arm, light, PositionError::coordinates, 40);
  EXPECT_LT(worst_force(measured, 2), 0.2 * worst_force(less, 2));
}

/// (3-138) against the multiplier of the plant.
TEST(HybridPositionForce, constraint_force_is_the_multiplier_of_the_plant) {
  const TableArm table("puma560");
  const Model<double> arm = without_friction(table.arm);
  for (const TaskAngles angles : {TaskAngles::none, TaskAngles::euler, TaskAngles::rotation}) {
    HybridTask task(arm, {.coordinates = table.coordinates(angles), .constraint = table.plane()});
    Plant plant(arm);
    plant.surfaces = {table.table()};
    plant.surfaces[0].bilateral = true;
    PlantDynamics dynamics(plant);
    ConstraintForceWorkspace ws(arm);
    const std::vector<double> tau{30, -80, 20, 3, 1, -2};
    // a velocity along the table: the normal component taken out by the plant's own strike
    std::vector<double> v{0.4, -0.7, 0.5, 0.9, -0.3, 0.8}, qdd(6), f(1);
    TaskSolver inverse(arm);
    task.coordinates.evaluate(table.q0, v);
    TaskVector xdot{};
    std::copy(task.coordinates.Xdot().begin(), task.coordinates.Xdot().end(), xdot.begin());
    xdot[2] = 0;
    std::vector<double> along(6);
    inverse.factorise(task.coordinates);
    inverse.solve(xdot, along);
    dynamics.start(0, table.q0, along, tau, qdd);
    const std::vector<double> x(6);
    task.evaluate({.q = table.q0, .qd = along}, x, {.x = x});
    ASSERT_TRUE(constraint_force(arm, ws, task, table.q0, along, tau, f));
    EXPECT_NEAR(f[0], dynamics.contact_forces()[0], 1e-9 * std::abs(f[0]));
  }
}

/// Both robots, Euler angles and rotations: m = 1.
TEST(HybridPositionForce, six_axes_slide_on_a_plane_with_exact_force) {
  for (const char* name : {"puma560", "ur5"})
    for (const TaskAngles angles : {TaskAngles::euler, TaskAngles::rotation}) {
      const TableArm table(name);
      const Model<double> arm = without_friction(table.arm);
      HybridPositionForce law(
          arm, {.coordinates = table.coordinates(angles), .constraint = table.plane()},
          double_poles(5));
      Plant plant(arm);
      plant.surfaces = {table.table()};
      const auto wave = [](double t, ReferencePoint& r) {
        r.x.assign({0.05 * std::sin(3 * t), 0.05 - 0.05 * std::cos(3 * t), 0.1, 0, -0.1});
        r.xd.assign({0.15 * std::cos(3 * t), 0.15 * std::sin(3 * t), 0, 0, 0});
        r.xdd.assign({-0.45 * std::sin(3 * t), 0.45 * std::cos(3 * t), 0, 0, 0});
        r.f_on_environment.assign({20 + 5 * std::sin(4 * t)});
      };
      const Recording r = simulate(plant, law, wave, table.start(1));
      ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
      EXPECT_TRUE(all_satisfied(r.conditions));
      const double e0[5] = {0, 0, 0.1, 0, -0.1}, v0[5] = {0.15, 0, 0, 0, 0};
      for (int row = 0; row < r.size(); ++row) {
        const double t = r.t[static_cast<std::size_t>(row)];
        for (int k = 0; k < 5; ++k)
          EXPECT_NEAR(r.task_e(row, k), double_pole(e0[k], v0[k], t), 1e-8) << name << t;
        EXPECT_NEAR(r.task_e(row, 5), 0, 1e-6) << name << t;
      }
      EXPECT_LT(r.lyapunov_balance(), 1e-8);
      EXPECT_FALSE(law.pulling());
    }
}

/// m = 3: three points of the flange on the table; x, y and the turn about the normal are left.
TEST(HybridPositionForce, six_axes_slide_a_face_on_a_plane_with_exact_force_and_moments) {
  const TableArm table("puma560");
  const Model<double> arm = without_friction(table.arm);
  HybridPositionForce law(arm,
                          {.coordinates = table.coordinates(TaskAngles::rotation),
                           .constraint = table.face(),
                           .error = PositionError::coordinates},
                          double_poles(3));
  ASSERT_EQ(law.task().n_force(), 3);
  Plant plant(arm);
  plant.surfaces = {table.table("a", {0.1, 0, 0}), table.table("b", {-0.05, 0.08, 0}),
                    table.table("c", {-0.05, -0.08, 0})};
  for (Surface& s : plant.surfaces) s.bilateral = true;
  const auto wave = [](double t, ReferencePoint& r) {
    r.x.assign({0.05 * std::sin(3 * t), 0.02, 0.2 * std::sin(2 * t)});
    r.xd.assign({0.15 * std::cos(3 * t), 0, 0.4 * std::cos(2 * t)});
    r.xdd.assign({-0.45 * std::sin(3 * t), 0, -0.8 * std::sin(2 * t)});
    r.f_on_environment.assign({30, 0.4 * std::sin(t), -0.3});
  };
  const Recording r = simulate(plant, law, wave, table.start(1));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double e0[3] = {0, 0.02, 0}, v0[3] = {0.15, 0, 0.4};
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(r.task_e(row, k), double_pole(e0[k], v0[k], t), 1e-8) << k << " " << t;
      EXPECT_NEAR(r.task_e(row, 3 + k), 0, 1e-6) << k << " " << t;
    }
    EXPECT_NEAR(r.contact(row, 0) + r.contact(row, 1) + r.contact(row, 2), 30, 1e-6);
  }
}

/// Three positions, six joints: the others come to rest, and the constraint force stays exact. On a
/// sphere x_p is no coordinate; its integral and the local error both serve.
TEST(HybridPositionForce, a_redundant_arm_moves_over_a_sphere_with_exact_force) {
  const TableArm table("puma560");
  const Model<double> arm = without_friction(table.arm);
  const double radius = 0.3;
  const Vec3<double> centre = table.T.p - Vec3<double>{0, 0, radius};
  Constraint ball = Constraint::sphere(centre, radius, {0, 0, -1}, {1, 0, 0});
  ball.inward = true;  // touched from outside: f > 0 presses towards the centre
  Plant plant(arm);
  plant.surfaces = {
      {.name = "ball", .frame = table.flange.name, .origin = centre, .radius = radius}};
  HybridPositionForce law(arm,
                          {.coordinates = table.coordinates(TaskAngles::none), .constraint = ball},
                          double_poles(2));
  const auto wave = [](double t, ReferencePoint& r) {
    r.x.assign({0.08 * std::sin(2 * t), 0.01});
    r.xd.assign({0.16 * std::cos(2 * t), 0});
    r.xdd.assign({-0.32 * std::sin(2 * t), 0});
    r.f_on_environment.assign({15});
  };
  const Recording r = simulate(plant, law, wave, table.start(1.5));
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    EXPECT_NEAR(r.task_e(row, 0), double_pole(0, 0.16, t), 1e-8);
    EXPECT_NEAR(r.task_e(row, 1), double_pole(0.01, 0, t), 1e-8);
    EXPECT_NEAR(r.contact(row, 0), 15, 1e-6);
  }
  EXPECT_LT(r.lyapunov_balance(), 1e-8);
  HybridPositionForce local(arm,
                            {.coordinates = table.coordinates(TaskAngles::none),
                             .constraint = ball,
                             .error = PositionError::local},
                            double_poles(2));
  const double a = 0.3;  // a point of the ball, 17 degrees away
  const Vec3<double> goal = centre + Vec3<double>{std::sin(a), 0, std::cos(a)} * radius;
  const auto there = [&](double, ReferencePoint& p) {
    p.x.assign({goal.x, goal.y, goal.z});
    p.f_on_environment.assign({15});
  };
  const Recording near = simulate(plant, local, there, table.start(3));
  ASSERT_EQ(near.stop, StopReason::finished) << near.message;
  EXPECT_LT(task_metrics(near, 0, 2.9).max_error, 1e-9);
  EXPECT_LT(worst_force(near), 1e-6);
  EXPECT_THROW(HybridPositionForce(arm,
                                   {.coordinates = table.coordinates(TaskAngles::none),
                                    .constraint = ball,
                                    .error = PositionError::coordinates},
                                   double_poles(2)),
               Error);
}

/// f - f^d = -G_f dtau with dtau what the law's model lacks at its own acceleration, so that
/// |f - f^d| <= |G_f| |dtau|; G_f by unit torques through (3-138). 100 uncertain robots, 20 %.
TEST(HybridPositionForce, force_error_is_bounded_by_the_torque_that_the_model_lacks) {
  const TableArm table("puma560");
  const Model<double> arm = without_friction(table.arm);
  HybridTaskOptions options{.coordinates = table.coordinates(TaskAngles::rotation),
                            .constraint = table.plane()};
  HybridPositionForce law(arm, options, double_poles(5));
  const std::vector<double> p = parameters(arm), x{0.01, -0.02, 0.05, 0, 0.03},
                            xdd{0.5, -0.3, 1, 0, 2}, f_d{20}, zero(6);
  std::uint64_t seed = 1;
  for (int draw = 0; draw < 100; ++draw) {
    std::vector<double> changed = p;
    for (double& value : changed) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      value *= 1 + 0.2 * (static_cast<double>(seed >> 11) * 0x1p-52 - 1);
    }
    const Model<double> plant = with_parameters(arm, changed);
    std::vector<double> tau(6), right(6), f(1), g(1);
    const ControlState state{.q = table.q0, .qd = zero};
    law.torque({0, state, zero, {.x = x, .xdd = xdd, .f_on_environment = f_d}}, tau);
    HybridPositionForce informed(plant, options, double_poles(5));
    informed.torque({0, state, zero, {.x = x, .xdd = xdd, .f_on_environment = f_d}}, right);
    HybridTask& task = informed.task();
    ConstraintForceWorkspace ws(plant);
    ASSERT_TRUE(constraint_force(plant, ws, task, table.q0, zero, right, g));
    EXPECT_NEAR(g[0], 20, 1e-9);
    ASSERT_TRUE(constraint_force(plant, ws, task, table.q0, zero, tau, f));
    double gain = 0, lack = 0, change = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      std::vector<double> more = tau, h(1);
      more[k] += 1;
      ASSERT_TRUE(constraint_force(plant, ws, task, table.q0, zero, more, h));
      gain += (h[0] - f[0]) * (h[0] - f[0]);
      lack += (right[k] - tau[k]) * (right[k] - tau[k]);
      change += (h[0] - f[0]) * (right[k] - tau[k]);
    }
    EXPECT_NEAR(20 - f[0], change, 1e-8);
    EXPECT_LE(std::abs(f[0] - 20), std::sqrt(gain * lack) * (1 + 1e-12));
  }
}

/// H*_21 H_11 + H*_22 H_21 = 0 makes the force independent of the motion; H_c by its blocks.
TEST(HybridPositionForce, motion_does_not_reach_the_force_through_the_inertia) {
  const TableArm table("ur5");
  HybridTask task(table.arm, {.coordinates = table.coordinates(TaskAngles::euler),
                              .constraint = table.plane()});
  const std::vector<double> v{0.4, -0.7, 0.5, 0.9, -0.3, 0.8}, x(5);
  task.evaluate({.q = table.q0, .qd = v}, x, {.x = x});
  CrbaWorkspace<double> crba(table.arm);
  Eigen::Matrix<double, 6, 6> M, J, E;
  mass_matrix(table.arm, crba, table.q0, column_major(M.data(), 6, 6));
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c)
      J(r, c) = task.coordinates.jacobian()(r, c), E(r, c) = task.frame.E()(r, c);
  const Eigen::Matrix<double, 6, 6> inverse = (E * J) * M.inverse() * (E * J).transpose(),
                                    H = inverse.inverse();
  const Eigen::Matrix<double, 1, 5> rest =
      inverse.block<1, 5>(5, 0) * H.topLeftCorner<5, 5>() + inverse(5, 5) * H.block<1, 5>(5, 0);
  EXPECT_LT(rest.norm(), 1e-11);
}

/// At rest G - Ghat = Hhat J~^-1 E^T [Kp e; 0] + J~^T E^T [0; f^d - f]: both errors, no more. With a
/// measured force the second one goes to zero.
TEST(HybridPositionForce, holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"})
    for (const double KF : {0.0, 2.0}) {
      const TableArm table(name);
      const Model<double> believed = with_inertia_times(table.arm, 0.8);
      HybridGains gains{Gain::uniform(5, 400), Gain::uniform(5, 40)};
      if (KF > 0) gains.KF = Gain::uniform(1, KF);
      HybridPositionForce law(
          believed,
          {.coordinates = table.coordinates(TaskAngles::rotation), .constraint = table.plane()},
          gains, {.friction = false});
      Plant plant(table.arm);
      plant.friction = false;
      plant.surfaces = {table.table()};
      SimulateOptions o = table.start(3);
      o.period = 1e-3;
      o.integrator = Integrator::rk4;
      o.record_every = 0.1;
      const auto goal = [](double, ReferencePoint& r) {
        r.x.assign({0.03, -0.02, 0, 0, 0.05});
        r.f_on_environment.assign({60});
      };
      const Recording r = simulate(plant, law, goal, o);
      ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
      const int last = r.size() - 1;
      RneaWorkspace<double> rnea(table.arm);
      std::vector<double> G(6), Ghat(6), tau(6), zero(6);
      gravity_torque(table.arm, rnea, r.q.row(last), G);
      gravity_torque(believed, rnea, r.q.row(last), Ghat);
      // The law's own torque at zero reference errors but these: tau - J^T f = G.
      HybridTask& task = law.task();
      task.evaluate({.q = r.q.row(last), .qd = zero}, r.x_c.row(last), {.x = zero});
      TaskVector xdd{}, Xdd{}, f{};
      for (int k = 0; k < 5; ++k) xdd[static_cast<std::size_t>(k)] = 400 * r.task_e(last, k);
      task.frame.acceleration(xdd, TaskVector{}, Xdd);
      std::vector<double> qdd(6), expected(6);
      TaskSolver inverse(believed);
      inverse.acceleration(task.coordinates, Xdd, zero, 0, qdd);
      DynamicsWorkspace<double> ws(believed);
      tree_inverse_dynamics(believed, ws, r.q.row(last), zero, qdd, {}, expected,
                            {.friction = false});
      f[0] = KF > 0 ? KF * r.x_c(last, 5) : 0.0;
      f[0] += r.task_e(last, 5);
      task.add_force({f.data(), 1}, expected);
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(expected[k], G[k], 2e-2) << name << k;
      EXPECT_LT(std::abs(r.task_e(last, 5)), KF > 0 ? 0.05 : 30) << name;
      for (int k = 0; k < 5; ++k) EXPECT_LT(std::abs(r.task_e(last, k)), 0.05) << name << k;
      EXPECT_GT(r.contact(last, 0), 30) << name;
    }
}

/// A force that pulls cannot be had: the point leaves, the run goes on, contact comes back.
TEST(HybridPositionForce, loss_of_contact_ends_cleanly_and_contact_is_regained) {
  const TableArm table("puma560");
  const Model<double> arm = without_friction(table.arm);
  HybridPositionForce law(
      arm, {.coordinates = table.coordinates(TaskAngles::rotation), .constraint = table.plane()},
      double_poles(5));
  Plant plant(arm);
  plant.surfaces = {table.table()};
  const auto goal = [](double t, ReferencePoint& r) {
    r.x.assign(5, 0.0);
    r.f_on_environment.assign({10 * std::cos(4 * t)});
  };
  for (const double period : {0.0, 1e-3}) {
    SimulateOptions o = table.start(2);
    o.period = period;
    o.integrator = period > 0 ? Integrator::rk4 : Integrator::dormand_prince8;
    const Recording r = simulate(plant, law, goal, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_GE(r.events, 2);
    bool lost = false, regained = false;
    for (int row = 0; row < r.size(); ++row) {
      EXPECT_GE(r.contact(row, 0), -1e-9);
      lost = lost || r.contact(row, 0) == 0;
      regained = regained || (lost && r.contact(row, 0) > 1);
    }
    EXPECT_TRUE(lost);
    EXPECT_TRUE(regained);
  }
  std::vector<double> tau(6), x(5), zero(6);
  const std::vector<double> pull{-3};
  law.torque({0, {.q = table.q0, .qd = zero}, x, {.x = x, .f_on_environment = pull}}, tau);
  EXPECT_TRUE(law.pulling());
}

TEST(HybridPositionForce, conditions_catch_gains_and_robots_that_cannot) {
  const Model<double> arm = load_robot("planar2r");
  const auto satisfied = [&](HybridTaskOptions options, HybridGains gains) {
    return all_satisfied(testing::conditions_from(
        HybridPositionForce(arm, std::move(options), std::move(gains)), ring_start(1).q0));
  };
  EXPECT_TRUE(satisfied(ring_task(), double_poles(1)));
  EXPECT_FALSE(satisfied(ring_task(), {Gain({-1.0}), Gain({20.0})}));
  EXPECT_FALSE(satisfied(ring_task(), {Gain({100.0}), Gain({0.0})}));
  EXPECT_FALSE(satisfied(ring_task(), {Gain({100.0}), Gain({20.0}), Gain({-2.0})}));
  HybridTaskOptions too_much = ring_task();
  too_much.coordinates.angles = TaskAngles::planar;
  too_much.start.clear();
  EXPECT_FALSE(satisfied(too_much, double_poles(2)));
  EXPECT_THROW(HybridPositionForce(arm, ring_task(), double_poles(2)), Error);
  HybridTaskOptions bad = ring_task();
  bad.start = {1, 2};
  EXPECT_THROW(HybridPositionForce(arm, bad, double_poles(1)), Error);
}

TEST(HybridPositionForce, calls_allocate_nothing) {
  const TableArm table("puma560");
  HybridGains gains = double_poles(5);
  gains.KF = Gain::uniform(1, 2);
  HybridPositionForce law(
      table.arm, {.coordinates = table.coordinates(TaskAngles::euler), .constraint = table.plane()},
      gains);
  std::vector<Wrench<double>> F(static_cast<std::size_t>(table.arm.n_bodies()));
  const std::vector<double> v(6, 0.2), x(6, 0.1), f{5};
  std::vector<double> tau(6), rate(6), e(6);
  const ControlState state{.q = table.q0, .qd = v, .F_contact = F};
  const ControlReference reference{.x = {x.data(), 5}, .f_on_environment = f};
  const AllocationCounter counter;
  law.torque({0, state, x, reference}, tau);
  law.state_derivative({0, state, x, reference}, rate);
  (void)law.lyapunov({0, state, x, reference}, table.arm);
  law.task_error({0, state, x, reference}, e);
  EXPECT_EQ(counter.count(), 0u);
}

/// Huo 2005, exercise 3-21: chalk on a blackboard, z normal to the board.
TEST(TaskConstraints, X_3_21_chalk_on_a_blackboard) {
  const std::vector<std::string> natural{"v_z = 0", "f_x = 0", "f_y = 0",
                                         "n_x = 0", "n_y = 0", "n_z = 0"},
      artificial{"v_x = writing", "v_y = writing", "f_z = f_d", "w_x = 0", "w_y = 0", "w_z = 0"};
  const TaskConstraints chalk(natural, artificial);
  EXPECT_EQ(chalk.n_force(), 1);
  for (int k = 0; k < 6; ++k) EXPECT_EQ(chalk.commands_force(k), k == 2) << k;
  EXPECT_EQ(chalk.text(),
            "x              f_x = 0 (natural)        v_x = writing (artificial)\n"
            "y              f_y = 0 (natural)        v_y = writing (artificial)\n"
            "z              v_z = 0 (natural)        f_z = f_d (artificial)\n"
            "turn about x   n_x = 0 (natural)        w_x = 0 (artificial)\n"
            "turn about y   n_y = 0 (natural)        w_y = 0 (artificial)\n"
            "turn about z   n_z = 0 (natural)        w_z = 0 (artificial)\n");
  const Model<double> arm = load_robot("puma560");
  TaskCoordinates task(arm, {.frame = arm.frames().back().name, .angles = TaskAngles::rotation});
  CompliantFrame frame(task, chalk.constraint());
  const double X[6] = {0.5, 0.3, 0.4, 0.3, -0.5, 0.9}, V[6] = {0.4, -0.8, 0.6, 0.7, 0.2, -0.5};
  frame.evaluate(X, V);
  const int rows[6] = {0, 1, 3, 4, 5, 2};
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) EXPECT_EQ(frame.E()(r, c), c == rows[r]);
  const auto refuses = [&](std::vector<std::string> n, std::vector<std::string> a) {
    EXPECT_THROW(TaskConstraints(n, a), Error);
  };
  auto wrong = artificial;
  wrong[2] = "v_z = 0.1";  // motion where the board already stops it
  refuses(natural, wrong);
  wrong = artificial;
  wrong.push_back("f_x = 3");  // motion and force along x
  refuses(natural, wrong);
  wrong = artificial;
  wrong.pop_back();
  refuses(natural, wrong);
  wrong = artificial;
  wrong[0] = "vx = writing";
  refuses(natural, wrong);
}

}  // namespace
}  // namespace torsor
