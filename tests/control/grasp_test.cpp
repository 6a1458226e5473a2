/// Objects in several hands: found in the model, partitioned, and the closed chain in coordinates of
/// the object (3-155), (3-156) beside constrained forward dynamics.
#include "torsor/control/arms/grasp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "support/cooperating_arms.hpp"
#include "torsor/control/arms/cooperating_arms.hpp"
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

using testing::arms_with_box;
using testing::ArmsWithBox;
using testing::planar_arms;
using testing::planar_arms_at;
using testing::planar_pose;
using testing::three_planar_grasps;
using testing::two_planar_grasps;

TEST(HeldObject, finds_hands_and_where_they_hold) {
  const auto grasps = three_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  const HeldObject object(robot, "object", {0.2, 0.3, 0.5});
  ASSERT_EQ(object.n_arms(), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const Grasp& g = object.grasps[k];
    EXPECT_EQ(g.hand, "arm_" + std::to_string(k + 1) + "_link_3");
    EXPECT_EQ(g.dofs, (std::vector<int>{static_cast<int>(3 * k), static_cast<int>(3 * k + 1),
                                        static_cast<int>(3 * k + 2)}));
    const SE3<double> T =
        planar_pose(0.2, 0, 0) *
        inverse(planar_pose(grasps[k].grasp_x, grasps[k].grasp_y, grasps[k].grasp_angle));
    EXPECT_LT(norm(T.p - g.T_body_object.p), 1e-15);
    EXPECT_LT(norm(log(transpose(T.R) * g.T_body_object.R)), 1e-7);
  }
  EXPECT_EQ(object.grasps[0].loop, -1);
  EXPECT_EQ(object.grasps[2].loop, 6);
  EXPECT_EQ(object.inertia.m, 3);
}

/// Every hand sees the object where the others see it.
TEST(HeldObject, all_hands_agree_where_the_loops_are_closed) {
  const auto grasps = three_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  const HeldObject object(robot, "object");
  const std::vector<double> q = planar_arms_at(grasps, 0.03, 0.6, 0.15);
  KinematicsWorkspace<double> ws(robot);
  forward_kinematics(robot, ws, q);
  for (int k = 0; k < 3; ++k) {
    const SE3<double> T = frame_pose(ws, object.frame_of_arm(k));
    EXPECT_LT(norm(T.p - Vec3<double>{0.03, 0.6, 0}), 1e-14);
    EXPECT_NEAR(std::atan2(T.R.c0.y, T.R.c0.x), 0.15, 1e-14);
  }
}

TEST(HeldObject, partition_moves_the_object_to_the_hands_and_keeps_all_of_it) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  const HeldObject object(robot, "object", {0.35, 0.65});
  const Model<double> forest = object.partitioned(robot);
  EXPECT_NEAR(forest.body(3).inertia.m, 0.5 + 0.35 * 3, 1e-14);
  EXPECT_NEAR(forest.body(6).inertia.m, 0.5 + 0.65 * 3, 1e-14);
  // From the tip of the third link of arm 2, turned by pi: 0.2 + 0.25 - 0.03 in x, -0.02 in y.
  const Inertia<double>& I = forest.body(6).inertia;
  EXPECT_NEAR(I.h.x, 0.5 * 0.1 + 0.65 * 3 * (0.2 + 0.25 - 0.03), 1e-13);
  EXPECT_NEAR(I.h.y, 0.65 * 3 * -0.02, 1e-13);
  EXPECT_NEAR(I.J.zz, 0.5 * 0.04 / 3 + 0.65 * (0.08 + 3 * (0.42 * 0.42 + 0.02 * 0.02)), 1e-13);
}

TEST(HeldObject, refuses_what_is_not_held_by_two_arms) {
  const Model<double> robot = planar_arms(two_planar_grasps());
  EXPECT_THROW(HeldObject(robot, "objekt"), Error);
  EXPECT_THROW(HeldObject(robot, "arm_1_link_2"), Error);
  EXPECT_THROW(HeldObject(robot, "object", {0.5, 0.6}), Error);
  EXPECT_THROW(HeldObject(robot, "object", {1}), Error);
  EXPECT_THROW(HeldObject(load_robot("planar2r"), "link_2"), Error);
  EXPECT_THROW((void)hold_object(load_robot("planar2r"), "box", {}, {{"link_3", {}, {}}}), Error);
  EXPECT_THROW((void)hold_object(load_robot("planar2r"), "link_1", {}, {{"link_2", {}, {}}}),
               Error);
}

