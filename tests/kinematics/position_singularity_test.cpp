/// Positions that lose a direction: closed forms of planar arms, and differences of positions.
#include "torsor/kinematics/position_singularity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

PositionSingularity of(const char* robot, const char* frame, const Array<double>& q) {
  const Model<double> model = load_robot(robot);
  SingularityWorkspace ws(model);
  return position_singularity(model, ws, q, model.frame(frame));
}

TEST(PositionSingularity, of_a_planar_arm_is_the_sine_of_its_elbow) {
  for (const double q2 : {-2.0, -0.5, 0.3, 1.5, 3.0}) {
    const PositionSingularity p = of("planar2r", "tip", {0.7, q2});
    EXPECT_EQ(p.axes, (Array<int>{0, 1}));
    EXPECT_TRUE(p.square);
    EXPECT_NEAR(p.determinant, std::sin(q2), 1e-15);  // links of 1 m
    EXPECT_EQ(p.rank, 2);
    EXPECT_FALSE(p.singular());
    EXPECT_NEAR(p.smallest * p.largest, std::abs(std::sin(q2)), 1e-14);
  }
  const PositionSingularity stretched = of("planar2r", "tip", {0.7, 0});
  EXPECT_TRUE(stretched.singular());
  EXPECT_EQ(stretched.rank, 1);
  EXPECT_EQ(stretched.generic_rank, 2);
  EXPECT_EQ(stretched.determinant, 0);
}

TEST(PositionSingularity, of_three_joints_is_the_volume_that_differences_of_positions_span) {
  const Model<double> arm = load_robot("puma560");
  const Frame& wrist = arm.frame("link_3");
  SingularityWorkspace ws(arm);
  KinematicsWorkspace<double> kinematics(arm);
  const Array<double> q{0.3, 0.4, -0.9, 0.2, 0.5, 0.1};
  const double h = 1e-5;
  Vec3<double> columns[3];
  for (int k = 0; k < 3; ++k) {
    Vec3<double> at[2];
    for (const int side : {0, 1}) {
      Array<double> moved = q;
      moved[k] += side == 0 ? h : -h;
      forward_kinematics(arm, kinematics, In<double>(moved));
      at[side] = frame_pose(kinematics, wrist).p;
    }
    columns[k] = (at[0] - at[1]) * (1 / (2 * h));
  }
  const PositionSingularity p = position_singularity(arm, ws, q, wrist);
  EXPECT_TRUE(p.square);
  EXPECT_NEAR(p.determinant, dot(columns[0], cross(columns[1], columns[2])), 1e-9);
}

TEST(PositionSingularity, more_joints_than_axes_have_a_rank_and_no_determinant) {
  const PositionSingularity p = of("planar3r", "link_3", {0.2, 0, 0});
  EXPECT_EQ(p.generic_rank, 2);
  EXPECT_FALSE(p.square);
  EXPECT_EQ(p.determinant, 0);
  EXPECT_TRUE(p.singular());  // stretched
  EXPECT_THROW((void)of("planar2r", "tip", {0.7}), Error);
}

}  // namespace
}  // namespace torsor
