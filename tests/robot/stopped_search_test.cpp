// Searches that somebody stops: what was found by then is what a shorter search finds.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "torsor/robot.hpp"

namespace torsor {
namespace {

using Vector = Eigen::VectorXd;

/// Says no at the call with this number, counted from 0; remembers the shares that were told.
struct StopAt {
  int call;
  std::vector<double> shares{};

  bool operator()(double share) {
    shares.push_back(share);
    return static_cast<int>(shares.size()) <= call;
  }
};
void expect_rising(const std::vector<double>& shares) {
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.front(), 0);
  EXPECT_LT(shares.back(), 1);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST(StoppedSearch, for_assembly_modes_is_one_of_fewer_starts) {
  Robot robot("four_bar");
  const Vector q = robot.assemble(robot.neutral()).q;
  std::vector<JointHandle> moving = robot.joints();
  moving.erase(moving.begin());
  for (const int starts : {0, 1, 7}) {
    StopAt stop{starts};
    const auto found = robot.assembly_modes(q, moving, 100, 1, {}, std::ref(stop));
    expect_rising(stop.shares);
    EXPECT_EQ(stop.shares.size(), static_cast<std::size_t>(starts) + 1);
    EXPECT_EQ(found, robot.assembly_modes(q, moving, starts));
  }
  EXPECT_EQ(robot.assembly_modes(q, moving, 100).size(), 2u);
}

TEST(StoppedSearch, for_a_singularity_is_one_of_fewer_starts) {
  Robot robot("puma560");
  Vector q(6);
  q << 0, 0.3, 0.2, 0, 0.1, 0;
  for (const int starts : {0, 1, 4}) {
    StopAt stop{starts};
    const auto found = robot.nearest_singularity("tool", q, {}, std::ref(stop));
    const auto fewer = robot.nearest_singularity("tool", q, {.starts = starts});
    expect_rising(stop.shares);
    EXPECT_EQ(found.converged, starts > 0);
    EXPECT_EQ(found.q, fewer.q);
    EXPECT_EQ(found.distance, fewer.distance);
    EXPECT_EQ(found.iterations, fewer.iterations);
  }
}

TEST(StoppedSearch, for_a_pose_is_out_of_budget_with_the_closest_configuration) {
  Robot robot("panda");
  Robot::Pose far = Robot::Pose::Identity();
  far.translation() << 5, 5, 5;
  const Vector start = robot.random_configuration(1);
  int asked = 0;
  const auto found = robot.inverse_kinematics(
      "tool", far, start,
      {.max_iterations = 1 << 30, .max_restarts = 1 << 30, .go_on = [&] { return ++asked < 200; }});
  EXPECT_FALSE(found);
  EXPECT_EQ(found.status, IkStatus::out_of_budget);
  EXPECT_GE(asked, 200);
  EXPECT_LE(found.iterations, asked);
  const auto distance = [&](const Vector& q) {
    return (robot.frame_pose("tool", q).translation() - far.translation()).norm();
  };
  EXPECT_NEAR(found.position_residual, distance(found.q), 1e-9);
  EXPECT_LT(distance(found.q), distance(start));
}

TEST(StoppedSearch, for_a_path_ends_where_it_is) {
  Robot robot("panda");
  Vector q(7);
  q << 0, 0.2, 0, -1.5, 0, 1.7, 0;
  const Robot::Pose T0 = robot.frame_pose("tool", q);
  Robot::Pose T1 = T0;
  T1.translation().z() += 0.1;
  const PoseLimits limits{.velocity = 0.1};
  const auto whole = robot.line_path("tool", T0, T1, q, limits);
  ASSERT_TRUE(whole.complete);
  double last = 0;
  const auto half = robot.line_path("tool", T0, T1, q, limits, Profile::quintic, 100,
                                    [&](double share) { return (last = share) < 0.5; });
  EXPECT_FALSE(half.complete);
  EXPECT_GE(last, 0.5);
  EXPECT_NEAR(half.solved_until, 0.5 * whole.trajectory.duration(),
              0.02 * whole.trajectory.duration());
}

}  // namespace
}  // namespace torsor
