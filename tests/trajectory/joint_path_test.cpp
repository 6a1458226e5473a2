#include "torsor/trajectory/joint_path.hpp"

#include "torsor/trajectory/se3_path.hpp"
#include "trajectory/consistency.hpp"

namespace torsor {
namespace {

using testing::refusal;
using testing::sampled;

/// A planar arm of two links of length 1, elbow on the left: closed-form inverse, and its tool.
bool planar_inverse(const SE3<double>& T, std::vector<double>& q) {
  const double x = T.p.x, y = T.p.y, c = (x * x + y * y - 2) / 2;
  if (std::abs(c) > 1) return false;
  q[1] = std::acos(c);
  q[0] = std::atan2(y, x) - std::atan2(std::sin(q[1]), 1 + std::cos(q[1]));
  return true;
}
double off_line(const std::vector<double>& q) {  // from the line x = 1
  return std::abs(std::cos(q[0]) + std::cos(q[0] + q[1]) - 1);
}

SE3<double> at(double x, double y) { return {SO3<double>::identity(), {x, y, 0}}; }

TEST(JointPath, follows_the_poses_to_the_fourth_order_in_between) {
  const PoseTrajectory line(line_path(at(1, -1), at(1, 1)), unit_law(Profile::quintic, 2));
  double error[2];
  for (const int refine : {0, 1}) {
    const int segments = 40 << refine;
    const JointPath path = joint_path(line, planar_inverse, {0, 1}, segments);
    ASSERT_TRUE(path.complete);
    EXPECT_EQ(path.solved_until, 2);
    EXPECT_LT(path.largest_step, 0.2);
    error[refine] = 0;
    for (int k = 0; k <= 1000; ++k)
      error[refine] = std::max(error[refine], off_line(sampled(path.trajectory, 0.002 * k).q));
    for (int k = 0; k <= segments; ++k)
      EXPECT_LE(off_line(sampled(path.trajectory, 2.0 * k / segments).q), 1e-13);
  }
  EXPECT_LT(error[0], 1e-4);
  EXPECT_GT(error[0] / error[1], 10) << "about 2^4";
}

TEST(JointPath, stops_where_the_inverse_fails_and_says_when) {
  const PiecewisePolynomial<double> even(1, 1, {0, 2}, {0, 0.5});
  const PoseTrajectory out(line_path(at(1, 0), at(3, 0)), even);  // x = 1 + t
  const JointPath path = joint_path(out, planar_inverse, {0, 1}, 100);
  EXPECT_FALSE(path.complete);
  EXPECT_NEAR(path.solved_until, 1, 0.021);
  EXPECT_EQ(path.trajectory.duration(), path.solved_until);
  const JointPath none = joint_path(
      out, [](const SE3<double>&, std::vector<double>&) { return false; }, {0, 1}, 10);
  EXPECT_FALSE(none.complete);
  EXPECT_EQ(none.trajectory.size(), 0);
  EXPECT_EQ(refusal([&] {
              (void)joint_path(out, planar_inverse, {0, 1}, 0);
            }),
            "joint_path: segments is 0; 1 at least is needed");
}

}  // namespace
}  // namespace torsor
