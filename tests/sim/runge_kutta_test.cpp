/// Fixed steps: order on vectors and on the groups of the joints, goldens of textbook section
/// 2.4.III.
#include "torsor/sim/runge_kutta.hpp"

#include "dynamics/golden_ch2_robots.hpp"
#include "sim/free_motion.hpp"
#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/sim/taylor_step.hpp"

namespace torsor {
namespace {

using testing::FreeMotion;
using testing::largest_difference;
using testing::state_of;

std::vector<double> simulated(const Model<double>& model, const std::vector<double>& y0, double end,
                              int steps) {
  const RobotSpace<double> space(model);
  RungeKuttaWorkspace<double> ws(space);
  FreeMotion<double> rates(model);
  std::vector<double> y = y0;
  const double h = end / steps;
  for (int k = 0; k < steps; ++k) rk4_step(space, ws, rates, k * h, h, y);
  return y;
}

TEST(Rk4, step_halving_shows_order_4_on_a_vector_equation) {
  // y' = -2 t y^2, y(0) = 1: y = 1 / (1 + t^2)
  const FlatSpace space{1};
  RungeKuttaWorkspace<double> ws(space);
  const auto rates = [](double t, View<const double> y, View<double> dy) {
    dy[0] = -2 * t * y[0] * y[0];
  };
  double error[3];
  for (int k = 0; k < 3; ++k) {
    std::vector<double> y{1};
    const int steps = 40 << k;
    for (int i = 0; i < steps; ++i) rk4_step(space, ws, rates, 2.0 * i / steps, 2.0 / steps, y);
    error[k] = std::abs(y[0] - 0.2);
  }
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.15);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 4, 0.15);
}

TEST(Rkmk4, step_halving_shows_order_4_with_every_joint_kind) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    testing::RandomTree options;
    options.dissipation = false;
    options.base = false;  // gravity of 9.81 instead of none to 17
    const Model<double> model(testing::random_tree(seed, 4, options));
    const auto y0 = state_of(testing::random_q(model, seed), testing::random_velocity(model, seed));
    std::vector<double> y[4];
    for (int k = 0; k < 4; ++k) y[k] = simulated(model, y0, 0.1, 20 << k);
    const double a = largest_difference(y[0], y[1]), b = largest_difference(y[1], y[2]),
                 c = largest_difference(y[2], y[3]);
    EXPECT_NEAR(std::log2(a / b), 4, 0.5) << seed;
    EXPECT_NEAR(std::log2(b / c), 4, 0.35) << seed;
  }
}

TEST(Rkmk4, quaternions_stay_of_unit_norm) {
  testing::RandomTree options;
  options.kinds = {JointKind::free, JointKind::spherical};
  const Model<double> model(testing::random_tree(5, 3, options));
  std::vector<double> y =
      state_of(testing::random_q(model, 5), testing::random_velocity(model, 5, 3));
  const RobotSpace<double> space(model);
  RungeKuttaWorkspace<double> ws(space);
  FreeMotion<double> rates(model);
  for (int k = 0; k < 2000; ++k) {
    rk4_step(space, ws, rates, 0, 1e-3, y);
    internal::for_each_quaternion(model, [&](int at) {
      double norm = 0;
      for (int c = 0; c < 4; ++c) norm += std::pow(y[static_cast<std::size_t>(at + c)], 2);
      EXPECT_NEAR(norm, 1, 1e-12);
    });
  }
}

