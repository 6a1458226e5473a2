/// Friction that grows with the transmitted torque: closed forms of a pendulum, verbs that are inverse to
/// each other on trees and loops, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "support/dynamics_state.hpp"
#include "support/random_loops.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

using testing::State;

/// 2 kg at 0.5 m; q = 0 hangs down.
Model<double> pendulum(const Friction& friction) {
  ModelBuilder b("pendulum");
  b.revolute("pivot", "base", "rod", {}, {0, 1, 0}).friction(friction);
  b.inertia("rod", 2, {0, 0, -0.5}, {0, 0, 0, 0, 0, 0});
  return b.build();
}
double motor_torque(const Model<double>& model, double q, double v, double a) {
  DynamicsWorkspace<double> ws(model);
  double tau = 0;
  const auto done =
      inverse_dynamics<double, double>(model, ws, {&q, 1}, {&v, 1}, {&a, 1}, {}, {&tau, 1});
  EXPECT_TRUE(done);
  return tau;
}
double acceleration(const Model<double>& model, double q, double v, double tau) {
  DynamicsWorkspace<double> ws(model);
  double a = 0;
  const auto done =
      forward_dynamics<double, double>(model, ws, {&q, 1}, {&v, 1}, {&tau, 1}, {}, {&a, 1});
  EXPECT_TRUE(done);
  return a;
}

TEST(LoadFriction, of_a_pendulum_is_its_share_of_weight_and_inertia) {
  for (const double width : {0.0, 0.2}) {
    const Model<double> model =
        pendulum({.viscous = 0.3, .coulomb = 0.7, .width = width, .load = 0.25});
    for (const double q : {-1.1, 0.4})
      for (const double v : {-0.3, 0.1, 2.0})
        for (const double a : {-30.0, 0.0, 12.0}) {
          const double t = 0.5 * a + 2 * 9.81 * 0.5 * std::sin(q);
          const double s = width > 0 ? std::tanh(v / width) : v > 0 ? 1 : -1;
          const double want = t + 0.3 * v + 0.7 * s + 0.25 * s * std::abs(t);
          EXPECT_NEAR(motor_torque(model, q, v, a), want, 1e-12);
          EXPECT_NEAR(acceleration(model, q, v, want), a, 1e-12 * (1 + std::abs(a)));
        }
  }
}

TEST(LoadFriction, of_a_worm_gear_takes_more_to_lift_a_weight_than_to_lower_it) {
  const Model<double> model = pendulum({.load = 0.4});
  const double q = 0.8, weight = 2 * 9.81 * 0.5 * std::sin(q);
  EXPECT_NEAR(motor_torque(model, q, 0.5, 0), 1.4 * weight, 1e-12);
  EXPECT_NEAR(motor_torque(model, q, -0.5, 0), 0.6 * weight, 1e-12);
  EXPECT_DOUBLE_EQ(static_friction_limit(model.dof(0), weight), 0.4 * weight);
  EXPECT_TRUE(is_dry(model.dof(0)));
  EXPECT_FALSE(is_dry(pendulum({.width = 0.1, .load = 0.4}).dof(0)));
}

TEST(LoadFriction, of_trees_is_taken_away_by_forward_and_hybrid_dynamics) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    RobotDescription robot = testing::random_tree(seed, 9, testing::everything());
    if (seed % 2 == 0)  // the exact sign, too
      for (Joint& joint : robot.joints)
        for (Friction& f : joint.friction) f.width = 0;
    const Model<double> model(robot);
    const State<double> s(model, seed);
    DynamicsWorkspace<double> ws(model);
    std::vector<double> tau(s.tau.size()), qdd(tau), back(tau);
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, tau));
    EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, tau, s.F_ext, qdd));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(qdd[k], s.qdd[k], 1e4 * testing::scale_of(tau)) << seed;
    EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, qdd));
    EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, qdd, s.F_ext, back));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(back[k], s.tau[k], 1e3 * testing::scale_of(qdd)) << seed;
    std::vector<char> held(static_cast<std::size_t>(model.n_bodies()));
    for (std::size_t i = 1; i < held.size(); i += 2) held[i] = 1;
    std::vector<double> mixed_qdd = qdd, mixed_tau = s.tau;
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k)
        (held[static_cast<std::size_t>(i)] ? mixed_tau : mixed_qdd)[static_cast<std::size_t>(k)] =
            9;
    EXPECT_TRUE(hybrid_dynamics(model, ws, held, s.q, s.qd, mixed_qdd, mixed_tau, s.F_ext));
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_CLOSE(mixed_tau[k], s.tau[k], 1e4 * testing::scale_of(qdd)) << seed;
      EXPECT_CLOSE(mixed_qdd[k], qdd[k], 1e4 * testing::scale_of(qdd)) << seed;
    }
  }
}

