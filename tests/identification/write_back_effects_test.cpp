// Write-back of friction, springs and motors of several joints.
#include <gtest/gtest.h>

#include <cmath>

#include "identification/disturbed.hpp"
#include "support/sprung_tree.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/identification/column_regressor.hpp"
#include "torsor/identification/write_back.hpp"

namespace torsor::testing {
namespace {

/// Every column of a robot with every effect: what is written is what was fitted.
TEST(WriteBackEffects, a_fit_of_all_columns_becomes_a_robot_with_its_torques_and_values) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Model<double> model(sprung_tree(seed, 8));
    const ParameterColumns columns(model, every_column);
    Draw<double> draw(seed + 30);
    Array<double> x = columns.values(model);
    const Array<double> bodies = disturbed(model, 0.2, seed);
    for (int k = 0; k < x.size(); ++k) {
      const std::string& name = columns.name(k);
      const bool small = name.ends_with("asymmetry"),
                 any = small || name.ends_with("offset") || name.ends_with("preload");
      if (k < bodies.size())
        x[k] = bodies[k];
      else if (name.ends_with("stiction"))
        x[k] = draw(2, 3);
      else if (name.ends_with("load"))
        x[k] = draw(0.05, 0.4);
      else
        x[k] = any ? draw(-0.5, 0.5) : draw(0.5, 1.5);
    }
    ParameterValues estimate{{columns.names().begin(), columns.names().end()}, x};
    const WriteBack back = write_back(model, estimate);
    ASSERT_TRUE(back.ok()) << seed << ": " << back.message;
    const Model<double> made(back.robot);
    const Array<double> now = columns.values(made);
    for (int k = 0; k < x.size(); ++k)
      EXPECT_NEAR(now[k], x[k], 1e-12 * (1 + std::abs(x[k]))) << columns.name(k);
    ColumnWorkspace<double> ws(model);
    DynamicsWorkspace<double> full(made);
    const int n = model.n_v();
    Array<double> q(model.n_q()), qd(n), qdd(n), tau(n);
    Matrix W(n, columns.size());
    for (unsigned state = 1; state <= 5; ++state) {
      random_configuration(model, state, q);
      for (double& v : qd) v = draw(-2, 2);
      for (double& v : qdd) v = draw(-3, 3);
      transmitted_torques<double, double>(made, full, q, qd, qdd, {}, tau);
      torque_regressor<double, double>(model, ws, columns, q, qd, qdd, W, tau);
      tree_inverse_dynamics<double, double>(made, full, q, qd, qdd, {}, tau);
      for (int r = 0; r < n; ++r) {
        double fit = 0, size = 1;
        for (int k = 0; k < x.size(); ++k) fit += W(r, k) * x[k], size += std::abs(W(r, k) * x[k]);
        EXPECT_NEAR(tau[r], fit, 1e-11 * size) << seed;
      }
    }
  }
}
TEST(WriteBackEffects, stiction_that_the_file_leaves_to_coulomb_follows_it_in_joints_and_motors) {
  RobotDescription robot = random_tree(3, 3, {.kinds = {JointKind::revolute}});
  const Friction same{.coulomb = 2, .stiction = 2, .stribeck = 0.1};
  robot.joints[0].friction = {same};
  robot.motors = {{"m", {{"joint_1", 5}, {"joint_2", 3}}, 0.01, same, {}}};
  const WriteBack back = write_back(
      Model<double>(robot), ParameterValues{{"joint_1.coulomb", "motor.m.coulomb"}, {1, 1.5}});
  ASSERT_TRUE(back.ok()) << back.message;
  const Model<double> made(back.robot);
  EXPECT_EQ(made.dof(made.body(made.joint_index("joint_1")).v.first).stiction, 1);
  EXPECT_EQ(made.motors()[0].constants.stiction, 1.5);
}
TEST(WriteBackEffects, friction_that_would_drive_a_joint_or_a_motor_is_a_message) {
  RobotDescription robot = random_tree(3, 3, {.kinds = {JointKind::revolute}});
  robot.motors = {{"wrist", {{"joint_1", 5}, {"joint_2", 3}}, 0.01, {.coulomb = 1}, {}}};
  const Model<double> model(robot);
  for (const char* name : {"joint_2.viscous_asymmetry", "joint_2.coulomb_asymmetry",
                           "motor.wrist.viscous_asymmetry", "motor.wrist.coulomb_asymmetry"}) {
    const WriteBack back = write_back(model, ParameterValues{{name}, {-50}});
    EXPECT_FALSE(back.ok()) << name;
    const std::string who = name[0] == 'j' ? "joint_2" : "wrist";
    EXPECT_NE(back.message.find(who), std::string::npos) << back.message;
    EXPECT_EQ(back.robot.motors[0].friction.viscous_asymmetry, 0);
  }
  EXPECT_FALSE(write_back(model, ParameterValues{{"motor.wrist.rotor"}, {-1}}).ok());
  EXPECT_THROW(write_back(model, ParameterValues{{"motor.wrst.rotor"}, {1}}), Error);
  const WriteBack load = write_back(model, ParameterValues{{"joint_1.load"}, {0.1}});
  ASSERT_TRUE(load.ok());
  EXPECT_EQ(Model<double>(load.robot).dof(0).load, 0.1);
}
TEST(WriteBackEffects, base_parameters_with_motors_become_a_robot_with_the_same_torques) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(sprung_tree(seed, 6));
    const ParameterColumns columns(model);
    const int n = model.n_v(), N = columns.size();
    ColumnWorkspace<double> ws(model);
    Matrix W(n, N);
    RowFactor rows(N);
    Draw<double> draw(seed);
    Array<double> q(model.n_q()), qd(n), qdd(n);
    for (unsigned state = 1; state < 60; ++state) {
      random_configuration(model, state, q);
      for (double& v : qd) v = draw(-2, 2);
      for (double& v : qdd) v = draw(-3, 3);
      torque_regressor<double, double>(model, ws, columns, q, qd, qdd, W);
      rows.add(W);
    }
    const BaseParameters base =
        base_parameters_of(rows, {columns.names().begin(), columns.names().end()});
    Array<double> x = columns.values(model);
    const Array<double> bodies = disturbed(model, 0.1, seed);
    for (int k = 0; k < N; ++k) x[k] = k < bodies.size() ? bodies[k] : 1.1 * x[k];
    const WriteBack back = write_back(model, base, base.values(x));
    ASSERT_TRUE(back.ok()) << seed << ": " << back.message;
    const Array<double> b = base.values(x),
                        now = base.values(columns.values(Model<double>(back.robot)));
    for (int k = 0; k < b.size(); ++k)
      EXPECT_NEAR(now[k], b[k], 1e-8 * (1 + std::abs(b[k]))) << seed << base.formula(k);
  }
}

}  // namespace
}  // namespace torsor::testing
