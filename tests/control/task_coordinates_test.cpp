/// Task coordinates against differences of poses, the virtual work of forces, and planar closed forms.
#include "torsor/control/task/task_coordinates.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/allocation_counter.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {
namespace {

const std::vector<double> q6{0.3, 0.6, -0.4, 0.3, 1.2, -0.2}, v6{0.4, -0.7, 0.5, 0.9, -0.3, 0.8};

std::vector<TaskCoordinateOptions> choices(const std::string& frame) {
  const Vec3<double> point{0.02, -0.05, 0.1};
  return {
      {.frame = frame, .point = point},
      {.frame = frame, .point = point, .axes = "zx"},
      {.frame = frame, .point = point, .angles = TaskAngles::euler},
      {.frame = frame, .point = point, .angles = TaskAngles::euler, .sequence = EulerSequence::zyz},
      {.frame = frame, .point = point, .angles = TaskAngles::rotation},
      {.frame = frame, .axes = "", .angles = TaskAngles::rotation}};
}

std::vector<double> moved(const Model<double>& robot, const std::vector<double>& q, double h) {
  std::vector<double> step = v6, out(q.size());
  for (double& x : step) x *= h;
  integrate(robot, View<const double>(q), View<const double>(step), View<double>(out));
  return out;
}

TEST(TaskCoordinates, rates_and_accelerations_are_derivatives_along_the_motion) {
  const double h = 1e-5;
  for (const char* name : {"puma560", "ur5"}) {
    const Model<double> robot = load_robot(name);
    for (const TaskCoordinateOptions& o : choices(robot.frames().back().name)) {
      TaskCoordinates task(robot, o), after(robot, o), before(robot, o);
      task.evaluate(q6, v6);
      ASSERT_TRUE(task.regular());
      after.evaluate(moved(robot, q6, h), v6);
      before.evaluate(moved(robot, q6, -h), v6);
      TaskVector step{};
      before.error(after.X(), View<double>(step.data(), task.size()));
      for (int k = 0; k < task.size(); ++k) {
        double rate = 0;
        for (int c = 0; c < 6; ++c) rate += task.jacobian()(k, c) * v6[static_cast<std::size_t>(c)];
        EXPECT_NEAR(task.Xdot()[k], rate, 1e-14) << k;
        EXPECT_NEAR(step[static_cast<std::size_t>(k)] / (2 * h), task.Xdot()[k], 1e-8) << k;
        EXPECT_NEAR((after.Xdot()[k] - before.Xdot()[k]) / (2 * h), task.bias()[k], 1e-7) << k;
      }
      const MatrixView<const double> Jdot = task.jacobian_dot(q6, v6);
      for (int k = 0; k < task.size(); ++k) {
        double bias = 0;
        for (int c = 0; c < 6; ++c) {
          bias += Jdot(k, c) * v6[static_cast<std::size_t>(c)];
          EXPECT_NEAR((after.jacobian()(k, c) - before.jacobian()(k, c)) / (2 * h), Jdot(k, c),
                      1e-7);
        }
        EXPECT_NEAR(bias, task.bias()[k], 1e-13);
      }
    }
  }
}

TEST(TaskCoordinates, planar_arms_have_the_textbook_jacobian) {
  const Model<double> arm = load_robot("planar2r");
  TaskCoordinates task(arm, {.frame = "tip", .axes = "xy", .angles = TaskAngles::planar});
  const std::vector<double> q{0.3, -0.7}, v{0.5, -1.2};
  task.evaluate(q, v);
  EXPECT_EQ(task.names(), (std::vector<std::string>{"x", "y", "phi"}));
  const double s1 = std::sin(0.3), c1 = std::cos(0.3), s12 = std::sin(-0.4), c12 = std::cos(-0.4);
  const double X[3] = {c1 + c12, s1 + s12, -0.4};
  const double J[3][2] = {{-s1 - s12, -s12}, {c1 + c12, c12}, {1, 1}};
  const double w1 = 0.5, w12 = -0.7;
  const double bias[3] = {-c1 * w1 * w1 - c12 * w12 * w12, -s1 * w1 * w1 - s12 * w12 * w12, 0};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(task.X()[k], X[k], 1e-15);
    EXPECT_NEAR(task.bias()[k], bias[k], 1e-15);
    for (int c = 0; c < 2; ++c) EXPECT_NEAR(task.jacobian()(k, c), J[k][c], 1e-15);
  }
  const std::vector<double> x_d{1, 2, -0.4 + 6.5};
  TaskVector e{};
  task.error(x_d, View<double>(e.data(), 3));
  EXPECT_NEAR(e[1], 2 - X[1], 1e-15);
  EXPECT_NEAR(e[2], 6.5 - 2 * 3.14159265358979323846, 1e-14);
}

