// Handles of frames and joints, names, limits, copies, and what Robot refuses.
#include "support/dynamics_state.hpp"
#include "support/refusal.hpp"
#include "torsor/robot.hpp"

namespace torsor {
namespace {

using testing::refusal;
using Vector = Robot::Vector;
using Matrix = Robot::Matrix;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RobotHandles, of_frames_stand_for_their_names) {
  Robot robot("puma560");
  const Vector q = robot.random_configuration(3);
  const FrameHandle tool = robot.frame("tool");
  EXPECT_EQ(tool.name(), "tool");
  EXPECT_EQ(robot.frame_pose(tool, q).matrix(), robot.frame_pose("tool", q).matrix());
  EXPECT_EQ(robot.jacobian(tool, q), robot.jacobian(std::string("tool"), q));
  for (const FrameHandle& frame : robot.frames())
    EXPECT_EQ(robot.frame_pose(frame, q).matrix(), robot.frame_pose(frame.name(), q).matrix());
  EXPECT_EQ(robot.frames().size(), robot.frame_names().size());
}

TEST(RobotHandles, of_a_frame_fixed_in_another_are_poses_in_it) {
  Robot robot("puma560");
  const Vector q = robot.random_configuration(3);
  Robot::Pose T = Robot::Pose::Identity();
  T.rotate(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitY())).translate(Eigen::Vector3d(1, 2, 3));
  const FrameHandle tip = robot.frame("tool", T, "tip");
  EXPECT_EQ(tip.name(), "tip");
  EXPECT_LT((robot.frame_pose(tip, q).matrix() - (robot.frame_pose("tool", q) * T).matrix()).norm(),
            1e-14);
  const auto ik = robot.analytic_ik(tip, robot.frame_pose(tip, q));
  ASSERT_FALSE(ik.solutions.empty());
  EXPECT_LT((robot.frame_pose(tip, ik.solutions[0].q).matrix() - robot.frame_pose(tip, q).matrix())
                .norm(),
            1e-10);
}

TEST(RobotHandles, know_where_the_numbers_of_a_joint_are) {
  const Robot robot{Model<double>(testing::random_tree(5, 14))};
  int q = 0, v = 0;
  for (const JointHandle& joint : robot.joints()) {
    EXPECT_EQ(joint.q().first, q);
    EXPECT_EQ(joint.v().first, v);
    EXPECT_EQ(robot.joint(joint.name()).body(), joint.body());
    EXPECT_EQ(joint.kind(), robot.model().body(joint.body()).kind);
    q += joint.q().count, v += joint.v().count;
  }
  EXPECT_EQ(q, robot.n_q());
  EXPECT_EQ(v, robot.n_v());
}

TEST(RobotHandles, outlive_the_robot_and_serve_its_copies) {
  auto robot = std::make_unique<Robot>("puma560");
  const FrameHandle tool = robot->frame("tool");
  const JointHandle joint = robot->joint("elbow");
  Robot copy = *robot;
  const Vector q = copy.random_configuration(1);
  const Robot::Pose T = robot->frame_pose(tool, q);
  robot.reset();
  EXPECT_EQ(copy.frame_pose(tool, q).matrix(), T.matrix());
  Robot moved = std::move(copy);
  EXPECT_EQ(moved.frame_pose(tool, q).matrix(), T.matrix());
  const FrameHandle alone = Robot("planar2r").frames().back();
  EXPECT_FALSE(alone.name().empty());
  EXPECT_EQ(joint.name(), "elbow");
}

TEST(RobotHandles, of_another_robot_are_refused) {
  Robot arm("puma560"), same("puma560"), other("planar2r");
  const Vector q = arm.neutral(), v = Vector::Zero(6);
  const FrameHandle foreign = other.frame("link_2");
  EXPECT_EQ(refusal([&] { arm.frame_pose(foreign, q); }),
            "robot \"puma560\": the frame \"link_2\" is of another robot, \"planar2r\"");
  EXPECT_EQ(refusal([&] { arm.jacobian(same.frame("tool"), q); }),
            "robot \"puma560\": the frame \"tool\" is of another robot, \"puma560\"");
  EXPECT_EQ(refusal([&] {
              arm.inverse_dynamics(q, v, v, {{foreign, Robot::Vector6::Ones()}});
            }),
            "robot \"puma560\": the frame \"link_2\" is of another robot, \"planar2r\"");
  EXPECT_EQ(refusal([&] { (void)arm.hybrid_dynamics({other.joint("joint_1")}, q, v, v, v); }),
            "robot \"puma560\": the joint \"joint_1\" is of another robot, \"planar2r\"");
  const Robot changed = arm.with_gravity({0, 0, 0});  // surgery makes another robot
  EXPECT_NE(refusal([&] { arm.frame_pose(changed.frame("tool"), q); }), "accepted");
}