/// A symmetric top without moments: in its own axes w turns about z at (1 - Iz / Ix) wz, and the
/// axis turns about the angular momentum L at |L| / Ix.
TEST(Rkmk4, a_symmetric_top_turns_as_its_closed_form_says) {
  const double Ix = 0.4, Iz = 0.7;
  RobotDescription top;
  top.name = "top";
  top.gravity = {};
  top.links = {{"base", {}, false, {}, {}},
               {"top", {1.0, {}, {Ix, 0, Ix, 0, 0, Iz}}, true, {}, {}}};
  Joint ball;
  ball.name = "ball", ball.kind = JointKind::spherical, ball.parent = "base", ball.child = "top";
  top.joints.push_back(ball);
  const Model<double> model(top);

  const Vec3<double> w0{0.9, -0.4, 2.0};
  const double end = 1.5, rate = (1 - Iz / Ix) * w0.z;
  const Vec3<double> L{Ix * w0.x, Ix * w0.y, Iz * w0.z};  // in the world: the start is the identity
  // R = exp(L t / Ix) exp(e_z rate t)
  const SO3<double> R = exp(L * (end / Ix)) * rotation_z(rate * end);
  double error[3];
  for (int k = 0; k < 3; ++k) {
    const auto y = simulated(model, {0, 0, 0, 1, w0.x, w0.y, w0.z}, end, 50 << k);
    const SO3<double> got = rotation(Quaternion<double>{y[0], y[1], y[2], y[3]});
    error[k] = norm(log(transpose(R) * got));
    const Vec3<double> w = transpose(R) * L;  // I w = R^T L
    error[k] += std::abs(y[4] - w.x / Ix) + std::abs(y[5] - w.y / Ix) + std::abs(y[6] - w.z / Iz);
  }
  EXPECT_LT(error[2], 2e-9);
  EXPECT_NEAR(std::log2(error[0] / error[1]), 4, 0.2);
  EXPECT_NEAR(std::log2(error[1] / error[2]), 4, 0.2);
}

TEST(Rk4, lanes_and_duals_run_through_and_agree_with_plain_numbers) {
  const Model<double> model(testing::random_tree(8, 4));
  const auto y0 = state_of(testing::random_q(model, 2), testing::random_velocity(model, 2));
  const auto plain = simulated(model, y0, 0.05, 10);
  const RobotSpace<double> space(model);
  const auto expect_same = [&]<class Real>(const Real&) {
    RungeKuttaWorkspace<Real> ws(space);
    FreeMotion<Real> rates(model);
    std::vector<Real> y(y0.begin(), y0.end());
    for (int k = 0; k < 10; ++k) rk4_step(space, ws, rates, k * 0.005, 0.005, y);
    for (std::size_t k = 0; k < y.size(); ++k)
      EXPECT_LE(testing::distance(y[k], Real(plain[k])), 1e-12) << k;
  };
  expect_same(Pack<double, 4>{});
  expect_same(Dual<double, 2>{});
}

TEST(Rk4, steps_allocate_nothing) {
  const Model<double> model(testing::random_tree(9, 6));
  std::vector<double> y = state_of(testing::random_q(model, 9), testing::random_velocity(model, 9));
  const RobotSpace<double> space(model);
  RungeKuttaWorkspace<double> ws(space);
  FreeMotion<double> rates(model);
  const testing::AllocationCounter counter;
  rk4_step(space, ws, rates, 0, 1e-3, y);
  taylor_step(space, ws, rates, 0, 1e-3, y);
  semi_implicit_euler_step(space, ws, rates, 0, 1e-3, y);
  EXPECT_EQ(counter.count(), 0u);
}

struct GoldenRow {
  int step;
  std::vector<double> y;
  double energy;
  double tolerance;
};

/// DDArm of example 2-1 (DH), tau = 0, q = (0.1, 0.5, -0.3) at rest, steps of 1 ms.
template <class Step>
void expect_golden(const std::vector<GoldenRow>& rows, double energy_tolerance, Step step) {
  const Model<double> model(from_dh(testing::golden_robot("DDARM_DH").table()));
  const RobotSpace<double> space(model);
  RungeKuttaWorkspace<double> ws(space);
  FreeMotion<double> rates(model);
  MomentumWorkspace<double> momentum(model);
  std::vector<double> y{0.1, 0.5, -0.3, 0, 0, 0};
  EXPECT_NEAR(testing::energy_of(model, momentum, y).total, 15.3198238945402, 1e-12);
  int k = 0;
  for (const GoldenRow& row : rows) {
    for (; k < row.step; ++k) step(space, ws, rates, k * 1e-3, 1e-3, y);
    EXPECT_LE(largest_difference(y, row.y), row.tolerance) << "step " << row.step;
    EXPECT_NEAR(testing::energy_of(model, momentum, y).total, row.energy, energy_tolerance)
        << "step " << row.step;
  }
}