TEST(TaskCoordinates, errors_of_a_pose_are_those_of_its_coordinates) {
  const Model<double> robot = load_robot("puma560");
  const double h = 1e-5;
  const auto pose_at = [](double t) {
    return SE3<double>{exp(Vec3<double>{0.3 + 0.2 * t, -0.5 * t, 0.4}), {0.3 + t, 0.2, 0.5 - t}};
  };
  for (const TaskCoordinateOptions& o : choices(robot.frames().back().name)) {
    TaskCoordinates task(robot, o);
    task.evaluate(q6, v6);
    // body twist and its derivative by differences of poses
    const auto twist_at = [&](double t) {
      return log(inverse(pose_at(t - h)) * pose_at(t + h)) * (1 / (2 * h));
    };
    const PoseMotion<double> d{pose_at(0), twist_at(0),
                               (twist_at(1e-3) - twist_at(-1e-3)) * (1 / 2e-3)};
    const TaskError e = task.error({.pose = &d});
    // The same frame at the desired pose: a robot with that frame is not at hand, so X_d comes from
    // the error itself; its growth along the path must be the rate.
    const auto error_at = [&](double t) {
      const PoseMotion<double> p{pose_at(t), {}, {}};
      return task.error({.pose = &p}).e;
    };
    const TaskVector plus = error_at(h), minus = error_at(-h);
    for (int k = 0; k < task.size(); ++k) {
      if (o.angles == TaskAngles::rotation && k >= task.n_positions()) continue;  // quasi
      const auto i = static_cast<std::size_t>(k);
      EXPECT_NEAR((plus[i] - minus[i]) / (2 * h), e.edot[i] + task.Xdot()[k], 1e-7) << k;
    }
    const PoseMotion<double> here{
        {task.T_world_point().R, task.T_world_point().p - task.T_world_point().R * o.point},
        {},
        {}};
    for (const double x : task.error({.pose = &here}).e) EXPECT_NEAR(x, 0, 1e-12);
    for (int k = 0; k < task.size(); ++k)
      EXPECT_EQ(task.error(ControlReference{}).edot[static_cast<std::size_t>(k)], -task.Xdot()[k]);
  }
}

TEST(TaskCoordinates, measured_forces_do_the_work_of_the_wrench) {
  const Model<double> robot = load_robot("ur5");
  for (const TaskCoordinateOptions& o : choices(robot.frames().back().name)) {
    if (o.axes.size() != 3 || o.angles == TaskAngles::none) continue;
    TaskCoordinates task(robot, o);
    task.evaluate(q6, v6);
    std::vector<Wrench<double>> F(static_cast<std::size_t>(robot.n_bodies()));
    const Frame frame = robot.frame(o.frame);
    F[static_cast<std::size_t>(frame.body)] = {{0.3, -0.2, 0.7}, {5, 3, -2}};
    VelocityWorkspace<double> ws(robot);
    forward_velocity(robot, ws, q6, v6);
    const auto body = static_cast<std::size_t>(frame.body);
    const double power = dot(ws.V[body], F[body]);
    TaskVector f{};
    task.measured_force(F, f);
    double given = 0;
    for (int k = 0; k < 6; ++k) given += f[static_cast<std::size_t>(k)] * task.Xdot()[k];
    EXPECT_NEAR(-given, power, 1e-12);
    std::vector<double> tau(6);
    task.add_torque(f, tau);
    double torque_power = 0;
    for (std::size_t k = 0; k < 6; ++k) torque_power += tau[k] * v6[k];
    EXPECT_NEAR(torque_power, given, 1e-12);
  }
}

/// The x axis of the tip along that of the world: theta = 0 of a sequence that repeats x.
TEST(TaskCoordinates, euler_rows_say_where_they_are_singular) {
  const Model<double> arm = load_robot("planar2r");
  const std::vector<double> v{0.5, -1.2}, along{0.7, -0.7}, aside{0.7, -0.6};
  const auto regular = [&](EulerSequence sequence, const std::vector<double>& q) {
    TaskCoordinates task(arm, {.frame = "tip", .angles = TaskAngles::euler, .sequence = sequence});
    task.evaluate(q, v);
    return task.regular();
  };
  EXPECT_FALSE(regular(EulerSequence::xyx, along));
  EXPECT_TRUE(regular(EulerSequence::xyx, aside));
  EXPECT_TRUE(regular(EulerSequence::zyx, along));
}

TEST(TaskCoordinates, door_and_allocations) {
  const Model<double> robot = load_robot("puma560");
  const std::string frame = robot.frames().back().name;
  EXPECT_THROW(TaskCoordinates(robot, {.frame = "nowhere"}), Error);
  EXPECT_THROW(TaskCoordinates(robot, {.frame = frame, .axes = "xw"}), Error);
  EXPECT_THROW(TaskCoordinates(robot, {.frame = frame, .axes = "xx"}), Error);
  EXPECT_THROW(TaskCoordinates(robot, {.frame = frame, .axes = ""}), Error);
  TaskCoordinates task(robot, {.frame = frame, .angles = TaskAngles::euler});
  std::vector<Wrench<double>> F(static_cast<std::size_t>(robot.n_bodies()));
  TaskVector f{};
  std::vector<double> tau(6);
  const testing::AllocationCounter counter;
  task.evaluate(q6, v6);
  (void)task.jacobian_dot(q6, v6);
  (void)task.error({.x = q6, .xd = v6});
  task.measured_force(F, f);
  task.add_torque(f, tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
