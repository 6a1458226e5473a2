// Robot: inverse kinematics, loops, surgery, trajectories and files.
#include <cstdio>
#include <filesystem>

#include "support/random_model.hpp"
#include "support/refusal.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/robot.hpp"
#include "torsor/trajectory/configuration_path.hpp"
#include "torsor/trajectory/joint_path.hpp"

namespace torsor {
namespace {

using testing::refusal;
using Vector = Robot::Vector;
using Matrix = Robot::Matrix;
using Pose = Robot::Pose;

Vector arm_q() {
  Vector q(6);
  q << 0.3, 0.7, -0.5, 0.9, -1.1, 0.6;
  return q;
}

TEST(RobotInverseKinematics, puts_the_frame_at_the_pose) {
  Robot robot("puma560");
  const FrameHandle tool = robot.frame("tool");
  const Pose T = robot.frame_pose(tool, arm_q());
  for (int call = 0; call < 2; ++call) {
    const auto ik = robot.inverse_kinematics(tool, T, robot.neutral());
    ASSERT_TRUE(ik) << ik.message;
    EXPECT_EQ(ik.status, IkStatus::reached);
    EXPECT_LT((robot.frame_pose(tool, ik.q).matrix() - T.matrix()).norm(), 1e-7);
    EXPECT_EQ(ik.targets.size(), 1u);
    EXPECT_LT(ik.position_residual, 1e-8);
  }
  Pose far = T;
  far.translation() *= 10;
  InverseKinematicsOptions few;
  few.max_restarts = 2;
  const auto missed = robot.inverse_kinematics(tool, far, robot.neutral(), few);
  EXPECT_FALSE(missed);
  EXPECT_GT(missed.position_residual, 1);
  EXPECT_NE(missed.message.find("unreachable"), std::string::npos) << missed.message;
}

TEST(RobotInverseKinematics, of_several_targets_is_that_of_the_room) {
  Robot robot("panda");
  const Vector goal = robot.random_configuration(4), start = robot.random_configuration(5);
  const std::string hand = robot.body_names()[6], elbow = robot.body_names()[3];
  FrameTarget first{hand, robot.frame_pose(hand, goal)}, second{elbow, Pose::Identity()};
  second.orientation_weight.setZero();
  second.priority = 1;
  const auto found = robot.inverse_kinematics({first, second}, start);
  InverseKinematicsWorkspace ws(robot.model(), {hand, elbow});
  KinematicsWorkspace<double> kinematics(robot.model());
  forward_kinematics(robot.model(), kinematics, goal);
  const IkTarget targets[] = {{frame_pose(kinematics, robot.model().frame(hand))},
                              {{}, {0, 0, 0}, {1, 1, 1}, 1}};
  Vector q = start;
  const auto expected = inverse_kinematics(robot.model(), ws, targets, start, {}, q);
  EXPECT_EQ(found.q, q);
  EXPECT_EQ(found.levels, 2);
  EXPECT_EQ(found.levels_reached, expected.levels_reached);
  EXPECT_EQ(found.targets[1].position, expected.targets[1].position);
  EXPECT_TRUE(found.targets[0].reached);
}

TEST(RobotInverseKinematics, keeps_solvers_of_many_frames_apart) {
  Robot robot("puma560");
  const Vector q = arm_q();
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < 12; ++k) {  // more than are kept
      Pose T = Pose::Identity();
      T.translation().x() = 0.01 * k;
      const FrameHandle tip = robot.frame("tool", T);
      const auto ik = robot.inverse_kinematics(tip, robot.frame_pose(tip, q), robot.neutral());
      ASSERT_TRUE(ik);
      EXPECT_LT((robot.frame_pose(tip, ik.q).matrix() - robot.frame_pose(tip, q).matrix()).norm(),
                1e-7);
    }
}

TEST(RobotLoops, close_move_and_have_the_mobility_of_the_room) {
  Robot robot("four_bar");
  const Model<double>& model = robot.model();
  const ConstraintSet set(model);
  EXPECT_EQ(robot.n_constraints(), set.n_rows());
  EXPECT_EQ(robot.constraint_names()[2], set.row_name(2));
  const std::string crank = robot.joint_names()[0];
  JointSet others;
  {
    std::vector<std::string> names = robot.joint_names();
    names.erase(names.begin());
    others = names;
  }
  Vector q = robot.neutral();
  q[0] = 1.2;
  const auto closed = robot.assemble(q, others);
  ASSERT_TRUE(closed) << closed.message;
  EXPECT_EQ(closed.q[0], 1.2);
  EXPECT_LT(robot.constraint_errors(closed.q).position, 1e-11);
  AssemblyWorkspace ws(model, set);
  Vector own = q;
  AssemblyOptions options;
  Array<char> moving(model.n_v(), 1);
  moving[0] = 0;
  options.moving = moving;
  EXPECT_TRUE(assemble(model, set, ws, own, options));
  EXPECT_EQ(closed.q, own);

  Vector qd = Vector::Zero(robot.n_v());
  qd[0] = 2;
  const auto moves = robot.project_velocity(closed.q, qd, others);
  EXPECT_LT(moves.residual, 1e-12);
  EXPECT_EQ(moves.rates[0], 2);
  const auto rows = robot.constraint_rows(closed.q, moves.rates);
  EXPECT_LT((rows.A * moves.rates).norm(), 1e-11);
  EXPECT_LT(rows.phi.norm(), 1e-10);
  const auto turns = robot.project_acceleration(closed.q, moves.rates, qd, others);
  EXPECT_LT((rows.A * turns.rates + rows.bias).norm(), 1e-10);
  EXPECT_LT(robot.constraint_errors(closed.q, moves.rates, turns.rates).acceleration, 1e-10);

  const auto modes = robot.assembly_modes(closed.q, others);
  EXPECT_EQ(modes.size(), assembly_modes(model, set, closed.q, options, 100, 1).size());
  EXPECT_EQ(modes.size(), 2u);  // of the two circles
  const Mobility freedom = robot.mobility(closed.q, {crank}, robot.body_names()[2]);
  EXPECT_EQ(freedom.degrees_of_freedom, 1);
  EXPECT_EQ(freedom.actuators, 1);
  EXPECT_EQ(freedom.output_rank, 1);
  EXPECT_EQ(robot.mobility(closed.q).actuators, robot.n_v());
}

TEST(RobotLoops, bear_constrained_dynamics_as_in_the_room) {
  Robot robot("four_bar");
  const Model<double>& model = robot.model();
  const ConstraintSet set(model);
  const int n = robot.n_v();
  const auto closed = robot.assemble(robot.random_configuration(2));
  ASSERT_TRUE(closed);
  const Vector& q = closed.q;
  const Vector qd = robot.project_velocity(q, Vector::Ones(n)).rates;
  Vector tau = Vector::Zero(n);
  tau[0] = 0.5;
  const auto found = robot.constrained_forward_dynamics(q, qd, tau);
  EXPECT_TRUE(found);
  ConstrainedWorkspace ws(model, set);
  Vector qdd(n), lambda(set.n_rows());
  EXPECT_TRUE(constrained_forward_dynamics(model, ws, q, qd, tau, {}, qdd, lambda));
  EXPECT_EQ(found.qdd, qdd);
  EXPECT_EQ(found.lambda, lambda);
  EXPECT_EQ(found.rank, n - 1);

  const std::string crank = robot.joint_names()[0];
  const auto led = robot.constrained_hybrid_dynamics({crank}, q, qd, qdd, Vector::Zero(n));
  EXPECT_TRUE(led);
  EXPECT_LT((led.qdd - qdd).norm(), 1e-9 * (1 + qdd.norm()));
  EXPECT_NEAR(led.tau[0], 0.5, 1e-9);
  const auto needed = robot.constrained_inverse_dynamics({crank}, q, qd, qdd, Vector::Zero(n));
  EXPECT_TRUE(needed);
  EXPECT_NEAR(needed.tau[0], 0.5, 1e-9);
  EXPECT_EQ(needed.passive, n - 1);
  EXPECT_EQ(needed.tau.tail(n - 1).norm(), 0);
}

TEST(RobotSurgery, gives_the_robots_of_the_room_and_leaves_the_old_one) {
  Robot robot("puma560");
  const Vector q = arm_q(), zero = Vector::Zero(6);
  const Pose T = robot.frame_pose("tool", q);

  Robot locked = robot.lock_joints({"shoulder", robot.joint("wrist_bend")}, q);
  EXPECT_EQ(locked.n_q(), 4);
  EXPECT_LT(
      (locked.frame_pose("tool", Vector(q(std::vector<int>{0, 2, 3, 5}))).matrix() - T.matrix())
          .norm(),
      1e-14);
  Robot chain = robot.extract("link_2", "link_4");
  EXPECT_EQ(chain.n_v(), 2);
  Pose beside = Pose::Identity();
  beside.translation().y() = 2;
  Robot two = robot.append(robot, robot.model().description().root, beside, "right_");
  EXPECT_EQ(two.n_v(), 12);
  Vector both(12);
  both << q, q;
  EXPECT_LT((two.frame_pose("right_tool", both).matrix() - (beside * T).matrix()).norm(), 1e-13);
  EXPECT_EQ(robot.with_base(JointKind::free).n_v(), 12);
  EXPECT_LT((robot.with_base(beside).frame_pose("tool", q).matrix() - (beside * T).matrix()).norm(),
            1e-14);
  EXPECT_EQ(robot.with_gravity({0, 0, 0}).gravity_torque(q).norm(), 0);
  EXPECT_EQ(robot.without_friction().friction_torque(q, Vector::Ones(6)).norm(), 0);
  EXPECT_GT(robot.friction_torque(q, Vector::Ones(6)).norm(), 0);
  EXPECT_LT((robot.with_parameters(2 * robot.parameters()).gravity_torque(q) -
             2 * robot.gravity_torque(q))
                .norm(),
            1e-12);
  EXPECT_LT((robot.add_frame("tip", "link_6", beside).frame_pose("tip", q).matrix() -
             (robot.frame_pose("link_6", q) * beside).matrix())
                .norm(),
            1e-14);
  // A payload is a force and a moment of its own.
  const Robot::Matrix3 inertia = Eigen::Vector3d(0.1, 0.2, 0.25).asDiagonal();
  Robot loaded = robot.attach_payload("link_6", 2, {0, 0, 0.1}, inertia);
  EXPECT_NEAR(loaded.mass(), robot.mass() + 2, 1e-12);
  const Inertial body{2, {0, 0, 0.1}, {0.1, 0, 0.2, 0, 0, 0.25}};
  EXPECT_EQ(loaded.mass_matrix(q),
            Robot(attach_payload(robot.model(), "link_6", body)).mass_matrix(q));
  const Vector held =
      robot.point_jacobian("link_6", q, {0, 0, 0.1}).transpose() * Eigen::Vector3d(0, 0, 2 * 9.81);
  EXPECT_LT((loaded.gravity_torque(q) - robot.gravity_torque(q) - held).norm(), 1e-12);
  EXPECT_EQ(robot.n_v(), 6);
  Robot::Matrix3 lopsided = inertia;
  lopsided(0, 1) = 0.01;
  EXPECT_NE(refusal([&] {
              (void)robot.attach_payload("link_6", 2, {0, 0, 0}, lopsided);
            }),
            "accepted");
  EXPECT_NE(refusal([&] { (void)robot.attach_payload("link_6", -2); }), "accepted");
  EXPECT_NE(refusal([&] {
              (void)robot.attach_payload("link_6", 2, {0, 0, 0}, -inertia);
            }).find("principal moment"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)robot.with_parameters(zero); }), "accepted");
}