TEST(RobotNames, are_those_of_the_model_in_its_order) {
  const Robot robot{Model<double>(testing::random_tree(5, 14))};
  const auto dofs = robot.dof_names(), coordinates = robot.coordinate_names();
  ASSERT_EQ(static_cast<int>(dofs.size()), robot.n_v());
  ASSERT_EQ(static_cast<int>(coordinates.size()), robot.n_q());
  for (int k = 0; k < robot.n_v(); ++k)
    EXPECT_EQ(dofs[static_cast<std::size_t>(k)], robot.model().dof_name(k));
  for (int k = 0; k < robot.n_q(); ++k)
    EXPECT_EQ(coordinates[static_cast<std::size_t>(k)], robot.model().coordinate_name(k));
  EXPECT_EQ(robot.joint_names().size(), robot.body_names().size());
  EXPECT_EQ(robot.joint_names()[4], robot.model().joint_name(5));
  EXPECT_EQ(robot.body_names()[4], robot.model().body_name(5));
}

TEST(RobotNames, that_are_unknown_come_with_the_nearest) {
  Robot robot("puma560");
  const Vector q = robot.neutral(), v = Vector::Zero(6);
  EXPECT_TRUE(has(refusal([&] { robot.frame_pose("tol", q); }), "did you mean \"tool\""));
  EXPECT_TRUE(has(refusal([&] { robot.frame("tol"); }), "did you mean \"tool\""));
  EXPECT_TRUE(has(refusal([&] { robot.joint("elbov"); }), "did you mean \"elbow\""));
  EXPECT_TRUE(has(refusal([&] { (void)robot.hybrid_dynamics({"elbov"}, q, v, v, v); }),
                  "did you mean \"elbow\""));
  EXPECT_TRUE(
      has(refusal([&] { (void)robot.lock_joints({"elbov"}, q); }), "did you mean \"elbow\""));
}

TEST(RobotLimits, are_per_coordinate_and_per_velocity) {
  const Robot panda("panda");
  const auto limits = panda.limits();
  EXPECT_EQ(limits.lower[3], -3.0718);
  EXPECT_EQ(limits.upper[3], -0.0698);
  EXPECT_EQ(limits.velocity[6], 2.61);
  EXPECT_EQ(limits.effort[0], 87);
  const Robot floating = panda.with_base(JointKind::free);
  const auto more = floating.limits();
  EXPECT_EQ(more.lower.size(), 7 + 7);
  EXPECT_EQ(more.velocity.size(), 6 + 7);
  EXPECT_EQ(more.upper[7 + 3], -0.0698);
  EXPECT_EQ(more.upper[5], infinity);  // of a quaternion
}

TEST(RobotRefuses, outputs_of_the_wrong_size) {
  Robot robot("puma560");
  const Vector q = robot.neutral(), v = Vector::Zero(6);
  Vector x(5);
  Matrix J(6, 5), M(6, 6);
  EXPECT_EQ(refusal([&] { robot.jacobian("tool", q, J); }),
            "robot \"puma560\": J is 6 x 5, expected 6 x 6");
  EXPECT_EQ(refusal([&] { robot.mass_matrix(q, J); }),
            "robot \"puma560\": M is 6 x 5, expected 6 x 6");
  EXPECT_EQ(refusal([&] { robot.inverse_dynamics(q, v, v, x); }),
            "robot \"puma560\": tau has 5 numbers, expected 6");
  EXPECT_EQ(refusal([&] { (void)robot.forward_dynamics(q, v, v, x); }),
            "robot \"puma560\": qdd has 5 numbers, expected 6");
  robot.jacobian("tool", q, M);  // a block of a larger matrix will do
  Matrix large = Matrix::Zero(8, 8);
  robot.jacobian("tool", q, large.block(1, 1, 6, 6));
  EXPECT_EQ(Matrix(large.block(1, 1, 6, 6)), M);
  EXPECT_EQ(large.row(0).norm() + large.col(7).norm(), 0);
}

TEST(RobotRefuses, numbers_that_are_not_finite_and_matrices_that_are_no_pose) {
  Robot robot("puma560");
  const Vector q = robot.neutral();
  Vector bad = q;
  bad[2] = std::nan("");
  EXPECT_TRUE(has(refusal([&] { robot.frame_pose("tool", bad); }), "not finite"));
  EXPECT_TRUE(has(refusal([&] { robot.frame_velocity("tool", q, bad); }), "not finite"));
  Robot::Vector6 V = Robot::Vector6::Zero();
  V[5] = infinity;
  EXPECT_EQ(refusal([&] { (void)robot.inverse_velocity("tool", q, V); }),
            "robot \"puma560\": V is not finite");
  EXPECT_TRUE(has(refusal([&] { robot.point_jacobian("tool", q, V.tail<3>()); }),
                  "point_in_frame is not finite"));
  Robot::Pose T = Robot::Pose::Identity();
  T.linear()(0, 0) = 2;
  EXPECT_TRUE(has(refusal([&] { (void)robot.inverse_kinematics("tool", T, q); }),
                  "T_world_frame is not a pose"));
  EXPECT_TRUE(has(refusal([&] { (void)robot.add_frame("tip", "link_6", T); }),
                  "T_link_frame is not a pose"));
  EXPECT_TRUE(has(refusal([&] {
                    (void)robot.operational_dynamics({"tool", Reference::body, {7}}, q, q);
                  }),
                  "row 7"));
}

}  // namespace
}  // namespace torsor