/// H_x X'' + N_x = sum_i J~^i^-T tau^i, whatever the fractions, where X'' is that of the closed
/// chain as a differential-algebraic system.
void expect_closed_chain(const Model<double>& robot, const CooperationOptions& options,
                         const std::vector<double>& q) {
  const int n = robot.n_v();
  const ConstraintSet set(robot);
  AssemblyWorkspace assembly(robot, set);
  std::vector<double> qd(static_cast<std::size_t>(n)), tau(qd.size()), qdd(qd.size()),
      lambda(static_cast<std::size_t>(set.n_rows()));
  for (std::size_t k = 0; k < qd.size(); ++k) {
    qd[k] = std::sin(1.0 + 2 * static_cast<double>(k));
    tau[k] = 20 * std::cos(3.0 * static_cast<double>(k));
  }
  EXPECT_LT(project_velocity(robot, set, assembly, q, qd), 1e-12);
  ConstrainedWorkspace constrained(robot, set);
  EXPECT_TRUE(constrained_forward_dynamics(robot, constrained, q, qd, tau, {}, qdd, lambda));

  CooperatingArms arms(robot, options);
  arms.evaluate({.q = q, .qd = qd});
  EXPECT_LT(arms.disagreement(), 1e-12);
  const Model<double>& forest = arms.forest();
  CrbaWorkspace<double> crba(forest);
  RneaWorkspace<double> rnea(forest);
  Eigen::MatrixXd H(n, n);
  Eigen::VectorXd b(n);
  mass_matrix(forest, crba, q, H);
  bias_torque(forest, rnea, q, qd, b);
  const int m = arms.n_x();
  Eigen::MatrixXd H_x = Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd N_x = Eigen::VectorXd::Zero(m), u = N_x, Xdd(m);
  for (int arm = 0; arm < arms.n_arms(); ++arm) {
    const std::vector<int>& dofs = arms.object().grasps[static_cast<std::size_t>(arm)].dofs;
    const MatrixView<const double> all = arms.coordinates(arm).jacobian();
    Eigen::MatrixXd J(m, m), H_i(m, m);
    Eigen::VectorXd N_i(m), tau_i(m), bias(m), qdd_i(m);
    for (int r = 0; r < m; ++r) {
      const int dof = dofs[static_cast<std::size_t>(r)];
      for (int c = 0; c < m; ++c) {
        J(r, c) = all(r, dofs[static_cast<std::size_t>(c)]);
        H_i(r, c) = H(dof, dofs[static_cast<std::size_t>(c)]);
      }
      N_i[r] = b[dof], tau_i[r] = tau[static_cast<std::size_t>(dof)];
      bias[r] = arms.coordinates(arm).bias()[r], qdd_i[r] = qdd[static_cast<std::size_t>(dof)];
    }
    const Eigen::MatrixXd J_inv = J.inverse();
    H_x += J_inv.transpose() * H_i * J_inv;
    N_x += J_inv.transpose() * (N_i - H_i * J_inv * bias);
    u += J_inv.transpose() * tau_i;
    const Eigen::VectorXd X_i = J * qdd_i + bias;
    if (arm > 0) {
      EXPECT_LT((X_i - Xdd).norm(), 1e-9 * (1 + Xdd.norm()));
    }
    Xdd = X_i;
  }
  EXPECT_LT((H_x * Xdd + N_x - u).norm(), 1e-9 * u.norm());
}

TEST(CooperatingArms, closed_chain_in_coordinates_of_the_object_is_the_constrained_dynamics) {
  for (const auto& grasps : {two_planar_grasps(), three_planar_grasps()}) {
    CooperationOptions o{.object = "object"};
    o.task.axes = "xy";
    o.task.angles = TaskAngles::planar;
    o.fractions =
        grasps.size() == 2 ? std::vector<double>{0.35, 0.65} : std::vector<double>{0.1, 0.2, 0.7};
    expect_closed_chain(planar_arms(grasps), o, planar_arms_at(grasps, 0.05, 0.55, -0.2));
  }
  for (const TaskAngles angles : {TaskAngles::rotation, TaskAngles::euler}) {
    const ArmsWithBox cell =
        arms_with_box(load_robot("ur5"), {0.2, -1.3, 1.7, -1.9, -1.3, 0.3}, 0.4, 3);
    CooperationOptions o{.object = "box", .fractions = {0.3, 0.7}};
    o.task.angles = angles;
    expect_closed_chain(cell.robot, o, cell.q);
  }
}

