/// Arms in space with a box under multi_arm_hybrid: paths, contact, redundancy, noise, sampling.
#include <gtest/gtest.h>

#include "multi_arm_runs.hpp"
#include "reference_runs.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/control/arms/multi_arm_hybrid.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {
namespace {

using namespace testing;  // the runs

TEST(MultiArmHybridInSpace, two_arms_of_six_joints_carry_a_box_along_a_path) {
  for (const char* name : {"ur5", "puma560"}) {
    const ArmsWithBox cell = spatial_arms(name);
    MultiArmHybrid law(cell.robot, spatial_cooperation(), {},
                       {Gain::uniform(6, 100), Gain::uniform(6, 20)});
    Plant plant(cell.robot);
    plant.friction = false;
    SimulateOptions o;
    o.q0 = cell.q;
    o.duration = 1.5;
    o.record_every = 0.05;
    const Recording r = simulate(plant, law, spatial_path(cell.T_world_box), o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    EXPECT_FALSE(law.near_singular()) << name;
    // e'(0) = x_d'(0) and e(0) = 0: t exp(-10 t) times that; the rotation is about one axis.
    const double v0[6] = {0.08, 0, 0, 0, 0, 0.4};
    for (int row = 0; row < r.size(); ++row) {
      const double t = r.t[static_cast<std::size_t>(row)];
      for (int k = 0; k < 6; ++k)
        EXPECT_NEAR(r.task_e(row, k), v0[k] * t * std::exp(-10 * t), 1e-7) << name << k;
    }
    EXPECT_LT(r.lyapunov_balance(), 1e-8) << name;
    EXPECT_EQ(r.lyapunov_increase(), 0) << name;
    EXPECT_LT(r.energy_balance(), 1e-6) << name;
  }
}

/// The lower side of the box slides on a table with a point, the task's own: f_c2 is in newtons.
TEST(MultiArmHybridInSpace, two_arms_of_six_joints_press_a_box_on_a_table) {
  const ArmsWithBox cell = spatial_arms("ur5");
  const Vec3<double> tip{0.05, 0.02, -0.1};
  const Vec3<double> start = cell.T_world_box * tip;
  CooperationOptions cooperation = spatial_cooperation();
  cooperation.task.point = tip;
  ObjectTaskOptions task;
  task.constraint = Constraint::plane(start, {0, 0, -1}, {1, 0, 0});
  task.internal = {0, 0.5, 0, -15, 0, 0};
  MultiArmHybrid law(cell.robot, cooperation, task, {Gain::uniform(5, 100), Gain::uniform(5, 20)});
  Plant plant(cell.robot);
  plant.friction = false;
  plant.surfaces = {
      {.name = "table", .frame = "box", .point = tip, .origin = start, .bilateral = true}};
  const ReferenceFunction path = [&](double t, ReferencePoint& r) {
    const double s = std::sin(2 * t), c = std::cos(2 * t);
    r.x = {start.x + 0.05 * s, start.y + 0.03 * (1 - c), start.z, 0.1 * s, 0, 0};
    r.xd = {0.1 * c, 0.06 * s, 0, 0.2 * c, 0, 0};
    r.xdd = {-0.2 * s, 0.12 * c, 0, -0.4 * s, 0, 0};
    r.f_on_environment = {12 + 4 * std::sin(3 * t)};
  };
  SimulateOptions o;
  o.q0 = cell.q;
  o.duration = 1.5;
  o.record_every = 0.05;
  const Recording r = simulate(plant, law, path, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)];
    EXPECT_NEAR(r.contact(row, 0), 12 + 4 * std::sin(3 * t), 1e-5) << t;
    EXPECT_NEAR(r.task_e(row, 0), 0.1 * t * std::exp(-10 * t), 1e-7);
  }
  EXPECT_LT(r.energy_balance(), 1e-6);
}