TEST(RobotTrajectories, between_configurations_are_those_of_the_room_and_outlive_the_robot) {
  auto robot = std::make_unique<Robot>("panda");
  Vector q0 = robot->random_configuration(1), q1 = robot->random_configuration(2);
  const Array<double> from(q0.data(), q0.data() + 7), to(q1.data(), q1.data() + 7);
  const Model<double> model = robot->model();
  const ConfigurationTrajectory expected = configuration_trajectory(model, from, to);
  const JointTrajectory motion = robot->configuration_trajectory(q0, q1);
  const JointTrajectory slow = robot->configuration_trajectory(q0, q1, 9.0, Profile::cubic);
  robot.reset();
  EXPECT_EQ(motion.duration(), expected.duration());
  EXPECT_EQ(slow.duration(), 9);
  Vector q(7), qd(7), qdd(7);
  const double t = 0.3 * motion.duration();
  expected.sample(t, q, qd, qdd);
  const JointTrajectory::Sample s = motion.sample(t);
  EXPECT_EQ(s.q, q);
  EXPECT_EQ(s.qd, qd);
  EXPECT_EQ(s.qdd, qdd);
  EXPECT_LT((motion.sample(motion.duration()).q - q1).norm(), 1e-14);
  EXPECT_EQ(motion.sample(2 * motion.duration()).qd.norm(), 0);
  EXPECT_LT((slow.sample(4.5).q - (q0 + q1) / 2).norm(), 1e-14);
  EXPECT_NE(refusal([&] { motion.sample(std::nan("")); }), "accepted");
  EXPECT_EQ(refusal([&] {
              Vector few(3);
              motion.sample(0, few, qd, qdd);
            }),
            "trajectory: q has 3 numbers, expected 7");
  EXPECT_NE(refusal([] { JointTrajectory().sample(0); }), "accepted");
}