/// Where no direction is near being lost the inverse is that of the damped solution; near a singular
/// configuration the damped one is taken.
TEST(CooperatingArms, solutions_are_those_of_the_damped_inverse_and_say_when_it_damps) {
  const ArmsWithBox cell =
      arms_with_box(load_robot("ur5"), {0.2, -1.3, 1.7, -1.9, -1.3, 0.3}, 0.4, 3);
  CooperationOptions o{.object = "box"};
  o.task.angles = TaskAngles::rotation;
  CooperatingArms arms(cell.robot, o);
  InverseVelocityWorkspace ws(cell.robot);
  std::vector<double> q = cell.q, rest(12), qd(12), J(36), truth(6);
  const std::vector<double> Xdot{0.1, -0.2, 0.3, 0.4, -0.5, 0.6};
  int damped = 0;
  for (const double wrist : {-1.3, -0.1, -1e-2, -2e-3, -1e-4, 0.0}) {
    q[4] = q[10] = wrist;
    arms.evaluate({.q = q, .qd = rest});
    arms.joint_velocity(Xdot, qd);
    for (int arm = 0; arm < 2; ++arm) {
      const MatrixView<const double> all = arms.coordinates(arm).jacobian();
      for (int c = 0; c < 6; ++c)
        for (int r = 0; r < 6; ++r) J[static_cast<std::size_t>(6 * c + r)] = all(r, 6 * arm + c);
      const InverseVelocity result =
          inverse_velocity(ws, column_major<const double>(J.data(), 6, 6), Xdot, {}, truth);
      if (arm == 0) damped += result.damping > 0 || result.rank < 6;
      for (int k = 0; k < 6; ++k)
        EXPECT_NEAR(qd[static_cast<std::size_t>(6 * arm + k)], truth[static_cast<std::size_t>(k)],
                    1e-9 * (1 + std::abs(truth[static_cast<std::size_t>(k)])))
            << wrist;
      if (arm == 1) {
        EXPECT_EQ(arms.near_singular(), result.damping > 0 || result.rank < 6) << wrist;
      }
    }
  }
  EXPECT_GT(damped, 1);
  EXPECT_LT(damped, 5);
}

/// An object with a joint of its own and a weld to every hand is the same object.
TEST(CooperatingArms, a_free_object_in_all_hands_gets_the_same_torques) {
  const auto grasps = two_planar_grasps();
  const Model<double> fixed = planar_arms(grasps);
  const Model<double> free = testing::with_free_object(fixed, grasps[0]);
  CooperationOptions o{.object = "object", .fractions = {0.35, 0.65}};
  o.task.axes = "xy";
  o.task.angles = TaskAngles::planar;
  CooperatingArms a(fixed, o), b(free, o);
  std::vector<double> q = planar_arms_at(grasps, 0.05, 0.55, -0.2), qd(6), tau_a(6), tau_b(9);
  std::vector<double> q_b, qd_b(9), qdd(6), qdd_b(9);
  const int first = free.body(free.joint_index("object_motion")).q.first;
  q_b = q;
  q_b.insert(q_b.begin() + first, {0.05, 0.55, -0.2});
  const std::vector<double> Xdd{1, 2, 3};
  a.evaluate({.q = q, .qd = qd});
  b.evaluate({.q = q_b, .qd = qd_b});
  a.joint_acceleration({.q = q, .qd = qd}, Xdd, qdd);
  b.joint_acceleration({.q = q_b, .qd = qd_b}, Xdd, qdd_b);
  a.torque({.q = q, .qd = qd}, qdd, tau_a);
  b.torque({.q = q_b, .qd = qd_b}, qdd_b, tau_b);
  const double squeeze[6] = {0, 0, 0.3, -4, 2, 0};
  a.add_internal(squeeze, tau_a);
  b.add_internal(squeeze, tau_b);
  for (int k = 0, i = 0; k < 9; ++k) {
    if (k >= first && k < first + 3) {
      EXPECT_EQ(tau_b[static_cast<std::size_t>(k)], 0);
    } else {
      EXPECT_NEAR(tau_b[static_cast<std::size_t>(k)], tau_a[static_cast<std::size_t>(i++)], 1e-12);
    }
  }
}

}  // namespace
}  // namespace torsor