/// Whatever the loops do, joints transmit torques whose sum with friction is the motors'.
TEST(LoadFriction, of_loops_is_that_of_the_torques_that_are_left) {
  testing::RandomTree options;
  options.load = true;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto looped = testing::random_loops(seed, 10, {LoopJoint::Kind::spherical}, options);
    const Model<double>& model = looped.model;
    const Model<double> bare = with_effects(model, {.friction = false});
    ASSERT_TRUE(internal::has_load_friction(model));
    State<double> s(model, seed);
    const ConstraintSet set(model);
    AssemblyWorkspace assembly(model, set);
    (void)project_velocity(model, set, assembly, looped.q, s.qd);
    DynamicsWorkspace<double> ws(model), free(bare);
    std::vector<double> left(s.tau), taken(s.tau.size()), qdd(taken), want(taken), tau(taken);
    friction_torque(model, looped.q, s.qd, taken);
    for (std::size_t k = 0; k < left.size(); ++k) {
      const DofConstants<double>& dof = model.dof(static_cast<int>(k));
      left[k] -= taken[k];
      const double share = dof.load * std::tanh(s.qd[k] / dof.width);
      left[k] /= left[k] > 0 ? 1 + share : 1 - share;
    }
    ASSERT_TRUE(forward_dynamics(bare, free, looped.q, s.qd, left, {}, want));
    ASSERT_TRUE(forward_dynamics(model, ws, looped.q, s.qd, s.tau, {}, qdd));
    for (std::size_t k = 0; k < qdd.size(); ++k)
      EXPECT_CLOSE(qdd[k], want[k], 1e4 * testing::scale_of(want)) << seed;
    // and back: other torques, the least ones, make the same motion
    ASSERT_TRUE(inverse_dynamics(model, ws, looped.q, s.qd, qdd, {}, tau));
    ASSERT_TRUE(forward_dynamics(model, ws, looped.q, s.qd, tau, {}, want));
    for (std::size_t k = 0; k < qdd.size(); ++k)
      EXPECT_CLOSE(qdd[k], want[k], 1e6 * testing::scale_of(qdd)) << seed;
  }
}

TEST(LoadFriction, is_left_out_with_friction_and_is_no_part_of_gravity) {
  const Model<double> model(testing::random_tree(5, 8, testing::everything()));
  const Model<double> bare = with_effects(model, {.friction = false});
  EXPECT_FALSE(internal::has_load_friction(bare));
  const State<double> s(model, 5);
  DynamicsWorkspace<double> ws(model), other(bare);
  RneaWorkspace<double> rnea(model);
  std::vector<double> tau(s.tau.size()), want(tau), qdd(tau), slow(tau);
  EXPECT_TRUE(inverse_dynamics(model, ws, s.q, s.qd, s.qdd, {}, tau, {.friction = false}));
  EXPECT_TRUE(inverse_dynamics(bare, other, s.q, s.qd, s.qdd, {}, want));
  EXPECT_EQ(tau, want);
  EXPECT_TRUE(forward_dynamics(model, ws, s.q, s.qd, s.tau, {}, qdd, {.friction = false}));
  EXPECT_TRUE(forward_dynamics(bare, other, s.q, s.qd, s.tau, {}, want));
  EXPECT_EQ(qdd, want);
  RneaWorkspace<double> of_bare(bare);
  gravity_torque(model, rnea, s.q, tau);
  gravity_torque(bare, of_bare, s.q, want);
  EXPECT_EQ(tau, want);
}

TEST(LoadFriction, is_a_share_below_1_of_joints_with_one_degree_of_freedom) {
  for (const double load : {-0.1, 1.0, std::nan("")}) {
    try {
      pendulum({.load = load});
      ADD_FAILURE() << load;
    } catch (const Error& refused) {
      EXPECT_NE(std::string(refused.what()).find("pivot"), std::string::npos) << refused.what();
    }
  }
  RobotDescription robot = testing::random_tree(1, 2, {.kinds = {JointKind::revolute}});
  robot.motors = {{"both", {{"joint_1", 2}, {"joint_2", 3}}, 0.01, {.load = 0.1}, {}}};
  EXPECT_THROW(Model<double>{robot}, Error);
  robot = testing::random_tree(1, 2, {.kinds = {JointKind::universal}});
  robot.joints[0].friction[0].load = 0.1;
  EXPECT_THROW(Model<double>{robot}, Error);
}

}  // namespace
}  // namespace torsor
