/// Solutions with J~: by elimination, by singular values, near a singularity.
#include "torsor/control/task/task_solver.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"

namespace torsor {
namespace {

/// Over drawn configurations, a wrist on its way to singular ones, fewer and more joints than the
/// task has coordinates: always what inverse_velocity gives.
TEST(TaskSolver, is_the_damped_inverse_of_the_kinematics_room) {
  for (const char* name : {"puma560", "ur5", "iiwa14", "planar2r"}) {
    const Model<double> robot = load_robot(name);
    const bool planar = robot.n_v() == 2;
    const std::string frame = planar ? "tip" : robot.frames().back().name;
    TaskCoordinates task(robot, {.frame = frame,
                                 .axes = planar ? "xy" : "xyz",
                                 .angles = planar ? TaskAngles::none : TaskAngles::rotation});
    TaskSolver solver(robot);
    InverseVelocityWorkspace ws(robot);
    const auto n = static_cast<std::size_t>(robot.n_v());
    std::vector<double> q(n), v(n, 0.3), mine(n), theirs(n);
    const double xdot[6] = {0.3, -0.2, 0.5, 0.1, 0.7, -0.4};
    int regular = 0;
    for (int k = 0; k < 200; ++k) {
      random_configuration(robot, static_cast<std::uint64_t>(k + 1), q);
      if (k >= 100) q[planar ? 1 : n - 2] *= std::pow(10.0, -0.1 * (k - 100));
      task.evaluate(q, v);
      solver.factorise(task);
      solver.solve({xdot, task.size()}, mine);
      const InverseVelocity result =
          inverse_velocity(ws, task.jacobian(), {xdot, task.size()}, {}, theirs);
      double scale = 0;
      for (const double x : theirs) scale = std::fmax(scale, std::abs(x));
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(mine[j], theirs[j], 1e-9 * scale) << name << k;
      EXPECT_EQ(solver.near_singular(),
                result.damping > 0 || result.rank < std::min(task.size(), robot.n_v()));
      regular += !solver.near_singular();
    }
    EXPECT_GT(regular, 90) << name;
    const bool meets_singular = planar || std::string(name) == "puma560";
    EXPECT_LT(regular, meets_singular ? 190 : 201) << name;
  }
}

TEST(TaskSolver, redundant_joints_slow_down_and_the_task_keeps_its_acceleration) {
  const Model<double> robot = load_robot("iiwa14");
  TaskCoordinates task(robot,
                       {.frame = robot.frames().back().name, .angles = TaskAngles::rotation});
  TaskSolver solver(robot);
  const std::vector<double> q{0.3, 0.6, -0.2, -1.2, 0.3, 0.9, 0.1},
      v{0.4, -0.7, 0.5, 0.9, -0.3, 0.8, 0.2};
  const double Xdd[6] = {0.3, -0.2, 0.5, 0.1, 0.7, -0.4};
  std::vector<double> still(7), slowed(7);
  task.evaluate(q, v);
  solver.acceleration(task, Xdd, v, 0, still);
  solver.acceleration(task, Xdd, v, 5, slowed);
  double power = 0;
  for (int r = 0; r < 6; ++r) {
    double a = task.bias()[r];
    for (int c = 0; c < 7; ++c) a += task.jacobian()(r, c) * slowed[static_cast<std::size_t>(c)];
    EXPECT_NEAR(a, Xdd[r], 1e-12);
  }
  for (std::size_t k = 0; k < 7; ++k) power += (slowed[k] - still[k]) * v[k];
  EXPECT_LT(power, -1e-3);
}

}  // namespace
}  // namespace torsor