TEST(RobotTrajectories, splines_pass_the_points_within_the_limits) {
  const Robot robot("panda");
  const std::vector<Vector> points{robot.random_configuration(1), robot.random_configuration(2),
                                   robot.random_configuration(3)};
  const JointTrajectory timed = robot.spline({0, 1, 3}, points);
  EXPECT_LT((timed.sample(1).q - points[1]).norm(), 1e-13);
  EXPECT_EQ(timed.duration(), 3);
  const JointTrajectory fast = robot.spline(points);
  EXPECT_LT((fast.sample(fast.duration()).q - points[2]).norm(), 1e-13);
  double most = 0;
  for (int k = 0; k <= 1000; ++k) {
    const auto s = fast.sample(fast.duration() * k / 1000);
    most = std::max(most, s.qd.cwiseAbs().cwiseQuotient(robot.limits().velocity).maxCoeff());
  }
  EXPECT_LT(most, 1 + 1e-9);
  EXPECT_GT(most, 0.9);
  EXPECT_NE(refusal([&] {
              (void)robot.with_base(JointKind::free).spline({0, 1}, {});
            }),
            "accepted");
}

TEST(RobotTrajectories, along_a_screw_and_a_line_put_the_frame_there) {
  Robot robot("puma560");
  const FrameHandle tool = robot.frame("tool");
  const Vector q = arm_q();
  const Pose T0 = robot.frame_pose(tool, q);
  Pose step = Pose::Identity();
  step.translate(Eigen::Vector3d(0.05, -0.04, 0.03))
      .rotate(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 1, 0).normalized()));
  const Pose T1 = T0 * step;
  const PoseLimits limits{0.2, 1, 1, 5};
  const auto screw = robot.screw_path(tool, T0, T1, q, limits),
             line = robot.line_path(tool, T0, T1, q, limits);
  for (const auto* path : {&screw, &line}) {
    ASSERT_TRUE(*path);
    EXPECT_EQ(path->solved_until, path->trajectory.duration());
    EXPECT_LT(path->largest_step, 0.05);
    const auto end = path->trajectory.sample(path->trajectory.duration());
    EXPECT_LT((robot.frame_pose(tool, end.q).matrix() - T1.matrix()).norm(), 1e-6);
  }
  const auto middle = line.trajectory.sample(line.trajectory.duration() / 2);
  EXPECT_LT(
      (robot.frame_pose(tool, middle.q).translation() - (T0.translation() + T1.translation()) / 2)
          .norm(),
      1e-6);
  const Eigen::Vector3d v =
      robot.frame_velocity(tool, middle.q, middle.qd, Reference::world_aligned).tail(3);
  EXPECT_LT(v.cross(T1.translation() - T0.translation()).norm(), 1e-5);
  const auto out = robot.joint_path(
      tool, [&](double t) { return Pose(Eigen::Translation3d(0, 0, 3 * t) * T0); }, 1, q);
  EXPECT_FALSE(out);
  EXPECT_GT(out.solved_until, 0);
  EXPECT_LT(out.solved_until, 1);
  EXPECT_EQ(out.trajectory.duration(), out.solved_until);
  for (const double never : {std::nan(""), 0.0, -1.0})
    EXPECT_NE(refusal([&] {
                (void)robot.joint_path(
                    tool, [&](double) { return T0; }, never, q);
              }).find("duration"),
              std::string::npos);
}

