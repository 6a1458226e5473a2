/// Resolved acceleration against its linear equation and Huo 2005, sec. 3.5.
#include "torsor/control/task/resolved_acceleration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "support/allocation_counter.hpp"
#include "support/certificate.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

TEST(ResolvedAcceleration, G_3_5a_position_error_is_the_closed_form) {
  const Model<double> arm = load_robot("planar2r");
  ResolvedAcceleration law(arm, {.frame = "tip", .kp = 100, .kd = 20, .axes = "xy"});
  const auto circle = [](double t, ReferencePoint& r) {
    const double c = 0.3 * std::cos(1.5 * t), s = 0.3 * std::sin(1.5 * t);
    r.x.assign({1 + c, 0.5 + s});
    r.xd.assign({-1.5 * s, 1.5 * c});
    r.xdd.assign({-2.25 * c, -2.25 * s});
  };
  SimulateOptions o;
  o.q0 = {-0.564326569, 1.772154248};
  o.record_every = 0.1;
  const Recording r = simulate(Plant(arm), law, circle, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_TRUE(all_satisfied(r.conditions));
  EXPECT_NEAR(r.tau(0, 0), 41.244514, 1e-6);
  EXPECT_NEAR(r.tau(0, 1), 0.367450, 1e-6);
  const double e0[2] = {0.1, 0.1}, v0[2] = {0, 0.45};
  for (int row = 0; row < r.size(); ++row) {
    const double t = r.t[static_cast<std::size_t>(row)], q1 = r.q(row, 0), q12 = q1 + r.q(row, 1);
    const double e[2] = {1 + 0.3 * std::cos(1.5 * t) - std::cos(q1) - std::cos(q12),
                         0.5 + 0.3 * std::sin(1.5 * t) - std::sin(q1) - std::sin(q12)};
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(e[k], (e0[k] + (v0[k] + 10 * e0[k]) * t) * std::exp(-10 * t), 2e-9);
    if (row == 5) {
      EXPECT_NEAR(e[0], 0.004042768, 1e-8);
      EXPECT_NEAR(e[1], 0.005558806, 1e-8);
    }
  }
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

/// A six-axis arm, away from singular configurations; the goal turns by theta about (1, 2, 2) / 3
/// and may go on turning at w_d(t).
struct Wrist {
  Model<double> arm;
  std::vector<double> q0;
  Frame frame = arm.frames().back();
  KinematicsWorkspace<double> ws{arm};
  std::function<PoseMotion<double>(double)> goal{};

  explicit Wrist(const char* robot = "puma560",
                 std::vector<double> start = {0.3, 0.6, -0.4, 0.3, 1.2, -0.2})
      : arm(without_friction(load_robot(robot))), q0(std::move(start)) {}

  SE3<double> pose(View<const double> q) {
    forward_kinematics(arm, ws, q);
    return frame_pose(ws, frame);
  }
  SE3<double> turned(double theta, const Vec3<double>& step) {
    SE3<double> T = pose(q0);
    T.R = exp(Vec3<double>{theta / 3, 2 * theta / 3, 2 * theta / 3}) * T.R;
    T.p += step;
    return T;
  }
  Recording follow(OrientationError kind, double duration) {
    ResolvedAcceleration law(arm, {.frame = frame.name, .kp = 25, .kd = 10, .orientation = kind});
    SimulateOptions o;
    o.q0 = q0;
    o.duration = duration;
    o.record_every = 0.25;
    return simulate(
        Plant(arm), law,
        [this](double t, ReferencePoint& r) {
          r.pose = goal(t);
          r.has_pose = true;
        },
        o);
  }
  Recording run(OrientationError kind, double theta, const Vec3<double>& step, double duration) {
    goal = [T = turned(theta, step)](double) { return PoseMotion<double>{T, {}, {}}; };
    return follow(kind, duration);
  }
  double theta(View<const double> q, double t = 0) {
    return norm(log(goal(t).T.R * transpose(pose(q).R)));
  }
  Vec3<double> e_p(View<const double> q, double t = 0) { return goal(t).T.p - pose(q).p; }
};

/// (w_d = 0) theta'' + 10 theta' + 25 sin(theta) = 0, positions with a double pole at -5; on both
/// six-axis arms of the textbook.
TEST(ResolvedAcceleration, G_3_5b_orientation_turns_as_the_pendulum) {
  for (Wrist w : {Wrist(), Wrist("stanford", {0.3, 1.1, 0.5, 0.4, 0.9, -0.2})}) {
    const Recording r = w.run(OrientationError::axis_sine, 1, {0.05, -0.04, 0.03}, 1);
    ASSERT_EQ(r.stop, StopReason::finished) << w.arm.name() << r.message;
    EXPECT_TRUE(all_satisfied(r.conditions));
    EXPECT_NEAR(w.theta(r.q.row(r.at(0.25))), 0.6879905, 1e-6) << w.arm.name();
    EXPECT_NEAR(w.theta(r.q.row(r.at(0.5))), 0.3345051, 1e-6);
    EXPECT_NEAR(w.theta(r.q.row(r.at(1))), 0.0519495, 1e-6);
    const double f = (1 + 5 * 0.5) * std::exp(-2.5);
    const Vec3<double> e = w.e_p(r.q.row(r.at(0.5)));
    EXPECT_NEAR(e.x, 0.05 * f, 1e-9);
    EXPECT_NEAR(e.y, -0.04 * f, 1e-9);
    EXPECT_NEAR(e.z, 0.03 * f, 1e-9);
    EXPECT_EQ(r.lyapunov_increase(), 0);
    EXPECT_LT(r.lyapunov_balance(), 1e-9);
    for (const Comparison& c : compare_predictions(r)) EXPECT_TRUE(c.kept) << c.prediction.name;
  }
}

/// Almost half a turn away: slow at first, and away from the unstable rest at pi.
TEST(ResolvedAcceleration, G_3_5b_comes_back_from_almost_half_a_turn) {
  Wrist w;
  const Recording r = w.run(OrientationError::axis_sine, 3, {}, 1);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(w.theta(r.q.row(r.at(0.25))), 2.9380348, 1e-6);
  EXPECT_NEAR(w.theta(r.q.row(r.at(0.5))), 2.8030153, 1e-6);
  EXPECT_NEAR(w.theta(r.q.row(r.at(1))), 2.2270461, 1e-6);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);
}

/// w_d = (0.3 cos t, 0.2 sin 2t, 0.5) in the world; the arm starts with it, so that w~(0) = 0.
TEST(ResolvedAcceleration, G_3_5b_follows_an_orientation_that_turns) {
  Wrist w;
  const auto w_d = [](double t) {
    return Vec3<double>{0.3 * std::cos(t), 0.2 * std::sin(2 * t), 0.5};
  };
  const auto rate = [](double t) {
    return Vec3<double>{-0.3 * std::sin(t), 0.4 * std::cos(2 * t), 0};
  };
  // R_d' = [w_d] R_d by Magnus' steps of fourth order.
  const SE3<double> start = w.turned(1, {});
  const int steps = 4096;
  std::vector<SO3<double>> R{start.R};
  for (int k = 0; k < steps; ++k) {
    const double h = 1.0 / steps, t = k * h, a = std::sqrt(3.0) / 6;
    const Vec3<double> w1 = w_d(t + (0.5 - a) * h), w2 = w_d(t + (0.5 + a) * h);
    R.push_back(exp((w1 + w2) * (h / 2) + cross(w2, w1) * (std::sqrt(3.0) / 12 * h * h)) *
                R.back());
  }
  w.goal = [&](double t) {
    const double x = std::min(std::max(t, 0.0), 1.0) * steps;
    const int k = std::min(static_cast<int>(x), steps - 1);
    const double h = (x - k) / steps, from = static_cast<double>(k) / steps;
    PoseMotion<double> m;
    m.T.p = start.p;
    m.T.R = exp(w_d(from + h / 2) * h) * R[static_cast<std::size_t>(k)];
    m.V.w = transpose_times(m.T.R, w_d(t));
    m.Vdot.w = transpose_times(m.T.R, rate(t));
    return m;
  };
  ResolvedAcceleration law(w.arm, {.frame = w.frame.name, .kp = 25, .kd = 10});
  SimulateOptions o;
  o.q0 = w.q0;
  o.v0.resize(6);
  o.record_every = 0.25;
  InverseVelocityWorkspace ws(w.arm);
  ASSERT_EQ(
      inverse_velocity(w.arm, ws, o.q0, w.frame, Reference::world_aligned, {w_d(0), {}}, {}, o.v0)
          .rank,
      6);
  const Recording r = simulate(
      Plant(w.arm), law,
      [&](double t, ReferencePoint& point) {
        point.pose = w.goal(t);
        point.has_pose = true;
      },
      o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(w.theta(r.q.row(r.at(0.25)), 0.25), 0.6881093, 1e-6);
  EXPECT_NEAR(w.theta(r.q.row(r.at(0.5)), 0.5), 0.3349969, 1e-6);
  EXPECT_NEAR(w.theta(r.q.row(r.at(1)), 1), 0.0524930, 1e-6);
  EXPECT_EQ(r.lyapunov_increase(), 0);
  EXPECT_LT(r.lyapunov_balance(), 1e-7);
}

TEST(ResolvedAcceleration, every_orientation_error_keeps_its_power_balance) {
  Wrist w;
  for (const OrientationError kind :
       {OrientationError::quaternion, OrientationError::rotation_vector, OrientationError::euler}) {
    const Recording r = w.run(kind, 0.5, {0.02, 0.01, -0.03}, 2);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    EXPECT_EQ(r.lyapunov_increase(), 0) << static_cast<int>(kind);
    EXPECT_LT(r.lyapunov_balance(), 1e-9) << static_cast<int>(kind);
    EXPECT_LT(w.theta(r.q.row(r.size() - 1)), 1e-3) << static_cast<int>(kind);
    if (kind == OrientationError::rotation_vector) {
      const double t = 0.5;  // theta'' + 10 theta' + 25 theta = 0
      EXPECT_NEAR(w.theta(r.q.row(r.at(t))), 0.5 * (1 + 5 * t) * std::exp(-5 * t), 1e-9);
    }
  }
}

/// 1 kHz, parameters of the law 20 % too small: at rest kp e = J Hhat^-1 (G - Ghat).
TEST(ResolvedAcceleration, holds_puma560_and_ur5_at_1_khz_with_20_percent_of_the_mass_missing) {
  for (const char* name : {"puma560", "ur5"}) {
    const Model<double> robot = load_robot(name);
    std::vector<double> p = parameters(robot);
    for (double& x : p) x *= 0.8;
    const Model<double> believed = with_parameters(robot, p);
    const Frame& frame = robot.frames().back();
    ResolvedAcceleration law(
        believed, {.frame = frame.name, .kp = 400, .kd = 40, .effects = {.friction = false}});
    SimulateOptions o;
    o.q0 = {0.3, 0.6, -0.4, 0.3, 1.2, -0.2};
    o.duration = 3;
    o.period = 1e-3;
    o.integrator = Integrator::rk4;
    o.record_every = 0.5;
    KinematicsWorkspace<double> kinematics(robot);
    forward_kinematics(robot, kinematics, o.q0);
    SE3<double> goal = frame_pose(kinematics, frame);
    goal.p += Vec3<double>{0.02, 0.03, -0.02};
    Plant plant(robot);
    plant.friction = false;
    const Recording r = simulate(
        plant, law,
        [goal](double, ReferencePoint& point) {
          point.pose = {goal, {}, {}};
          point.has_pose = true;
        },
        o);
    ASSERT_EQ(r.stop, StopReason::finished) << name << r.message;
    const View<const double> q = r.q.row(r.size() - 1);
    RneaWorkspace<double> rnea(robot);
    AbaWorkspace<double> aba(believed);
    std::vector<double> G(6), none(6), qdd(6), J(36);
    gravity_torque(robot, rnea, q, G);
    ASSERT_TRUE(rigid_forward_dynamics(believed, aba, q, none, G, {}, qdd));
    jacobian(robot, kinematics, q, frame, Reference::world_aligned, column_major(J.data(), 6, 6));
    const Vec3<double> e = goal.p - frame_pose(kinematics, frame).p;
    EXPECT_GT(norm(e), 1e-4) << name;
    for (int axis = 0; axis < 3; ++axis) {
      double a = 0;
      for (int c = 0; c < 6; ++c)
        a += J[static_cast<std::size_t>(6 * c + 3 + axis)] * qdd[static_cast<std::size_t>(c)];
      EXPECT_NEAR(400 * e[axis], a, 1e-3) << name << axis;
    }
  }
}

TEST(ResolvedAcceleration, singular_arms_are_reported_and_torques_stay_finite) {
  const Model<double> arm = load_robot("planar2r");
  ResolvedAcceleration law(arm, {.frame = "tip", .axes = "xy"});
  std::vector<double> q{0.3, 0}, v{0, 0}, x{1.2, 0.4}, tau(2);
  law.torque({0, {.q = q, .qd = v}, {}, {.x = x}}, tau);
  EXPECT_TRUE(law.near_singular());
  EXPECT_LT(law.smallest_singular_value(), 1e-15);
  EXPECT_TRUE(std::isfinite(tau[0]) && std::isfinite(tau[1]));
  q[1] = 1;
  law.torque({0, {.q = q, .qd = v}, {}, {.x = x}}, tau);
  EXPECT_FALSE(law.near_singular());
}

TEST(ResolvedAcceleration, a_task_of_another_size_is_refused_before_the_run) {
  const Model<double> arm = load_robot("planar2r");
  ResolvedAcceleration law(arm, {.frame = "tip", .axes = "xy"});
  const auto reference = [](double, ReferencePoint& r) { r.x.assign({1, 1, 1}); };
  EXPECT_THROW((void)simulate(Plant(arm), law, reference, {}), Error);
}

TEST(ResolvedAcceleration, conditions_catch_gains_and_robots_that_cannot) {
  const Model<double> arm = load_robot("planar2r");
  EXPECT_FALSE(all_satisfied(testing::conditions_of(ResolvedAcceleration(arm, {.frame = "tip"}))));
  EXPECT_FALSE(all_satisfied(
      testing::conditions_of(ResolvedAcceleration(arm, {.frame = "tip", .kd = -1, .axes = "xy"}))));
  EXPECT_FALSE(  // a planar arm does not move along z
      all_satisfied(
          testing::conditions_of(ResolvedAcceleration(arm, {.frame = "tip", .axes = "xz"}))));
  EXPECT_THROW(ResolvedAcceleration(arm, {.frame = "tip", .axes = "xq"}), Error);
  EXPECT_THROW(ResolvedAcceleration(arm, {.frame = "nowhere"}), Error);
}

TEST(ResolvedAcceleration, singular_starts_and_targets_out_of_reach_are_told_before) {
  const Model<double> arm = load_robot("planar2r");
  ResolvedAcceleration law(arm, {.frame = "tip", .axes = "xy"});
  const auto held = [](double x, double y) {
    return ReferenceFunction([x, y](double, ReferencePoint& r) { r.x.assign({x, y}); });
  };
  const auto verdict = [&](double x, double y, Array<double> q0) {
    return testing::row(law.conditions(testing::run_from(arm, held(x, y), std::move(q0))),
                        "J not singular")
        .verdict;
  };
  EXPECT_EQ(verdict(1.2, 0.5, {-0.5, 1.9}), Verdict::holds);
  EXPECT_EQ(verdict(1.2, 0.5, {0.3, 0}), Verdict::violated);  // starts stretched
  // beyond its two metres
  const auto far = testing::run_from(arm, held(2.5, 0), {-0.5, 1.9});
  EXPECT_EQ(testing::row(certificate(law, far), "within reach").verdict, Verdict::not_covered);
}

/// w~ = 49.8 rad/s at theta = 1 ends at theta = pi, where the error of the sine has its other zero.
TEST(ResolvedAcceleration, an_orientation_that_turns_too_fast_is_told_before) {
  const Model<double> arm = load_robot("puma560");
  const Array<double> q0{0.3, 0.6, -0.4, 0.3, 1.2, -0.2};
  const Frame tool = arm.frames().back();
  KinematicsWorkspace<double> ws(arm);
  forward_kinematics(arm, ws, q0);
  const SE3<double> T = frame_pose(ws, tool);
  const auto turned = [&](double theta, double speed) {
    return ReferenceFunction([=](double, ReferencePoint& r) {
      r.pose = {};
      r.pose.T = {exp(Vec3<double>{0, 0, theta}) * T.R, T.p};
      r.pose.V.w = transpose(r.pose.T.R) * Vec3<double>{0, 0, speed};
      r.has_pose = true;
    });
  };
  struct Case {
    OrientationError kind;
    double U, hill;  // of theta = 1, of pi
  };
  for (const Case& k :
       {Case{OrientationError::axis_sine, 1 - std::cos(1.0), 2},
        Case{OrientationError::quaternion, 4 * (1 - std::cos(0.5)), 4},
        Case{OrientationError::rotation_vector, 0.5, std::numbers::pi * std::numbers::pi / 2}}) {
    ResolvedAcceleration law(arm, {.frame = tool.name, .orientation = k.kind});
    for (const double speed : {1.0, 49.8}) {
      const Condition c = testing::row(
          law.conditions(testing::run_from(arm, turned(1, speed), q0, {}, 1e-3)), "half a turn");
      EXPECT_NEAR(c.value, 100 * k.U + speed * speed / 2, 1e-9);
      EXPECT_NEAR(c.bound, 100 * k.hill, 1e-9);
      EXPECT_EQ(c.satisfied(), speed == 1);
    }
  }
}

TEST(ResolvedAcceleration, calls_allocate_nothing) {
  const Model<double> arm = load_robot("iiwa14");
  for (const OrientationError kind : {OrientationError::axis_sine, OrientationError::euler}) {
    ResolvedAcceleration law(arm, {.frame = arm.frames().back().name, .orientation = kind});
    const std::vector<double> q(7, 0.3), v(7, 0.2);
    std::vector<double> tau(7);
    const PoseMotion<double> goal{};
    const testing::AllocationCounter counter;
    law.torque({0, {.q = q, .qd = v}, {}, {.pose = &goal}}, tau);
    (void)law.lyapunov({0, {.q = q, .qd = v}, {}, {.pose = &goal}}, arm);
    EXPECT_EQ(counter.count(), 0u);
  }
}

}  // namespace
}  // namespace torsor