TEST(GoldenSimulation, D_18_initial_acceleration_of_the_ddarm) {
  const Model<double> model(from_dh(testing::golden_robot("DDARM_DH").table()));
  FreeMotion<double> rates(model);
  const std::vector<double> y{0.1, 0.5, -0.3, 0, 0, 0};
  std::vector<double> dy(6);
  rates(0.0, y, dy);
  const double expected[3] = {1.35201605372466, 18.7872638858983, -0.880314243530924};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(dy[3 + k], expected[k], 1e-12);
}

TEST(GoldenSimulation, D_18_taylor_steps_2_107_and_2_108) {
  expect_golden({{1,
                  {0.100000676008027, 0.500009393631943, -0.300000440157122, 0.00135201605372466,
                   0.0187872638858983, -0.000880314243530924},
                  15.3198238944,
                  1e-14},
                 {10,
                  {0.100067561060947, 0.500939416990781, -0.30004392274295, 0.0135035625051511,
                   0.187895100026137, -0.00876431452103605},
                  15.3198236776,
                  1e-13},
                 {100,
                  {0.106267999545431, 0.594559474557806, -0.303254745988697, 0.115099159079542,
                   1.90336940674135, -0.0412895343942716},
                  15.3196218118,
                  1e-12},
                 {1000,
                  {-0.108954243982036, 4.88637186633529, 1.2815404835027, -0.0822827222097999,
                   -0.674134479624582, 7.29545789752858},
                  15.3850895889,
                  1e-8}},
                1e-9, [](auto&&... arguments) { taylor_step(arguments...); });
}

TEST(GoldenSimulation, D_18_runge_kutta_steps) {
  expect_golden({{1,
                  {0.100000676003176, 0.500009393638513, -0.300000440145774, 0.00135199664988516,
                   0.01878729016797, -0.000880268850563482},
                  15.3198238945402,
                  1e-14},
                 {10,
                  {0.100067552275597, 0.500939428877766, -0.300043902192268, 0.0135007461415825,
                   0.187898907809063, -0.00875772684623256},
                  15.3198238945402,
                  1e-13},
                 {100,
                  {0.106257810426934, 0.594571849792087, -0.303231192052095, 0.114780150586967,
                   1.90373077145851, -0.0405591088250945},
                  15.3198238945402,
                  1e-12},
                 {1000,
                  {-0.111645221157356, 4.87503132084599, 1.27508577233538, -0.0819014138656501,
                   -0.709330114724923, 7.27514934668921},
                  15.3198238945402,
                  1e-8}},
                2e-11, [](auto&&... arguments) { rk4_step(arguments...); });
}

TEST(SemiImplicitEuler, one_step_of_a_pendulum_takes_the_velocity_first) {
  // unit inertia about the axis, no gravity moment: a spring of 4 N m / rad at 0.3 rad
  RobotDescription robot;
  robot.gravity = {};
  robot.links = {{"base", {}, false, {}, {}}, {"arm", {1.0, {}, {1, 0, 1, 0, 0, 1}}, true, {}, {}}};
  Joint hinge;
  hinge.name = "hinge", hinge.kind = JointKind::revolute, hinge.parent = "base";
  hinge.child = "arm";
  robot.joints.push_back(hinge);
  const Model<double> model(robot);
  const RobotSpace<double> space(model, 1);
  RungeKuttaWorkspace<double> ws(space);
  const auto rates = [](double, View<const double> y, View<double> dy) {
    dy[0] = y[1], dy[1] = -4 * y[0], dy[2] = y[0];
  };
  std::vector<double> y{0.3, 0.5, 0};
  semi_implicit_euler_step(space, ws, rates, 0, 0.1, y);
  EXPECT_DOUBLE_EQ(y[1], 0.5 - 0.12);
  EXPECT_DOUBLE_EQ(y[0], 0.3 + 0.1 * (0.5 - 0.12));
  EXPECT_DOUBLE_EQ(y[2], 0.03);
  y = {0.3, 0.5, 0};
  taylor_step(space, ws, rates, 0, 0.1, y);
  EXPECT_DOUBLE_EQ(y[0], 0.3 + 0.05 - 0.5 * 1.2 * 0.01);
}

}  // namespace
}  // namespace torsor