/// Arms of seven joints: the object moves as commanded, and what does not move it comes to rest.
TEST(MultiArmHybridInSpace, redundant_arms_carry_a_box_and_come_to_rest_inside) {
  const ArmsWithBox cell =
      arms_with_box(load_robot("iiwa14"), {0.3, 0.6, 0.2, -1.4, 0.3, 0.8, 0.1}, 0.4, 3);
  CooperationOptions cooperation = spatial_cooperation();
  cooperation.null_damping = 8;
  MultiArmHybrid law(cell.robot, cooperation, {}, {Gain::uniform(6, 100), Gain::uniform(6, 20)});
  Plant plant(cell.robot);
  plant.friction = false;
  SimulateOptions o;
  o.q0 = cell.q;
  o.v0.assign(14, 0.0);
  o.duration = 2;
  o.record_every = 0.1;
  // Both elbows start to turn about the line from shoulder to wrist: a motion without the box.
  CooperatingArms arms(cell.robot, cooperation);
  arms.evaluate({.q = cell.q, .qd = o.v0});
  std::vector<double> wish(14), through(14), Xdot(6);
  for (int arm = 0; arm < 2; ++arm) {
    const MatrixView<const double> J = arms.coordinates(arm).jacobian();
    for (int r = 0; r < 6; ++r) Xdot[static_cast<std::size_t>(r)] = J(r, 7 * arm + 2);
    arms.joint_velocity(Xdot, through);
    for (int k = 7 * arm; k < 7 * arm + 7; ++k)
      o.v0[k] = (k == 7 * arm + 2) - through[static_cast<std::size_t>(k)];
  }
  const ReferenceFunction stay = [&](double, ReferencePoint& r) {
    r.x = {cell.T_world_box.p.x, cell.T_world_box.p.y, cell.T_world_box.p.z, 0, 0, 0};
  };
  const Recording r = simulate(plant, law, stay, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_GT(r.energy(0, 0), 0.01);
  EXPECT_LT(r.energy(r.size() - 1, 0), 1e-8 * r.energy(0, 0));
  for (int row = 0; row < r.size(); ++row)
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(r.task_e(row, k), 0, 1e-7);
}

/// What every arm measures by itself against the mean, with 1 mrad of noise at every joint.
TEST(MultiArmHybridInSpace, the_mean_over_the_arms_is_nearer_to_the_truth_than_each_of_them) {
  const auto grasps = three_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  CooperatingArms arms(robot, planar_cooperation({}));
  const std::vector<double> q = planar_arms_at(grasps, 0.02, 0.6, 0.1), qd(q.size());
  std::vector<double> noisy = q, noisy_qd = qd;
  double mean[2] = {}, alone[2][3] = {};  // of X and X'
  unsigned long seed = 5;
  const auto noise = [&] {
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return 2e-3 * (static_cast<double>(seed >> 33) / 2147483648.0 - 0.5);
  };
  for (int sample = 0; sample < 2000; ++sample) {
    for (std::size_t k = 0; k < q.size(); ++k) noisy[k] = q[k] + noise(), noisy_qd[k] = noise();
    arms.evaluate({.q = noisy, .qd = noisy_qd});
    const double X[3] = {0.02, 0.6, 0.1};
    for (int k = 0; k < 3; ++k) {
      mean[0] += std::pow(arms.X()[k] - X[k], 2);
      mean[1] += std::pow(arms.Xdot()[k], 2);
      for (int arm = 0; arm < 3; ++arm) {
        alone[0][arm] += std::pow(arms.coordinates(arm).X()[k] - X[k], 2);
        alone[1][arm] += std::pow(arms.coordinates(arm).Xdot()[k], 2);
      }
    }
    EXPECT_GT(arms.disagreement(), 0);
  }
  // Independent errors of variances a, b, c: the mean has (a + b + c) / 9.
  for (int d = 0; d < 2; ++d) {
    EXPECT_NEAR(mean[d] / ((alone[d][0] + alone[d][1] + alone[d][2]) / 9), 1, 0.05);
    for (const double one : alone[d]) EXPECT_LT(mean[d], 0.6 * one);
  }
}

/// X is of the box's origin and a corner slides: the gradient has an angular part, in all kinds of
/// angles, and f_c2 = |gradient| times the normal force.
TEST(MultiArmHybridInSpace, a_corner_beside_the_point_of_X_presses_as_commanded) {
  const ArmsWithBox cell = spatial_arms("ur5");
  const Vec3<double> corner{0.05, 0.02, -0.1}, start = cell.T_world_box * corner;
  for (const TaskAngles angles : {TaskAngles::rotation, TaskAngles::euler}) {
    CooperationOptions cooperation = spatial_cooperation();
    cooperation.task.angles = angles;
    CooperatingArms arms(cell.robot, cooperation);
    ObjectTaskOptions task;
    task.constraint = point_on_plane(arms.coordinates(0), corner, start, {0, 0, -1}, {1, 0, 0});
    task.error = PositionError::integral;
    MultiArmHybrid law(std::move(arms), task, {Gain::uniform(5, 100), Gain::uniform(5, 20)});
    Plant plant(cell.robot);
    plant.friction = false;
    plant.surfaces = {
        {.name = "table", .frame = "box", .point = corner, .origin = start, .bilateral = true}};
    const ReferenceFunction path = [](double t, ReferencePoint& r) {
      const double s = std::sin(2 * t), c = std::cos(2 * t);
      r.x = {0.04 * s, 0.03 * s, 0.2 * s, -0.1 * s, 0.1 * s};
      r.xd = {0.08 * c, 0.06 * c, 0.4 * c, -0.2 * c, 0.2 * c};
      r.xdd = {-0.16 * s, -0.12 * s, -0.8 * s, 0.4 * s, -0.4 * s};
      r.f_on_environment = {15};
    };
    SimulateOptions o;
    o.q0 = cell.q;
    o.duration = 1;
    o.record_every = 0.05;
    const Recording r = simulate(plant, law, path, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    const double v0[5] = {0.08, 0.06, 0.4, -0.2, 0.2};
    for (int row = 0; row < r.size(); ++row) {
      const double t = r.t[static_cast<std::size_t>(row)];
      for (int k = 0; k < 5; ++k)
        EXPECT_NEAR(r.task_e(row, k), v0[k] * t * std::exp(-10 * t), 1e-7);
      EXPECT_NEAR(r.task_e(row, 5), 0, 1e-5);
    }
    // At the start R = 1: gradient (0, 0, -1, r x n), in Euler angles zyx (z, y, x) of the same size.
    const Vec3<double> turn = cross(corner, Vec3<double>{0, 0, -1});
    EXPECT_NEAR(r.contact(0, 0), 15 / std::sqrt(1 + squared_norm(turn)), 1e-6);
  }
}

/// 1 kHz, all parameters of arms and box 20 % too small: at rest, summed over the arms,
/// H_x Kp e 0.8 = 0.2 N_x of the true closed chain.
TEST(MultiArmHybridInSpace, holds_a_box_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"ur5", "puma560"}) {
    const ArmsWithBox cell = spatial_arms(name);
    const Model<double> believed = with_inertia_times(cell.robot, 0.8);
    MultiArmHybrid law(believed, spatial_cooperation(), {},
                       {Gain::uniform(6, 400), Gain::uniform(6, 40)});
    Plant plant(cell.robot);
    plant.friction = false;
    SimulateOptions o;
    o.q0 = cell.q;
    o.duration = 1.5;
    o.record_every = 0.5;
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    const SE3<double> goal = cell.T_world_box;
    const ReferenceFunction stay = [&](double, ReferencePoint& r) {
      r.x = {goal.p.x + 0.03, goal.p.y, goal.p.z + 0.02, 0, 0, 0.1};
    };
    const Recording r = simulate(plant, law, stay, o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const int last = r.size() - 1;
    ASSERT_GT(std::abs(r.task_e(last, 2)), 1e-3);
    // Work along each motion of the object: H Kp e of the believed robot is 0.2 of the true weight.
    CooperatingArms arms(believed, spatial_cooperation());
    const std::vector<double> rest(12);
    const ControlState state{.q = r.q.row(last), .qd = rest};
    arms.evaluate(state);
    std::vector<double> a(6), qdd(12), tau(12), G(12), G_true(12);
    for (int k = 0; k < 6; ++k) a[static_cast<std::size_t>(k)] = 400 * r.task_e(last, k);
    arms.joint_acceleration(state, a, qdd);
    arms.torque(state, qdd, tau);
    RneaWorkspace<double> rnea(cell.robot);
    gravity_torque(arms.forest(), rnea, r.q.row(last), G);
    gravity_torque(cell.robot, rnea, r.q.row(last), G_true);
    for (int direction = 0; direction < 6; ++direction) {
      std::vector<double> unit(6), move(12);
      unit[static_cast<std::size_t>(direction)] = 1;
      arms.joint_velocity(unit, move);
      double given = 0, lacking = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        given += (tau[k] - G[k]) * move[k];
        lacking += 0.2 * G_true[k] * move[k];
      }
      EXPECT_NEAR(given, lacking, 1e-3) << name << direction;
    }
  }
}

TEST(MultiArmHybridInSpace, calls_allocate_nothing) {
  const ArmsWithBox cell = spatial_arms("ur5");
  ObjectTaskOptions task;
  task.constraint = Constraint::plane({0, 0, 0.3}, {0, 0, -1}, {1, 0, 0});
  task.error = PositionError::integral;
  MultiArmHybrid law(cell.robot, spatial_cooperation(), task,
                     {Gain::uniform(5, 100), Gain::uniform(5, 20)});
  const std::vector<double> qd(12, 0.1), x(5, 0.1), f{3};
  std::vector<double> tau(12), rate(5), e(6);
  const ControlReference reference{.x = x, .xd = x, .xdd = x, .f_on_environment = f};
  const ControlState state{.q = cell.q, .qd = qd};
  const AllocationCounter counter;
  law.torque({0, state, x, reference}, tau);
  law.state_derivative({0, state, x, reference}, rate);
  (void)law.lyapunov({0, state, x, reference}, cell.robot);
  law.task_error({0, state, x, reference}, e);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
