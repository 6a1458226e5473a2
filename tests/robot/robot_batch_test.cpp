// Columns of matrices are states of the robot.
#include "torsor/robot_batch.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"

using namespace torsor;

namespace {

TEST(RobotBatch, columns_are_answered_as_single_states_are) {
  for (const char* name : {"panda", "puma560", "four_bar"}) {
    Robot robot(name);
    RobotBatch many(robot);
    const int n = robot.model().n_v(), count = 11;
    srand(3);
    Eigen::MatrixXd q(robot.model().n_q(), count), qd = Eigen::MatrixXd::Random(n, count),
                                                   qdd = Eigen::MatrixXd::Random(n, count);
    const bool loops = std::string(name) == "four_bar";
    for (int s = 0; s < count; ++s) q.col(s) = loops ? robot.neutral() : Eigen::VectorXd::Random(n);
    if (loops) qd.setZero(), qdd.setZero();
    const Eigen::MatrixXd tau = many.inverse_dynamics(q, qd, qdd), M = many.mass_matrix(q),
                          C = many.coriolis_matrix(q, qd), back = many.forward_dynamics(q, qd, tau);
    const RobotBatch::Derivatives slopes = many.inverse_dynamics_derivatives(q, qd, qdd);
    ASSERT_EQ(slopes.by_q.cols(), n * count);
    for (int s = 0; s < count; ++s) {
      const Eigen::VectorXd truth = robot.inverse_dynamics(q.col(s), qd.col(s), qdd.col(s));
      EXPECT_LT((tau.col(s) - truth).norm(), 1e-11 * (1 + truth.norm())) << name;
      EXPECT_LT((M.middleCols(s * n, n) - robot.mass_matrix(q.col(s))).norm(), 1e-11);
      const Eigen::MatrixXd single = robot.coriolis_matrix(q.col(s), qd.col(s));
      EXPECT_LT((C.middleCols(s * n, n) - single).norm(), 1e-11 * (1 + single.norm()));
      EXPECT_LT((back.col(s) - robot.forward_dynamics(q.col(s), qd.col(s), tau.col(s)).qdd).norm(),
                1e-8);
      if (loops) continue;
      // d tau / dq along qd, by central differences.
      const double h = 1e-6;
      const Eigen::VectorXd along =
          (robot.inverse_dynamics(q.col(s) + h * qd.col(s), qd.col(s), qdd.col(s)) -
           robot.inverse_dynamics(q.col(s) - h * qd.col(s), qd.col(s), qdd.col(s))) /
          (2 * h);
      EXPECT_LT((slopes.by_q.middleCols(s * n, n) * qd.col(s) - along).norm(), 1e-6) << name;
    }
  }
}

TEST(RobotBatch, other_sizes_are_refused) {
  RobotBatch many{Robot("panda")};
  const Eigen::MatrixXd q = Eigen::MatrixXd::Zero(7, 5), wrong = Eigen::MatrixXd::Zero(7, 4);
  EXPECT_EQ(torsor::testing::facts(
                torsor::testing::refusal([&] { return many.inverse_dynamics(q, wrong, q); })),
            "qd: 4 5");
}

}  // namespace
