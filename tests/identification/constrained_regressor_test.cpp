#include "torsor/identification/constrained_regressor.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/random_loops.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::testing {
namespace {

/// A closed state of a robot with one loop of a kind (or, last, a coupling) and everything on it.
struct Motion {
  Model<double> model;
  ConstraintSet set;
  State<double> s;

  explicit Motion(LoopedRobot robot, unsigned seed)
      : model(std::move(robot.model)), set(model), s(model, seed) {
    s.q = robot.q;
    AssemblyWorkspace ws(model, set);
    project_velocity(model, set, ws, s.q, s.qd);
    project_acceleration(model, set, ws, s.q, s.qd, s.qdd);
  }
};

LoopedRobot coupled(unsigned seed) {
  RobotDescription robot = random_tree(seed, 8, {.kinds = one_dof_kinds()});
  robot.couplings.push_back({"gear", {{"joint_2", 1}, {"joint_5", -3}}, 0.4, {}});
  robot.couplings.push_back({"sum", {{"joint_1", 1}, {"joint_3", 2}, {"joint_6", 0.5}}, 0, {}});
  LoopedRobot found{Model<double>(robot), {}};
  found.q = random_q(found.model, seed);
  const ConstraintSet set(found.model);
  AssemblyWorkspace ws(found.model, set);
  EXPECT_TRUE(assemble(found.model, set, ws, found.q));
  return found;
}
std::vector<LoopedRobot> robots(unsigned seed) {
  std::vector<LoopedRobot> all;
  for (const LoopJoint::Kind kind : every_loop_kind())
    all.push_back(random_loops(seed, 9, {kind}, {.kinds = one_dof_kinds()}));
  all.push_back(random_loops(seed, 12, {LoopJoint::Kind::spherical, LoopJoint::Kind::distance}));
  all.push_back(coupled(seed));
  return all;
}

TEST(ConstrainedRegressor, times_the_values_is_the_torque_of_inverse_dynamics_projected) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (LoopedRobot& robot : robots(seed)) {
      const Motion motion(std::move(robot), seed);
      const auto& [model, set, s] = motion;
      const ParameterColumns columns(model, ColumnChoice{.stiction = true});
      ConstrainedColumnWorkspace ws(model, columns, s.q);
      ASSERT_GT(ws.n_independent(), 0);
      ASSERT_LT(ws.n_independent(), model.n_v());
      Matrix W(ws.n_independent(), columns.size());
      ASSERT_TRUE(constrained_torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, W));
      // Every joint has an actuator: the least of the torques that make the motion.
      DynamicsWorkspace<double> full(model);
      std::vector<double> tau(s.tau.size());
      const auto found = inverse_dynamics(model, full, s.q, s.qd, s.qdd, {}, tau);
      ASSERT_TRUE(found) << message(model, found);
      Array<double> expected(ws.n_independent());
      project_torque(ws, tau, expected);
      const Array<double> x = columns.values(model);
      const double scale = scale_of(std::vector<double>(W.entries().begin(), W.entries().end()));
      for (int k = 0; k < W.rows(); ++k) {
        double own = 0;
        for (int c = 0; c < W.cols(); ++c) own += W(k, c) * x[c];
        EXPECT_NEAR(own, expected[k], 1e-11 * scale) << model.name() << " seed " << seed;
      }
    }
}

/// With the independent joints as the only actuators G^T tau is their torque.
TEST(ConstrainedRegressor, is_the_torque_of_the_actuated_joints_where_they_are_independent) {
  for (unsigned seed = 1; seed <= 6; ++seed)
    for (LoopedRobot& robot : robots(seed)) {
      const Motion motion(std::move(robot), seed);
      const auto& [model, set, s] = motion;
      const ParameterColumns columns(model, ColumnChoice{.viscous = false, .coulomb = false});
      const ConstrainedColumnWorkspace any(model, columns, s.q);
      Array<char> actuated(model.n_v(), 0);
      for (const int v : any.independent) actuated[v] = 1;
      ConstrainedColumnWorkspace ws(model, columns, s.q, actuated);
      ASSERT_EQ(ws.independent, any.independent);
      Matrix W(ws.n_independent(), columns.size());
      const auto regular = constrained_torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, W);
      ASSERT_TRUE(regular);
      ConstrainedInverseWorkspace inverse(model, set);
      std::vector<double> tau(s.tau.size(), 0.0), lambda(static_cast<std::size_t>(set.n_rows()));
      const auto found = constrained_inverse_dynamics(model, set, inverse, actuated, s.q, s.qd,
                                                      s.qdd, {}, tau, lambda);
      ASSERT_TRUE(found);
      ASSERT_TRUE(found.unique_torque());
      const Array<double> x = columns.values(model);
      const double scale = scale_of(std::vector<double>(W.entries().begin(), W.entries().end())) /
                           regular.pivot_ratio;
      for (int k = 0; k < W.rows(); ++k) {
        double own = 0;
        for (int c = 0; c < W.cols(); ++c) own += W(k, c) * x[c];
        EXPECT_NEAR(own, tau[static_cast<std::size_t>(ws.independent[k])], 1e-11 * scale)
            << model.name() << " seed " << seed;
      }
    }
}

TEST(ConstrainedRegressor, motions_of_its_map_break_no_constraint) {
  for (LoopedRobot& robot : robots(3)) {
    const Motion motion(std::move(robot), 3);
    const auto& [model, set, s] = motion;
    const ParameterColumns columns(model, {"rotor"});
    ConstrainedColumnWorkspace ws(model, columns, s.q);
    Matrix W(ws.n_independent(), columns.size());
    (void)constrained_torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, W);
    const Matrix AG = product(ws.A, ws.G);
    for (const double x : AG.entries()) EXPECT_NEAR(x, 0, 1e-9);
    // The state's own velocity is one of them.
    for (int v = 0; v < model.n_v(); ++v) {
      double sum = 0;
      for (int k = 0; k < ws.n_independent(); ++k)
        sum += ws.G(v, k) * s.qd[static_cast<std::size_t>(ws.independent[k])];
      EXPECT_NEAR(sum, s.qd[static_cast<std::size_t>(v)], 1e-9);
    }
  }
}

TEST(ConstrainedRegressor, of_a_tree_is_the_torque_regressor) {
  const Model<double> model(random_tree(4, 6));
  const ParameterColumns columns(model);
  const State<double> s(model, 4);
  ConstrainedColumnWorkspace ws(model, columns, s.q);
  ASSERT_EQ(ws.n_independent(), model.n_v());
  Matrix W(model.n_v(), columns.size());
  ASSERT_TRUE(constrained_torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, W));
  EXPECT_EQ(W.entries(), ws.W.entries());
}

TEST(ConstrainedRegressor, refuses_an_open_loop_and_allocates_nothing) {
  const Motion motion(random_loops(2, 9, {LoopJoint::Kind::revolute}, {.kinds = one_dof_kinds()}),
                      2);
  const auto& [model, set, s] = motion;
  const ParameterColumns columns(model);
  std::vector<double> open = s.q;
  for (double& x : open) x += 0.3;
  EXPECT_THROW(ConstrainedColumnWorkspace(model, columns, open), Error);
  ConstrainedColumnWorkspace ws(model, columns, s.q);
  Matrix W(ws.n_independent(), columns.size());
  const AllocationCounter counter;
  (void)constrained_torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, W);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor::testing