TEST(RobotFiles, are_read_back_as_the_same_robot) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("torsor_robot_" + std::to_string(std::rand()));
  std::filesystem::create_directory(folder);
  Robot robot = Robot("puma560").attach_payload("link_6", 2);
  const Vector q = arm_q();
  for (const char* name : {"arm.urdf", "arm.yaml"}) {
    const std::string path = (folder / name).string();
    (void)robot.save(path);
    Robot back(path);
    EXPECT_LT((back.mass_matrix(q) - robot.mass_matrix(q)).norm(), 1e-12) << name;
  }
  EXPECT_NE(robot.to_urdf().find("payload"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)robot.save((folder / "arm.txt").string()); }), "accepted");
  std::filesystem::remove_all(folder);
}

TEST(RobotFiles, are_heard_as_the_command_hears_them) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("torsor_" + std::to_string(std::rand()) + ".urdf");
  write_text_file_atomically(path.string(), R"(<robot name="arm">
  <link name="base"/>
  <link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/>
    <axis xyz="0 0 2"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
)");
  Findings expected;
  (void)load_robot(path.string(), &expected);
  ASSERT_GE(expected.size(), 2u);  // the axis, and an inertia of no body
  const Robot robot(path.string()), copy = robot;
  ASSERT_EQ(robot.findings().size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(robot.findings()[k].line(), expected[k].line());
    EXPECT_EQ(robot.findings()[k].kind, expected[k].kind);
  }
  EXPECT_EQ(&copy.findings(), &robot.findings());
  EXPECT_TRUE(robot.with_gravity({0, 0, 0}).findings().empty());  // was not read from a file
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace torsor
